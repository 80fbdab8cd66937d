package conformance

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestGateKeepsToTheRun checks which calls pass the gate, and what the state says before they do.
func TestGateKeepsToTheRun(t *testing.T) {
	const uuid = "0dc2b9c4-9573-4f00-8c22-2f0e6b6e5f9a"
	const signing = "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0"
	cases := map[string]struct {
		reason            string
		service, do, body string
		passes            bool
		made              []Made
	}{
		"Read": {reason: "Everything may be read.", do: "GET /2015-03-31/functions/others", passes: true},
		"Own": {
			reason: "What has the prefix of the run is its own.",
			do:     "DELETE /2015-03-31/functions/plc-0a1b2c3d-f",
			passes: true,
		},
		"OwnByARN": {
			reason: "An ARN names it, too.",
			do:     "DELETE /2015-03-31/functions/arn:aws:lambda:eu-central-1:123456789012:function:plc-0a1b2c3d-f",
			passes: true,
		},
		"Foreign":  {reason: "What others have is not changed.", do: "DELETE /2015-03-31/functions/others"},
		"OtherRun": {reason: "Nor is what another run has.", do: "DELETE /2015-03-31/functions/plc-00000000-f"},
		"Within": {
			reason: "A prefix is at the beginning.",
			do:     "DELETE /2015-03-31/functions/my-plc-0a1b2c3d-f",
		},
		"Invoke": {reason: "Code of others is not run.", do: "POST /2015-03-31/functions/others/invocations"},
		"Tag": {
			reason: "Nor are others' tags changed.",
			do:     "POST /2017-03-31/tags/arn:aws:lambda:eu-central-1:123456789012:function:others",
			body:   `{"Tags": {"a": "b"}}`,
		},
		"Create": {
			reason: "A function is in the state before it is made.",
			do:     "POST /2015-03-31/functions",
			body:   `{"FunctionName": "plc-0a1b2c3d-f"}`,
			passes: true,
			made:   []Made{{kindFunction, "plc-0a1b2c3d-f"}},
		},
		"CreateForeign": {
			reason: "Nothing is made by another name.",
			do:     "POST /2015-03-31/functions",
			body:   `{"FunctionName": "others"}`,
		},
		"Layer": {
			reason: "So is a layer.",
			do:     "POST /2018-10-31/layers/plc-0a1b2c3d-l/versions",
			body:   `{}`,
			passes: true,
			made:   []Made{{kindLayer, "plc-0a1b2c3d-l"}},
		},
		"KnownMapping": {
			reason: "A mapping that the run has made is its own.",
			do:     "DELETE /2015-03-31/event-source-mappings/" + uuid,
			passes: true,
		},
		"Mapping": {reason: "Others are not.", do: "DELETE /2015-03-31/event-source-mappings/1" + uuid[1:]},
		"KnownSigning": {
			reason: "So is a code signing configuration.",
			do:     "DELETE /2020-04-22/code-signing-configs/" + signing,
			passes: true,
		},
		"Signing": {
			reason: "Others are not.",
			do:     "DELETE /2020-04-22/code-signing-configs/" + signing[:len(signing)-1] + "1",
		},
		"Untagged": {
			reason: "What has no name of the run must have its tag.",
			do:     "POST /2020-04-22/code-signing-configs",
			body:   `{"Tags": {"team": "shop"}}`,
		},
		"Tagged": {
			reason: "The tag is in the request.",
			do:     "POST /2020-04-22/code-signing-configs",
			body:   `{"Tags": {"` + TagKey + `": "0a1b2c3d"}}`,
			passes: true,
		},
		"Role": {
			reason:  "A role is in the state.",
			service: "iam",
			do:      "POST /",
			body:    "Action=CreateRole&RoleName=plc-0a1b2c3d-role",
			passes:  true,
			made:    []Made{{kindRole, "plc-0a1b2c3d-role"}},
		},
		"ForeignRole": {
			reason:  "Others' roles are not deleted.",
			service: "iam",
			do:      "POST /",
			body:    "Action=DeleteRole&RoleName=admin",
		},
		"Credentials": {
			reason:  "Calls that fetch credentials are not signed.",
			service: "none",
			do:      "PUT /latest/api/token",
			passes:  true,
		},
		"Object": {reason: "Nothing is written to buckets.", service: "s3", do: "PUT /bucket/key"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			state := &State{Run: theRun, made: []Made{{kindMapping, uuid}, {kindSigning, signing}}}
			next := &counting{}
			g := &Gate{Next: next, State: state}
			rsp, err := g.RoundTrip(request(t, tc.service, tc.do, tc.body))
			if err != nil {
				t.Fatal(err)
			}
			_ = rsp.Body.Close()
			if passed := next.calls == 1; passed != tc.passes || passed == (rsp.StatusCode == http.StatusForbidden) {
				t.Errorf("%s: passed %v with status %d, refused %v", tc.reason, passed, rsp.StatusCode, g.Refusals())
			}
			if diff := cmp.Diff(tc.made, state.made[2:], cmp.Transformer("empty", func(m []Made) []Made {
				return append([]Made{}, m...)
			})); diff != "" {
				t.Errorf("%s: made, -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// counting answers each call.
type counting struct{ calls int }

func (c *counting) RoundTrip(*http.Request) (*http.Response, error) {
	c.calls++
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader("{}")),
	}, nil
}

func request(t *testing.T, service, do, body string) *http.Request {
	t.Helper()
	if service == "" {
		service = serviceLambda
	}
	method, path, _ := strings.Cut(do, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, "https://aws.test"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if service == "none" {
		return r
	}
	r.Header.Set(
		"Authorization",
		"AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-central-1/"+service+"/aws4_request, Signature=0",
	)
	if service == "iam" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// TestGateOrdersChanges checks that no other call is on its way while Lambda is changed, so that a recording has the
// calls in the order in which they had an effect.
func TestGateOrdersChanges(t *testing.T) {
	next := &meeting{}
	g := &Gate{Next: next, State: &State{Run: theRun}}
	var calls sync.WaitGroup
	for range 20 {
		for _, do := range []string{
			"GET /2015-03-31/functions/plc-0a1b2c3d-f", "DELETE /2015-03-31/functions/plc-0a1b2c3d-f",
		} {
			r := request(t, "", do, "")
			calls.Go(func() {
				if rsp, err := g.RoundTrip(r); err != nil {
					t.Error(err)
				} else {
					_ = rsp.Body.Close()
				}
			})
		}
	}
	calls.Wait()
	if next.met > 0 {
		t.Errorf("%d changes had company", next.met)
	}
}

// meeting answers each call after others had time to come, and counts the deletions that were not alone.
type meeting struct {
	mu       sync.Mutex
	here     int
	arrivals int
	met      int
}

func (m *meeting) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	m.here, m.arrivals = m.here+1, m.arrivals+1
	alone, number := m.here == 1, m.arrivals
	m.mu.Unlock()
	for range 1000 {
		runtime.Gosched()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.here--; r.Method == http.MethodDelete && (!alone || m.arrivals > number) {
		m.met++
	}
	return (&counting{}).RoundTrip(r)
}

// TestBudget checks that a run ends when its calls are spent, and that nothing is left then.
func TestBudget(t *testing.T) {
	const calls = 40
	simulate(
		t,
		[]string{"function", "secret"},
		func(s *simulation, _ *Runner) { s.gate.Calls = calls },
		func(t *testing.T, s *simulation) {
			t.Helper()
			if s.err == nil || len(s.results) != 1 || s.results[0].Error == "" {
				t.Errorf("the run does not end: %v, %v", s.err, s.results)
			}
			if made := len(s.double.Calls()); made > calls || !s.gate.Spent() {
				t.Errorf("%d calls are made, and %d are allowed", made, calls)
			}
			s.clean(t, true)
			if left := s.left(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		},
	)
}

// TestState checks that a state is not overwritten, and is read even if its last line was not written in full.
func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.jsonl")
	s, err := NewState(path, theRun)
	if err != nil {
		t.Fatal(err)
	}
	want := []Made{{kindFunction, "plc-0a1b2c3d-f"}, {kindRole, "plc-0a1b2c3d-role"}}
	for _, m := range append(want, want...) {
		if err := s.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := NewState(path, theRun); err == nil {
		t.Error("the state of an earlier run is overwritten")
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(b, `{"kind":"Func`...), 0o600)
	}
	got, readErr := ReadState(path)
	if err = errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.made); diff != "" || got.Run != theRun {
		t.Errorf("read %v, -want, +got:\n%s", got.Run, diff)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(path); err == nil {
		t.Error("a file that names no run is read")
	}
}

// TestStateThatCannotBeWritten checks that nothing is made that the file does not say, also if it is tried again.
func TestStateThatCannotBeWritten(t *testing.T) {
	s, err := NewState(filepath.Join(t.TempDir(), "state.jsonl"), theRun)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Add(Made{kindFunction, "plc-0a1b2c3d-f"}); err == nil {
			t.Error("a function may be made that the file does not name")
		}
	}
}

// TestConfirm checks that the account is confirmed by its number.
func TestConfirm(t *testing.T) {
	double := awsdouble.New(awsdouble.Options{})
	double.Start()
	t.Cleanup(double.Close)
	cfg := double.Config("eu-central-1")
	if err := Confirm(t.Context(), cfg, awsdouble.DefaultAccount); err != nil {
		t.Error(err)
	}
	for _, account := range []string{"", "210987654321"} {
		if err := Confirm(t.Context(), cfg, account); !errors.Is(err, errAccount) {
			t.Errorf("account %q: %v", account, err)
		}
	}
}

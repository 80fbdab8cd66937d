package invocation

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestWithLifecycle(t *testing.T) {
	cases := map[string]struct {
		reason  string
		payload string
		key     string
		before  *string
		want    string
		fails   bool
	}{
		"First": {
			reason:  "The first invocation has no previous input.",
			payload: `{"n":1.50}`,
			key:     "tf",
			want:    `{"n":1.50,"tf":{"action":"update","prev_input":null}}`,
		},
		"Next": {
			reason:  "The previous input is passed unchanged.",
			payload: `{}`,
			key:     "cp",
			before:  ptr.To(`{"n":1.50}`),
			want:    `{"cp":{"action":"update","prev_input":{"n":1.50}}}`,
		},
		"NoPayload": {
			reason: "The action is passed without a payload, too.",
			key:    "tf",
			want:   `{"tf":{"action":"update","prev_input":null}}`,
		},
		"Taken": {
			reason:  "The key is the provider's.",
			payload: `{"tf":"mine"}`,
			key:     "tf",
			want:    `{"tf":{"action":"update","prev_input":null}}`,
		},
		"NoObject": {reason: "Nothing can be added to a list.", payload: `[]`, key: "tf", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := withLifecycle([]byte(tc.payload), tc.key, actionUpdate, tc.before)
			if diff := cmp.Diff(tc.want, string(got)); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%s: -want, +got:\n%s, %v", tc.reason, diff, err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason  string
		payload string
		crud    bool
		want    string
	}{
		"None": {reason: "A function may be invoked with nothing."},
		"Text": {reason: "Any JSON will do.", payload: `"x"`},
		"NoUTF8": {
			reason:  "So does AWS if a text in it is in another encoding.",
			payload: "{\"password\": \"hunter2\xfc\"}",
			want:    "the payload is not valid JSON: put a plain text in quotes, and encode it in UTF-8",
		},
		"NoJSON": {
			reason:  "AWS would quote what it cannot read.",
			payload: `hunter2`,
			want:    "the payload is not valid JSON: put a plain text in quotes, and encode it in UTF-8",
		},
		"CRUDText": {
			reason:  "Nothing can be added to a text.",
			payload: `"x"`,
			crud:    true,
			want:    "the payload must be a JSON object with lifecycleScope CRUD, because the action is added to it",
		},
		"CRUDSpace": {reason: "White space is nothing.", payload: " \n{}", crud: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := v1beta1.InvocationParameters{}
			if tc.crud {
				crud(&p)
			}
			got := ""
			if err := (event{payload: []byte(tc.payload)}).check(p); err != nil {
				got = err.Error()
				if !reconcile.IsInvalid(err) {
					t.Errorf("%s: only the user can correct it: %v", tc.reason, err)
				}
			}
			if got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestStoredFingerprint compares fingerprints with those that earlier versions stored in status. If one changes, each
// Invocation invokes its function once more after an upgrade.
func TestStoredFingerprint(t *testing.T) {
	p := v1beta1.InvocationParameters{FunctionName: ptr.To("hello"), Triggers: map[string]string{"schema": "v3"}}
	payload := []byte(`{"tables": ["orders", "customers"]}` + "\n")
	for want, secret := range map[string]bool{
		"71e533454714e4f151b0a743113ff671ba33624ce824b9fe6260a99d72354a5e": false,
		"34e118aedb59f89837bfed7babc9527ff9013caebf1e5fdfeca63b021ad7211a": true,
	} {
		got, err := fingerprint("5633bfde-1b42-4df9-9385-58c8d20333be", p, event{payload: payload, secret: secret})
		if err != nil || got != want {
			t.Errorf("fingerprint of a payload, of a Secret %t: %s, %v, want %s", secret, got, err, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	of := func(uid string, secret bool, change ...func(*v1beta1.InvocationParameters)) string {
		i := newInvocation(change...)
		f, err := fingerprint(uid, i.Spec.ForProvider, event{payload: []byte(`{"password":"a"}`), secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	plain, hidden := of("u1", false), of("u1", true)
	if plain == hidden || hidden == of("u2", true) {
		t.Error("a fingerprint of a Secret's content must not be comparable with others")
	}
	if hidden != of("u1", true) || plain != of("u2", false) {
		t.Error("an input must have one fingerprint")
	}
	for field, change := range map[string]func(*v1beta1.InvocationParameters){
		"functionName":         func(p *v1beta1.InvocationParameters) { p.FunctionName = ptr.To("g") },
		"qualifier":            func(p *v1beta1.InvocationParameters) { p.Qualifier = ptr.To("g") },
		"clientContext":        func(p *v1beta1.InvocationParameters) { p.ClientContext = ptr.To("g") },
		"invocationType":       func(p *v1beta1.InvocationParameters) { p.InvocationType = ptr.To("Event") },
		"tenantId":             func(p *v1beta1.InvocationParameters) { p.TenantID = ptr.To("g") },
		"durableExecutionName": func(p *v1beta1.InvocationParameters) { p.DurableExecutionName = ptr.To("g") },
		"triggers":             func(p *v1beta1.InvocationParameters) { p.Triggers = map[string]string{"g": "g"} },
	} {
		if of("u1", false, change) == plain {
			t.Errorf("%s is input", field)
		}
	}
}

func TestTextsAreCutAtCharacters(t *testing.T) {
	if got := cut("aé", 2); got != "a" {
		t.Errorf("got %q", got)
	}
	if got := last("éa", 2); got != "a" {
		t.Errorf("got %q", got)
	}
	if cut("ab", 2) != "ab" || last("ab", 2) != "ab" {
		t.Error("what fits is not cut")
	}
}

func TestMessage(t *testing.T) {
	for payload, want := range map[string]string{
		`{"errorType":"KeyError","errorMessage":"x"}`: "KeyError: x",
		`{"errorMessage":"x"}`:                        "x",
		`{"other":"x"}`:                               `{"other":"x"}`,
		`"x"`:                                         `"x"`,
	} {
		if got := message([]byte(payload)); got != want {
			t.Errorf("%s: want %q, got %q", payload, want, got)
		}
	}
}

func TestPause(t *testing.T) {
	for attempts, want := range map[int32]time.Duration{
		1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 10: 5 * time.Minute,
	} {
		if got := pause(attempts); got != want {
			t.Errorf("after %d: want %s, got %s", attempts, want, got)
		}
	}
}

func TestRedact(t *testing.T) {
	i := newInvocation(func(p *v1beta1.InvocationParameters) { p.ClientContext = ptr.To("hunter2") })
	i.Spec.ForProvider.Payload = ptr.To(`"hunter2"`)
	i.Status.AtProvider = v1beta1.InvocationObservation{
		Payload:              ptr.To("hunter2"),
		Result:               ptr.To("hunter2"),
		LogTail:              ptr.To("hunter2"),
		FunctionErrorMessage: ptr.To("hunter2"),
	}
	redact(i)
	if got := cmp.Diff(&v1beta1.Invocation{}, i); strings.Contains(got, "hunter2") {
		t.Errorf("what a function is told and answers must not be logged, got %s", got)
	}
}

func TestRecordOfAnother(t *testing.T) {
	i := newInvocation()
	r := (*record)(nil).begin(i, "x", actionCreate, testenv.Start)
	i.SetAnnotations(r.annotation())
	if got := recorded(i); got == nil || got.Input != "x" || !got.At.Time.Equal(testenv.Start) {
		t.Errorf("what was written must be read, got %+v", got)
	}
	i.SetName("other")
	if got := recorded(i); got != nil {
		t.Errorf("a record belongs to one resource, got %+v", got)
	}
	i.SetAnnotations(map[string]string{"lambda.aws.m.crossplane.io/last-invocation": "{"})
	if got := recorded(i); got != nil {
		t.Errorf("what is no record counts as none, got %+v", got)
	}
}

func TestHide(t *testing.T) {
	cases := map[string]struct {
		reason  string
		payload string
		shown   string
		want    string
	}{
		"Longer": {
			"A value that begins with another one is hidden as a whole.",
			`{"a":"admin","b":"admin-hunter2","c":"admin-hunter2-x"}`,
			"admin admin-hunter2-x admin-hunter2",
			"(redacted) (redacted) (redacted)",
		},
		"Quoted": {
			"Most languages write these characters as they are.",
			`{"a":"<hunter\"2>&"}`,
			`{"b":"<hunter\"2>&"} {'a': '<hunter"2>&'}`,
			`{"b":"(redacted)"} {'a': '(redacted)'}`,
		},
		"HTML": {"Go escapes them.", `{"a":"<hunter\"2>&"}`, `"\u003chunter\"2\u003e\u0026"`, `"(redacted)"`},
		"ASCII": {
			"Python escapes all but ASCII.",
			`{"a":"h\u00fcnter\ud83d\ude002"}`,
			`h\u00fcnter\ud83d\ude002, hünter😀2`,
			"(redacted), (redacted)",
		},
		"Nested": {
			"The body that a function returns for API Gateway is JSON within JSON.",
			`{"key":"-----BEGIN\n\"h\u00fcnter\"\n-----END"}`,
			`{"body":"{\"key\":\"-----BEGIN\\n\\\"hünter\\\"\\n-----END\"}"} "\"-----BEGIN\\n\\\"h\\u00fcnter\\\"\\n-----END\""`,
			`{"body":"{\"key\":\"(redacted)\"}"} "\"(redacted)\""`,
		},
		"Number": {
			"A number may be secret too.",
			`{"pin":[12345678901234567890]}`,
			"the PIN 12345678901234567890 is wrong",
			"the PIN (redacted) is wrong",
		},
		"Short":   {"Short values occur in every text.", `{"a":"abc","b":123}`, "abc 123", "abc 123"},
		"Payload": {"The payload is hidden as a whole.", `{"ab":true}`, `got {"ab":true}`, "got (redacted)"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := hide(event{payload: []byte(tc.payload), secret: true}).Replace(tc.shown); got != tc.want {
				t.Errorf("%s\nwant %s, got %s", tc.reason, tc.want, got)
			}
			if got := hide(event{payload: []byte(tc.payload)}).Replace(tc.shown); got != tc.shown {
				t.Errorf("what is no Secret is shown, got %s", got)
			}
		})
	}
}

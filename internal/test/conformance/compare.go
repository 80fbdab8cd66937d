package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// A Difference is a member of an answer of AWS that differs from the double's.
type Difference struct {
	Scenario string
	// Line of the recording, from 1.
	Line      int
	Operation string
	// State is the last operation that has changed the same resource before, with its outcome.
	State string
	// Member of the answer, such as Configuration.State; status or error.
	Member string
	// AWS and Double are the two answers, "absent" without one.
	AWS, Double string
	// Late is true if AWS answers what it has answered before the last change.
	Late bool
}

// String returns the difference as a line.
func (d Difference) String() string {
	late := ""
	if d.Late {
		late = " (AWS still answers the state before)"
	}
	return d.Scenario + ":" + strconv.Itoa(d.Line) + " " + d.Operation + " " + d.State + ": " + d.Member +
		": AWS " + d.AWS + ", the double " + d.Double + late
}

const (
	// settling is the duration of each change in the double of a comparison. It ends when the recording says so.
	settling = time.Hour

	// absent stands for a member that an answer does not have.
	absent = "absent"
)

// A comparison replays a recording.
type comparison struct {
	scenario string
	double   *awsdouble.Server
	now      time.Time
	region   string
	ids      map[string]string
	// changed is the last change of each resource, and before are the answers to reads before that.
	changed map[string]string
	earlier map[string][]any
	found   []Difference
}

// Compare makes the calls to Lambda of a recording again, at a double of AWS, and returns how its answers differ from
// AWS's. Identifiers, times and sizes are not compared. Changes take as long in the double as they did in AWS.
func Compare(scenario string, recording []Exchange) []Difference {
	c := newComparison(scenario, nil)
	for i := range recording {
		if e := &recording[i]; e.Service == serviceLambda {
			c.replay(i+1, e)
		}
	}
	return c.found
}

// newComparison returns a comparison with a double that may be changed first.
func newComparison(scenario string, change func(*awsdouble.Server)) *comparison {
	c := &comparison{
		scenario: scenario, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), ids: map[string]string{},
		changed: map[string]string{}, earlier: map[string][]any{},
	}
	o := awsdouble.Options{CreateDuration: settling, UpdateDuration: settling, ProvisionDuration: settling}
	o.Now = func() time.Time { return c.now }
	c.double = awsdouble.New(o)
	c.double.RemoveResources("arn:aws:iam::" + shownAccount + ":role" + RolePath + "plc-" + shownRun + "-missing")
	if change != nil {
		change(c.double)
	}
	return c
}

// replay makes a call again, compares the answers, and returns the double's. If they differ since the double is still
// busy with a change, AWS was faster, and the call is made once more after the change.
func (c *comparison) replay(line int, e *Exchange) answer {
	got := c.send(e)
	diffs := c.differences(e, got)
	if len(diffs) > 0 && got.busy() && c.mayRepeat(e, got) {
		c.now = c.now.Add(settling)
		later := c.send(e)
		if again := c.differences(e, later); len(again) < len(diffs) {
			got, diffs = later, again
		}
	}
	subject := subjectOf(e)
	state := "of what nothing has changed"
	if s := c.changed[subject]; s != "" {
		state = "after " + s
	}
	late := len(diffs) > 0 && !changesAnything(e.Operation) && c.isEarlier(e)
	for _, d := range diffs {
		d.Scenario, d.Line, d.Operation, d.State, d.Late = c.scenario, line, e.Operation, state, late
		c.found = append(c.found, d)
	}
	if changesAnything(e.Operation) {
		c.changed[subject] = e.Operation + " (" + strconv.Itoa(e.Status) + ")"
		for _, name := range []string{"UUID", "CodeSigningConfig.CodeSigningConfigId"} {
			if id, ok := member(e.Answer, name).(string); ok {
				c.changed[id] = c.changed[subject]
			}
		}
	} else {
		c.earlier[e.Method+e.Path] = append(c.earlier[e.Method+e.Path], e.Answer)
	}
	return got
}

// mayRepeat reports whether a call can be made again without another effect: reads can, and what the double rejects
// although AWS has accepted it.
func (c *comparison) mayRepeat(e *Exchange, got answer) bool {
	return !changesAnything(e.Operation) ||
		got.status >= http.StatusMultipleChoices && e.Status < http.StatusMultipleChoices
}

// isEarlier reports whether AWS has given the same answer to the same read before, but not the last time.
func (c *comparison) isEarlier(e *Exchange) bool {
	for _, a := range c.earlier[e.Method+e.Path] {
		d := comparison{ids: map[string]string{}}
		if len(d.compare("", e.Answer, a)) == 0 {
			return true
		}
	}
	return false
}

// answer is the double's answer.
type answer struct {
	status int
	err    string
	header http.Header
	body   any
	text   string
}

// busy reports whether the answer shows a change that has not ended.
func (a answer) busy() bool { return transition.MatchString(a.text) }

var transition = regexp.MustCompile(
	`"(InProgress|Pending|IN_PROGRESS|Creating|Updating|Enabling|Disabling|Deleting)"|` +
		`ResourceConflictException|ResourceInUse|in progress|currently in`)

// send makes a call of a recording.
func (c *comparison) send(e *Exchange) answer {
	body := []byte(nil)
	if e.Body != nil {
		body = encoded(withArchives(e.Body))
	}
	path, body := c.known(e.Path), []byte(c.known(string(body)))
	r := httptest.NewRequestWithContext(context.Background(), e.Method, "http://aws.test"+path, bytes.NewReader(body))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIADOUBLE/20260101/"+c.regionOf(e)+
		"/lambda/aws4_request, SignedHeaders=host, Signature=0")
	if e.Type != "" {
		r.Header.Set("X-Amz-Invocation-Type", e.Type)
	}
	w := httptest.NewRecorder()
	c.double.ServeHTTP(w, r)
	a := answer{status: w.Code, header: w.Header(), text: w.Body.String()}
	a.err = w.Header().Get("X-Amzn-Errortype")
	if e.Operation == "Invoke" && a.err == "" {
		return a
	}
	decode := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	decode.UseNumber()
	if err := decode.Decode(&a.body); err != nil && w.Body.Len() > 0 {
		a.body = err.Error()
	}
	return a
}

var regions = regexp.MustCompile(`arn:aws[a-z-]*:[a-z]+:([a-z]+-[a-z-]+-\d):`)

// regionOf returns the region of a recording, by the first ARN in it.
func (c *comparison) regionOf(e *Exchange) string {
	if c.region == "" {
		if m := regions.FindSubmatch(encoded(e)); m != nil {
			c.region = string(m[1])
		} else {
			return "eu-central-1"
		}
	}
	return c.region
}

// known replaces AWS's identifiers by the double's.
func (c *comparison) known(s string) string {
	pairs := make([]string, 0, 2*len(c.ids)) //nolint:mnd // Two of each.
	for from, to := range c.ids {
		pairs = append(pairs, from, to)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

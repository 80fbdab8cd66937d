package awsdouble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// story is a recorded sequence of calls and AWS's responses.
type story struct {
	Story string
	Steps []step
}

// step is a call. In what it sends, "zip:N" is a zip of content N and "#N" the revision or UUID that an earlier
// response labelled so.
type step struct {
	// Do is the method and the path.
	Do string
	// Complete lets pending changes complete before the call.
	Complete bool
	// Removed are resources of other services that do not exist.
	Removed []string
	Send    json.RawMessage
	Want    *want
}

// want is a response of AWS: for an error its code, its message (or the parts of it, in any order) and its body's
// members; else the exact members of the body by path. "*" is any value, and "#N" a revision or a UUID, the same for
// the same N and another for another.
type want struct {
	Status  int
	Code    string
	Message string
	Count   int
	Parts   []string
	Members []string
	Body    map[string]any
}

// TestAnswersOfAWS repeats recorded calls of AWS. It uses plain HTTP, because the SDK hides which members were sent.
func TestAnswersOfAWS(t *testing.T) {
	checked := 0
	for _, st := range recorded(t) {
		t.Run(st.Story, func(t *testing.T) { checked += st.tell(t) })
	}
	if checked < 60 {
		t.Errorf("only %d answers were checked", checked)
	}
}

// recorded returns the recordings of all files.
func recorded(t *testing.T) []story {
	t.Helper()
	files, err := filepath.Glob("testdata/answers*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []story
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var stories []story
		if err := json.Unmarshal(data, &stories); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, stories...)
	}
	return all
}

// tell makes a recording's calls on a new server and returns how many responses it compared.
func (st *story) tell(t *testing.T) int {
	t.Helper()
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Second, UpdateDuration: time.Second})
	s.PutObject("code", "k", archive("s3"))
	revisions, checked := map[string]string{}, 0
	for i, step := range st.Steps {
		s.RemoveResources(step.Removed...)
		if step.Complete {
			clk.move(time.Second)
		}
		res, body := call(t, s, &step, revisions) //nolint:bodyclose // It closes what it has read.
		name := fmt.Sprintf("step %d, %s", i+1, step.Do)
		if step.Want == nil {
			if res.StatusCode >= 300 {
				t.Fatalf("%s: %d %s", name, res.StatusCode, body)
			}
			continue
		}
		checked++
		step.Want.compare(t, name, res, body, revisions)
	}
	return checked
}

// call sends a step's request, with an incomplete signature that only names Lambda.
func call(t *testing.T, s *Server, st *step, revisions map[string]string) (*http.Response, []byte) {
	t.Helper()
	method, path, _ := strings.Cut(st.Do, " ")
	send := string(st.Send)
	for i := range 4 {
		zipped, err := json.Marshal(archive(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		send = strings.ReplaceAll(send, fmt.Sprintf(`"zip:%d"`, i), string(zipped))
	}
	for label, revision := range revisions {
		send = strings.ReplaceAll(send, `"`+label+`"`, `"`+revision+`"`)
		path = strings.ReplaceAll(path, "/"+label, "/"+revision)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(send))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIADOUBLE/20260102/eu-west-1/lambda/aws4_request, "+
		"SignedHeaders=host, Signature=0")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

func (w *want) compare(t *testing.T, name string, res *http.Response, body []byte, revisions map[string]string) {
	t.Helper()
	if res.StatusCode != w.Status {
		t.Errorf("%s: status %d, want %d: %s", name, res.StatusCode, w.Status, body)
		return
	}
	got := map[string]any{}
	if len(body) > 0 {
		if err := json.Unmarshal(bytes.TrimSpace(body), &got); err != nil {
			t.Errorf("%s: body: %v", name, err)
			return
		}
	}
	if w.Code != "" {
		for label, revision := range revisions {
			w.Message = strings.ReplaceAll(w.Message, "UUID "+label, "UUID "+revision)
		}
		w.compareError(t, name, res.Header.Get("X-Amzn-ErrorType"), got)
		return
	}
	flat := map[string]any{}
	flatten(got, "", w.Body, flat)
	if diff := cmp.Diff(w.known(flat, revisions), flat); diff != "" {
		t.Errorf("%s: -AWS +double:\n%s", name, diff)
	}
}

// known returns AWS's response with the varying values that the double chose, and stores the revisions.
func (w *want) known(got map[string]any, revisions map[string]string) map[string]any {
	out := maps.Clone(w.Body)
	if out == nil {
		out = map[string]any{}
	}
	for path, v := range out {
		label, isText := v.(string)
		value, has := got[path]
		switch {
		case !isText || !has:
		case label == "*":
			out[path] = value
		case strings.HasPrefix(label, "#"):
			out[path] = known(label, fmt.Sprint(value), revisions)
		}
	}
	return out
}

// known returns the revision of a label. A new label must stand for a new revision.
func known(label, revision string, revisions map[string]string) string {
	if r, ok := revisions[label]; ok {
		return r
	}
	if slices.Contains(slices.Collect(maps.Values(revisions)), revision) {
		return "a new revision"
	}
	revisions[label] = revision
	return revision
}

func (w *want) compareError(t *testing.T, name, code string, got map[string]any) {
	t.Helper()
	message, ok := got["message"].(string)
	if !ok {
		message, _ = got["Message"].(string)
	}
	if code != w.Code {
		t.Errorf("%s: code %s, want %s: %s", name, code, w.Code, message)
	}
	for _, part := range w.Parts {
		if !strings.Contains(message, part) {
			t.Errorf("%s: message %q\nlacks %q", name, message, part)
		}
	}
	if w.Count > 0 && !strings.HasPrefix(message, fmt.Sprintf("%d validation error", w.Count)) {
		t.Errorf("%s: message %q, want %d errors", name, message, w.Count)
	}
	if w.Parts == nil && message != w.Message {
		t.Errorf("%s: message\n%q, want\n%q", name, message, w.Message)
	}
	if w.Members == nil {
		return
	}
	if diff := cmp.Diff(w.Members, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("%s: members, -AWS +double:\n%s", name, diff)
	}
}

// flatten writes the members of nested objects by path, including those in JSON text, such as policies, and those in
// lists by number. It keeps members that are wanted as a whole.
func flatten(in map[string]any, path string, whole, out map[string]any) {
	for k, v := range in {
		if text, ok := v.(string); ok && strings.HasPrefix(text, `{"`) {
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				v = text
			}
		}
		if path != "" {
			k = path + "." + k
		}
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
			flatten(m, k, whole, out)
			continue
		}
		if list, ok := v.([]any); ok && len(list) > 0 && whole[k] == nil {
			if _, ofObjects := list[0].(map[string]any); ofObjects {
				for i, e := range list {
					flatten(map[string]any{fmt.Sprint(i): e}, k, whole, out)
				}
				continue
			}
		}
		out[k] = v
	}
}

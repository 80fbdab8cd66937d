package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

const (
	// mostWrites is how many mutating calls are sent for a resource in an hour in which AWS
	// returns malformed responses.
	mostWrites = 40

	// mostDeferred is the same if AWS reports a conflicting operation: the call is retried each
	// second for a while, then each minute. So is the change of an alias by a rollout.
	mostDeferred = 120

	// mostUnanswered is the same if AWS does not respond: one observation a minute, each of
	// which the SDK tries three times.
	mostUnanswered = 200

	// mostCalls is the same for all calls.
	mostCalls = 1200
)

// fault is a fault in the responses to an operation.
type fault struct {
	name string
	make func(operation string) awsdouble.Fault

	// json says that it changes the fields of JSON, and hidesTags that the answer then looks as if there were no tags.
	json, hidesTags bool
}

// refused returns a fault that responds with an error of AWS.
func refused(status int, code, message string) fault {
	return fault{name: fmt.Sprintf("%d %s", status, code), make: func(op string) awsdouble.Fault {
		return awsdouble.Fault{
			Operation: op, Times: -1,
			Error: awsdouble.Error{Status: status, Code: code, Message: message},
		}
	}}
}

// dropped returns a fault that closes the connection.
func dropped(name string, d awsdouble.Drop) fault {
	return fault{
		name: name,
		make: func(op string) awsdouble.Fault { return awsdouble.Fault{Operation: op, Times: -1, Drop: d} },
	}
}

// body returns a fault that responds with another body.
func body(name string, status int, text string) fault {
	return rewritten(name, func(int, []byte) (int, []byte) { return status, []byte(text) })
}

// rewritten returns a fault that changes responses.
func rewritten(name string, answer func(status int, body []byte) (int, []byte)) fault {
	return fault{name: name, make: func(op string) awsdouble.Fault {
		return awsdouble.Fault{Operation: op, Times: -1, Answer: answer}
	}}
}

// edited returns a fault that changes each value of successful responses.
func edited(name string, edit func(field string, v any) (any, bool)) fault {
	return fault{name: name, json: true, make: func(op string) awsdouble.Fault {
		return awsdouble.Fault{Operation: op, Times: -1, Answer: func(status int, b []byte) (int, []byte) {
			var v any
			if status >= http.StatusMultipleChoices || json.Unmarshal(b, &v) != nil {
				return status, b
			}
			b, _ = json.Marshal(walk(v, edit)) //nolint:errchkjson // It was JSON.
			return status, b
		}}
	}}
}

func hidingTags(f fault) fault {
	f.hidesTags = true
	return f
}

// walk changes the fields of a tree of JSON values. It removes a field if edit returns
// false.
func walk(v any, edit func(field string, v any) (any, bool)) any {
	switch t := v.(type) {
	case map[string]any:
		for k, child := range t {
			if got, keep := edit(k, walk(child, edit)); keep {
				t[k] = got
			} else {
				delete(t, k)
			}
		}
	case []any:
		for i, child := range t {
			t[i] = walk(child, edit)
		}
	}
	return v
}

// faults returns the faults that every operation is tried with.
func faults() []fault {
	arns := func(f string, v any) (any, bool) { return v, !strings.HasSuffix(f, "Arn") && f != "UUID" }
	return []fault{
		refused(http.StatusBadRequest, "InvalidParameterValueException", "no"),
		refused(http.StatusBadRequest, "ValidationException", "no"),
		refused(http.StatusForbidden, "AccessDeniedException",
			"User: arn:aws:iam::123456789012:user/double is not authorized"),
		refused(http.StatusNotFound, "ResourceNotFoundException", "Resource not found"),
		refused(http.StatusConflict, "ResourceConflictException", "The operation cannot be performed at this time"),
		refused(http.StatusConflict, "ResourceInUseException", "in use"),
		refused(http.StatusPreconditionFailed, "PreconditionFailedException", "The revision id does not match"),
		refused(http.StatusTooManyRequests, "TooManyRequestsException", "Rate exceeded"),
		refused(http.StatusInternalServerError, "ServiceException", "An error occurred"),
		refused(http.StatusNotImplemented, "NotImplementedException", "not implemented"),
		refused(http.StatusTeapot, "UnheardOfException", "what?"),
		dropped("a call that is lost", awsdouble.DropBefore),
		dropped("a lost answer", awsdouble.DropAfter),
		body("an error page", http.StatusBadGateway, "<html><body>Bad Gateway</body></html>"),
		body("200 with HTML", http.StatusOK, "<html><body>Welcome</body></html>"),
		body("200 with nothing", http.StatusOK, ""),
		body("an empty object", http.StatusOK, "{}"),
		body("null", http.StatusOK, "null"),
		body("a list", http.StatusOK, "[]"),
		body("the page of a missing route", http.StatusNotFound, "<!doctype html><title>404 Not Found</title>"),
		body("an error without a code", http.StatusInternalServerError, `{"message":"'NoneType' is not iterable"}`),
		body("a throttle with 400", http.StatusBadRequest, `{"code":"Throttling","message":"Rate exceeded"}`),
		rewritten("half an answer", func(status int, b []byte) (int, []byte) { return status, b[:len(b)/2] }),
		rewritten("the same page for ever", func(status int, b []byte) (int, []byte) {
			if rest, ok := bytes.CutPrefix(b, []byte(`{"`)); ok && status < http.StatusMultipleChoices {
				b = append([]byte(`{"NextMarker":"0","`), rest...)
			}
			return status, b
		}),
		edited("lists in another order", func(_ string, v any) (any, bool) {
			if l, ok := v.([]any); ok {
				slices.Reverse(l)
			}
			return v, true
		}),
		edited("everything listed twice", func(_ string, v any) (any, bool) {
			if l, ok := v.([]any); ok {
				return slices.Repeat(l, 2), true
			}
			return v, true
		}),
		edited("no ARNs", arns),
		hidingTags(edited("null fields", func(string, any) (any, bool) { return nil, true })),
		hidingTags(edited("empty lists and texts", func(_ string, v any) (any, bool) {
			switch v.(type) {
			case string:
				return "", true
			case []any:
				return []any{}, true
			}
			return v, true
		})),
		edited("numbers for texts", func(_ string, v any) (any, bool) {
			if _, ok := v.(string); ok {
				return 7, true
			}
			return v, true
		}),
		edited("unknown fields and values", func(f string, v any) (any, bool) {
			if o, ok := v.(map[string]any); ok {
				o["UnheardOf"] = map[string]any{"A": []any{1, "x", nil}}
			}
			if f == "State" || f == "LastUpdateStatus" || f == "Status" {
				return "Dreaming", true
			}
			return v, true
		}),
	}
}

// TestEmulatorResponses responds to every operation of a kind with every fault, and to all operations with every
// fault in every field, for an hour, while the resource is created, updated, deleted or only observed. It checks that
// nothing loops, panics or is created twice, that a condition reports the fault, and that all converges once responses
// are correct.
func TestEmulatorResponses(t *testing.T) {
	points := tally{every: 6}  // There are many, and they are slow.
	fields := tally{every: 10} // There are more.
	var metrics tally          // There are few of CloudWatch.
	t.Run("scenarios", func(t *testing.T) {
		all := scenarios(t)
		for _, sc := range slices.Concat(all, observations(all)) {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				ops, named, want := sc.operations(t)
				for _, field := range named {
					for _, f := range sc.fieldFaults(field) {
						fields.try(t, sc.name+f.name, f.name,
							func(t *testing.T) { sc.survives(t, f.make(""), want) }) //nolint:thelper // It is the test.
					}
				}
				for _, op := range ops {
					sample := &points
					if op == "GetMetricData" {
						sample = &metrics
					}
					for _, f := range faultsOf(op) {
						sample.try(t, sc.name+op+f.name, op+", "+f.name, //nolint:thelper // It is the test.
							func(t *testing.T) { sc.survives(t, f.make(op), want) })
					}
				}
			})
		}
	})
	figures.Record(t, figures.Figures{Campaign: "Odd answers", Figures: map[string]int{
		"faults":          points.total + fields.total + metrics.total,
		"faults tried":    points.tried + fields.tried + metrics.tried,
		"simulated hours": points.tried + fields.tried + metrics.tried,
	}, Findings: points.failed + fields.failed + metrics.failed})
}

// TestThrottledList checks that it is told if AWS throttles the list before a publication for an hour: its quota, which
// the publication waits for, does not hide it.
func TestThrottledList(t *testing.T) {
	all := scenarios(t)
	for name, list := range map[string]string{
		"layerversion update content": "ListLayerVersions", "function-published update code": "ListVersionsByFunction",
	} {
		t.Run(name, func(t *testing.T) {
			sc := all[slices.IndexFunc(all, func(sc scenario) bool { return sc.name == name })]
			if act := sc.act; list == "ListVersionsByFunction" { // It is listed for a history only.
				sc.act = func(s *Simulation) {
					s.Patch(
						sc.mg(),
						map[string]any{"spec": map[string]any{"forProvider": map[string]any{"historyLimit": 5}}},
					)
					act(s)
				}
			}
			_, _, want := sc.operations(t)
			sc.survives(t, awsdouble.Fault{Operation: list, Times: -1, Error: awsdouble.Throttle()}, want)
		})
	}
}

// observations returns scenarios of resources that only observe.
func observations(scenarios []scenario) []scenario {
	var out []scenario
	for _, sc := range scenarios {
		if name, ok := strings.CutSuffix(sc.name, " delete"); ok && sc.mg != nil {
			out = append(out, scenario{
				name: name + " look", mg: sc.mg, before: sc.before,
				act: func(s *Simulation) {
					s.Patch(sc.mg(),
						map[string]any{"metadata": map[string]any{"annotations": map[string]any{
							"crossplane.io/reconcile-requested-at": "now",
						}}})
				},
				done: func(s *Simulation) bool { return s.ready(sc.mg()) },
			})
		}
	}
	return out
}

// operations returns the operations of Lambda and CloudWatch that a scenario calls, the fields of AWS's responses in
// JSON, and its outcome.
func (sc scenario) operations(t *testing.T) (ops, fields []string, got outcome) {
	t.Helper()
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Start(&Network{})
		sc.before(s)
		s.Double.ResetCalls()
		var named sync.Map
		s.Double.Fail(edited("none", func(field string, v any) (any, bool) {
			named.Store(field, true)
			return v, true
		}).make(""))
		sc.act(s)
		if !s.Until(time.Hour, func() bool { return sc.done(s) }) {
			t.Fatalf("does not come to its end: %s", s.statuses())
		}
		time.Sleep(15 * time.Minute)
		named.Range(func(field, _ any) bool {
			fields = append(fields, field.(string)) //nolint:forcetypeassert // Nothing else is stored.
			return true
		})
		slices.Sort(fields)
		used := map[string]bool{}
		for _, c := range s.Double.Calls() {
			used[c.Operation] = c.Service == "lambda" || c.Service == "monitoring"
		}
		maps.DeleteFunc(used, func(_ string, is bool) bool { return !is })
		ops, got = slices.Sorted(maps.Keys(used)), outcome{Resources: s.Resources(), Created: s.accepted(sc.creates)}
	})
	return ops, fields, got
}

// survives checks a scenario with a fault that lasts for an hour.
func (sc scenario) survives(t *testing.T, f awsdouble.Fault, want outcome) {
	t.Helper()
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Start(&Network{})
		sc.before(s)
		s.Double.ResetCalls()
		s.Double.Fail(f)
		sc.act(s)
		time.Sleep(10 * time.Minute)
		if sc.mg != nil && !s.gone(sc.mg()) && !sc.done(s) && !s.explains(sc.mg()) {
			t.Errorf("no condition says what is wrong: %s", s.statuses())
		}
		time.Sleep(50 * time.Minute)
		if n, most := len(s.writes()), sc.resources()*sc.mostWrites(f); n > most {
			t.Errorf("%d calls that may change something in an hour, %d at most", n, most)
		}
		if n, most := len(s.Double.Calls()), sc.resources()*mostCalls; n > most {
			t.Errorf("%d calls in an hour, %d at most", n, most)
		}
		if f.Drop == awsdouble.DropNone && f.Answer == nil {
			if n := s.accepted(sc.creates); n > max(want.Created, 1)+sc.repeats {
				t.Errorf("%s was accepted %d times", sc.creates, n)
			}
		}
		if f.Operation == "GetMetricData" && slices.Contains(s.routesOf(sc.alias), "2") {
			t.Error("it was promoted without a measurement")
		}
		s.Double.ClearFaults()
		if sc.again != nil {
			sc.again(s)
		}
		s.Until(3*time.Hour, func() bool { return sc.done(s) })
		// What AWS did not return, such as the tags if it has no ListTags, is compared at the next
		// poll. Ready is True until then, and says so.
		time.Sleep(15 * time.Minute)
		got := s.converge(sc, 0)
		got.Created, got.Routes = 0, want.Routes // It existed before: the call with the fault was accepted.
		got.check(t, sc, want)
		if t.Failed() {
			t.Logf("calls:\n%s", s.history())
		}
	})
}

// resources returns how many resources a scenario has.
func (sc scenario) resources() int {
	if sc.mg != nil {
		return 1
	}
	return 15 //nolint:mnd // One of each kind.
}

func (sc scenario) mostWrites(f awsdouble.Fault) int {
	switch {
	case f.Drop != awsdouble.DropNone:
		return mostUnanswered
	case f.Error.Status == http.StatusConflict, f.Error.Status == http.StatusPreconditionFailed, sc.serves != "":
		return mostDeferred
	}
	return mostWrites
}

// explains reports whether a condition of a resource that is not ready or not synced gives a
// reason.
func (s *Simulation) explains(u *unstructured.Unstructured) bool {
	s.Helper()
	s.stored(u)
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		message, _ := m["message"].(string)
		return message != "" && (m["type"] == "Synced" || m["type"] == "Ready") && m["status"] == "False"
	})
}

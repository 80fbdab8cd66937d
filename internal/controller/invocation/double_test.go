package invocation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

func TestOnceForEachInput(t *testing.T) {
	e := newEnv(t)
	i := newInvocation()
	if diff := cmp.Diff([]string{`{"a":1}`}, e.converge(i)); diff != "" {
		t.Errorf("a new input is a new invocation: -want, +got:\n%s", diff)
	}
	calls := e.Double.Count("")
	if got := e.converge(i); len(got) != 0 || e.Double.Count("") != calls {
		t.Errorf("a steady look must make no call of AWS, got %d", e.Double.Count("")-calls)
	}
	for reason, change := range map[string]func(*v1beta1.Invocation){
		"the log is not input":            func(i *v1beta1.Invocation) { i.Spec.ForProvider.LogType = ptr.To("Tail") },
		"what is shown is not input":      func(i *v1beta1.Invocation) { i.Spec.ForProvider.RecordResult = ptr.To(true) },
		"how to try again is not input":   func(i *v1beta1.Invocation) { i.Spec.ForProvider.RetryPolicy = &v1beta1.InvocationRetryPolicy{} },
		"no triggers are no input":        func(i *v1beta1.Invocation) { i.Spec.ForProvider.Triggers = map[string]string{} },
		"a restored backup has no status": withoutStatus,
		"a replaced manifest has no note": withoutAnnotations,
	} {
		c := i.DeepCopy()
		change(c)
		if got := e.converge(c); len(got) != 0 {
			t.Errorf("%s, but the function was invoked", reason)
		}
	}
	i.Spec.ForProvider.Triggers = map[string]string{"code": "v2"}
	if got := e.converge(
		i,
	); len(got) != 1 || *i.Status.AtProvider.Action != actionUpdate ||
		*i.Status.AtProvider.Calls != 2 {
		t.Errorf("a trigger invokes, got %d invocations, %+v", len(got), i.Status.AtProvider)
	}
	other := i.DeepCopy()
	other.SetName("copy")
	withoutStatus(other)
	if got := e.converge(other); len(got) != 1 {
		t.Errorf("a resource that was made from the manifest of another has not been invoked, got %d", len(got))
	}
	e.Remove(i)
	if got := e.converge(i); len(got) != 0 || len(i.GetFinalizers()) > 0 {
		t.Errorf("nothing is to be done for a deletion, got %d invocations", len(got))
	}
}

func TestOutcomes(t *testing.T) {
	crash := awsdouble.Returned{
		Error:   "Unhandled",
		Payload: []byte(`{"errorType":"KeyError","errorMessage":"no such table"}`),
		Log:     "START\nKeyError\nEND",
	}
	cases := map[string]struct {
		reason  string
		change  func(*v1beta1.InvocationParameters)
		returns awsdouble.Returned
		want    v1beta1.InvocationObservation
		ready   corev1.ConditionStatus
		message string
	}{
		"Silent": {
			reason:  "The result is only in status if spec requests it.",
			returns: awsdouble.Returned{Payload: []byte(`"secret"`), Log: "secret"},
			want: v1beta1.InvocationObservation{
				Outcome:         ptr.To(succeeded),
				StatusCode:      ptr.To[int32](200),
				ExecutedVersion: ptr.To("$LATEST"),
			},
			ready: corev1.ConditionTrue,
		},
		"Shown": {
			reason:  "On request it is.",
			change:  func(p *v1beta1.InvocationParameters) { p.RecordResult, p.LogType = ptr.To(true), ptr.To("Tail") },
			returns: awsdouble.Returned{Payload: []byte(`{"rows":3}`), Log: "START\nEND"},
			want: v1beta1.InvocationObservation{
				Outcome:         ptr.To(succeeded),
				StatusCode:      ptr.To[int32](200),
				ExecutedVersion: ptr.To("$LATEST"),
				Result:          ptr.To(`{"rows":3}`),
				ResultTruncated: ptr.To(false),
				LogTail:         ptr.To("START\nEND"),
			},
			ready: corev1.ConditionTrue,
		},
		"Large": {
			reason:  "A large result is cut.",
			change:  func(p *v1beta1.InvocationParameters) { p.RecordResult = ptr.To(true) },
			returns: awsdouble.Returned{Payload: []byte(`"` + strings.Repeat("x", maxResult) + `"`)},
			want: v1beta1.InvocationObservation{
				Outcome:         ptr.To(succeeded),
				StatusCode:      ptr.To[int32](200),
				ExecutedVersion: ptr.To("$LATEST"),
				Result:          ptr.To(`"` + strings.Repeat("x", maxResult-1)),
				ResultTruncated: ptr.To(true),
			},
			ready: corev1.ConditionTrue,
		},
		"Failed": {
			reason:  "An error of the function is reported, and it is not invoked again.",
			returns: crash,
			change:  func(p *v1beta1.InvocationParameters) { p.LogType = ptr.To("Tail") },
			want: v1beta1.InvocationObservation{
				Outcome:              ptr.To(functionError),
				StatusCode:           ptr.To[int32](200),
				ExecutedVersion:      ptr.To("$LATEST"),
				FunctionError:        ptr.To("Unhandled"),
				FunctionErrorMessage: ptr.To("KeyError: no such table"),
				LogTail:              ptr.To("START\nKeyError\nEND"),
			},
			ready:   corev1.ConditionFalse,
			message: "the function returned an error (Unhandled): KeyError: no such table",
		},
		"Asynchronous": {
			reason:  "An asynchronous invocation has no result.",
			returns: crash,
			change:  func(p *v1beta1.InvocationParameters) { p.InvocationType = ptr.To("Event") },
			want: v1beta1.InvocationObservation{
				Outcome:    ptr.To(succeeded),
				StatusCode: ptr.To[int32](202),
			},
			ready: corev1.ConditionTrue,
		},
		"DryRun": {
			reason: "Nothing runs.",
			change: func(p *v1beta1.InvocationParameters) { p.InvocationType = ptr.To("DryRun") },
			want: v1beta1.InvocationObservation{
				Outcome:    ptr.To(succeeded),
				StatusCode: ptr.To[int32](204),
			},
			ready: corev1.ConditionTrue,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.returns = tc.returns
			i := newInvocation()
			if tc.change != nil {
				tc.change(&i.Spec.ForProvider)
			}
			e.converge(i)
			got := i.Status.AtProvider
			got.InputHash, got.LastInvokedTime = nil, nil
			tc.want.FunctionName, tc.want.Action, tc.want.Attempts, tc.want.Calls = ptr.To(
				"f",
			), ptr.To(
				actionCreate,
			), ptr.To[int32](
				1,
			), ptr.To[int64](
				1,
			)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			c := i.GetCondition(xpv2.TypeReady)
			if c.Status != tc.ready || c.Message != tc.message {
				t.Errorf("%s: got %+v", tc.reason, c)
			}
			if n := e.Double.Count("Invoke"); n != 1 {
				t.Errorf("%s: want one call, got %d", tc.reason, n)
			}
		})
	}
}

func TestUnknownOutcome(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  awsdouble.Drop
		change func(*v1beta1.InvocationParameters)
		runs   int
		calls  int
		ready  corev1.ConditionStatus
	}{
		"Ran": {
			reason: "The function ran, and must not run again.",
			fault:  awsdouble.DropAfter,
			runs:   1,
			calls:  1,
			ready:  corev1.ConditionFalse,
		},
		"DidNot": {
			reason: "The function did not run, but nobody can know that.",
			fault:  awsdouble.DropBefore,
			calls:  1,
			ready:  corev1.ConditionFalse,
		},
		"MayTwice": {
			reason: "The user allows a second run.",
			fault:  awsdouble.DropAfter,
			change: func(p *v1beta1.InvocationParameters) {
				p.RetryPolicy = &v1beta1.InvocationRetryPolicy{UnknownOutcome: ptr.To("Retry")}
			},
			runs:  2,
			calls: 2,
			ready: corev1.ConditionTrue,
		},
		"AttemptsDoNot": {
			reason: "Attempts after errors are not leave to run twice.",
			fault:  awsdouble.DropAfter,
			change: func(p *v1beta1.InvocationParameters) {
				p.RetryPolicy = &v1beta1.InvocationRetryPolicy{MaximumAttempts: ptr.To[int32](5)}
			},
			runs:  1,
			calls: 1,
			ready: corev1.ConditionFalse,
		},
		"AttemptsAreOfErrors": {
			reason: "Attempts after errors do not limit the second run that the user allows.",
			fault:  awsdouble.DropAfter,
			change: func(p *v1beta1.InvocationParameters) {
				p.RetryPolicy = &v1beta1.InvocationRetryPolicy{
					UnknownOutcome:  ptr.To("Retry"),
					MaximumAttempts: ptr.To[int32](1),
				}
			},
			runs:  2,
			calls: 2,
			ready: corev1.ConditionTrue,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			i := newInvocation()
			if tc.change != nil {
				tc.change(&i.Spec.ForProvider)
			}
			e.Double.Fail(awsdouble.Fault{Operation: "Invoke", Drop: tc.fault})
			if _, err := e.Do(i); err != nil {
				t.Fatalf("%s: that the outcome is unknown is no error that is tried again: %v", tc.reason, err)
			}
			if got := e.events(); !strings.Contains(got, "UnknownOutcome: it is not known whether the function ran") {
				t.Errorf("%s: an event must tell, got %q", tc.reason, got)
			}
			e.Advance(time.Hour)
			e.converge(i)
			if got := len(e.runs); got != tc.runs {
				t.Errorf("%s: want %d runs, got %d", tc.reason, tc.runs, got)
			}
			if got := e.Double.Count("Invoke"); got != tc.calls {
				t.Errorf("%s: want %d calls, got %d", tc.reason, tc.calls, got)
			}
			if c := i.GetCondition(
				xpv2.TypeReady,
			); c.Status != tc.ready ||
				(tc.ready == corev1.ConditionFalse && !strings.Contains(c.Message, "set retryPolicy.unknownOutcome to Retry")) {
				t.Errorf("%s: got %+v", tc.reason, c)
			}
		})
	}
}

// TestMissingPayload checks that an optional payload that is missing is none, as if it were not named.
func TestMissingPayload(t *testing.T) {
	e := newEnv(t)
	i := newInvocation(func(p *v1beta1.InvocationParameters) { p.Payload = nil })
	if got := e.converge(i); len(got) != 1 {
		t.Fatalf("a function is invoked without a payload, got %v", got)
	}
	i.Spec.ForProvider.PayloadFrom = &v1beta1.ValueSource{
		ConfigMapKeyRef: &v1beta1.KeySelector{Name: "event", Key: "payload", Optional: ptr.To(true)},
	}
	if got := e.converge(i); len(got) != 0 {
		t.Errorf("a payload that is missing is none, got %q", got)
	}
	ref := refs.ObjectRef{Kind: refs.ConfigMap, Namespace: "shop", Name: "event"}
	e.objects[ref.String()+"/payload"] = ""
	if got := e.converge(i); len(got) != 0 {
		t.Errorf("a payload that is empty is none, got %q", got)
	}
	e.objects[ref.String()+"/payload"] = `{"a":1}`
	if got := e.converge(i); len(got) != 1 {
		t.Errorf("a payload is another input, got %q", got)
	}
}

// TestStoppedInTheMiddle checks a provider that stops between the record and the end of the
// call.
func TestStoppedInTheMiddle(t *testing.T) {
	e := newEnv(t)
	i := newInvocation()
	before := i.DeepCopy()
	if _, err := e.Do(i); err != nil {
		t.Fatal(err)
	}
	r := *recorded(i)
	r.Outcome = unknown
	before.SetAnnotations(r.annotation())
	e.Advance(time.Hour)
	if got := e.converge(before); len(got) != 0 {
		t.Errorf("what was about to be invoked may have been, got %v", got)
	}
	if got := *before.Status.AtProvider.Outcome; got != unknown {
		t.Errorf("want %s, got %s", unknown, got)
	}
	before.Spec.ForProvider.Triggers = map[string]string{"again": "1"}
	if got := e.converge(before); len(got) != 1 {
		t.Errorf("another input is another invocation, got %v", got)
	}
}

func TestNothingRunsUnrecorded(t *testing.T) {
	e := newEnv(t)
	e.unwritable = true
	i := newInvocation()
	if _, err := e.Do(i); err == nil || !strings.Contains(err.Error(), "cannot write annotations") || len(e.runs) > 0 {
		t.Errorf("want an error and no run, got %v, %v", err, e.runs)
	}
	e.unwritable = false
	i = newInvocation()
	e.converge(i)
	i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`)
	e.unwritable, e.runs = true, nil
	if _, err := e.Do(i); err == nil ||
		!strings.Contains(err.Error(), "cannot record that the function is about to be invoked") || len(e.runs) > 0 {
		t.Errorf("want an error and no run, got %v, %v", err, e.runs)
	}
}

func TestRefusedCallsAreMadeAgain(t *testing.T) {
	for name, e := range map[string]awsdouble.Error{
		"denied":    awsdouble.AccessDenied("lambda:InvokeFunction"),
		"throttled": awsdouble.Throttle(),
		"no subnet": {Status: 502, Code: "InvalidSubnetIDException", Message: "Lambda could not set up the VPC access."},
	} {
		w := newEnv(t)
		i := newInvocation()
		w.Double.Fail(awsdouble.Fault{Operation: "Invoke", Error: e})
		_, err := w.Do(i)
		if throttled := name == "throttled"; throttled != (w.Done.Later != nil) ||
			!throttled && (err == nil || !strings.Contains(err.Error(), "cannot invoke function f")) {
			t.Errorf(
				"%s: want the error, or another reconcile if it was throttled, got %v, %v",
				name,
				err,
				w.Done.Later,
			)
		}
		withoutStatus(i) // A throttled call writes no status.
		if got := w.converge(
			i,
		); len(got) != 1 || *i.Status.AtProvider.Attempts != 1 ||
			*i.Status.AtProvider.Action != actionCreate {
			t.Errorf("%s: want one invocation at last, got %v, %+v", name, got, i.Status.AtProvider)
		}
	}
}

// TestRejectedInputIsTakenBack checks that the function is not invoked again if its input is what it was before one
// that AWS has rejected, whatever the outcome was.
func TestRejectedInputIsTakenBack(t *testing.T) {
	cases := map[string]struct {
		reason string
		first  func(*env)
		lost   func(*v1beta1.Invocation)
		want   string
	}{
		"Succeeded": {reason: "It has run.", want: succeeded},
		"Failed": {
			reason: "It may run once.",
			first:  func(e *env) { e.returns.Error = "Unhandled" },
			want:   functionError,
		},
		"Unknown": {reason: "It may have run.", first: func(e *env) {
			e.Double.Fail(awsdouble.Fault{Operation: "Invoke", Drop: awsdouble.DropAfter})
		}, want: unknown},
		"NoStatus": {reason: "A restored backup has no status.", lost: withoutStatus, want: succeeded},
		"Unwritten": {
			reason: "That the call was rejected did not reach the annotation.",
			lost: func(i *v1beta1.Invocation) {
				r := recorded(i)
				r.Outcome = unknown
				i.SetAnnotations(r.annotation())
			},
			want: succeeded,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			if tc.first != nil {
				tc.first(e)
			}
			i := newInvocation()
			e.converge(i)
			first := i.Spec.ForProvider.Payload
			for range 2 {
				i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`)
				for range 2 {
					e.Double.Fail(
						awsdouble.Fault{Operation: "Invoke", Error: awsdouble.AccessDenied("lambda:InvokeFunction")},
					)
					if _, err := e.Do(i); err == nil || *i.Status.AtProvider.Outcome != notInvoked {
						t.Fatalf("%s: want a rejected call, got %v, %+v", tc.reason, err, i.Status.AtProvider)
					}
				}
				if tc.lost != nil {
					tc.lost(i)
				}
				i.Spec.ForProvider.Payload = first
				e.converge(i)
				if len(e.runs) != 1 || *i.Status.AtProvider.Outcome != tc.want || *i.Status.AtProvider.Attempts != 1 {
					t.Errorf("%s: want no other run, got %v, %+v", tc.reason, e.runs, i.Status.AtProvider)
				}
			}
			e.returns = awsdouble.Returned{}
			for _, payload := range []string{`{"a":2}`, *first} {
				i.Spec.ForProvider.Payload = &payload
				if got := e.converge(i); len(got) != 1 {
					t.Errorf("%s: an input that was not rejected is a new one, got %v", tc.reason, got)
				}
			}
		})
	}
}

func TestRetriesOfAFunctionThatFails(t *testing.T) {
	e := newEnv(t)
	e.returns = awsdouble.Returned{Error: "Unhandled", Payload: []byte(`{"errorMessage":"not yet"}`)}
	i := newInvocation(func(p *v1beta1.InvocationParameters) {
		p.RetryPolicy = &v1beta1.InvocationRetryPolicy{MaximumAttempts: ptr.To[int32](3)}
	})
	var waits []time.Duration
	for range 3 {
		e.converge(i)
		waits = append(waits, e.Done.After)
		e.Advance(e.Done.After)
	}
	if diff := cmp.Diff([]time.Duration{5 * time.Second, 10 * time.Second, 0}, waits); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(e.runs) != 3 || *i.Status.AtProvider.Attempts != 3 {
		t.Errorf("want three attempts, got %d, %+v", len(e.runs), i.Status.AtProvider)
	}
	e.Advance(time.Hour)
	if got := e.converge(i); len(got) != 0 {
		t.Errorf("want no more than three, got %v", got)
	}
	e.returns = awsdouble.Returned{}
	i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`)
	if got := e.converge(
		i,
	); len(got) != 1 || *i.Status.AtProvider.Attempts != 1 ||
		i.Status.AtProvider.FunctionErrorMessage != nil {
		t.Errorf("another input is tried anew, got %v, %+v", got, i.Status.AtProvider)
	}
}

func TestFunctionThatTakesTooLong(t *testing.T) {
	e := newEnv(t)
	e.function("slow", 300)
	slow := func(p *v1beta1.InvocationParameters) { p.FunctionName = ptr.To("slow") }
	_, err := e.Do(newInvocation(slow))
	if err == nil ||
		!strings.Contains(
			err.Error(),
			"is 300 seconds, but its result is awaited for at most 50 seconds: set invocationType to Event",
		) ||
		len(e.runs) > 0 {
		t.Errorf("want an error and no run, got %v, %v", err, e.runs)
	}
	if got := e.converge(
		newInvocation(slow, func(p *v1beta1.InvocationParameters) { p.InvocationType = ptr.To("Event") }),
	); len(
		got,
	) != 1 {
		t.Errorf("an event may take its time, got %v", got)
	}
	e.Double.Fail(
		awsdouble.Fault{
			Operation: "GetFunctionConfiguration",
			Error:     awsdouble.AccessDenied("lambda:GetFunctionConfiguration"),
		},
	)
	if got := e.converge(newInvocation()); len(got) != 1 {
		t.Errorf("a function that may not be looked at may be invoked, got %v", got)
	}
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	i := newInvocation(crud)
	e.converge(i)
	i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`)
	e.converge(i)
	e.Remove(i)
	e.converge(i)
	want := []string{
		`{"a":1,"tf":{"action":"create","prev_input":null}}`,
		`{"a":2,"tf":{"action":"update","prev_input":{"a":1}}}`,
		`{"a":2,"tf":{"action":"delete","prev_input":{"a":2}}}`,
	}
	if diff := cmp.Diff(want, e.runs); diff != "" || len(i.GetFinalizers()) > 0 {
		t.Errorf("-want, +got:\n%s, finalizers %v", diff, i.GetFinalizers())
	}
}

// TestPreviousInputIfStatusIsLost checks that the function gets the input that has succeeded last as the previous one,
// or none, if the status of that invocation was not written.
func TestPreviousInputIfStatusIsLost(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		seen   bool
		want   string
	}{
		"Seen":    {reason: "The input that has succeeded is still that of spec.", seen: true, want: `{"a":2}`},
		"Changed": {reason: "An input before the last one is not the previous one.", want: "null"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			i := newInvocation(crud)
			e.converge(i)
			before := i.Status.DeepCopy()
			i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`)
			e.converge(i)
			i.Status = *before
			if tc.seen {
				e.converge(i)
			}
			i.Spec.ForProvider.Payload = ptr.To(`{"a":3}`)
			want := []string{`{"a":3,"tf":{"action":"update","prev_input":` + tc.want + `}}`}
			if diff := cmp.Diff(want, e.converge(i)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDeletionAfterRestore checks that a deletion invokes the function that the reference was resolved to before, even
// if the status of the invocation of that function was not restored.
func TestDeletionAfterRestore(t *testing.T) {
	e := newEnv(t)
	i := newInvocation(crud)
	i.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "f"}
	e.converge(i)
	withoutStatus(i)
	e.converge(i)
	i.Spec.ForProvider.FunctionName = nil // The Function that it refers to no longer exists.
	e.Remove(i)
	want := []string{`{"a":1,"tf":{"action":"delete","prev_input":{"a":1}}}`}
	if diff := cmp.Diff(want, e.converge(i)); diff != "" || len(i.GetFinalizers()) > 0 {
		t.Errorf("-want, +got:\n%s, finalizers %v", diff, i.GetFinalizers())
	}
}

func TestInvocationOfDeletion(t *testing.T) {
	crash := awsdouble.Returned{Error: "Unhandled", Payload: []byte(`{"errorMessage":"busy-hunter2"}`)}
	cases := map[string]struct {
		reason string
		before func(*env, *v1beta1.Invocation)
		runs   int
		gone   bool
		err    string
		event  string
	}{
		"NeverInvoked": {
			reason: "A function that was never invoked is not invoked for the deletion.",
			before: func(_ *env, i *v1beta1.Invocation) { withoutStatus(i); withoutAnnotations(i) },
			gone:   true,
		},
		"FunctionGone": {
			reason: "The function no longer exists.",
			before: func(_ *env, i *v1beta1.Invocation) { i.Spec.ForProvider.FunctionName = ptr.To("gone") },
			gone:   true,
			event:  "the deletion may not have reached the function: it no longer exists",
		},
		"PayloadGone": {reason: "The payload no longer exists.", before: func(_ *env, i *v1beta1.Invocation) {
			i.Spec.ForProvider.Payload, i.Spec.ForProvider.PayloadFrom = nil, fromSecret
		}, gone: true, event: "the deletion may not have reached the function: cannot read spec.forProvider.payloadFrom: Secret shop/event has no key \"payload\""},
		"Fails": {
			reason: "The user has to say how to go on.",
			before: func(e *env, _ *v1beta1.Invocation) { e.returns = crash },
			runs:   1,
			err:    "set lifecycleScope to CREATE_ONLY",
		},
		"FailsAndIsLet": {
			reason: "Without a lifecycle scope, a failed invocation no longer blocks the deletion.",
			before: func(e *env, i *v1beta1.Invocation) {
				e.returns = crash
				e.Remove(i)
				_, _ = e.Do(i)
				i.Spec.ForProvider.LifecycleScope = nil
			},
			runs: 1,
			gone: true,
		},
		"Unknown": {reason: "The function may have run for the deletion.", before: func(e *env, _ *v1beta1.Invocation) {
			e.Double.Fail(awsdouble.Fault{Operation: "Invoke", Drop: awsdouble.DropAfter})
		}, runs: 1, gone: true, event: "the deletion may not have reached the function: it is not known whether the function ran"},
		"Unresolved": {
			reason: "Status remembers which function it was.",
			before: func(_ *env, i *v1beta1.Invocation) { i.Spec.ForProvider.FunctionName = nil },
			runs:   1,
			gone:   true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			i := newInvocation(crud)
			e.converge(i)
			e.runs = nil
			tc.before(e, i)
			e.Remove(i)
			var err error
			for gone := false; !gone && err == nil; {
				gone, err = e.Step(i)
			}
			if (err == nil) != (tc.err == "") ||
				(err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "hunter2"))) {
				t.Errorf("%s: want error %q without what the function said, got %v", tc.reason, tc.err, err)
			}
			if len(e.runs) != tc.runs || (len(i.GetFinalizers()) == 0) != tc.gone {
				t.Errorf(
					"%s: want %d runs, gone %t; got %v, finalizers %v",
					tc.reason,
					tc.runs,
					tc.gone,
					e.runs,
					i.GetFinalizers(),
				)
			}
			if !strings.Contains(e.events(), tc.event) {
				t.Errorf("%s: want event %q, got %q", tc.reason, tc.event, e.events())
			}
		})
	}
}

// TestDeletionAfterRejectedCalls checks that a function that was never invoked is not invoked for the deletion, also if
// that the last call was rejected did not reach the annotation.
func TestDeletionAfterRejectedCalls(t *testing.T) {
	e := newEnv(t)
	i := newInvocation(crud)
	for range 2 {
		e.Double.Fail(awsdouble.Fault{Operation: "Invoke", Error: awsdouble.AccessDenied("lambda:InvokeFunction")})
		if _, err := e.Do(i); err == nil {
			t.Fatal("want a rejected call")
		}
	}
	r := *recorded(i)
	r.Outcome = unknown
	i.SetAnnotations(r.annotation())
	e.Remove(i)
	if got := e.converge(i); len(got) != 0 || len(i.GetFinalizers()) > 0 {
		t.Errorf("want no run, got %v, finalizers %v", got, i.GetFinalizers())
	}
}

var fromSecret = &v1beta1.ValueSource{SecretKeyRef: &v1beta1.KeySelector{Name: "event", Key: "payload"}}

func TestSecretPayload(t *testing.T) {
	e := newEnv(t)
	ref := refs.ObjectRef{Kind: refs.Secret, Namespace: "shop", Name: "event"}
	e.objects[ref.String()+"/payload"] = `{"password":"hunter2","nested":[{"token":"s3cr3t\"quoted"}]}`
	e.returns = awsdouble.Returned{
		Error:   "Unhandled",
		Payload: []byte(`{"errorMessage":"cannot log in with hunter2"}`),
		Log:     `got {"password":"hunter2","nested":[{"token":"s3cr3t\"quoted"}]}`,
	}
	i := newInvocation(func(p *v1beta1.InvocationParameters) {
		p.Payload, p.PayloadFrom, p.LogType, p.RecordResult = nil, fromSecret, ptr.To("Tail"), ptr.To(true)
	})
	if got := e.converge(i); len(got) != 1 || !strings.Contains(got[0], "hunter2") {
		t.Fatalf("the function must be told, got %v", got)
	}
	o := i.Status.AtProvider
	all := []string{
		e.saved,
		e.Done.Does,
		e.events(),
		i.GetCondition(xpv2.TypeReady).Message,
		*o.FunctionErrorMessage,
		*o.LogTail,
		*o.InputHash,
	}
	if *o.FunctionErrorMessage != "cannot log in with (redacted)" ||
		slices.ContainsFunc(
			all,
			func(s string) bool { return strings.Contains(s, "hunter2") || strings.Contains(s, "s3cr3t") },
		) {
		t.Errorf("nothing of a Secret may be shown, got %q", all)
	}
	e.objects[ref.String()+"/payload"] = `{"password":"hunter3"}`
	if got := e.converge(i); len(got) != 1 {
		t.Errorf("a changed Secret is another input, got %v", got)
	}
	e.objects[ref.String()+"/payload"] = `not JSON: hunter4`
	if _, err := e.Do(
		i,
	); err == nil || !strings.Contains(err.Error(), "spec.forProvider.payloadFrom: the payload is not valid JSON") ||
		strings.Contains(err.Error(), "hunter4") {
		t.Errorf("want an error without the payload, got %v", err)
	}
	delete(e.objects, ref.String()+"/payload")
	if _, err := e.Do(
		i,
	); err == nil ||
		!strings.Contains(err.Error(), "cannot read spec.forProvider.payloadFrom: Secret shop/event") {
		t.Errorf("want what is missing, got %v", err)
	}
}

// TestSecretInLogTail checks that the end of a log, which may begin within a value, shows nothing of a Secret.
func TestSecretInLogTail(t *testing.T) {
	cases := map[string]struct {
		reason string
		log    string
		want   string
	}{
		"Value": {
			"The log is cut in a value.",
			`nter2-of-the-shop', 'b': 'admin-hunter'}` + "\nEND",
			`(redacted)', 'b': '(redacted)'}` + "\nEND",
		},
		"Escape": {"It is cut in an escape.", `0fc-token'}`, "(redacted)'}"},
		"Payload": {
			"It is cut in the payload.",
			`e-shop","b":"admin-hunter","c":"\u00fc-token","d":"the-admin"} END`,
			"(redacted) END",
		},
		"Whole": {
			"It begins with a value, which is longer than the end of another one.",
			"admin-hunter END",
			"(redacted) END",
		},
		"Short": {"What is left of a value is too short to tell.", "hop END", "hop END"},
		"Uncut": {"It is not cut.", "START admin-hunter END", "START (redacted) END"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			ref := refs.ObjectRef{Kind: refs.Secret, Namespace: "shop", Name: "event"}
			e.objects[ref.String()+"/payload"] = `{"a":"hunter2-of-the-shop","b":"admin-hunter","c":"\u00fc-token","d":"the-admin"}`
			e.returns = awsdouble.Returned{Payload: []byte("null"), Log: tc.log}
			i := newInvocation(func(p *v1beta1.InvocationParameters) {
				p.Payload, p.PayloadFrom, p.LogType = nil, fromSecret, ptr.To("Tail")
			})
			e.converge(i)
			if got := ptr.Deref(i.Status.AtProvider.LogTail, ""); got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestPolicies(t *testing.T) {
	policies := func(actions ...xpv2.ManagementAction) func(*v1beta1.Invocation) {
		return func(i *v1beta1.Invocation) { i.Spec.ManagementPolicies = actions }
	}
	changed := func(i *v1beta1.Invocation) { i.Spec.ForProvider.Triggers = map[string]string{"a": "b"} }
	cases := map[string]struct {
		reason string
		change []func(*v1beta1.Invocation)
		fresh  bool
		runs   int
		want   string
	}{
		"ObserveOnly": {
			reason: "Nothing is invoked.",
			change: []func(*v1beta1.Invocation){policies("Observe")},
			fresh:  true,
			want:   "managementPolicies allow only Observe",
		},
		"ObserveRun": {
			reason: "What was done is shown.",
			change: []func(*v1beta1.Invocation){policies("Observe"), changed},
		},
		"NoCreate": {
			reason: "A first invocation is a creation.",
			change: []func(*v1beta1.Invocation){policies("Observe", "Update")},
			fresh:  true,
			want:   "managementPolicies do not allow Create",
		},
		"NoUpdate": {
			reason: "Another one is an update.",
			change: []func(*v1beta1.Invocation){policies("Observe", "Create"), changed},
			want:   "managementPolicies do not allow Update",
		},
		"Create": {
			reason: "A first invocation needs no more.",
			change: []func(*v1beta1.Invocation){policies("Observe", "Create")},
			fresh:  true,
			runs:   1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			i := newInvocation()
			if !tc.fresh {
				e.converge(i)
				e.runs = nil
			}
			for _, c := range tc.change {
				c(i)
			}
			e.converge(i)
			c := i.GetCondition(xpv2.TypeReady)
			if len(e.runs) != tc.runs || !strings.Contains(c.Message, tc.want) ||
				(c.Status == corev1.ConditionTrue) != (tc.want == "") {
				t.Errorf("%s: want %d runs, %q; got %v, %+v", tc.reason, tc.runs, tc.want, e.runs, c)
			}
		})
	}
}

// TestRestoredSecret checks that a restored backup, which has another UID, does not invoke the function again with the
// content of a Secret, and that another content does.
func TestRestoredSecret(t *testing.T) {
	e := newEnv(t)
	ref := refs.ObjectRef{Kind: refs.Secret, Namespace: "shop", Name: "event"}
	i := newInvocation(func(p *v1beta1.InvocationParameters) { p.Payload, p.PayloadFrom = nil, fromSecret })
	e.objects[ref.String()+"/payload"] = `{"a":1}`
	e.converge(i)
	for n, payload := range []string{`{"a":1}`, `{"a":2}`, `{"a":2}`} {
		withoutStatus(i)
		i.SetUID(types.UID(fmt.Sprintf("restored-%d", n)))
		e.objects[ref.String()+"/payload"] = payload
		e.converge(i)
		if want := min(n, 1) + 1; len(e.runs) != want {
			t.Errorf("%d. restoration: got %d invocations, want %d", n+1, len(e.runs), want)
		}
	}
}

package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// runFor reconciles the resource for a time of the env's clock, each time that it is due.
func (e *env) runFor(d time.Duration) {
	e.t.Helper()
	for end := e.clock.Add(d); e.clock.Before(end); {
		wait := e.reconcile()
		if wait == 0 {
			return // It is gone.
		}
		e.clock = e.clock.Add(wait)
	}
}

// count counts the calls of a name.
func (c *cloud) count(name string) int {
	n := 0
	for _, call := range c.calls {
		if call == name {
			n++
		}
	}
	return n
}

func TestRefusedChangesBackOff(t *testing.T) {
	prepare := map[string]func(*env){
		"Create": func(*env) {},
		"Update": func(e *env) {
			e.converge()
			e.change(func(mg *sample) { mg.Spec.Value = "b"; mg.Generation = 2 })
		},
		"Delete": func(e *env) { e.converge(); e.delete() },
	}
	errs := map[string]struct {
		reason string
		err    error
		most   int
	}{
		"Unknown": {
			reason: "The cause is not known, so the call is retried.",
			err:    &smithy.GenericAPIError{Code: "UnheardOfException", Message: "what?"},
			most:   26,
		},
		"Denied": {
			reason: "A denied call succeeds once someone grants the permission.",
			err:    &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "not authorized"},
			most:   38,
		},
		"Failure": {
			reason: "AWS fails for as long as it does.",
			err:    &smithy.GenericAPIError{Code: "ServiceException", Message: "An error occurred"},
			most:   26,
		},
		"Throttled": {reason: "AWS has no room for it, which passes or not.", err: throttle(), most: 26},
	}
	for call, setUp := range prepare {
		for name, tc := range errs {
			t.Run(call+"/"+name, func(t *testing.T) {
				e := newEnv(t, samples.New())
				setUp(e)
				e.cloud.calls = nil
				e.cloud.fail[call] = tc.err
				e.runFor(10 * time.Minute)
				if got := e.stored().
					GetCondition(xpv2.TypeSynced); got.Status != corev1.ConditionFalse ||
					got.Message == "" {
					t.Errorf("%s: after ten minutes, Synced is to say what is wrong: got %+v", tc.reason, got)
				}
				e.runFor(50 * time.Minute)
				if got := e.cloud.count(call); got < 6 || got > tc.most {
					t.Errorf("%s: want at most %d calls in an hour, got %d", tc.reason, tc.most, got)
				}
				e.cloud.calls = nil
				e.runFor(time.Hour)
				if got := e.cloud.count(call); got < 5 || got > 7 {
					t.Errorf("%s: want a call each ten minutes in the end, got %d in an hour", tc.reason, got)
				}
				delete(e.cloud.fail, call)
				e.cloud.calls = nil
				e.runFor(11 * time.Minute)
				if got := e.cloud.count(call); got != 1 {
					t.Errorf("%s: once AWS takes it, want one call, got %d", tc.reason, got)
				}
			})
		}
	}
}

// TestRefusedChangeIsRememberedWhileWaiting checks that a change that AWS has refused is not
// repeated earlier because the resource waited for something in between.
func TestRefusedChangeIsRememberedWhileWaiting(t *testing.T) {
	e, sent, waits := newEnv(t, samples.New()), 0, false
	o := reconcile.ObserverFunc[*sample](
		func(_ context.Context, _ reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
			out := reconcile.Outcome{Exists: true, Ready: reconcile.Updating(mg.GetGeneration(), "waits")}
			if waits = !waits; waits {
				out.After = 2 * time.Second
				return out, nil
			}
			out.Call = &reconcile.Call{Verb: reconcile.ToUpdate, Do: func(context.Context) (reconcile.Result, error) {
				sent++
				return reconcile.Result{}, errors.New("no")
			}}
			return out, nil
		},
	)
	e.reconciler = newReconciler(&manager{c: e.server}, e.options, observedBy(e, o), e.events)
	e.runFor(time.Hour)
	if sent < 6 || sent > 26 {
		t.Errorf("want at most 26 calls in an hour, got %d", sent)
	}
}

// TestRetriedLater checks that the conditions do not change between two attempts at a change that AWS refuses.
func TestRetriedLater(t *testing.T) {
	e, due, refused := newEnv(
		t,
		samples.New(),
	), true, error(
		&smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no"},
	)
	o := reconcile.ObserverFunc[*sample](
		func(_ context.Context, _ reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
			out := reconcile.Outcome{
				Exists: true,
				Ready:  reconcile.Available(mg.GetGeneration()),
				State:  reconcile.UpToDate,
			}
			if out.After = time.Second; due {
				out.State, out.MayUpdate = reconcile.Differs, true
				out.Call = &reconcile.Call{
					Verb: reconcile.ToUpdate,
					Do: func(context.Context) (reconcile.Result, error) {
						return reconcile.Result{}, refused
					},
				}
			}
			out.Retries = !due && refused != nil
			return out, nil
		},
	)
	e.reconciler = newReconciler(&manager{c: e.server}, e.options, observedBy(e, o), e.events)
	e.runFor(20 * time.Minute)
	want := e.stored()
	if want.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionFalse ||
		want.GetCondition(v1beta1.TypeStalled).Status != corev1.ConditionTrue {
		t.Fatalf("Synced is to say what is wrong, and Stalled that it lasts: %+v", want.Status.Conditions)
	}
	for range 6 {
		due = !due
		e.runFor(11 * time.Minute)
		if diff := cmp.Diff(want.Status, e.stored().Status); diff != "" {
			t.Fatalf("an attempt is due: %t: -want, +got:\n%s", due, diff)
		}
	}
	due, refused = true, nil
	e.runFor(11 * time.Minute)
	if got := e.stored().GetCondition(xpv2.TypeSynced); got.Status != corev1.ConditionTrue {
		t.Errorf("AWS accepts it: %+v", got)
	}
}

// TestStatusIsKeptWhenAChangeIsThrottled checks that a status that has what cannot be read again is stored although AWS
// throttles the change that is due, and that no condition says that something is wrong.
func TestStatusIsKeptWhenAChangeIsThrottled(t *testing.T) {
	for keep, want := range map[bool]string{false: "", true: "seen"} {
		e := newEnv(t, samples.New())
		start := e.clock
		o := reconcile.ObserverFunc[*sample](
			func(_ context.Context, _ reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
				out := reconcile.Outcome{Exists: true, Ready: reconcile.Updating(mg.GetGeneration(), "changes")}
				if e.clock.Equal(start) {
					return out, nil
				}
				mg.Status.Value, out.Keep = "seen", keep
				out.Call = &reconcile.Call{Verb: reconcile.ToUpdate, Do: func(context.Context) (reconcile.Result, error) {
					return reconcile.Result{}, throttle()
				}}
				return out, nil
			},
		)
		e.reconciler = newReconciler(&manager{c: e.server}, e.options, observedBy(e, o), e.events)
		e.runFor(time.Minute)
		got := e.stored()
		if synced := got.GetCondition(xpv2.TypeSynced); got.Status.Value != want ||
			synced.Status != corev1.ConditionTrue || len(e.events.all) > 0 {
			t.Errorf("keep %t: status %+v, events %v", keep, got.Status, e.events.all)
		}
	}
}

// TestLastingThrottlesAreReported checks that throttling is not an error for about a minute, and
// is reported after that.
func TestLastingThrottlesAreReported(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	e.cloud.fail["Get"] = throttle()
	e.runFor(time.Minute)
	if got := e.stored().GetCondition(xpv2.TypeSynced); got.Status != corev1.ConditionTrue {
		t.Errorf("a minute of throttles is not worth a word: got %+v", got)
	}
	e.runFor(2 * time.Minute)
	reported := e.stored()
	if got := reported.GetCondition(
		xpv2.TypeSynced,
	); got.Status != corev1.ConditionFalse ||
		got.Message != "observe failed: AWS has throttled the calls of this resource for a while: TooManyRequestsException: Rate exceeded" {
		t.Errorf("want Synced to say that AWS throttles: got %+v", got)
	}
	if got := reported.GetCondition(xpv2.TypeReady).Status; got != corev1.ConditionTrue {
		t.Errorf("Ready is what was last seen: got %s", got)
	}
	e.cloud.calls = nil
	e.runFor(time.Hour)
	if got := len(e.cloud.calls); got < 50 || got > 90 {
		t.Errorf("want a look each 15 seconds for ten minutes, and each minute after, got %d in an hour", got)
	}
	if got := e.stored().GetCondition(v1beta1.TypeStalled).Status; got == corev1.ConditionTrue {
		t.Error("a throttle is nothing that the user can put right")
	}
	delete(e.cloud.fail, "Get")
	e.runFor(2 * time.Minute)
	if got := e.stored().GetCondition(xpv2.TypeSynced).Status; got != corev1.ConditionTrue {
		t.Errorf("it is in order again: got %s", got)
	}
}

// TestLastingDeferralsAreReported checks that a resource whose observation needs more calls than the request quota
// allows at once, such as a list without an end, reports that and makes fewer and fewer attempts.
func TestLastingDeferralsAreReported(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	e.cloud.fail["Get"] = &quota.DeferredError{Operation: "ListTags", After: time.Second}
	for range 20 {
		e.reconcile()
	}
	if got := e.stored().GetCondition(xpv2.TypeSynced); got.Status != corev1.ConditionTrue {
		t.Errorf("a long list takes that many reconciles: got %+v", got)
	}
	e.runFor(10 * time.Minute)
	if got := e.stored().
		GetCondition(xpv2.TypeSynced); got.Status != corev1.ConditionFalse ||
		!strings.Contains(got.Message, "ListTags was not called yet") {
		t.Errorf("want Synced to say that the quota does not suffice: got %+v", got)
	}
	e.cloud.calls = nil
	e.runFor(time.Hour)
	if got := len(e.cloud.calls); got < 50 || got > 90 {
		t.Errorf("want an attempt each minute, got %d in an hour", got)
	}
	delete(e.cloud.fail, "Get")
	e.runFor(2 * time.Minute)
	if got := e.stored().GetCondition(xpv2.TypeSynced).Status; got != corev1.ConditionTrue {
		t.Errorf("it is in order again: got %s", got)
	}
}

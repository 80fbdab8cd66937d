package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

var (
	errInput = &smithy.GenericAPIError{
		Code:    "ValidationException",
		Message: "1 validation error detected: Value at 'role' failed to satisfy constraint",
	}
	errBusy = &smithy.GenericAPIError{
		Code:    "ResourceConflictException",
		Message: "The function could not be updated due to a concurrent update operation.",
	}
	errRole = &smithy.GenericAPIError{
		Code:    "InvalidParameterValueException",
		Message: "The role defined for the function cannot be assumed by Lambda.",
	}
)

// TestAbortedReconcileDoesNotClearErrors checks that an aborted reconcile keeps the count of
// errors. The queue's own rate limiter forgets a resource that is requeued for another reason
// than an error.
func TestAbortedReconcileDoesNotClearErrors(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Get"] = errors.New("boom")
	e.reconcile()
	if got := e.reconcile(); got != 2*time.Second {
		t.Fatalf("second error: got %s", got)
	}
	e.limiter.wait["Get"] = time.Minute
	e.reconcile()
	e.limiter.wait["Get"] = 0
	if got := e.reconcile(); got != 4*time.Second {
		t.Errorf("third error, after a wait for quota: want 4s, got %s", got)
	}
}

// pacedError is the error of a server that says when to try again.
type pacedError struct{}

func (pacedError) Error() string             { return "too many requests" }
func (pacedError) RetryAfter() time.Duration { return 20 * time.Minute }

// TestPacedError checks that nothing is tried again before the time that a server names, unless the user changes
// something.
func TestPacedError(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Get"] = fmt.Errorf("cannot look up the tag: %w", pacedError{})
	for range 3 {
		if got := e.reconcile(); got != 20*time.Minute {
			t.Errorf("want 20m, got %s", got)
		}
	}
}

// TestAlternatingErrors checks that errors of two classes that take turns are retried less and less often, as those of
// one class are.
func TestAlternatingErrors(t *testing.T) {
	e := newEnv(t, samples.New())
	var after time.Duration
	for i := range 100 {
		if e.cloud.fail["Get"] = errors.New("boom"); i%2 == 0 {
			e.cloud.fail["Get"] = errBusy
		}
		after = e.reconcile()
	}
	if after != time.Minute {
		t.Errorf("the hundredth error is retried after %s, want 1m", after)
	}
}

func TestErrorsAreForgotten(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(*env)
		want   time.Duration
	}{
		"Nothing": {reason: "The same input is the same error.", do: func(*env) {}, want: 10 * time.Minute},
		"Generation": {
			reason: "The spec has changed.",
			do:     func(e *env) { e.change(func(mg *sample) { mg.Generation++ }) },
			want:   5 * time.Second,
		},
		"Annotation": {reason: "The user has annotated it.", do: func(e *env) {
			e.change(func(mg *sample) { meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationAdopt: "true"}) })
		}, want: 5 * time.Second},
		"OwnAnnotation": {reason: "The provider has annotated it.", do: func(e *env) {
			e.change(func(mg *sample) { meta.SetExternalCreateFailed(mg, time.Now()) })
		}, want: 10 * time.Minute},
		"Config": {
			reason: "The config that it refers to has changed.",
			do:     func(e *env) { e.reconciler.states.ResetBackoff(cart) },
			want:   5 * time.Second,
		},
		"Poke": {
			reason: "A Secret that it refers to has changed.",
			do:     func(e *env) { e.reconciler.states.MarkChanged(cart, "Secret db") },
			want:   5 * time.Second,
		},
		"Delete": {
			reason: "The user wants something else now.",
			do:     func(e *env) { e.delete() },
			want:   5 * time.Second,
		},
		"Success": {reason: "A success resets the errors.", do: func(e *env) {
			delete(e.cloud.fail, "Get")
			e.converge()
			e.cloud.fail["Get"] = errInput
		}, want: 5 * time.Second},
		"OtherClass": {
			reason: "Another kind of error begins anew.",
			do:     func(e *env) { e.cloud.fail["Get"] = errRole },
			want:   backoff.MinAmbiguous,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			meta.AddFinalizer(mg, "finalizer.managedresource.crossplane.io")
			e := newEnv(t, mg)
			e.cloud.fail["Get"] = errInput
			for range 5 {
				e.reconcile()
			}
			tc.do(e)
			if got := e.reconcile(); got != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestStalled(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errInput
	stalled := func() corev1.ConditionStatus { return e.stored().GetCondition(v1beta1.TypeStalled).Status }
	for i := range backoff.StalledFailures {
		if stalled() == corev1.ConditionTrue {
			t.Errorf("stalled after %d errors: what it refers to may be a little late", i)
		}
		e.reconcile()
	}
	if stalled() != corev1.ConditionTrue {
		t.Fatal("what only the user can put right is stalled")
	}
	if got := e.stored(); got.GetSummary().ReconciledGeneration != 1 {
		t.Error("a stalled generation is concluded")
	}
	e.reconcile()
	if c := e.stored().
		GetCondition(xpv2.TypeSynced); c.Status != corev1.ConditionFalse ||
		!strings.Contains(c.Message, "role") {
		t.Errorf("Synced says which field is wrong: %+v", c)
	}
	if got := e.events.count("CannotCreateExternalResource"); got != 1 {
		t.Errorf("the same error is one event, not %d", got)
	}

	// After a restart the count is lost, the condition is not.
	again := newEnv(t, func() *sample { mg := e.stored(); mg.ResourceVersion = ""; return mg }())
	again.cloud.fail["Create"] = errInput
	again.reconcile()
	if c := again.stored().GetCondition(v1beta1.TypeStalled); c.Status != corev1.ConditionTrue {
		t.Error("a restart makes the condition flap")
	}

	delete(e.cloud.fail, "Create")
	e.converge()
	if stalled() != corev1.ConditionFalse {
		t.Error("once the input is right it proceeds")
	}
}

// TestStalledAfterARollback checks that a resource whose rollout has failed is Stalled until that is
// over: kstatus reports it as failed, and not as in progress.
func TestStalledAfterARollback(t *testing.T) {
	mg := samples.New()
	mg.SetConditions(reconcile.RolledBack(mg.GetGeneration(), "version 1 serves"))
	setStalled(memory.New(), mg, nil, made)
	if c := mg.GetCondition(
		v1beta1.TypeStalled,
	); c.Status != corev1.ConditionTrue || c.Reason != v1beta1.ReasonRolledBack ||
		c.Message != "version 1 serves" {
		t.Errorf("got %+v", c)
	}
	mg.SetConditions(reconcile.Updating(mg.GetGeneration(), "another version is rolled out"))
	setStalled(memory.New(), mg, nil, made)
	if c := mg.GetCondition(v1beta1.TypeStalled); c.Status != corev1.ConditionFalse {
		t.Errorf("got %+v", c)
	}
}

func TestStalledIsOfAGeneration(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errInput
	for range backoff.StalledFailures {
		e.reconcile()
	}
	e.change(func(mg *sample) { mg.Generation = 2 })
	e.reconcile()
	mg := e.stored()
	if c := mg.GetCondition(
		v1beta1.TypeStalled,
	); c.Status != corev1.ConditionTrue || c.ObservedGeneration != 2 ||
		mg.GetObservedGeneration() != 2 {
		t.Errorf("a change that does not help is stalled at once: %+v", mg.Status)
	}
	e.change(func(mg *sample) { mg.Generation = 3 })
	e.cloud.fail["Create"] = errRole
	e.reconcile()
	mg = e.stored()
	if c := mg.GetCondition(
		v1beta1.TypeStalled,
	); c.Status != corev1.ConditionFalse || mg.GetObservedGeneration() != 3 ||
		mg.GetSummary().ReconciledGeneration != 2 {
		t.Errorf("a change that leads to a passing error proceeds: %+v", mg.Status)
	}
}

func TestStalledSpeaksOfThePresent(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errInput
	for range backoff.StalledFailures {
		e.reconcile()
	}
	e.cloud.fail["Create"] = errBusy
	stalled := func() bool { return e.stored().GetCondition(v1beta1.TypeStalled).Status == corev1.ConditionTrue }
	for i := range backoff.StalledFailures {
		if !stalled() {
			t.Errorf("after %d errors that pass it is not stalled any more: the condition would flap", i)
		}
		e.reconcile()
	}
	if stalled() {
		t.Errorf("it is stalled for an error that is long past: %+v", e.stored().GetCondition(v1beta1.TypeStalled))
	}
}

func TestAmbiguousErrorStallsInTime(t *testing.T) {
	within := backoff.GracePeriod(errRole)
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errRole
	stalled := func() bool { return e.stored().GetCondition(v1beta1.TypeStalled).Status == corev1.ConditionTrue }
	tries, began := 0, e.clock
	for e.clock.Sub(began) < within {
		after := e.reconcile()
		if tries++; stalled() || e.stored().GetSummary().ReconciledGeneration != 0 {
			t.Fatalf("stalled after %s: it may yet pass", e.clock.Sub(began))
		}
		if early := e.clock.Sub(began) < time.Minute; early && after > 10*time.Second {
			t.Errorf("after %s it is tried again in %s, want soon", e.clock.Sub(began), after)
		}
		e.clock = e.clock.Add(after)
	}
	if tries < 25 || tries > 40 {
		t.Errorf("tried %d times in %s", tries, within)
	}
	e.reconcile()
	if mg := e.stored(); !stalled() || mg.GetObservedGeneration() != 1 {
		t.Errorf("after %s it is the user's to put right: %+v", e.clock.Sub(began), mg.Status)
	}
	e.clock = e.clock.Add(24 * time.Hour)
	if got := e.reconcile(); got != backoff.MaxAmbiguous || !stalled() {
		t.Errorf("in the long run it is tried every %s, want %s", got, backoff.MaxAmbiguous)
	}

	// After a restart the time is lost, the condition is not.
	again := newEnv(t, func() *sample { mg := e.stored(); mg.ResourceVersion = ""; return mg }())
	again.cloud.fail["Create"] = errRole
	again.reconcile()
	if again.stored().GetCondition(v1beta1.TypeStalled).Status != corev1.ConditionTrue {
		t.Error("a restart makes the condition flap")
	}

	e.change(func(mg *sample) { mg.Generation = 2 })
	if got := e.reconcile(); got != backoff.MinAmbiguous || stalled() {
		t.Errorf("another spec has its time anew, and is tried again in %s: got %s", backoff.MinAmbiguous, got)
	}
}

// TestStalledWithin checks that a resource is Stalled within the documented time if only the
// user can help, and never otherwise.
func TestStalledWithin(t *testing.T) {
	cases := map[string]struct {
		reason string
		fail   func(*env)
		want   time.Duration
	}{
		"MissingKey": {
			reason: "The Secret may be applied later.",
			fail:   func(e *env) { e.cloud.fail["Get"] = &refs.MissingError{Key: "k"} },
			want:   5 * time.Minute,
		},
		"Credentials": {reason: "The config may be applied later.", fail: func(e *env) {
			e.resolver.err = errors.New("cannot use ProviderConfig shop/default: Secret shop/aws does not exist")
		}, want: 5 * time.Minute},
		"Refused": {
			reason: "IAM may take as long.",
			fail:   func(e *env) { e.resolver.err = &smithy.GenericAPIError{Code: "AccessDenied", Message: "no"} },
			want:   15 * time.Minute,
		},
		"Role": {
			reason: "IAM may take as long.",
			fail:   func(e *env) { e.cloud.fail["Create"] = errRole },
			want:   15 * time.Minute,
		},
		"Input": {
			reason: "Invalid input does not pass by itself.",
			fail:   func(e *env) { e.cloud.fail["Create"] = errInput },
			want:   40 * time.Second,
		},
		"Busy": {
			reason: "A conflict with another operation passes.",
			fail:   func(e *env) { e.cloud.fail["Get"] = errBusy },
		},
		"Other": {reason: "The cause is not known.", fail: func(e *env) { e.cloud.fail["Get"] = errors.New("boom") }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			tc.fail(e)
			began, at := e.clock, time.Duration(0)
			for e.clock.Sub(began) < 2*time.Hour {
				after := e.reconcile()
				if mg := e.stored(); mg.GetCondition(v1beta1.TypeStalled).Status == corev1.ConditionTrue {
					at = max(e.clock.Sub(began), 1)
					break
				}
				e.clock = e.clock.Add(after)
			}
			if tc.want == 0 && at != 0 ||
				tc.want > 0 && (at == 0 || at > tc.want+tc.want/backoff.AmbiguousShare+time.Minute) {
				t.Errorf("%s\nstalled after %s, want %s", tc.reason, at, tc.want)
			}
		})
	}
}

// TestAmbiguousTimeIsCountedFromTheFirst checks that the grace period starts at the first
// ambiguous error, even if other errors occur in between: while IAM propagates a role, its
// errors change.
func TestAmbiguousTimeIsCountedFromTheFirst(t *testing.T) {
	e := newEnv(t, samples.New())
	for _, err := range []error{errRole, errors.New("boom"), errRole} {
		e.cloud.fail["Create"] = err
		e.reconcile()
		e.clock = e.clock.Add(backoff.GracePeriod(errRole) / 2)
	}
	e.reconcile()
	if e.stored().GetCondition(v1beta1.TypeStalled).Status != corev1.ConditionTrue {
		t.Error("an error of another kind has the time begin anew")
	}
}

func TestTransientErrorIsNotStalled(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errBusy
	for range 10 {
		e.reconcile()
	}
	mg := e.stored()
	if mg.GetCondition(v1beta1.TypeStalled).Status == corev1.ConditionTrue ||
		mg.GetSummary().ReconciledGeneration != 0 ||
		mg.GetObservedGeneration() != 1 {
		t.Errorf("what passes by itself is on its way: %+v", mg.Status)
	}
}

func TestRequestIDsAreStripped(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Get"] = &smithy.OperationError{
		ServiceID:     "Lambda",
		OperationName: "GetFunction",
		Err:           fmt.Errorf("https response error StatusCode: 400, RequestID: 3f0c, %w", errInput),
	}
	e.reconcile()
	version := e.stored().GetResourceVersion()
	e.cloud.fail["Get"] = &smithy.OperationError{
		ServiceID:     "Lambda",
		OperationName: "GetFunction",
		Err:           fmt.Errorf("https response error StatusCode: 400, RequestID: 77aa, %w", errInput),
	}
	e.reconcile()
	if got := e.stored(); got.GetResourceVersion() != version ||
		strings.Contains(got.GetCondition(xpv2.TypeSynced).Message, "3f0c") {
		t.Errorf("a request id makes each retry another condition: %s", got.GetCondition(xpv2.TypeSynced).Message)
	}
}

func TestMayNotCreate(t *testing.T) {
	cases := map[string]struct {
		reason   string
		policies xpv2.ManagementPolicies
		calls    int
		want     time.Duration
	}{
		"UpdateOnly": {
			reason:   "The runtime would update what does not exist.",
			policies: xpv2.ManagementPolicies{"Observe", "Update"}, calls: 1, want: 5 * time.Second,
		},
		"ObserveOnly": {
			reason:   "A resource that may not be created is polled until someone else creates it.",
			policies: xpv2.ManagementPolicies{"Observe"}, calls: 1, want: 10 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.Spec.ManagementPolicies = tc.policies
			e := newEnv(t, mg)
			e.cloud.reserve = false
			if got := e.reconcile(); got != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, got)
			}
			if len(e.cloud.calls) != tc.calls {
				t.Errorf("%s: calls %v", tc.reason, e.cloud.calls)
			}
			if c := e.stored().
				GetCondition(xpv2.TypeSynced); c.Status != corev1.ConditionFalse ||
				!strings.Contains(c.Message, "does not exist") {
				t.Errorf("%s: want it said in Synced, got %+v", tc.reason, c)
			}
		})
	}
}

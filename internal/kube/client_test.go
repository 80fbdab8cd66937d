package kube

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

var key = types.NamespacedName{Namespace: "shop", Name: "cart"}

// calls counts the requests that reach the API server.
type calls struct{ gets, updates, patches, statusUpdates int }

// env is a decorated client with a cache that lags behind until the test updates it.
type env struct {
	*Client

	server client.Client
	cached *samples.Sample // What the cache shows; nil: what the server has.
	calls  calls
	before func() // Runs once, before the next write reaches the server.

	// answer changes the answer to a patch, and dropped prevents one from arriving. Nil does neither.
	answer  func(error) error
	dropped func() bool

	// hook completes statuses, and view is the client of the last read.
	hook StatusHook
	view *View
}

// Status writes the status in the reconcile of the last read.
func (e *env) Status() client.SubResourceWriter { return e.view.Status() }

// record is an annotation on which decisions are based.
const record = "test.crossplane.io/record"

func sample() *samples.Sample {
	return &samples.Sample{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "u1", Generation: 1},
		Spec:       samples.SampleSpec{Value: "a"},
	}
}

func newEnv(t *testing.T, hook StatusHook) *env {
	t.Helper()
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	if err := corev1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	e := &env{hook: hook}
	intercept := func() {
		if f := e.before; f != nil {
			e.before = nil
			f()
		}
	}
	e.server = fake.NewClientBuilder().WithScheme(s).WithObjects(sample()).WithStatusSubresource(
		&samples.Sample{}).Build()
	counted := interceptor.NewClient(e.server.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object,
			opts ...client.GetOption,
		) error {
			if th, ok := obj.(*samples.Sample); ok && e.cached != nil {
				assign(th, e.cached.DeepCopyObject())
				return nil
			}
			return c.Get(ctx, key, obj, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			intercept()
			e.calls.updates++
			return c.Update(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch,
			opts ...client.PatchOption,
		) error {
			intercept()
			e.calls.patches++
			if e.answer == nil {
				return c.Patch(ctx, obj, patch, opts...)
			}
			if e.dropped() {
				return e.answer(nil)
			}
			return e.answer(c.Patch(ctx, obj, patch, opts...))
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object,
			opts ...client.SubResourceUpdateOption,
		) error {
			intercept()
			e.calls.statusUpdates++
			return c.SubResource(sub).Update(ctx, obj, opts...)
		},
	})
	live := interceptor.NewClient(e.server.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object,
			opts ...client.GetOption,
		) error {
			e.calls.gets++
			return c.Get(ctx, key, obj, opts...)
		},
	})
	e.Client = New(counted, live, &samples.Sample{})
	return e
}

// read reads the object as a reconcile does.
func (e *env) read(t *testing.T) (context.Context, *samples.Sample) {
	t.Helper()
	th := &samples.Sample{}
	if err := e.Get(t.Context(), key, th); err != nil {
		t.Fatal(err)
	}
	e.view = e.View(th, e.hook)
	return t.Context(), th.DeepCopyObject().(*samples.Sample)
}

func (e *env) stored(t *testing.T) *samples.Sample {
	t.Helper()
	th := &samples.Sample{}
	if err := e.server.Get(t.Context(), key, th); err != nil {
		t.Fatal(err)
	}
	return th
}

// change changes the object on the server, as a user does.
func (e *env) change(t *testing.T, f func(*samples.Sample)) {
	t.Helper()
	th := e.stored(t)
	before := th.Spec.Value
	if f(th); th.Spec.Value != before && th.Generation == 1 { // As the API server does.
		th.Generation = 2
	}
	status := th.Status
	if err := e.server.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if th.Status = status; status.Value != "" {
		if err := e.server.Status().Update(t.Context(), th); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoOpStatusIsNotWritten(t *testing.T) {
	e := newEnv(t, nil)
	write := func(change func(*samples.Sample)) {
		ctx, th := e.read(t)
		change(th)
		if err := e.Status().Update(ctx, th); err != nil {
			t.Fatal(err)
		}
	}
	ready := func(th *samples.Sample) { th.SetConditions(xpv2.Available().WithObservedGeneration(1)) }
	write(ready)
	if e.calls.statusUpdates != 1 {
		t.Fatalf("a new status is written: %d writes", e.calls.statusUpdates)
	}
	write(ready)
	write(func(th *samples.Sample) {
		// To another value and back, as in every reconcile in which the kind sets Available and the runtime Deleting.
		th.SetConditions(xpv2.Deleting().WithObservedGeneration(1))
		th.SetConditions(xpv2.Available().WithObservedGeneration(1))
	})
	if e.calls.statusUpdates != 1 {
		t.Errorf("a status that says nothing new is not written: %d writes", e.calls.statusUpdates)
	}
	write(func(th *samples.Sample) { th.Status.Value = "b" })
	if e.calls.statusUpdates != 2 {
		t.Errorf("a changed status is written: %d writes", e.calls.statusUpdates)
	}
}

func TestUnchangedConditionKeepsItsTime(t *testing.T) {
	e := newEnv(t, nil)
	ctx, th := e.read(t)
	old := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	c := xpv2.Creating().WithObservedGeneration(1)
	c.LastTransitionTime = old
	th.SetConditions(c)
	if err := e.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	ctx, th = e.read(t)
	th.SetConditions(xpv2.Available())
	th.SetConditions(xpv2.Creating().WithObservedGeneration(2))
	th.Status.Value = "b"
	if err := e.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if got := e.stored(t).GetCondition(xpv2.TypeReady).LastTransitionTime; !got.Equal(&old) {
		t.Errorf("want the time since when the condition holds, %s, got %s", old, got)
	}
}

func TestHookCompletesAndDropsStatus(t *testing.T) {
	action := WriteStatus
	e := newEnv(t, func(obj client.Object) StatusAction {
		obj.(*samples.Sample).Status.Value = "hooked"
		return action
	})
	ctx, th := e.read(t)
	if err := e.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if got := e.stored(t).Status.Value; got != "hooked" {
		t.Errorf("want the hook's status, got %q", got)
	}
	action = DropStatus
	ctx, th = e.read(t)
	th.SetConditions(xpv2.Available())
	if err := e.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if e.calls.statusUpdates != 1 {
		t.Errorf("a dropped status is not written: %d writes", e.calls.statusUpdates)
	}
}

func TestStatusSurvivesConflict(t *testing.T) {
	e := newEnv(t, nil)
	ctx, th := e.read(t)
	th.Status.Value = "seen in AWS"
	e.before = func() {
		e.change(t, func(th *samples.Sample) { th.Spec.Value = "b"; th.Generation = 2 })
	}
	if err := e.Status().Update(ctx, th); err != nil {
		t.Fatalf("a conflict is converged: %v", err)
	}
	got := e.stored(t)
	if got.Status.Value != "seen in AWS" || got.Spec.Value != "b" {
		t.Errorf("want the status written and the user's change kept, got %+v", got)
	}
}

// TestStatusOfAnotherProcess checks that a status that another process has written since the object was read is kept,
// and that the next read sees it. What this process has written itself is no such status.
func TestStatusOfAnotherProcess(t *testing.T) {
	byAnother := func(t *testing.T, e *env) {
		t.Helper()
		th := e.stored(t)
		th.Status.Value = "another"
		if err := e.server.Status().Update(t.Context(), th); err != nil {
			t.Fatal(err)
		}
	}
	labelled := func(t *testing.T, e *env) {
		t.Helper()
		e.change(t, func(th *samples.Sample) { th.Labels = map[string]string{"a": "b"} })
	}
	update := func(t *testing.T, e *env, th *samples.Sample, value string) error {
		t.Helper()
		th.Status.Value = value
		return e.Status().Update(t.Context(), th)
	}
	cases := map[string]struct {
		reason   string
		act      func(t *testing.T, e *env, th *samples.Sample, action *StatusAction) error
		conflict bool
		want     string
	}{
		"Another": {
			reason: "A shard that hands the resource over, or a leader that was cut off, may still write.",
			act: func(t *testing.T, e *env, th *samples.Sample, _ *StatusAction) error {
				t.Helper()
				byAnother(t, e)
				return update(t, e, th, "own")
			},
			conflict: true, want: "another",
		},
		"Own": {
			reason: "The status that this reconcile has written before is its own.",
			act: func(t *testing.T, e *env, th *samples.Sample, _ *StatusAction) error {
				t.Helper()
				if err := update(t, e, th, "first"); err != nil {
					return err
				}
				labelled(t, e)
				return update(t, e, th, "own")
			},
			want: "own",
		},
		"AnotherAfterOwn": {
			reason: "It is compared with what was written last.",
			act: func(t *testing.T, e *env, th *samples.Sample, _ *StatusAction) error {
				t.Helper()
				if err := update(t, e, th, "first"); err != nil {
					return err
				}
				byAnother(t, e)
				return update(t, e, th, "own")
			},
			conflict: true, want: "another",
		},
		"Deferred": {
			reason: "A deferred status is written after a change of something else, also by a later reconcile.",
			act: func(t *testing.T, e *env, th *samples.Sample, action *StatusAction) error {
				t.Helper()
				*action = DeferStatus
				if err := update(t, e, th, "deferred"); err != nil {
					return err
				}
				*action = WriteStatus
				_, th = e.read(t)
				labelled(t, e)
				return update(t, e, th, "own")
			},
			want: "own",
		},
		"DeferredAndAnother": {
			reason: "A deferred status does not overwrite that of another process.",
			act: func(t *testing.T, e *env, th *samples.Sample, action *StatusAction) error {
				t.Helper()
				*action = DeferStatus
				if err := update(t, e, th, "deferred"); err != nil {
					return err
				}
				byAnother(t, e)
				return e.WriteDeferred(t.Context(), key)
			},
			conflict: true, want: "another",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			action := WriteStatus
			e := newEnv(t, func(client.Object) StatusAction { return action })
			_, th := e.read(t)
			err := tc.act(t, e, th, &action)
			if kerrors.IsConflict(err) != tc.conflict || err != nil && !tc.conflict {
				t.Errorf("%s\nerror: %v", tc.reason, err)
			}
			if got := e.stored(t).Status.Value; got != tc.want || e.Outdated(key) != tc.conflict {
				t.Errorf("%s\nthe status is %q, want %q; outdated: %t", tc.reason, got, tc.want, e.Outdated(key))
			}
			if _, th := e.read(t); th.Status.Value != tc.want {
				t.Errorf("%s\nread: %q, want %q", tc.reason, th.Status.Value, tc.want)
			}
		})
	}
}

func TestStatusOfReplacedObjectIsDropped(t *testing.T) {
	e := newEnv(t, nil)
	ctx, th := e.read(t)
	th.Status.Value = "of the first"
	if err := e.server.Delete(t.Context(), sample()); err != nil {
		t.Fatal(err)
	}
	second := sample()
	second.UID = "u2"
	if err := e.server.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := e.Status().Update(ctx, th); err != nil && !kerrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if got := e.stored(t).Status.Value; got != "" {
		t.Errorf("the second object got the first one's status %q", got)
	}
}

func TestUpdateKeepsStatus(t *testing.T) {
	e := newEnv(t, nil)
	ctx, th := e.read(t)
	th.SetConditions(xpv2.Available())
	th.Status.Value = "seen"
	meta.SetExternalCreatePending(th, time.Now())
	if err := e.view.Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if th.Status.Value != "seen" || th.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		t.Errorf("an update loses the status in memory: %+v", th.Status)
	}
	if th.GetResourceVersion() != e.stored(t).GetResourceVersion() {
		t.Error("the version is not that of the answer")
	}
}

func TestReadsOwnWrites(t *testing.T) {
	e := newEnv(t, nil)
	e.cached = e.stored(t) // From now on the cache does not change.
	_, th := e.read(t)
	if e.calls.gets != 0 {
		t.Fatalf("what was never written is read from the cache: %d live reads", e.calls.gets)
	}
	meta.SetExternalCreatePending(th, time.Now())
	if err := e.view.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if _, th = e.read(t); meta.GetExternalCreatePending(th).IsZero() {
		t.Error("an outdated cache hides what was written")
	}
	if e.calls.gets != 1 {
		t.Errorf("want one live read, got %d", e.calls.gets)
	}
	e.cached = e.stored(t)
	e.read(t)
	if e.calls.gets != 1 {
		t.Errorf("a cache that has caught up is read: %d live reads", e.calls.gets)
	}
}

func TestReadsLiveAfterConflict(t *testing.T) {
	e := newEnv(t, nil)
	e.cached = e.stored(t)
	_, th := e.read(t)
	e.change(t, func(th *samples.Sample) { th.Spec.Value = "b" })
	if err := e.view.Update(t.Context(), th); !kerrors.IsConflict(err) {
		t.Fatalf("want a conflict, got %v", err)
	}
	if _, th = e.read(t); th.Spec.Value != "b" {
		t.Errorf("after a conflict the object is read live: got value %q", th.Spec.Value)
	}
}

func TestGoneObjectIsForgotten(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	if err := e.view.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if err := e.server.Delete(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if err := e.Get(t.Context(), key, &samples.Sample{}); !kerrors.IsNotFound(err) {
		t.Fatalf("want not found, got %v", err)
	}
	e.Forget(key)
	e.calls = calls{}
	if err := e.Get(t.Context(), key, &samples.Sample{}); !kerrors.IsNotFound(err) || e.calls.gets != 0 {
		t.Errorf("a forgotten object costs %d live reads: %v", e.calls.gets, err)
	}
}

func TestOtherKindsPassThrough(t *testing.T) {
	e := newEnv(t, func(client.Object) StatusAction {
		t.Error("the hook is called for another kind")
		return WriteStatus
	})
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cm"}}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	cm.Data = map[string]string{"a": "b"}
	if err := (&View{Client: e.Client}).Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	if err := e.Get(t.Context(), client.ObjectKeyFromObject(cm), cm); err != nil || cm.Data["a"] != "b" {
		t.Errorf("got %v, %v", cm.Data, err)
	}
}

func TestCriticalAnnotations(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	th.Status.Value = "in memory"
	meta.SetExternalName(th, "cart-fn")
	meta.SetExternalCreateSucceeded(th, time.Now())
	e.cached = e.stored(t)
	e.change(t, func(th *samples.Sample) {
		th.Spec.Value = "b"
		th.Generation = 2
		meta.AddAnnotations(th, map[string]string{"team": "shop"})
	})
	if err := e.UpdateCriticalAnnotations(t.Context(), th); err != nil {
		t.Fatalf("an outdated object and a cache that stands still do no harm: %v", err)
	}
	got := e.stored(t)
	if meta.GetExternalName(got) != "cart-fn" || meta.GetExternalCreateSucceeded(got).IsZero() ||
		!ownership.WroteName(got) {
		t.Errorf("annotations are lost: %v", got.GetAnnotations())
	}
	if got.Spec.Value != "b" || got.GetAnnotations()["team"] != "shop" {
		t.Errorf("the user's change is lost: %+v", got)
	}
	if th.Status.Value != "in memory" {
		t.Error("the status in memory is lost")
	}
	if th.GetGeneration() != 1 {
		t.Error("an object with an old spec passes for the new generation")
	}
}

func TestUnansweredCreateIsKept(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	meta.SetExternalCreatePending(th, time.Now())
	meta.SetExternalCreateFailed(th, time.Now())
	meta.AddAnnotations(th, ownership.Unanswered(th))
	if err := e.UpdateCriticalAnnotations(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if _, unknown := ownership.UnansweredAt(e.stored(t)); !unknown {
		t.Errorf("it is lost that nobody knows what the create has made: %v", e.stored(t).GetAnnotations())
	}
}

// TestCreateIsPendingAfterOneFailedInTheSameSecond checks a create in the same second as a
// failed one, because timestamps of annotations have no fractions of seconds.
func TestCreateIsPendingAfterOneFailedInTheSameSecond(t *testing.T) {
	e := newEnv(t, nil)
	now := time.Now()
	e.change(t, func(th *samples.Sample) { meta.SetExternalCreateFailed(th, now) })
	_, th := e.read(t)
	meta.SetExternalCreatePending(th, now)
	if err := e.view.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if _, unknown := ownership.UnansweredAt(e.stored(t)); !unknown || !meta.ExternalCreateIncomplete(th) {
		t.Errorf("the create that is pending passes for the one that failed: %v", e.stored(t).GetAnnotations())
	}
}

func TestFailedCreateDoesNotClaimTheName(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	meta.SetExternalName(th, "set-by-user")
	meta.SetExternalCreateFailed(th, time.Now())
	if err := e.UpdateCriticalAnnotations(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if got := e.stored(t); !ownership.UserSetName(got) {
		t.Errorf("the name is still the user's: %v", got.GetAnnotations())
	}
}

func TestFinalizer(t *testing.T) {
	e := newEnv(t, nil)
	e.change(t, func(th *samples.Sample) { meta.AddFinalizer(th, "of-another") })
	_, th := e.read(t)
	th.SetConditions(xpv2.Available())
	if err := e.view.AddFinalizer(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"of-another", managed.FinalizerName}, e.stored(t).GetFinalizers()); diff != "" {
		t.Errorf("finalizers: -want, +got:\n%s", diff)
	}
	if th.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		t.Error("adding a finalizer loses the status in memory")
	}
	if e.calls.updates != 0 {
		t.Error("a finalizer is not worth an update of the whole object")
	}
	patches := e.calls.patches
	if err := e.view.AddFinalizer(t.Context(), th); err != nil || e.calls.patches != patches {
		t.Errorf("a finalizer that is there is not added again: %v", err)
	}
	if err := e.view.RemoveFinalizer(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"of-another"}, e.stored(t).GetFinalizers()); diff != "" {
		t.Errorf("finalizers: -want, +got:\n%s", diff)
	}
}

// TestFinalizerOfOutdatedObject checks that a decision based on an outdated object neither
// leads to an AWS call after the finalizer was added, nor removes the finalizer.
func TestFinalizerOfOutdatedObject(t *testing.T) {
	cases := map[string]struct {
		reason string
		with   []string
		change func(*View, context.Context, *samples.Sample) error
	}{
		"Add": {reason: "What was decided by it is the next to be done.", change: func(v *View,
			ctx context.Context, th *samples.Sample,
		) error {
			return v.AddFinalizer(ctx, th)
		}},
		"Remove": {
			reason: "What it does not name may be there.", with: []string{managed.FinalizerName},
			change: func(v *View, ctx context.Context, th *samples.Sample) error {
				return v.RemoveFinalizer(ctx, th)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, nil)
			e.change(t, func(th *samples.Sample) { th.SetFinalizers(tc.with) })
			_, th := e.read(t)
			e.cached = e.stored(t)
			e.change(t, func(th *samples.Sample) { meta.AddAnnotations(th, map[string]string{record: "2"}) })
			if err := tc.change(e.view, t.Context(), th); !kerrors.IsConflict(err) ||
				!e.Outdated(key) {
				t.Errorf("%s: want a conflict, got %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.with, e.stored(t).GetFinalizers()); diff != "" {
				t.Errorf("finalizers: -want, +got:\n%s", diff)
			}
			if _, th = e.read(t); th.GetAnnotations()[record] != "2" || e.Outdated(key) {
				t.Errorf("then it is read live, got %v", th.GetAnnotations())
			}
			if err := tc.change(e.view, t.Context(), th); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFinalizerOfOutdatedSpec(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	e.change(t, func(th *samples.Sample) { th.Spec.Value = "b"; th.Generation = 2 })
	err := e.view.AddFinalizer(t.Context(), th)
	if !kerrors.IsConflict(err) {
		t.Errorf("want a conflict, so that the new spec is read first, got %v", err)
	}
	if th.GetGeneration() != 1 || len(th.GetFinalizers()) != 0 {
		t.Errorf("the old object passes for the new one: %+v", th.ObjectMeta)
	}
}

func TestRemoveFinalizerOfGoneObject(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	meta.AddFinalizer(th, managed.FinalizerName)
	if err := e.server.Delete(t.Context(), sample()); err != nil {
		t.Fatal(err)
	}
	if err := e.view.RemoveFinalizer(t.Context(), th); err != nil {
		t.Errorf("what is gone has no finalizer: %v", err)
	}
}

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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/managedtest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

var key = types.NamespacedName{Namespace: "shop", Name: "cart"}

// calls counts the requests that reach the API server.
type calls struct{ gets, updates, patches, statusUpdates int }

// harness is a decorated client with a cache that lags behind until told.
type harness struct {
	*Client

	server client.Client
	cached *managedtest.Thing // What the cache shows; nil: what the server has.
	calls  calls
	before func() // Runs once, before the next write reaches the server.

	// answer changes what a patch is answered with, and dropped keeps one from arriving.
	// Nil does neither.
	answer  func(error) error
	dropped func() bool
}

func thing() *managedtest.Thing {
	return &managedtest.Thing{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "u1", Generation: 1},
		Spec:       managedtest.ThingSpec{Value: "a"},
	}
}

func newHarness(t *testing.T, hook StatusHook) *harness {
	t.Helper()
	s := runtime.NewScheme()
	if err := managedtest.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	if err := corev1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	h := &harness{}
	intercept := func() {
		if f := h.before; f != nil {
			h.before = nil
			f()
		}
	}
	h.server = fake.NewClientBuilder().WithScheme(s).WithObjects(thing()).WithStatusSubresource(&managedtest.Thing{}).Build()
	counted := interceptor.NewClient(h.server.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if th, ok := obj.(*managedtest.Thing); ok && h.cached != nil {
				assign(th, h.cached.DeepCopyObject())
				return nil
			}
			return c.Get(ctx, key, obj, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			intercept()
			h.calls.updates++
			return c.Update(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			intercept()
			h.calls.patches++
			if h.answer == nil {
				return c.Patch(ctx, obj, patch, opts...)
			}
			if h.dropped() {
				return h.answer(nil)
			}
			return h.answer(c.Patch(ctx, obj, patch, opts...))
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			intercept()
			h.calls.statusUpdates++
			return c.SubResource(sub).Update(ctx, obj, opts...)
		},
	})
	live := interceptor.NewClient(h.server.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			h.calls.gets++
			return c.Get(ctx, key, obj, opts...)
		},
	})
	h.Client = New(counted, live, &managedtest.Thing{}, hook)
	return h
}

// read the thing as a reconcile does.
func (h *harness) read(t *testing.T) (context.Context, *managedtest.Thing) {
	t.Helper()
	th := &managedtest.Thing{}
	if err := h.Get(t.Context(), key, th); err != nil {
		t.Fatal(err)
	}
	return WithRead(t.Context(), th), th.DeepCopyObject().(*managedtest.Thing)
}

func (h *harness) stored(t *testing.T) *managedtest.Thing {
	t.Helper()
	th := &managedtest.Thing{}
	if err := h.server.Get(t.Context(), key, th); err != nil {
		t.Fatal(err)
	}
	return th
}

// change the thing on the server, as a user does.
func (h *harness) change(t *testing.T, f func(*managedtest.Thing)) {
	t.Helper()
	th := h.stored(t)
	f(th)
	if err := h.server.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
}

func TestNoOpStatusIsNotWritten(t *testing.T) {
	h := newHarness(t, nil)
	write := func(change func(*managedtest.Thing)) {
		ctx, th := h.read(t)
		change(th)
		if err := h.Status().Update(ctx, th); err != nil {
			t.Fatal(err)
		}
	}
	ready := func(th *managedtest.Thing) { th.SetConditions(xpv2.Available().WithObservedGeneration(1)) }
	write(ready)
	if h.calls.statusUpdates != 1 {
		t.Fatalf("a new status is written: %d writes", h.calls.statusUpdates)
	}
	write(ready)
	write(func(th *managedtest.Thing) {
		// To another value and back, as when the kind says Available and the runtime
		// Deleting, in every reconcile.
		th.SetConditions(xpv2.Deleting().WithObservedGeneration(1))
		th.SetConditions(xpv2.Available().WithObservedGeneration(1))
	})
	if h.calls.statusUpdates != 1 {
		t.Errorf("a status that says nothing new is not written: %d writes", h.calls.statusUpdates)
	}
	write(func(th *managedtest.Thing) { th.Status.Value = "b" })
	if h.calls.statusUpdates != 2 {
		t.Errorf("a changed status is written: %d writes", h.calls.statusUpdates)
	}
}

func TestUnchangedConditionKeepsItsTime(t *testing.T) {
	h := newHarness(t, nil)
	ctx, th := h.read(t)
	old := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	c := xpv2.Creating().WithObservedGeneration(1)
	c.LastTransitionTime = old
	th.SetConditions(c)
	if err := h.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	ctx, th = h.read(t)
	th.SetConditions(xpv2.Available())
	th.SetConditions(xpv2.Creating().WithObservedGeneration(2))
	th.Status.Value = "b"
	if err := h.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if got := h.stored(t).GetCondition(xpv2.TypeReady).LastTransitionTime; !got.Equal(&old) {
		t.Errorf("want the time since when the condition holds, %s, got %s", old, got)
	}
}

func TestHookCompletesAndDropsStatus(t *testing.T) {
	keep := true
	h := newHarness(t, func(_ context.Context, obj client.Object) bool {
		obj.(*managedtest.Thing).Status.Value = "hooked"
		return keep
	})
	ctx, th := h.read(t)
	if err := h.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if got := h.stored(t).Status.Value; got != "hooked" {
		t.Errorf("want the hook's status, got %q", got)
	}
	keep = false
	ctx, th = h.read(t)
	th.SetConditions(xpv2.Available())
	if err := h.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if h.calls.statusUpdates != 1 {
		t.Errorf("a dropped status is not written: %d writes", h.calls.statusUpdates)
	}
}

func TestStatusSurvivesConflict(t *testing.T) {
	h := newHarness(t, nil)
	ctx, th := h.read(t)
	th.Status.Value = "seen in AWS"
	h.before = func() {
		h.change(t, func(th *managedtest.Thing) { th.Spec.Value = "b"; th.Generation = 2 })
	}
	if err := h.Status().Update(ctx, th); err != nil {
		t.Fatalf("a conflict is settled: %v", err)
	}
	got := h.stored(t)
	if got.Status.Value != "seen in AWS" || got.Spec.Value != "b" {
		t.Errorf("want the status written and the user's change kept, got %+v", got)
	}
}

func TestStatusOfReplacedObjectIsDropped(t *testing.T) {
	h := newHarness(t, nil)
	ctx, th := h.read(t)
	th.Status.Value = "of the first"
	if err := h.server.Delete(t.Context(), thing()); err != nil {
		t.Fatal(err)
	}
	second := thing()
	second.UID = "u2"
	if err := h.server.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := h.Status().Update(ctx, th); err != nil && !kerrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if got := h.stored(t).Status.Value; got != "" {
		t.Errorf("the second object got the first one's status %q", got)
	}
}

func TestUpdateKeepsStatus(t *testing.T) {
	h := newHarness(t, nil)
	ctx, th := h.read(t)
	th.SetConditions(xpv2.Available())
	th.Status.Value = "seen"
	meta.SetExternalCreatePending(th, time.Now())
	if err := h.Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if th.Status.Value != "seen" || th.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		t.Errorf("an update loses the status in memory: %+v", th.Status)
	}
	if th.GetResourceVersion() != h.stored(t).GetResourceVersion() {
		t.Error("the version is not that of the answer")
	}
}

func TestReadsWhatWasWritten(t *testing.T) {
	h := newHarness(t, nil)
	h.cached = h.stored(t) // From now on the cache stands still.
	_, th := h.read(t)
	if h.calls.gets != 0 {
		t.Fatalf("what was never written is read from the cache: %d live reads", h.calls.gets)
	}
	meta.SetExternalCreatePending(th, time.Now())
	if err := h.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if _, th = h.read(t); meta.GetExternalCreatePending(th).IsZero() {
		t.Error("an outdated cache hides what was written")
	}
	if h.calls.gets != 1 {
		t.Errorf("want one live read, got %d", h.calls.gets)
	}
	h.cached = h.stored(t)
	h.read(t)
	if h.calls.gets != 1 {
		t.Errorf("a cache that has caught up is read: %d live reads", h.calls.gets)
	}
}

func TestReadsLiveAfterConflict(t *testing.T) {
	h := newHarness(t, nil)
	h.cached = h.stored(t)
	_, th := h.read(t)
	h.change(t, func(th *managedtest.Thing) { th.Spec.Value = "b" })
	if err := h.Update(t.Context(), th); !kerrors.IsConflict(err) {
		t.Fatalf("want a conflict, got %v", err)
	}
	if _, th = h.read(t); th.Spec.Value != "b" {
		t.Errorf("after a conflict the object is read live: got value %q", th.Spec.Value)
	}
}

func TestGoneObjectIsForgotten(t *testing.T) {
	h := newHarness(t, nil)
	_, th := h.read(t)
	if err := h.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if err := h.server.Delete(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if err := h.Get(t.Context(), key, &managedtest.Thing{}); !kerrors.IsNotFound(err) {
		t.Fatalf("want not found, got %v", err)
	}
	h.Forget(key)
	h.calls = calls{}
	if err := h.Get(t.Context(), key, &managedtest.Thing{}); !kerrors.IsNotFound(err) || h.calls.gets != 0 {
		t.Errorf("a forgotten object costs %d live reads: %v", h.calls.gets, err)
	}
}

func TestOtherKindsPassThrough(t *testing.T) {
	h := newHarness(t, func(context.Context, client.Object) bool { t.Error("the hook is called for another kind"); return true })
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cm"}}
	if err := h.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	cm.Data = map[string]string{"a": "b"}
	if err := h.Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	if err := h.Get(t.Context(), client.ObjectKeyFromObject(cm), cm); err != nil || cm.Data["a"] != "b" {
		t.Errorf("got %v, %v", cm.Data, err)
	}
}

func TestCriticalAnnotations(t *testing.T) {
	h := newHarness(t, nil)
	_, th := h.read(t)
	th.Status.Value = "in memory"
	meta.SetExternalName(th, "cart-fn")
	meta.SetExternalCreateSucceeded(th, time.Now())
	h.cached = h.stored(t)
	h.change(t, func(th *managedtest.Thing) {
		th.Spec.Value = "b"
		th.Generation = 2
		meta.AddAnnotations(th, map[string]string{"team": "shop"})
	})
	if err := h.UpdateCriticalAnnotations(t.Context(), th); err != nil {
		t.Fatalf("an outdated object and a cache that stands still do no harm: %v", err)
	}
	got := h.stored(t)
	if meta.GetExternalName(got) != "cart-fn" || meta.GetExternalCreateSucceeded(got).IsZero() || !ownership.WroteName(got) {
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
	h := newHarness(t, nil)
	_, th := h.read(t)
	meta.SetExternalCreatePending(th, time.Now())
	meta.SetExternalCreateFailed(th, time.Now())
	meta.AddAnnotations(th, ownership.Unanswered(th))
	if err := h.UpdateCriticalAnnotations(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if _, unknown := ownership.UnansweredAt(h.stored(t)); !unknown {
		t.Errorf("it is lost that nobody knows what the create has made: %v", h.stored(t).GetAnnotations())
	}
}

// Times of annotations hold no parts of seconds.
func TestCreateIsPendingAfterOneFailedInTheSameSecond(t *testing.T) {
	h := newHarness(t, nil)
	now := time.Now()
	h.change(t, func(th *managedtest.Thing) { meta.SetExternalCreateFailed(th, now) })
	_, th := h.read(t)
	meta.SetExternalCreatePending(th, now)
	if err := h.Update(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if _, unknown := ownership.UnansweredAt(h.stored(t)); !unknown || !meta.ExternalCreateIncomplete(th) {
		t.Errorf("the create that is pending passes for the one that failed: %v", h.stored(t).GetAnnotations())
	}
}

func TestFailedCreateDoesNotClaimTheName(t *testing.T) {
	h := newHarness(t, nil)
	_, th := h.read(t)
	meta.SetExternalName(th, "set-by-user")
	meta.SetExternalCreateFailed(th, time.Now())
	if err := h.UpdateCriticalAnnotations(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if got := h.stored(t); !ownership.UserSetName(got) {
		t.Errorf("the name is still the user's: %v", got.GetAnnotations())
	}
}

func TestFinalizer(t *testing.T) {
	h := newHarness(t, nil)
	f := NewFinalizer(h.Client, "f")
	h.change(t, func(th *managedtest.Thing) { meta.AddFinalizer(th, "of-another") })
	_, th := h.read(t)
	th.SetConditions(xpv2.Available())
	if err := f.AddFinalizer(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"of-another", "f"}, h.stored(t).GetFinalizers()); diff != "" {
		t.Errorf("finalizers: -want, +got:\n%s", diff)
	}
	if th.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		t.Error("adding a finalizer loses the status in memory")
	}
	if h.calls.updates != 0 {
		t.Error("a finalizer is not worth an update of the whole object")
	}
	patches := h.calls.patches
	if err := f.AddFinalizer(t.Context(), th); err != nil || h.calls.patches != patches {
		t.Errorf("a finalizer that is there is not added again: %v", err)
	}
	if err := f.RemoveFinalizer(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"of-another"}, h.stored(t).GetFinalizers()); diff != "" {
		t.Errorf("finalizers: -want, +got:\n%s", diff)
	}
}

// Whoever decided by an outdated object must neither go on to a call of AWS once it has
// the finalizer, nor let go of the object.
func TestFinalizerOfOutdatedObject(t *testing.T) {
	cases := map[string]struct {
		reason string
		with   []string
		change func(*Finalizer, context.Context, *managedtest.Thing) error
	}{
		"Add": {reason: "What was decided by it is the next to be done.", change: func(f *Finalizer, ctx context.Context, th *managedtest.Thing) error { return f.AddFinalizer(ctx, th) }},
		"Remove": {reason: "What it does not name may be there.", with: []string{"f"}, change: func(f *Finalizer, ctx context.Context, th *managedtest.Thing) error {
			return f.RemoveFinalizer(ctx, th)
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, nil)
			h.change(t, func(th *managedtest.Thing) { th.SetFinalizers(tc.with) })
			_, th := h.read(t)
			h.cached = h.stored(t)
			h.change(t, func(th *managedtest.Thing) { meta.AddAnnotations(th, map[string]string{"record": "2"}) })
			if err := tc.change(NewFinalizer(h.Client, "f"), t.Context(), th); !kerrors.IsConflict(err) || !h.Outdated(key) {
				t.Errorf("%s: want a conflict, got %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.with, h.stored(t).GetFinalizers()); diff != "" {
				t.Errorf("finalizers: -want, +got:\n%s", diff)
			}
			if _, th = h.read(t); th.GetAnnotations()["record"] != "2" || h.Outdated(key) {
				t.Errorf("then it is read live, got %v", th.GetAnnotations())
			}
			if err := tc.change(NewFinalizer(h.Client, "f"), t.Context(), th); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFinalizerOfOutdatedSpec(t *testing.T) {
	h := newHarness(t, nil)
	_, th := h.read(t)
	h.change(t, func(th *managedtest.Thing) { th.Spec.Value = "b"; th.Generation = 2 })
	err := NewFinalizer(h.Client, "f").AddFinalizer(t.Context(), th)
	if !kerrors.IsConflict(err) {
		t.Errorf("want a conflict, so that the new spec is read first, got %v", err)
	}
	if th.GetGeneration() != 1 || len(th.GetFinalizers()) != 0 {
		t.Errorf("the old object passes for the new one: %+v", th.ObjectMeta)
	}
}

func TestRemoveFinalizerOfGoneObject(t *testing.T) {
	h := newHarness(t, nil)
	_, th := h.read(t)
	meta.AddFinalizer(th, "f")
	if err := h.server.Delete(t.Context(), thing()); err != nil {
		t.Fatal(err)
	}
	if err := NewFinalizer(h.Client, "f").RemoveFinalizer(t.Context(), th); err != nil {
		t.Errorf("what is gone has no finalizer: %v", err)
	}
}

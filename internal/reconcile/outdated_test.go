package reconcile

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
)

// intending is a cloud that records an intent before each call.
type intending struct {
	*cloud

	// Each is called once: after the observation, and before the intent is recorded.
	observed, recorded func()
}

func (i *intending) Observe(ctx context.Context, mg *sample) (managed.ExternalObservation, error) {
	o, err := i.cloud.Observe(ctx, mg)
	run(&i.observed)
	return o, err
}

func (i *intending) Create(ctx context.Context, mg *sample) (managed.ExternalCreation, error) {
	if err := i.recordIntent(ctx, mg); err != nil {
		return managed.ExternalCreation{}, err
	}
	return i.cloud.Create(ctx, mg)
}

func (i *intending) Update(ctx context.Context, mg *sample) (managed.ExternalUpdate, error) {
	if err := i.recordIntent(ctx, mg); err != nil {
		return managed.ExternalUpdate{}, err
	}
	return i.cloud.Update(ctx, mg)
}

func (i *intending) recordIntent(ctx context.Context, mg *sample) error {
	run(&i.recorded)
	return errors.Wrap(RecordIntent(ctx, mg, map[string]string{"intent": mg.Spec.Value}), "cannot note what is about to be done")
}

func run(f *func()) {
	if *f != nil {
		(*f)()
	}
	*f = nil
}

// TestOutdatedDecision checks that a decision based on an outdated resource is neither carried
// out nor reported: the next reconcile reads the resource live.
func TestOutdatedDecision(t *testing.T) {
	cases := map[string]struct {
		reason string
		exists bool
		when   func(*intending, func())
		calls  []string
	}{
		"BeforeFinalizer": {reason: "The finalizer is not added.", when: func(i *intending, f func()) { i.observed = f }, calls: []string{"Get", "Get", "Create", "Get"}},
		"BeforeCreate":    {reason: "The object changes before the create, which is then not called.", when: func(i *intending, f func()) { i.recorded = f }, calls: []string{"Get", "Get", "Create", "Get"}},
		"BeforeUpdate":    {reason: "The object changes before the update, which is then not called.", exists: true, when: func(i *intending, f func()) { i.recorded = f }, calls: []string{"Get", "Get", "Update", "Get"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, newSample())
			c := &intending{cloud: e.cloud}
			e.reconciler = newReconciler(&manager{c: e.server}, e.options, scriptedKind(e, c), e.events)
			if tc.exists {
				e.settle()
				e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 })
			}
			tc.when(c, func() {
				e.change(func(mg *sample) { meta.AddAnnotations(mg, map[string]string{"record": "of another"}) })
			})
			e.events.all, e.changes.ops = nil, nil
			before := e.stored().Status
			if wait := e.reconcile(); wait != minRequeueAfter {
				t.Errorf("%s: want it to come back at once, got %s", tc.reason, wait)
			}
			if diff := cmp.Diff(before, e.stored().Status); diff != "" || len(e.events.all) > 0 {
				t.Errorf("%s: something was said: %v, %s", tc.reason, e.events.all, diff)
			}
			for range 2 {
				e.reconcile()
			}
			if diff := cmp.Diff(tc.calls, e.cloud.calls); diff != "" {
				t.Errorf("%s: calls, -want, +got:\n%s", tc.reason, diff)
			}
			if got := e.stored(); got.GetAnnotations()["record"] == "" || got.GetAnnotations()["intent"] != got.Spec.Value {
				t.Errorf("%s: annotations are %v", tc.reason, got.GetAnnotations())
			}
		})
	}
}

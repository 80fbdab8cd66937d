package engine

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// intending is a cloud whose calls have an intent.
type intending struct {
	*cloud

	// Each is called once: after the observation, and before the first write.
	observed, recorded func()
}

func (i *intending) Observe(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	out, err := i.cloud.Observe(ctx, f, mg)
	if out.Call != nil {
		out.Call.Intent = reconcile.Record{
			Annotations: map[string]string{"intent": mg.Spec.Value}, Failure: "cannot note what is about to be done",
		}
	}
	run(&i.observed)
	return out, err
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
		"BeforeFinalizer": {
			reason: "The finalizer is not added.",
			when:   func(i *intending, f func()) { i.observed = f },
			calls:  []string{"Get", "Get", "Create", "Get"},
		},
		"BeforeCreate": {
			reason: "The object changes before the create, which is then not called.",
			when:   func(i *intending, f func()) { i.recorded = f },
			calls:  []string{"Get", "Get", "Create", "Get"},
		},
		"BeforeUpdate": {
			reason: "The object changes before the update, which is then not called.",
			exists: true,
			when:   func(i *intending, f func()) { i.recorded = f },
			calls:  []string{"Get", "Get", "Update", "Get"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			c := &intending{cloud: e.cloud}
			server := interceptor.NewClient(
				e.server.(client.WithWatch),
				interceptor.Funcs{ //nolint:forcetypeassert // The fake client is one.
					Patch: func(
						ctx context.Context, w client.WithWatch, obj client.Object, p client.Patch,
						opts ...client.PatchOption,
					) error {
						run(&c.recorded)
						return w.Patch(ctx, obj, p, opts...)
					},
				},
			)
			e.reconciler = newReconciler(&manager{c: server}, e.options, observedBy(e, c), e.events)
			if tc.exists {
				e.converge()
				e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 })
			}
			tc.when(c, func() {
				e.change(func(mg *sample) {
					meta.AddAnnotations(mg, map[string]string{"test.crossplane.io/record": "of another"})
				})
			})
			e.events.all, e.changes.ops = nil, nil
			before := e.stored().Status
			if wait := e.reconcile(); wait != reconcile.MinPending {
				t.Errorf("%s: want it to come back after a second, got %s", tc.reason, wait)
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
			if got := e.stored(); got.GetAnnotations()["test.crossplane.io/record"] == "" ||
				got.GetAnnotations()["intent"] != got.Spec.Value {
				t.Errorf("%s: annotations are %v", tc.reason, got.GetAnnotations())
			}
		})
	}
}

package reconcile

import (
	"context"
	"errors"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// observing is a cloud that calls OnStored in each observation.
type observing struct {
	*cloud

	stored func(context.Context)
}

func (o *observing) Observe(ctx context.Context, mg *sample) (managed.ExternalObservation, error) {
	OnStored(ctx, o.stored)
	return o.cloud.Observe(ctx, mg)
}

func TestOnStored(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*env)
		lost   bool
		want   int
	}{
		"Stored":    {reason: "The status was written.", want: 1},
		"Unchanged": {reason: "It need not be written.", edit: func(e *env) { e.settle() }, want: 1},
		"Aborted":   {reason: "What an aborted reconcile has found is dropped.", edit: func(e *env) { e.limiter.wait["Create"] = time.Second }},
		"Throttled": {reason: "As is that of a throttled one.", edit: func(e *env) { e.cloud.fail["Get"] = throttle() }},
		"Lost":      {reason: "The status could not be written.", lost: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var x *observing
			e := newEnv(t, newSample(), func(_ *Options, k *Kind[*sample]) {
				k.Connect = func(context.Context, *sample, *session.Session) (managed.TypedExternalClient[*sample], error) {
					return x, nil
				}
			})
			x = &observing{cloud: e.cloud, stored: func(context.Context) { calls++ }}
			if tc.edit != nil {
				tc.edit(e)
			}
			if tc.lost {
				c := interceptor.NewClient(e.server.(client.WithWatch), interceptor.Funcs{ //nolint:forcetypeassert // The fake client is one.
					SubResourceUpdate: func(context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption) error {
						return errors.New("no luck")
					},
				})
				e.reconciler = newReconciler(&manager{c: c}, e.options, e.kind, e.events)
			}
			calls = 0
			if _, err := e.reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: cart}); err != nil {
				t.Fatal(err)
			}
			if calls != tc.want {
				t.Errorf("%s want %d calls, got %d", tc.reason, tc.want, calls)
			}
		})
	}
}

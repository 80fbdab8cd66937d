package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// observing is a cloud whose outcomes have a function to call once they are stored.
type observing struct {
	*cloud

	stored func(context.Context)
}

func (o *observing) Observe(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	out, err := o.cloud.Observe(ctx, f, mg)
	out.Stored = append(out.Stored, o.stored)
	return out, err
}

func TestOnStored(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*env)
		lost   bool
		want   int
	}{
		"Stored":    {reason: "The status was written.", want: 1},
		"Unchanged": {reason: "It need not be written.", edit: func(e *env) { e.converge() }, want: 1},
		"Aborted": {
			reason: "What an aborted reconcile has found is dropped.",
			edit:   func(e *env) { e.limiter.wait["Create"] = time.Second },
		},
		"Throttled": {
			reason: "As is that of a throttled one.",
			edit:   func(e *env) { e.cloud.fail["Get"] = throttle() },
		},
		"Lost": {reason: "The status could not be written.", lost: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var x *observing
			e := newEnv(t, samples.New(), func(_ *Options, k *reconcile.Kind[*sample]) {
				k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] { return x }
			})
			x = &observing{cloud: e.cloud, stored: func(context.Context) { calls++ }}
			if tc.edit != nil {
				tc.edit(e)
			}
			if tc.lost {
				c := interceptor.NewClient(
					e.server.(client.WithWatch),
					interceptor.Funcs{ //nolint:forcetypeassert // The fake client is one.
						SubResourceUpdate: func(
							context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption,
						) error {
							return errors.New("no luck")
						},
					},
				)
				e.reconciler = newReconciler(&manager{c: c}, e.options, e.kind.Untyped(), e.events)
			}
			calls = 0
			if _, err := e.reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: cart}); err != nil {
				t.Fatal(err)
			}
			if calls != tc.want {
				t.Errorf("%s want %d calls, got %d", tc.reason, tc.want, calls)
			}
		})
	}
}

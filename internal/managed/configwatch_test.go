package managed

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/managedtest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// configured answers lists of configurations, and of the resources that use them. Those
// whose names begin with ok are in order.
type configured struct {
	client.Reader

	configs []v1beta1.ProviderConfig
	shared  []v1beta1.ClusterProviderConfig
	by      map[string][]string
	err     error
}

func (c configured) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := &client.ListOptions{}
	o.ApplyOptions(opts)
	switch l := list.(type) {
	case *v1beta1.ProviderConfigList:
		for _, p := range c.configs {
			if p.Namespace == o.Namespace {
				l.Items = append(l.Items, p)
			}
		}
	case *v1beta1.ClusterProviderConfigList:
		l.Items = c.shared
	case *managedtest.SampleList:
		for key, names := range c.by {
			if !o.FieldSelector.Matches(fields.Set{configIndex: key}) {
				continue
			}
			for _, n := range names {
				t := newSample()
				t.SetName(n)
				if n[:2] == "ok" {
					t.SetConditions(condition.Available(t.GetGeneration()), xpv2.ReconcileSuccess())
					t.SetObservedGeneration(t.GetGeneration())
				}
				l.Items = append(l.Items, *t)
			}
		}
	}
	return c.err
}

func (c configured) users(renewed *[]string) configUsers {
	return configUsers{
		resources:    c,
		newList:      func() client.ObjectList { return &managedtest.SampleList{} },
		resetBackoff: func(k types.NamespacedName) { *renewed = append(*renewed, k.Name) },
	}
}

// enqueued by a handler.
func enqueued(t *testing.T, handle func(queue)) []string {
	t.Helper()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	handle(q)
	var got []string
	for q.Len() > 0 {
		item, _ := q.Get()
		got = append(got, item.Name)
	}
	return got
}

func TestConfigHandler(t *testing.T) {
	config := func(generation int64, ready ...xpv2.Condition) *v1beta1.ProviderConfig {
		c := &v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default", Generation: generation}}
		c.SetConditions(ready...)
		return c
	}
	shared := func(generation int64) *v1beta1.ClusterProviderConfig {
		return &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default", Generation: generation}}
	}
	update := func(before, after client.Object) func(context.Context, *configHandler, queue) {
		return func(ctx context.Context, h *configHandler, q queue) {
			h.Update(ctx, event.UpdateEvent{ObjectOld: before, ObjectNew: after}, q)
		}
	}
	cases := map[string]struct {
		reason string
		kind   string
		err    error
		handle func(context.Context, *configHandler, queue)
		want   []string
	}{
		"Created": {
			reason: "A config that was applied after the resource.",
			kind:   v1beta1.ProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: config(1)}, q)
			},
			want: []string{"cart", "ok-cart"},
		},
		"Changed": {
			reason: "A config of the whole cluster has no namespace.",
			kind:   v1beta1.ClusterProviderConfigKind,
			handle: update(shared(1), shared(2)),
			want:   []string{"pay"},
		},
		"BecameReady": {
			reason: "What failed for want of it is tried at once, what is in order left alone.",
			kind:   v1beta1.ProviderConfigKind,
			handle: update(config(1, xpv2.Unavailable()), config(1, xpv2.Available())),
			want:   []string{"cart"},
		},
		"FirstReady": {
			reason: "Nothing was known of it before.",
			kind:   v1beta1.ProviderConfigKind,
			handle: update(config(1), config(1, xpv2.Available())),
			want:   []string{"cart"},
		},
		"StillReady": {
			reason: "Nothing has changed.",
			kind:   v1beta1.ProviderConfigKind,
			handle: update(config(1, xpv2.Available()), config(1, xpv2.Available())),
		},
		"Broken": {
			reason: "Nothing works that did not.",
			kind:   v1beta1.ProviderConfigKind,
			handle: update(config(1, xpv2.Available()), config(1, xpv2.Unavailable())),
		},
		"AtStart": {
			reason: "What is there when the watch starts is not new.",
			kind:   v1beta1.ProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: config(1), IsInInitialList: true}, q)
			},
		},
		"Deleted": {
			reason: "Nobody uses a config that could go.",
			kind:   v1beta1.ProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Delete(ctx, event.DeleteEvent{Object: config(1)}, q)
			},
		},
		"CannotList": {
			reason: "An error wakes nobody and stops nothing.",
			kind:   v1beta1.ProviderConfigKind,
			err:    errors.New("boom"),
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: config(1)}, q)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var renewed []string
			c := configured{err: tc.err, by: map[string][]string{"ProviderConfig/shop/default": {"cart", "ok-cart"}, "ClusterProviderConfig//default": {"pay"}}}
			h := &configHandler{kind: tc.kind, users: c.users(&renewed)}
			got := enqueued(t, func(q queue) { tc.handle(t.Context(), h, q) })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: enqueued: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, renewed); diff != "" {
				t.Errorf("%s: renewed: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCredentialsHandler(t *testing.T) {
	secret := func(namespace, name, version string) client.Object {
		m := objects.Metadata(objects.Secret)
		m.SetNamespace(namespace)
		m.SetName(name)
		m.SetResourceVersion(version)
		return m
	}
	local := v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default"}}
	local.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	local.Spec.Credentials.SecretRef = &v1beta1.LocalCredentialsSecretSelector{Name: "aws"}
	shared := v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	shared.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	shared.Spec.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{Namespace: "crossplane-system", LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws"}}
	cases := map[string]struct {
		reason string
		err    error
		handle func(context.Context, handler.EventHandler, queue)
		want   []string
	}{
		"Created": {reason: "The keys have come.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Create(ctx, event.CreateEvent{Object: secret("shop", "aws", "1")}, q)
		}, want: []string{"cart"}},
		"Changed": {reason: "The keys are others.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Update(ctx, event.UpdateEvent{ObjectOld: secret("crossplane-system", "aws", "1"), ObjectNew: secret("crossplane-system", "aws", "2")}, q)
		}, want: []string{"pay"}},
		"Resync": {reason: "Nothing has changed.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Update(ctx, event.UpdateEvent{ObjectOld: secret("shop", "aws", "1"), ObjectNew: secret("shop", "aws", "1")}, q)
		}},
		"AtStart": {reason: "All are looked at anyway.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Create(ctx, event.CreateEvent{Object: secret("shop", "aws", "1"), IsInInitialList: true}, q)
		}},
		"Deleted": {reason: "Nothing works that did not.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Delete(ctx, event.DeleteEvent{Object: secret("shop", "aws", "1")}, q)
		}},
		"Other": {reason: "No config names it.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Create(ctx, event.CreateEvent{Object: secret("shop", "db", "1")}, q)
		}},
		"OtherNamespace": {reason: "A config names a Secret of its own namespace.", handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Create(ctx, event.CreateEvent{Object: secret("bank", "aws", "1")}, q)
		}},
		"CannotList": {reason: "An error wakes nobody.", err: errors.New("boom"), handle: func(ctx context.Context, h handler.EventHandler, q queue) {
			h.Create(ctx, event.CreateEvent{Object: secret("shop", "aws", "1")}, q)
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var renewed []string
			c := configured{
				configs: []v1beta1.ProviderConfig{local}, shared: []v1beta1.ClusterProviderConfig{shared}, err: tc.err,
				by: map[string][]string{"ProviderConfig/shop/default": {"cart", "ok-cart"}, "ClusterProviderConfig//default": {"pay", "ok-pay"}},
			}
			got := enqueued(t, func(q queue) {
				tc.handle(t.Context(), &credentialsHandler{configs: c, users: c.users(&renewed)}, q)
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: enqueued: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, renewed); diff != "" {
				t.Errorf("%s: renewed: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

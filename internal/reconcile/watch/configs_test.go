package watch

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// configured lists configs, and the resources that use them. Resources with names that begin
// with ok are converged.
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
	case *samples.SampleList:
		for key, names := range c.by {
			if !o.FieldSelector.Matches(fields.Set{ConfigIndex: key}) {
				continue
			}
			for _, n := range names {
				t := samples.New()
				t.SetName(n)
				if n[:2] == "ok" {
					t.SetConditions(reconcile.Available(t.GetGeneration()), xpv2.ReconcileSuccess())
					t.SetObservedGeneration(t.GetGeneration())
				}
				l.Items = append(l.Items, *t)
			}
		}
	}
	return c.err
}

func (c configured) users(reset *[]string) Dependents {
	k := reconcile.Kind[*samples.Sample]{NewList: func() resource.ManagedList { return &samples.SampleList{} }}
	return dependents(c, k.Untyped(), ConfigIndex, func(k types.NamespacedName, _ string) { *reset = append(*reset, k.Name) })
}

func TestConfigRequests(t *testing.T) {
	config := func(generation int64, ready ...xpv2.Condition) *v1beta1.ProviderConfig {
		c := &v1beta1.ProviderConfig{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default", Generation: generation},
		}
		c.SetConditions(ready...)
		return c
	}
	shared := func(generation int64) *v1beta1.ClusterProviderConfig {
		return &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default", Generation: generation}}
	}
	update := func(before, after client.Object) event.UpdateEvent {
		return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
	}
	cases := map[string]struct {
		reason string
		kind   string
		err    error
		event  any
		want   []string
	}{
		"Created": {
			reason: "A config that was applied after the resource.",
			kind:   v1beta1.ProviderConfigKind,
			event:  event.CreateEvent{Object: config(1)},
			want:   []string{"cart", "ok-cart"},
		},
		"Changed": {
			reason: "A config of the whole cluster has no namespace.",
			kind:   v1beta1.ClusterProviderConfigKind,
			event:  update(shared(1), shared(2)),
			want:   []string{"pay"},
		},
		"BecameReady": {
			reason: "What failed for want of it is tried at once, what is in order left alone.",
			kind:   v1beta1.ProviderConfigKind,
			event:  update(config(1, xpv2.Unavailable()), config(1, xpv2.Available())),
			want:   []string{"cart"},
		},
		"FirstReady": {
			reason: "Nothing was known of it before.",
			kind:   v1beta1.ProviderConfigKind,
			event:  update(config(1), config(1, xpv2.Available())),
			want:   []string{"cart"},
		},
		"StillReady": {
			reason: "Nothing has changed.",
			kind:   v1beta1.ProviderConfigKind,
			event:  update(config(1, xpv2.Available()), config(1, xpv2.Available())),
		},
		"Broken": {
			reason: "Nothing works that did not.",
			kind:   v1beta1.ProviderConfigKind,
			event:  update(config(1, xpv2.Available()), config(1, xpv2.Unavailable())),
		},
		"AtStart": {
			reason: "What is there when the watch starts is not new.",
			kind:   v1beta1.ProviderConfigKind,
			event:  event.CreateEvent{Object: config(1), IsInInitialList: true},
		},
		"Deleted": {
			reason: "A deleted config requeues no resource.",
			kind:   v1beta1.ProviderConfigKind,
			event:  event.DeleteEvent{Object: config(1)},
		},
		"CannotList": {
			reason: "An error requeues nothing and stops nothing.",
			kind:   v1beta1.ProviderConfigKind,
			err:    errors.New("boom"),
			event:  event.CreateEvent{Object: config(1)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var reset []string
			c := configured{
				err: tc.err,
				by: map[string][]string{
					"ProviderConfig/shop/default":    {"cart", "ok-cart"},
					"ClusterProviderConfig//default": {"pay"},
				},
			}
			users := c.users(&reset)
			got := samples.Enqueued(
				t.Context(),
				specChanged(),
				handler.EnqueueRequestsFromMapFunc(configRequests(users, tc.kind, nil)),
				tc.event,
			)
			got = append(
				got,
				samples.Enqueued(
					t.Context(),
					becameReady(),
					handler.EnqueueRequestsFromMapFunc(configRequests(users, tc.kind, unsteady)),
					tc.event,
				)...)
			reset = slices.Compact(reset) // Both the old and the new object of an update are mapped.
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: enqueued: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, reset); diff != "" {
				t.Errorf("%s: reset: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCredentialsRequests(t *testing.T) {
	secret := func(namespace, name, version string) client.Object {
		m := refs.Metadata(refs.Secret)
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
	shared.Spec.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
		Namespace:                      "crossplane-system",
		LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws"},
	}
	cases := map[string]struct {
		reason string
		err    error
		event  any
		want   []string
	}{
		"Created": {
			reason: "The keys have come.",
			event:  event.CreateEvent{Object: secret("shop", "aws", "1")},
			want:   []string{"cart"},
		},
		"Changed": {
			reason: "The keys are others.",
			event: event.UpdateEvent{
				ObjectOld: secret("crossplane-system", "aws", "1"),
				ObjectNew: secret("crossplane-system", "aws", "2"),
			},
			want: []string{"pay"},
		},
		"Resync": {
			reason: "Nothing has changed.",
			event:  event.UpdateEvent{ObjectOld: secret("shop", "aws", "1"), ObjectNew: secret("shop", "aws", "1")},
		},
		"AtStart": {
			reason: "All are looked at anyway.",
			event:  event.CreateEvent{Object: secret("shop", "aws", "1"), IsInInitialList: true},
		},
		"Deleted": {
			reason: "Nothing works that did not.",
			event:  event.DeleteEvent{Object: secret("shop", "aws", "1")},
		},
		"Other": {reason: "No config names it.", event: event.CreateEvent{Object: secret("shop", "db", "1")}},
		"OtherNamespace": {
			reason: "A config names a Secret of its own namespace.",
			event:  event.CreateEvent{Object: secret("bank", "aws", "1")},
		},
		"CannotList": {
			reason: "An error requeues nothing.",
			err:    errors.New("boom"),
			event:  event.CreateEvent{Object: secret("shop", "aws", "1")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var reset []string
			c := configured{
				configs: []v1beta1.ProviderConfig{local},
				shared:  []v1beta1.ClusterProviderConfig{shared},
				err:     tc.err,
				by: map[string][]string{
					"ProviderConfig/shop/default":    {"cart", "ok-cart"},
					"ClusterProviderConfig//default": {"pay", "ok-pay"},
				},
			}
			p := predicate.And(objectChanged(), notDeleted())
			got := samples.Enqueued(
				t.Context(),
				p,
				handler.EnqueueRequestsFromMapFunc(credentialsRequests(c, c.users(&reset))),
				tc.event,
			)
			reset = slices.Compact(reset) // Both the old and the new object of an update are mapped.
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: enqueued: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, reset); diff != "" {
				t.Errorf("%s: reset: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

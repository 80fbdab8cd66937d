package providerconfig

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	xpproviderconfig "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestPoisonedUsages checks that a usage that a tenant has created neither keeps a cluster's config
// from being reconciled nor from being deleted.
func TestPoisonedUsages(t *testing.T) {
	gone := func(u *v1beta1.ProviderConfigUsage) { u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()}) }
	cases := map[string]struct {
		reason string
		poison func(u *v1beta1.ProviderConfigUsage)
		others []client.Object
		kube   interceptor.Funcs
		denied bool
		// users is the number that status shows, and kept whether the config still exists after its
		// deletion.
		users   int64
		counted bool
	}{
		"UnknownKind": {
			reason: "No provider knows its owner's kind.",
			poison: func(u *v1beta1.ProviderConfigUsage) { u.OwnerReferences[0].Kind = "Nope" },
			users:  1,
		},
		"UnknownGroup": {
			reason: "No provider knows the group of the owner.",
			poison: func(u *v1beta1.ProviderConfigUsage) { u.OwnerReferences[0].APIVersion = "nope.example.org/v1" },
			users:  1,
		},
		"BrokenGroup": {
			reason: "The owner's API version is malformed.",
			poison: func(u *v1beta1.ProviderConfigUsage) { u.OwnerReferences[0].APIVersion = "a/b/c/d" },
			users:  1,
		},
		"UnknownKindGoing": {
			reason: "The usage is being deleted, and no provider knows its owner's kind.",
			poison: func(u *v1beta1.ProviderConfigUsage) { gone(u); u.OwnerReferences[0].Kind = "Nope" },
		},
		"NoResource": {
			reason: "The owner is of a kind that uses no config.",
			poison: func(u *v1beta1.ProviderConfigUsage) {
				u.OwnerReferences[0].APIVersion, u.OwnerReferences[0].Kind = "v1", "Secret"
			},
			others: []client.Object{secret("poison")},
			users:  1,
		},
		"NotThere": {reason: "The owner does not exist.", poison: func(*v1beta1.ProviderConfigUsage) {}, users: 1},
		"Another": {
			reason: "The owner was replaced by another of the same name.",
			poison: func(u *v1beta1.ProviderConfigUsage) { u.OwnerReferences[0].UID = "u2" },
			others: []client.Object{function("poison")},
			users:  1,
		},
		"AnotherConfig": {
			reason: "The owner uses another config.",
			poison: func(*v1beta1.ProviderConfigUsage) {},
			others: []client.Object{func() client.Object {
				f := function("poison")
				f.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"})
				return f
			}()},
			users: 1,
		},
		"NotReleased": {
			reason: "The finalizer of the usage cannot be removed.",
			poison: func(u *v1beta1.ProviderConfigUsage) { gone(u) },
			kube: interceptor.Funcs{
				Patch: func(
					ctx context.Context, c client.WithWatch, o client.Object, p client.Patch,
					opts ...client.PatchOption,
				) error {
					if _, ok := o.(*v1beta1.ProviderConfigUsage); ok {
						return errors.New("refused")
					}
					return c.Patch(ctx, o, p, opts...)
				},
			},
		},
		"Genuine": {
			reason:  "The usage is genuine.",
			poison:  func(*v1beta1.ProviderConfigUsage) {},
			others:  []client.Object{function("poison")},
			users:   1,
			counted: true,
		},
		"Text": {
			reason:  "The message names the owner, whatever a user has written.",
			others:  []client.Object{function("poison")},
			users:   1,
			counted: true,
			poison: func(u *v1beta1.ProviderConfigUsage) {
				u.SetResourceReference(xpv2.TypedReference{Kind: "Run kubectl", Name: strings.Repeat("x", 1<<20)})
			},
		},
		"NotAllowed": {
			reason: "The config does not allow the owner's namespace.", poison: func(*v1beta1.ProviderConfigUsage) {},
			others: []client.Object{function("poison")}, denied: true, users: 1,
		},
		"Unread": {
			reason:  "The owner cannot be read, so the usage counts.",
			poison:  func(*v1beta1.ProviderConfigUsage) {},
			users:   1,
			counted: true,
			kube: interceptor.Funcs{
				Get: func(
					ctx context.Context, c client.WithWatch, k client.ObjectKey, o client.Object,
					opts ...client.GetOption,
				) error {
					if _, ok := o.(*v1beta1.Function); ok {
						return errors.New("away")
					}
					return c.Get(ctx, k, o, opts...)
				},
			},
		},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			u := usage(ns, "ClusterProviderConfig", "poison")
			tc.poison(u)
			e := newEnv(t, clusterKind, append(tc.others, cpc(), u)...)
			e.kube = interceptor.NewClient(e.kube.(client.WithWatch), tc.kube)
			e.managed, e.resolver.denies = e.kube, tc.denied
			c := cpc()
			e.reconcile(name(c))
			e.get(c)
			if c.Status.ObservedGeneration != c.Generation ||
				c.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue ||
				c.Status.Users != tc.users {
				t.Errorf("%s\nIt is to be looked at, and to show %d users: %+v", tc.reason, tc.users, c.Status)
			}
			e.delete(c)
			e.reconcile(name(c))
			if counted := e.get(c); counted != tc.counted {
				t.Errorf("%s\nAfter its deletion, the config is there: %t", tc.reason, counted)
			}
			want := "Function " + ns + "/poison still uses this config: delete them, or have them use another one"
			if got := c.GetCondition(xpproviderconfig.TypeTerminating).Message; tc.counted && got != want {
				t.Errorf("%s\nThe message is %.100q, want %q", tc.reason, got, want)
			}
		})
	}
}

// TestUsageTakenBack checks that a usage whose labels are removed does not count any more.
func TestUsageTakenBack(t *testing.T) {
	before, after := usage(ns, v1beta1.ProviderConfigKind, "cart"), usage(ns, v1beta1.ProviderConfigKind, "cart")
	after.SetLabels(nil)
	for name, tc := range map[string]struct {
		reason string
		after  *v1beta1.ProviderConfigUsage
		want   int
	}{
		"TakenBack": {reason: "The labels of the usage were removed.", after: after, want: 1},
		"Unchanged": {reason: "Nothing has changed.", after: before},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := workqueue.NewTypedRateLimitingQueue(
					workqueue.DefaultTypedControllerRateLimiter[reconcile.Request](),
				)
				defer q.ShutDown()
				if e := (event.UpdateEvent{ObjectOld: before, ObjectNew: tc.after}); usageChanged().Update(e) {
					usageHandler(v1beta1.ProviderConfigKind).Update(t.Context(), e, q)
				}
				time.Sleep(2 * countAfter)
				if q.Len() != tc.want {
					t.Errorf("%s\n%d configs are counted anew, want %d", tc.reason, q.Len(), tc.want)
				}
			})
		})
	}
}

// TestUsagesOfMissingConfig checks that the usages of a config that does not exist, such as one whose name is
// misspelled, are released once their resources are gone: otherwise their namespace is never deleted.
func TestUsagesOfMissingConfig(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   kind
		others []client.Object
		kept   bool
	}{
		"Cluster":    {reason: "The resource is gone.", kind: clusterKind},
		"Namespaced": {reason: "The resource is gone.", kind: namespacedKind},
		"Used": {
			reason: "The resource is not deleted yet, and the config may be created for that.", kind: clusterKind,
			others: []client.Object{function("cart")}, kept: true,
		},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			c := tc.kind.new()
			c.SetName("default")
			if tc.kind.gvk.Kind == v1beta1.ProviderConfigKind {
				c.SetNamespace(ns)
			}
			u := usage(ns, tc.kind.gvk.Kind, "cart")
			e := newEnv(t, tc.kind, append(tc.others, u)...)
			e.delete(u)
			after := e.reconcile(name(c)).RequeueAfter
			if kept := e.get(u); kept != tc.kept {
				t.Errorf("%s\nThe usage is there: %t, want %t", tc.reason, kept, tc.kept)
			}
			if again := after > 0; again != tc.kept {
				t.Errorf("%s\nIt is checked again: %t, want %t", tc.reason, again, tc.kept)
			}
		})
	}
}

package configusage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

const ns = "team-a"

// newKube returns an API server in memory.
func newKube(t *testing.T) client.WithWatch {
	t.Helper()
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(s).Build()
}

func function(kind, name string) *v1beta1.Function {
	f := &v1beta1.Function{}
	f.SetNamespace(ns)
	f.SetName("orders")
	f.SetUID("f1")
	f.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: kind, Name: name})
	return f
}

func TestTrack(t *testing.T) {
	ctx := t.Context()
	kube := newKube(t)
	writes := 0
	counting := interceptor.NewClient(kube, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			writes++
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			writes++
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch,
			opts ...client.PatchOption,
		) error {
			writes++
			return c.Patch(ctx, o, p, opts...)
		},
	})
	tracker := NewTracker(counting)
	f := function("ProviderConfig", "default")
	usage := func() *v1beta1.ProviderConfigUsage {
		t.Helper()
		u := &v1beta1.ProviderConfigUsage{}
		if err := kube.Get(ctx, types.NamespacedName{Namespace: ns, Name: "f1"}, u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	track := func(wantWrites int) {
		t.Helper()
		before := writes
		if err := tracker.Track(ctx, f); err != nil {
			t.Fatalf("Track: %v", err)
		}
		if got := writes - before; got != wantWrites {
			t.Errorf("Track: %d writes, want %d", got, wantWrites)
		}
	}

	track(1)
	track(0)
	u := usage()
	want := xpv2.TypedProviderConfigUsage{
		ProviderConfigReference: xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"},
		ResourceReference: xpv2.TypedReference{
			APIVersion: "lambda.aws.m.crossplane.io/v1beta1", Kind: "Function",
			Name: "orders",
		},
	}
	if diff := cmp.Diff(want, u.TypedProviderConfigUsage); diff != "" {
		t.Errorf("usage: -want, +got:\n%s", diff)
	}
	labels := map[string]string{
		"crossplane.io/provider-config":      "default",
		"crossplane.io/provider-config-kind": "ProviderConfig",
	}
	if diff := cmp.Diff(labels, u.GetLabels()); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
	if c := metav1.GetControllerOf(u); c == nil || c.UID != "f1" || c.Kind != "Function" {
		t.Errorf("controller: %v", c)
	}
	if c := metav1.GetControllerOf(u); ptr.Deref(c.BlockOwnerDeletion, false) {
		t.Error("the usage waits for its resource: a deletion in the foreground must not have the resource wait for " +
			"the usage")
	}

	// A usage of an earlier version of the provider is corrected.
	u.OwnerReferences[0].BlockOwnerDeletion = ptr.To(true)
	if err := kube.Update(ctx, u); err != nil {
		t.Fatal(err)
	}
	track(1)
	track(0)

	f.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"})
	track(1)
	track(0)
	if got := usage().GetLabels()["crossplane.io/provider-config-kind"]; got != "ClusterProviderConfig" {
		t.Errorf("the use moved to a config of kind %q", got)
	}

	// The whole namespace is being deleted: the usage stays for its resource.
	if err := kube.Delete(ctx, usage()); err != nil {
		t.Fatal(err)
	}
	track(0)
	if usage().GetDeletionTimestamp().IsZero() {
		t.Error("want a usage that is going")
	}
	if err := tracker.Untrack(ctx, f); err != nil {
		t.Fatalf("Untrack: %v", err)
	}
	if err := kube.Get(ctx, types.NamespacedName{Namespace: ns, Name: "f1"},
		&v1beta1.ProviderConfigUsage{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("want the usage gone: %v", err)
	}
	if err := tracker.Untrack(ctx, f); err != nil {
		t.Errorf("Untrack twice: %v", err)
	}
	f.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	track(0)
}

func TestTrackNeedsAReference(t *testing.T) {
	kube := newKube(t)
	f := function("ProviderConfig", "default")
	f.SetProviderConfigReference(nil)
	if err := NewTracker(kube).Track(t.Context(), f); err == nil {
		t.Error("want an error for a resource that names no config")
	}
}

// TestTrackBadName rejects names that cannot be the value of a label, by which usages are found.
func TestTrackBadName(t *testing.T) {
	kube := newKube(t)
	for _, name := range []string{strings.Repeat("a", 64), "team-b/default"} {
		err := NewTracker(kube).Track(t.Context(), function("ProviderConfig", name))
		if err == nil || !strings.Contains(err.Error(), "at most 63 characters") {
			t.Errorf("Track of a use of %q: %v", name, err)
		}
	}
	if err := NewTracker(kube).Track(t.Context(), function("ProviderConfig", strings.Repeat("a", 63))); err != nil {
		t.Errorf("Track: %v", err)
	}
}

// TestDrop removes the record of a resource that must not use a config, with and without the right to delete it.
func TestDrop(t *testing.T) {
	for name, forbidden := range map[string]bool{"Deleted": false, "Forbidden": true} {
		t.Run(name, func(t *testing.T) {
			ctx, writes := t.Context(), 0
			kube := interceptor.NewClient(newKube(t), interceptor.Funcs{
				Delete: func(ctx context.Context, c client.WithWatch, o client.Object,
					opts ...client.DeleteOption,
				) error {
					if forbidden {
						return kerrors.NewForbidden(v1beta1.SchemeGroupVersion.WithResource(
							"providerconfigusages").GroupResource(), o.GetName(), nil)
					}
					return c.Delete(ctx, o, opts...)
				},
				Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch,
					opts ...client.PatchOption,
				) error {
					writes++
					return c.Patch(ctx, o, p, opts...)
				},
			})
			tracker, f := NewTracker(kube), function("ProviderConfig", "default")
			users := func() int {
				t.Helper()
				l := &v1beta1.ProviderConfigUsageList{}
				if err := kube.List(ctx, l, client.MatchingLabels{
					xpv2.LabelKeyProviderName: "default",
					xpv2.LabelKeyProviderKind: "ProviderConfig",
				}); err != nil {
					t.Fatal(err)
				}
				return len(l.Items)
			}
			if err := tracker.Drop(ctx, f); err != nil || users() != 0 {
				t.Errorf("a resource that never was a user leaves nothing: %d users, %v", users(), err)
			}
			if err := tracker.Track(ctx, f); err != nil || users() != 1 {
				t.Fatalf("%d users, %v", users(), err)
			}
			for range 3 {
				if err := tracker.Drop(ctx, f); err != nil || users() != 0 {
					t.Errorf("a resource that is refused is a user still: %d users, %v", users(), err)
				}
			}
			if writes != 1 {
				t.Errorf("%d writes, want 1", writes)
			}
			if err := tracker.Track(ctx, f); err != nil || users() != 1 {
				t.Errorf("a resource that is allowed again is no user: %d users, %v", users(), err)
			}
			if err := tracker.Untrack(ctx, f); err != nil {
				t.Error(err)
			}
		})
	}
}

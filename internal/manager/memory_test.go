package manager

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestLimitMemory(t *testing.T) {
	const initial = 123
	cases := map[string]struct {
		reason string
		gogc   string
		want   int
	}{
		"Default": {reason: "The provider has a default of its own.", want: gcPercent},
		"Set":     {reason: "The user's value remains.", gogc: "123", want: initial},
		"Off":     {reason: "The user's choice to disable the collection remains.", gogc: "off", want: initial},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := debug.SetGCPercent(initial)
			defer debug.SetGCPercent(before)
			t.Setenv("GOGC", tc.gogc)
			LimitMemory()
			if got := debug.SetGCPercent(initial); got != tc.want {
				t.Errorf("%s\nwant %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// TestSchemeGroups fails when the scheme has API groups that the provider does not use.
func TestSchemeGroups(t *testing.T) {
	s, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, gv := range s.PrioritizedVersionsAllGroups() {
		got = append(got, gv.String())
	}
	slices.Sort(got)
	want := []string{
		"apiextensions.k8s.io/v1", "authorization.k8s.io/v1", "coordination.k8s.io/v1",
		v1beta1.SchemeGroupVersion.String(), "v1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestCacheStrips passes objects of all kinds through the transform of the cache.
func TestCacheStrips(t *testing.T) {
	s, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	for gvk := range s.AllKnownTypes() {
		o, err := s.New(gvk)
		if err != nil {
			t.Fatal(err)
		}
		obj, ok := o.(client.Object)
		if !ok || gvk.Group != v1beta1.Group {
			continue
		}
		obj.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
		obj.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "other": "stays"})
		if _, err := (&Options{}).cacheOptions().DefaultTransform(obj); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "other": "stays"}
		if _, managed := kinds[gvk]; managed {
			delete(want, corev1.LastAppliedConfigAnnotation)
		}
		if diff := cmp.Diff(want, obj.GetAnnotations()); diff != "" || len(obj.GetManagedFields()) > 0 {
			t.Errorf("%s: managed fields %v, annotations: -want, +got:\n%s", gvk.Kind, obj.GetManagedFields(), diff)
		}
	}
}

// TestCacheShares passes a usage through the transform of the cache, which must not change it.
func TestCacheShares(t *testing.T) {
	usage := func() *v1beta1.ProviderConfigUsage {
		u := &v1beta1.ProviderConfigUsage{}
		u.SetNamespace(strings.Clone("shop"))
		u.SetName(strings.Clone("6d1f"))
		u.SetFinalizers([]string{strings.Clone("in-use")})
		u.SetLabels(map[string]string{strings.Clone("config"): strings.Clone("default")})
		u.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: "v1", Kind: strings.Clone("Function"),
			Name: strings.Clone("cart"), UID: types.UID(strings.Clone("6d1f")),
		}})
		u.ProviderConfigReference.Name = strings.Clone("default")
		u.ResourceReference.Name = strings.Clone("cart")
		return u
	}
	first, second := usage(), usage()
	for _, u := range []*v1beta1.ProviderConfigUsage{first, second} {
		if _, err := (&Options{}).cacheOptions().DefaultTransform(u); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(usage(), u); diff != "" {
			t.Errorf("a cached usage must have all of its fields: -want, +got:\n%s", diff)
		}
	}
	same := map[string][2]string{
		"namespace":         {first.Namespace, second.Namespace},
		"finalizer":         {first.Finalizers[0], second.Finalizers[0]},
		"value of a label":  {first.Labels["config"], second.Labels["config"]},
		"config":            {first.ProviderConfigReference.Name, second.Labels["config"]},
		"kind of the owner": {first.OwnerReferences[0].Kind, second.OwnerReferences[0].Kind},
		"name of the owner": {first.OwnerReferences[0].Name, first.ResourceReference.Name},
		"UID of the owner":  {string(first.OwnerReferences[0].UID), first.Name},
	}
	for what, s := range same {
		if unsafe.StringData(s[0]) != unsafe.StringData(s[1]) { //nolint:gosec // It compares addresses.
			t.Errorf("the %s is in memory twice", what)
		}
	}
}

package manager

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestLimitGarbage(t *testing.T) {
	const initial = 123
	cases := map[string]struct {
		reason string
		gogc   string
		want   int
	}{
		"Default": {reason: "The provider has a default of its own.", want: gcPercent},
		"Set":     {reason: "The user's value remains.", gogc: "123", want: initial},
		"Off":     {reason: "So does a collection that is off.", gogc: "off", want: initial},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := debug.SetGCPercent(initial)
			defer debug.SetGCPercent(before)
			t.Setenv("GOGC", tc.gogc)
			LimitGarbage()
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
	want := []string{"apiextensions.k8s.io/v1", "authorization.k8s.io/v1", "coordination.k8s.io/v1", v1beta1.SchemeGroupVersion.String(), "v1"}
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

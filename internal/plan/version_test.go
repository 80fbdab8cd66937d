package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// numbered returns a Version that has published a version of the function checkout with a number.
func numbered(number string, change ...func(*v1beta1.Version)) *v1beta1.Version {
	v := &v1beta1.Version{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "v" + number, UID: "v", Generation: 1}}
	v.Spec.ForProvider.Region, v.Spec.ForProvider.FunctionName = "eu-central-1", ptr.To("checkout")
	meta.SetExternalName(v, number)
	v.Status.ReconciledGeneration = 1
	v.Status.AtProvider.FunctionName, v.Status.AtProvider.Version = ptr.To("checkout"), &number
	for _, c := range change {
		c(v)
	}
	SetDefaults(v)
	return v
}

// TestVersions checks plans of resources of the kind Version whose function is planned, too.
func TestVersions(t *testing.T) {
	memory := func(mb int32) *v1beta1.Function {
		return function(created, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = &mb })
	}
	live := func(description string) *v1beta1.Alias {
		a := serving("7")
		a.Spec.ForProvider.Region, a.Spec.ForProvider.Description, a.UID = "eu-central-1", &description, "a1"
		meta.SetExternalName(a, "live")
		return a
	}
	deleted := func(v *v1beta1.Version) { v.DeletionTimestamp = ptr.To(metav1.NewTime(start)) }
	unobserved := func(v *v1beta1.Version) { v.Status = v1beta1.VersionStatus{} }
	observing := function(created, func(f *v1beta1.Function) {
		f.Namespace, f.UID = "audit", "observer"
		f.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
	})
	pinned := func(v *v1beta1.Version) {
		v.Spec.ForProvider.CodeSHA256 = ptr.To("n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=")
	}
	unnamed := func(v *v1beta1.Version) {
		v.Name, v.UID = "new", "new"
		v.SetAnnotations(nil)
	}
	described := func(description string) *v1beta1.Function {
		return function(created, func(f *v1beta1.Function) {
			f.Spec.ForProvider.Publish, f.Spec.ForProvider.Description = ptr.To(true), &description
		})
	}
	following := serving("7", func(a *v1beta1.Alias) {
		a.UID, a.Generation, a.Status.ReconciledGeneration = "a1", 1, 1
		a.Spec.ForProvider.FunctionName, a.Spec.ForProvider.FunctionVersion = nil, nil
		a.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "checkout"}
		meta.SetExternalName(a, "live")
	})
	same := func(v *v1beta1.Version) Resource { return Resource{Desired: v, Prior: v} }
	imported := numbered("5", unobserved, func(v *v1beta1.Version) {
		v.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
	})
	referring := serving("", func(a *v1beta1.Alias) {
		a.Spec.ForProvider.FunctionVersion = nil
		a.Spec.ForProvider.FunctionVersionRef = &xpv2.NamespacedReference{Name: "v5"}
	})
	cases := map[string]struct {
		reason string
		plan   []Resource
		want   []string
	}{
		"Followed": {
			reason: "A change of the function is published, although it is planned before.",
			plan:   []Resource{same(numbered("5")), {Desired: memory(512), Prior: memory(256)}},
			want: []string{
				"update: PublishVersion checkout (function: version 5 -> a new version)",
				"update: UpdateFunctionConfiguration checkout (memorySize: 256 -> 512)",
			},
		},
		"Described": {
			reason: "A new description of the function is published as another version, which the alias follows.",
			plan: []Resource{
				{Desired: described("two"), Prior: described("one")}, {Desired: following, Prior: following},
			},
			want: []string{
				`update: UpdateFunctionConfiguration checkout, PublishVersion checkout ` +
					`(description: "one" -> "two", publish: "7" -> "a new version")`,
				`update: UpdateAlias checkout:live (functionVersion: "7" -> "8")`,
			},
		},
		"Numbers": {
			reason: "No number in a text is taken for that of a version, whatever the order of the versions.",
			plan: []Resource{
				{Desired: memory(256), Prior: memory(256)},
				same(numbered("5")), same(numbered("3", unobserved)),
				{Desired: live("2 4 6 8 9"), Prior: live("1")},
			},
			want: []string{
				"none",
				"none",
				"none",
				`update: UpdateAlias checkout:live (description: "1" -> "2 4 6 8 9")`,
			},
		},
		"Observed": {
			reason: "A function may be observed by one resource and owned by another, whichever is named first.",
			plan: []Resource{
				{Desired: observing, Prior: observing}, {Desired: memory(512), Prior: memory(256)},
			},
			want: []string{"none", "update: UpdateFunctionConfiguration checkout (memorySize: 256 -> 512)"},
		},
		"Imported": {
			reason: "Without AWS, an alias of a version that is imported is created with its number.",
			plan:   []Resource{{Desired: imported}, {Desired: referring}},
			want:   []string{"none", `create: CreateAlias checkout:live (functionVersion: added "5")`},
		},
		"Pinned": {
			reason: "Without AWS, nothing tells the hash of the code that the function has.",
			plan:   []Resource{same(numbered("5", pinned)), {Desired: numbered("", pinned, unobserved, unnamed)}},
			want:   []string{"none", "create: PublishVersion checkout"},
		},
		"Deleted": {
			reason: "Each one is deleted by its own number.",
			plan: []Resource{
				{Desired: memory(256), Prior: memory(256)}, same(numbered("5", deleted)), same(numbered("3", deleted)),
			},
			want: []string{"none", "delete: DeleteFunction checkout:5", "delete: DeleteFunction checkout:3"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range planner(t).All(t.Context(), tc.plan) {
				got = append(got, p.Summary())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

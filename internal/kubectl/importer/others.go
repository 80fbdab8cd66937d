package importer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// removed are the kinds of resources that act on a function, and whose objects in AWS the provider deletes if the owner
// of the function does not allow them.
var removed = []string{
	v1beta1.AliasKind, v1beta1.EventSourceMappingKind, v1beta1.FunctionEventInvokeConfigKind, v1beta1.FunctionURLKind,
	v1beta1.PermissionKind, v1beta1.ProvisionedConcurrencyConfigKind, v1beta1.ResourcePolicyKind,
	v1beta1.RuntimeManagementConfigKind, v1beta1.VersionKind,
}

// warnOfOthers warns of resources of other namespaces that act on the functions of a result: what they have created is
// removed once a Function of this namespace owns the function. It returns an error if the cluster does not show them.
func warnOfOthers(ctx context.Context, c client.Reader, namespace, account, region string, r *Result) error {
	all, err := actingOn(ctx, c, namespace, account, region)
	if err != nil {
		return err
	}
	for _, i := range r.Items {
		if i.Kind != v1beta1.FunctionKind || reconcile.ObserveOnly(i.Resource) {
			continue
		}
		names := map[string][]string{}
		for _, a := range all {
			if a.function == i.AWSName {
				names[a.namespace] = append(names[a.namespace], a.name)
			}
		}
		for _, ns := range slices.Sorted(maps.Keys(names)) {
			i.Warnings = append(i.Warnings,
				fmt.Sprintf("once this Function owns the function, what these resources of namespace %s have created "+
					"is deleted in AWS: %s; to keep it, first set the annotation %s of this Function to %q",
					ns, strings.Join(names[ns], ", "), v1beta1.AnnotationAllowedNamespaces, ns))
		}
	}
	return nil
}

// An acting resource acts on a function. Its name begins with its kind.
type acting struct{ function, namespace, name string }

// actingOn returns the resources of other namespaces that act on functions of an account and a region.
func actingOn(ctx context.Context, c client.Reader, namespace, account, region string) ([]acting, error) {
	var out []acting
	for _, kind := range removed {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(v1beta1.SchemeGroupVersion.WithKind(kind + "List"))
		if err := c.List(ctx, l); meta.IsNoMatchError(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, u := range l.Items {
			if u.GetNamespace() == namespace || !deletes(&u) {
				continue
			}
			for _, t := range functionsOf(&u) {
				if cmp.Or(t.Region, region) == region && cmp.Or(t.Account, account) == account {
					out = append(out, acting{t.Name, u.GetNamespace(), kind + " " + u.GetName()})
				}
			}
		}
	}
	return out, nil
}

// deletes reports whether the management policies of a resource allow the provider to delete what it has created.
func deletes(u *unstructured.Unstructured) bool {
	policies, found, _ := unstructured.NestedStringSlice(u.Object, "spec", "managementPolicies")
	return !found || slices.Contains(policies, "*") || slices.Contains(policies, "Delete")
}

// functionsOf returns the functions that a resource acts on: by its spec, or by its status if spec names none.
func functionsOf(u *unstructured.Unstructured) []tenancy.Target {
	for _, field := range [][]string{
		{"spec", "forProvider", "functionName"},
		{"spec", "forProvider", "resourceArn"},
		{"status", "atProvider", "functionArn"},
		{"status", "atProvider", "aliasArn"},
		{"status", "atProvider", "resourceArn"},
	} {
		name, _, _ := unstructured.NestedString(u.Object, field...)
		targets := tenancy.Functions(&name)
		region, _, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "region")
		for i := range targets {
			targets[i].Region = cmp.Or(targets[i].Region, region)
		}
		if len(targets) > 0 {
			return targets
		}
	}
	return nil
}

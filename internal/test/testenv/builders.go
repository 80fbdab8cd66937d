package testenv

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Build returns a resource after applying the changes in their order.
func Build[T reconcile.Managed](mg T, changes ...func(T)) T {
	for _, change := range changes {
		change(mg)
	}
	return mg
}

// Named returns a change to a resource that has created its external resource and stored the name.
func Named[T reconcile.Managed](name string) func(T) {
	return func(mg T) { meta.AddAnnotations(mg, ownership.Name(mg, name)) }
}

// Imported returns a change that sets the external name as a user does.
func Imported[T reconcile.Managed](name string) func(T) {
	return func(mg T) { meta.SetExternalName(mg, name) }
}

// Pending changes a resource to one with a create of unknown result.
func Pending[T reconcile.Managed](mg T) { meta.SetExternalCreatePending(mg, Start) }

// BeingDeleted sets a resource's deletion timestamp.
func BeingDeleted[T reconcile.Managed](mg T) { mg.SetDeletionTimestamp(ptr.To(metav1.NewTime(Start))) }

// May returns a change that sets the management policies of a resource.
func May[T reconcile.Managed](policies ...xpv2.ManagementAction) func(T) {
	return func(mg T) { mg.SetManagementPolicies(policies) }
}

// ObserveOnly changes a resource to one that may only be observed.
func ObserveOnly[T reconcile.Managed](mg T) { May[T](xpv2.ManagementActionObserve)(mg) }

package reconcile

import (
	"cmp"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Managed is a managed resource of this provider. The methods beyond the runtime's forward to
// xpv2.ManagedResourceStatus and v1beta1.Summary, which its status embeds.
type Managed interface {
	resource.ModernManaged

	GetObservedGeneration() int64
	SetObservedGeneration(generation int64)
	GetLastHandledReconcileAt() string
	SetLastHandledReconcileAt(token string)

	SetSummary(s v1beta1.Summary)
	GetSummary() v1beta1.Summary
}

// CopyOf returns a copy of a resource.
func CopyOf[T Managed](mg T) T {
	return mg.DeepCopyObject().(T) //nolint:forcetypeassert // A copy has the type of its original.
}

// part returns the part of a type that spec.forProvider of a resource embeds, nil if it embeds none.
func part[P any](mg Managed) *P {
	spec := reflect.ValueOf(mg).Elem().FieldByName("Spec")
	if _, ok := spec.Type().FieldByName("ForProvider"); !ok {
		return nil
	}
	f := spec.FieldByName("ForProvider").FieldByName(reflect.TypeFor[P]().Name())
	if !f.IsValid() {
		return nil
	}
	return f.Addr().Interface().(*P) //nolint:forcetypeassert // An embedded field has the name of its type.
}

// ExternalName returns the external name of a resource: the one that the user set, or the
// one that the resource itself wrote. It is empty if there is none yet.
func ExternalName(mg resource.Managed) string {
	return cmp.Or(meta.GetExternalName(mg), ownership.WrittenName(mg))
}

// Allows reports whether the management policies of a resource allow an action, as the
// runtime decides it. The runtime pauses a resource without any policy. It reconciles one
// only if management policies are turned off, and then allows everything.
func Allows(mg resource.Managed, a xpv2.ManagementAction) bool {
	p := mg.GetManagementPolicies()
	return len(p) == 0 || slices.Contains(p, xpv2.ManagementActionAll) || slices.Contains(p, a)
}

// MayCreate reports whether a resource may create its external resource if there is none.
func MayCreate(mg resource.Managed) bool {
	return Allows(mg, xpv2.ManagementActionCreate) && !meta.WasDeleted(mg)
}

// ObserveOnly reports whether the management policies allow nothing but observing.
func ObserveOnly(mg resource.Managed) bool {
	return ownership.ObserveOnly(mg)
}

// Reads returns the operations of an observation: the read, and the creation that most likely follows the first one.
func Reads(mg resource.Managed, read, create string) []string {
	if ownership.WrittenName(mg) == "" && MayCreate(mg) {
		return []string{read, create}
	}
	return []string{read}
}

// IsReconciled reports whether the present generation of a resource has been completed: AWS served it, or refused it,
// or only the user could help. A difference found after that was made by someone else.
func IsReconciled(mg Managed) bool { return ReconciledGeneration(mg) == mg.GetGeneration() }

// ReconciledGeneration returns the last generation that has been completed. Resources written by
// earlier releases of the provider have it only in their conditions.
func ReconciledGeneration(mg Managed) int64 {
	if s := mg.GetSummary().ReconciledGeneration; s != 0 {
		return s
	}
	ready := mg.GetCondition(xpv2.TypeReady)
	if ready.Status == corev1.ConditionTrue && mg.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue {
		return ready.ObservedGeneration
	}
	return 0
}

// Steady reports whether the resource was Ready and up to date in its last reconcile, and the
// user has requested nothing since.
func Steady(mg Managed) bool {
	return !meta.WasDeleted(mg) && !Requested(mg) &&
		IsReconciled(mg) && mg.GetCondition(xpv2.TypeReady).ObservedGeneration == mg.GetGeneration() &&
		mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue &&
		mg.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue
}

// Requested reports whether the user has requested a reconcile that is yet to happen.
func Requested(mg Managed) bool {
	token, ok := meta.GetReconcileRequest(mg)
	return ok && token != mg.GetLastHandledReconcileAt()
}

package reconcile

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Unseen reports whether AWS has accepted the create of a resource and has not returned the
// external resource since, or not as complete.
func Unseen(mg Managed) bool {
	_, created := ownership.CreatedAt(mg)
	return created && unseen(mg)
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

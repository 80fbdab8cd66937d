package reconcile

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// changeLogger forwards change log entries of one kind. It removes what must not be logged,
// and drops entries of aborted reconciles and of
// deletions that wait.
type changeLogger[T Managed] struct {
	inner  managed.ChangeLogger
	redact func(T)
}

// Log logs a change that was made or has failed.
func (l *changeLogger[T]) Log(ctx context.Context, mg resource.Managed, op v1alpha1.OperationType, changeErr error, ad managed.AdditionalDetails) error {
	a := attemptFrom(ctx)
	if _, aborted := a.Aborted(); aborted || a.action == actionHeld {
		return nil
	}
	shown := mg.DeepCopyObject().(resource.Managed) //nolint:forcetypeassert // A copy has the type of its original.
	hideLastApplied(shown)
	shown.SetManagedFields(nil)
	if mg, ok := shown.(T); ok && l.redact != nil {
		l.redact(mg)
	}
	return l.inner.Log(ctx, shown, op, changeErr, ad)
}

// hideLastApplied removes kubectl's copy of the manifest, which contains what Redact removes
// from the spec.
func hideLastApplied(mg resource.Managed) {
	a := mg.GetAnnotations()
	delete(a, corev1.LastAppliedConfigAnnotation)
	mg.SetAnnotations(a)
}

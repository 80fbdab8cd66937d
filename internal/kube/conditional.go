package kube

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Update writes the annotations and finalizers of an object, on condition that it has not
// changed since it was read. The runtime only updates an object to record a pending creation.
// The spec is not written, because in memory it may contain resolved references.
func (v *View) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	if !v.ours(obj) {
		return v.Client.Update(ctx, obj, opts...)
	}
	return v.patchIfUnchanged(ctx, obj, pending(v.read, obj), obj.GetFinalizers())
}

// pending returns the annotations of an object with a pending creation that were not read. It removes
// the annotation of an earlier failed creation in the same second: the timestamps have no
// fractions of seconds, so the pending creation would seem to have failed.
func pending(read, obj client.Object) map[string]any {
	values := map[string]any{}
	failed := meta.GetExternalCreateFailed(obj)
	if !failed.IsZero() && failed.Equal(meta.GetExternalCreatePending(obj)) {
		meta.RemoveAnnotations(obj, meta.AnnotationKeyExternalCreateFailed)
		values[meta.AnnotationKeyExternalCreateFailed] = nil
	}
	was := read.GetAnnotations()
	for k, v := range obj.GetAnnotations() {
		if before, ok := was[k]; !ok || before != v {
			values[k] = v
		}
	}
	return values
}

// AnnotateIfUnchanged sets annotations of an object as Annotate does, on condition that the object has not changed
// since it was read. It is for actions that are about to be taken: if the decision was based on an outdated object, it
// returns a conflict, and the next read of the object is live.
func (v *View) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	values := map[string]any{}
	for key, value := range annotations {
		values[key] = value
	}
	return errors.Wrap(v.patchIfUnchanged(ctx, obj, values, obj.GetFinalizers()), "cannot write annotations")
}

// AddFinalizer adds the finalizer of managed resources to an object, unless it has it. It patches metadata alone, which
// keeps the status in memory.
func (v *View) AddFinalizer(ctx context.Context, obj resource.Object) error {
	if meta.FinalizerExists(obj, managed.FinalizerName) {
		return nil
	}
	finalizers := append(slices.Clone(obj.GetFinalizers()), managed.FinalizerName)
	return errors.Wrap(v.patchIfUnchanged(ctx, obj, nil, finalizers), "cannot add the finalizer")
}

// RemoveFinalizer removes the finalizer from an object. An object that is gone is not an error.
func (v *View) RemoveFinalizer(ctx context.Context, obj resource.Object) error {
	if !meta.FinalizerExists(obj, managed.FinalizerName) {
		return nil
	}
	finalizers := slices.DeleteFunc(slices.Clone(obj.GetFinalizers()), func(f string) bool {
		return f == managed.FinalizerName
	})
	return errors.Wrap(resource.IgnoreNotFound(v.patchIfUnchanged(ctx, obj, nil, finalizers)),
		"cannot remove the finalizer")
}

// patchIfUnchanged sets annotations and the list of finalizers, on condition that nothing on which a decision may be
// based has changed since the object was read, nor the finalizers of others. Otherwise it returns a conflict, and the
// next read of the object is live. Other tools may have changed their annotations: a tool that does so all the time
// would prevent each write.
func (v *View) patchIfUnchanged(
	ctx context.Context, obj client.Object, annotations map[string]any, finalizers []string,
) error {
	values := map[string]any{
		"finalizers": append([]string{}, finalizers...), "resourceVersion": obj.GetResourceVersion(),
	}
	if len(annotations) > 0 { // A patch with null would remove all of them.
		values["annotations"] = annotations
	}
	lost := false
	var err error
	for range attempts {
		if err = v.patchMetadata(ctx, obj, values); err == nil {
			return nil
		}
		if kerrors.IsConflict(err) {
			now, rerr := v.present(ctx)
			switch {
			case rerr != nil:
			case lost && v.differsBy(now, annotations, finalizers): // The attempt without an answer was written.
				v.saw(now)
				takeMetadata(obj, now)
				return nil
			case v.differsBy(now, nil, v.read.GetFinalizers()):
				values["resourceVersion"] = now.GetResourceVersion()
				continue
			}
		}
		if refused(err) || ctx.Err() != nil {
			break
		}
		lost = true
	}
	v.conflicted(client.ObjectKeyFromObject(obj), err)
	return err
}

// present reads the object live.
func (v *View) present(ctx context.Context) (client.Object, error) {
	// ours() has checked the type.
	now := reflect.New(v.kind.Elem()).Interface().(client.Object) //nolint:forcetypeassert // See above.
	err := v.live.Get(ctx, client.ObjectKeyFromObject(v.read), now)
	return now, errors.Wrap(err, "cannot read the object again after a conflict")
}

// differsBy reports whether an object differs from the one that was read by these annotations and finalizers alone,
// apart from annotations of other tools.
func (v *View) differsBy(now client.Object, annotations map[string]any, finalizers []string) bool {
	wanted := ownership.Annotations(v.read)
	for key, value := range annotations {
		if delete(wanted, key); value != nil {
			wanted[key] = value.(string) //nolint:forcetypeassert // Annotations are strings.
		}
	}
	return now.GetUID() == v.read.GetUID() && now.GetGeneration() == v.read.GetGeneration() &&
		now.GetDeletionTimestamp().Equal(v.read.GetDeletionTimestamp()) &&
		maps.Equal(now.GetLabels(), v.read.GetLabels()) && slices.Equal(now.GetFinalizers(), finalizers) &&
		maps.Equal(ownership.Annotations(now), wanted) && equality.Semantic.DeepEqual(statusOf(now), v.stored)
}

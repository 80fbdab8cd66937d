package kube

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Update writes what has changed of the annotations and finalizers of an object, on condition that nothing else has
// changed since it was read. The runtime only updates an object to record a pending creation. The spec is not written,
// because in memory it may contain resolved references.
//
// An update without an answer is not repeated: the mark of a pending creation has no name in it, so that one that is
// there may be that of another process.
func (v *View) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	if !v.ours(obj) {
		return v.Client.Update(ctx, obj, opts...)
	}
	return v.patchIfUnchanged(ctx, obj, map[string]any{
		"annotations": pending(v.read, obj), "finalizers": append([]string{}, obj.GetFinalizers()...),
	})
}

// pending returns the annotations by which an object with a pending creation differs from the one that was read. It
// removes the annotation of an earlier failed creation in the same second: the timestamps have no fractions of seconds,
// so the pending creation would seem to have failed.
func pending(read, obj client.Object) map[string]any {
	values := map[string]any{}
	failed := meta.GetExternalCreateFailed(obj)
	if !failed.IsZero() && failed.Equal(meta.GetExternalCreatePending(obj)) {
		meta.RemoveAnnotations(obj, meta.AnnotationKeyExternalCreateFailed)
		values[meta.AnnotationKeyExternalCreateFailed] = nil
	}
	was := read.GetAnnotations()
	for key, value := range obj.GetAnnotations() {
		if before, ok := was[key]; !ok || before != value {
			values[key] = value
		}
	}
	return values
}

// AnnotateIfUnchanged sets annotations of an object as Annotate does, on condition that nothing else of the object has
// changed since it was read. It is for actions that are about to be taken: if the decision was based on an outdated
// object, it returns a conflict, and the next read of the object is live.
func (v *View) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	lost := false
	var err error
	for range attempts {
		err = v.patchIfUnchanged(ctx, obj, map[string]any{"annotations": annotations})
		if kerrors.IsConflict(err) && lost && v.written(ctx, obj, annotations) {
			return nil
		}
		if err == nil || refused(err) || ctx.Err() != nil {
			break
		}
		lost = true // The failed attempt may have been written.
	}
	return errors.Wrap(err, "cannot write annotations")
}

// written reports whether a write of annotations without an answer has succeeded, and nothing else has changed.
func (v *View) written(ctx context.Context, obj client.Object, annotations map[string]string) bool {
	now, err := v.present(ctx)
	if err != nil || !v.differsBy(now, annotations) {
		return false
	}
	v.saw(now)
	takeMetadata(obj, now)
	return true
}

// AddFinalizer adds the finalizer of managed resources to an object, unless it has it. It patches metadata alone, which
// keeps the status in memory.
func (v *View) AddFinalizer(ctx context.Context, obj resource.Object) error {
	if meta.FinalizerExists(obj, managed.FinalizerName) {
		return nil
	}
	finalizers := append(slices.Clone(obj.GetFinalizers()), managed.FinalizerName)
	return errors.Wrap(v.patchIfUnchanged(ctx, obj, map[string]any{"finalizers": finalizers}),
		"cannot add the finalizer")
}

// RemoveFinalizer removes the finalizer from an object. An object that is gone is not an error.
func (v *View) RemoveFinalizer(ctx context.Context, obj resource.Object) error {
	if !meta.FinalizerExists(obj, managed.FinalizerName) {
		return nil
	}
	finalizers := slices.DeleteFunc(slices.Clone(obj.GetFinalizers()),
		func(f string) bool { return f == managed.FinalizerName })
	err := v.patchIfUnchanged(ctx, obj, map[string]any{"finalizers": finalizers})
	return errors.Wrap(resource.IgnoreNotFound(err), "cannot remove the finalizer")
}

// patchIfUnchanged patches an object's metadata on condition that it has the version of obj. If it has another one, it
// reads the object live, and tries again if it differs from the one that was read by annotations of other tools alone:
// they decide nothing, and a tool that changes one several times a second would prevent each write. Otherwise the
// decision may be outdated, or another process may have acted: it returns the conflict, and the next read of the object
// is live.
func (v *View) patchIfUnchanged(ctx context.Context, obj client.Object, values map[string]any) error {
	values["resourceVersion"] = obj.GetResourceVersion()
	var err error
	for range attempts {
		if err = v.patchMetadata(ctx, obj, values); !kerrors.IsConflict(err) {
			return err
		}
		now, rerr := v.present(ctx)
		if rerr != nil || !v.differsBy(now, nil) {
			break
		}
		values["resourceVersion"] = now.GetResourceVersion()
	}
	v.conflicted(client.ObjectKeyFromObject(obj), err)
	return err
}

// present reads the object live.
func (v *View) present(ctx context.Context) (client.Object, error) {
	// The type of the object is that of the Client.
	now := reflect.New(v.kind.Elem()).Interface().(client.Object) //nolint:forcetypeassert // See above.
	err := v.live.Get(ctx, client.ObjectKeyFromObject(v.read), now)
	return now, errors.Wrap(err, "cannot read the object again after a conflict")
}

// differsBy reports whether an object differs from the one that was read by these annotations alone, apart from
// annotations of other tools.
func (v *View) differsBy(now client.Object, annotations map[string]string) bool {
	wanted := decisive(v.read)
	maps.Copy(wanted.Annotations, annotations)
	return equality.Semantic.DeepEqual(decisive(now), wanted) && equality.Semantic.DeepEqual(statusOf(now), v.stored)
}

// decisive returns the metadata of an object on which decisions are based.
func decisive(obj client.Object) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		UID: obj.GetUID(), Generation: obj.GetGeneration(), DeletionTimestamp: obj.GetDeletionTimestamp(),
		Labels: obj.GetLabels(), Annotations: ownership.Annotations(obj), Finalizers: obj.GetFinalizers(),
		OwnerReferences: obj.GetOwnerReferences(),
	}
}

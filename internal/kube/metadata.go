package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// criticalTimeout bounds the write of critical annotations.
const criticalTimeout = 30 * time.Second

// Annotate sets annotations of an object, in memory and by a patch of these annotations alone:
// it neither conflicts with other writes nor reverts them. It returns an error if another
// object has the name now. It is for actions that were already taken.
func (c *Client) Annotate(ctx context.Context, obj client.Object, annotations map[string]string) error {
	meta.AddAnnotations(obj, maps.Clone(annotations))
	var err error
	for range attempts {
		err = c.patchMetadata(ctx, obj, map[string]any{"annotations": annotations})
		if err == nil || refused(err) || ctx.Err() != nil {
			break
		}
	}
	return errors.Wrap(err, "cannot write annotations")
}

// AnnotateIfUnchanged sets annotations of an object as Annotate does, on condition that the object has not changed
// since it was read. It is for actions that are about to be taken: if the decision was based on an outdated object, it
// returns a conflict, and the next read of the object is live.
func (c *Client) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	key := client.ObjectKeyFromObject(obj)
	values := map[string]any{"annotations": annotations, "resourceVersion": obj.GetResourceVersion()}
	lost := false
	var err error
	for range attempts {
		err = c.patchMetadata(ctx, obj, values)
		if kerrors.IsConflict(err) && lost && c.intended(ctx, obj, annotations) {
			err = nil
		}
		if err == nil || refused(err) || ctx.Err() != nil {
			break
		}
		lost = true // The failed attempt may have been written.
	}
	c.conflicted(key, err)
	return errors.Wrap(err, "cannot write annotations")
}

// Relabel changes labels of an object, on condition that the object has not changed since it was
// read. A nil value removes a label.
func (c *Client) Relabel(ctx context.Context, obj client.Object, labels map[string]any) error {
	err := c.patchMetadata(ctx, obj, map[string]any{"labels": labels, "resourceVersion": obj.GetResourceVersion()})
	c.conflicted(client.ObjectKeyFromObject(obj), err)
	return errors.Wrap(err, "cannot change the labels")
}

func refused(err error) bool {
	return kerrors.IsConflict(err) || kerrors.IsNotFound(err) || kerrors.IsInvalid(err)
}

// intended reports whether an unanswered write of annotations has succeeded, and nothing else
// that users write has changed.
func (c *Client) intended(ctx context.Context, obj client.Object, annotations map[string]string) bool {
	now, err := c.partial(obj)
	if err != nil || c.live.Get(ctx, client.ObjectKeyFromObject(obj), now) != nil {
		return false
	}
	wanted := maps.Clone(obj.GetAnnotations())
	if wanted == nil {
		wanted = map[string]string{}
	}
	maps.Copy(wanted, annotations)
	for _, a := range []map[string]string{wanted, now.GetAnnotations()} {
		delete(a, corev1.LastAppliedConfigAnnotation) // The cache does not have it.
	}
	if now.GetUID() != obj.GetUID() || now.GetGeneration() != obj.GetGeneration() ||
		!maps.Equal(now.GetAnnotations(), wanted) {
		return false
	}
	c.saw(now)
	takeMetadata(obj, now)
	return true
}

// UpdateCriticalAnnotations persists what must not be lost after a create, even if the
// reconcile is cancelled: the external name, the record of a call, and whether the create has
// succeeded, failed, or has an unknown result.
func (c *Client) UpdateCriticalAnnotations(ctx context.Context, obj client.Object) error {
	critical := map[string]string{}
	for _, k := range []string{
		meta.AnnotationKeyExternalName,
		meta.AnnotationKeyExternalCreatePending,
		meta.AnnotationKeyExternalCreateSucceeded,
		meta.AnnotationKeyExternalCreateFailed,
		v1beta1.AnnotationParent,
		v1beta1.AnnotationUnanswered,
		v1beta1.AnnotationLastInvocation,
	} {
		if v, ok := obj.GetAnnotations()[k]; ok {
			critical[k] = v
		}
	}
	if name := critical[meta.AnnotationKeyExternalName]; name != "" && succeeded(obj) {
		maps.Copy(critical, ownership.Name(obj, name))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), criticalTimeout)
	defer cancel()
	return c.Annotate(ctx, obj, critical)
}

// succeeded reports whether the last create has succeeded, so that the external name is the provider's.
func succeeded(obj metav1.Object) bool {
	at := meta.GetExternalCreateSucceeded(obj)
	return !at.IsZero() && !meta.GetExternalCreateFailed(obj).After(at)
}

// AddFinalizer adds the finalizer of managed resources to an object, unless it has it. It patches metadata alone, which
// keeps the status in memory.
func (c *Client) AddFinalizer(ctx context.Context, obj resource.Object) error {
	if meta.FinalizerExists(obj, managed.FinalizerName) {
		return nil
	}
	return errors.Wrap(c.patchFinalizers(ctx, obj, meta.AddFinalizer), "cannot add the finalizer")
}

// RemoveFinalizer removes the finalizer from an object. An object that is gone is not an error.
func (c *Client) RemoveFinalizer(ctx context.Context, obj resource.Object) error {
	if !meta.FinalizerExists(obj, managed.FinalizerName) {
		return nil
	}
	return errors.Wrap(resource.IgnoreNotFound(c.patchFinalizers(ctx, obj, meta.RemoveFinalizer)),
		"cannot remove the finalizer")
}

// patchFinalizers patches the list of finalizers, on condition that the object has not changed since it
// was read. This keeps finalizers of others, and prevents that a decision based on an outdated
// object leads to an AWS call or releases the object.
func (c *Client) patchFinalizers(ctx context.Context, obj resource.Object, change func(metav1.Object, string)) error {
	// The change modifies the slice in place, so obj must not share it.
	wanted := &metav1.ObjectMeta{Finalizers: slices.Clone(obj.GetFinalizers())}
	change(wanted, managed.FinalizerName)
	err := c.patchMetadata(ctx, obj, map[string]any{
		"finalizers":      append([]string{}, wanted.Finalizers...),
		"resourceVersion": obj.GetResourceVersion(),
	})
	c.conflicted(client.ObjectKeyFromObject(obj), err)
	return err
}

// patchMetadata merges values into an object's metadata and copies the answer to the object, unless the spec has
// changed: decisions based on the old spec must not count for the new generation.
func (c *Client) patchMetadata(ctx context.Context, obj client.Object, values map[string]any) error {
	values["uid"] = obj.GetUID()
	body, err := json.Marshal(map[string]any{"metadata": values})
	if err != nil {
		return err
	}
	p, err := c.partial(obj)
	if err != nil {
		return err
	}
	if err := c.Client.Patch(ctx, p, client.RawPatch(types.MergePatchType, body)); err != nil {
		return err
	}
	c.saw(p)
	if p.GetGeneration() == obj.GetGeneration() {
		takeMetadata(obj, p)
	}
	return nil
}

// partial returns the object without its spec and status.
func (c *Client) partial(obj client.Object) (*metav1.PartialObjectMetadata, error) {
	gvk, err := apiutil.GVKForObject(obj, c.Scheme())
	if err != nil {
		return nil, err
	}
	p := &metav1.PartialObjectMetadata{}
	p.SetGroupVersionKind(gvk)
	p.SetNamespace(obj.GetNamespace())
	p.SetName(obj.GetName())
	return p, nil
}

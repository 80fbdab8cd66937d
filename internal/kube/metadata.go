package kube

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

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

func statusOf(obj client.Object) any {
	return reflect.ValueOf(obj).Elem().FieldByName("Status").Interface()
}

// takeMetadata copies the metadata that the API server returned, and leaves spec and status as they are in memory.
func takeMetadata(to, from client.Object) {
	to.SetResourceVersion(from.GetResourceVersion())
	to.SetGeneration(from.GetGeneration())
	to.SetAnnotations(from.GetAnnotations())
	to.SetLabels(from.GetLabels())
	to.SetFinalizers(from.GetFinalizers())
	to.SetOwnerReferences(from.GetOwnerReferences())
	to.SetDeletionTimestamp(from.GetDeletionTimestamp())
	to.SetManagedFields(from.GetManagedFields())
}

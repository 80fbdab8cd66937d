package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// Annotate sets annotations of an object, in memory and by a patch that carries
// them alone: it neither conflicts with anyone else's write nor reverts it. It is
// refused where the name has passed to another object.
func (c *Client) Annotate(ctx context.Context, obj client.Object, annotations map[string]string) error {
	meta.AddAnnotations(obj, maps.Clone(annotations))
	var err error
	for range attempts {
		err = c.patchMetadata(ctx, obj, map[string]any{"annotations": annotations})
		if err == nil || kerrors.IsConflict(err) || kerrors.IsNotFound(err) || kerrors.IsInvalid(err) || ctx.Err() != nil {
			break
		}
	}
	return errors.Wrap(err, "cannot write annotations")
}

// UpdateCriticalAnnotations persists what must not be lost once something has been
// created: its external name, and that it was created.
func (c *Client) UpdateCriticalAnnotations(ctx context.Context, obj client.Object) error {
	critical := map[string]string{}
	for _, k := range []string{
		meta.AnnotationKeyExternalName,
		meta.AnnotationKeyExternalCreatePending,
		meta.AnnotationKeyExternalCreateSucceeded,
		meta.AnnotationKeyExternalCreateFailed,
		ownership.AnnotationParent,
	} {
		if v, ok := obj.GetAnnotations()[k]; ok {
			critical[k] = v
		}
	}
	if name := critical[meta.AnnotationKeyExternalName]; name != "" && succeeded(obj) {
		maps.Copy(critical, ownership.Name(obj, name))
	}
	return c.Annotate(ctx, obj, critical)
}

// succeeded tells whether the last creation did, so that the name is ours.
func succeeded(obj metav1.Object) bool {
	at := meta.GetExternalCreateSucceeded(obj)
	return !at.IsZero() && !meta.GetExternalCreateFailed(obj).After(at)
}

// A Finalizer adds and removes a finalizer by patches of metadata alone, so that
// the status in memory stays.
type Finalizer struct {
	c    *Client
	name string
}

// NewFinalizer of the given name.
func NewFinalizer(c *Client, name string) *Finalizer { return &Finalizer{c: c, name: name} }

// AddFinalizer to an object that lacks it.
func (f *Finalizer) AddFinalizer(ctx context.Context, obj resource.Object) error {
	if meta.FinalizerExists(obj, f.name) {
		return nil
	}
	return errors.Wrap(f.patch(ctx, obj, meta.AddFinalizer), "cannot add the finalizer")
}

// RemoveFinalizer from an object that has it. One that is gone is no error.
func (f *Finalizer) RemoveFinalizer(ctx context.Context, obj resource.Object) error {
	if !meta.FinalizerExists(obj, f.name) {
		return nil
	}
	return errors.Wrap(resource.IgnoreNotFound(f.patch(ctx, obj, meta.RemoveFinalizer)), "cannot remove the finalizer")
}

// patch the list of finalizers, on condition that nothing has changed since it was
// read, so that no one else's finalizer is lost. Where something has, the list is
// read live and the patch made again, unless the spec has changed too: then the
// conflict is returned, for the caller works with an outdated spec.
func (f *Finalizer) patch(ctx context.Context, obj resource.Object, change func(metav1.Object, string)) error {
	var now metav1.Object = obj
	var err error
	for range attempts {
		// The change works in place on a slice that obj must not share.
		wanted := &metav1.ObjectMeta{Finalizers: slices.Clone(now.GetFinalizers())}
		change(wanted, f.name)
		err = f.c.patchMetadata(ctx, obj, map[string]any{
			"finalizers":      append([]string{}, wanted.Finalizers...),
			"resourceVersion": now.GetResourceVersion(),
		})
		if !kerrors.IsConflict(err) {
			return err
		}
		fresh, getErr := f.c.partial(obj)
		if getErr != nil {
			return getErr
		}
		if getErr := f.c.live.Get(ctx, client.ObjectKeyFromObject(obj), fresh); getErr != nil {
			return getErr
		}
		if fresh.GetUID() != obj.GetUID() || fresh.GetGeneration() != obj.GetGeneration() {
			break
		}
		now = fresh
	}
	f.c.conflicted(client.ObjectKeyFromObject(obj), err)
	return err
}

// patchMetadata merges values into an object's metadata and takes over the answer,
// unless the spec has changed since: what is decided by the old spec must then not
// pass for the new one.
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
	c.wrote(p)
	if p.GetGeneration() == obj.GetGeneration() {
		takeMetadata(obj, p)
	}
	return nil
}

// partial names an object without its spec and status.
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

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
// refused where the name has passed to another object. It is for what has been done.
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

// AnnotateIfUnchanged sets annotations of an object as Annotate does, on condition that nothing has
// changed since the object was read. It is for what is about to be done: who decided by
// an outdated object gets a conflict, and reads the object live when it reads it next.
func (c *Client) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	lost := false
	var err error
	for range attempts {
		err = c.patchMetadata(ctx, obj, map[string]any{"annotations": annotations, "resourceVersion": obj.GetResourceVersion()})
		if kerrors.IsConflict(err) && lost && c.intended(ctx, obj, annotations) {
			return nil
		}
		if err == nil || refused(err) || ctx.Err() != nil {
			break
		}
		lost = true // What failed may have been written.
	}
	c.conflicted(client.ObjectKeyFromObject(obj), err)
	return errors.Wrap(err, "cannot write annotations")
}

// refused tells whether the API server has refused a write for good.
func refused(err error) bool {
	return kerrors.IsConflict(err) || kerrors.IsNotFound(err) || kerrors.IsInvalid(err)
}

// intended tells whether an object has the annotations that were to be written, of a
// write that was not answered, and nothing else of what users write has changed.
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
	if now.GetUID() != obj.GetUID() || now.GetGeneration() != obj.GetGeneration() || !maps.Equal(now.GetAnnotations(), wanted) {
		return false
	}
	c.saw(now)
	takeMetadata(obj, now)
	return true
}

// UpdateCriticalAnnotations persists what must not be lost once something has been
// created: its external name, and that it was created, or that nobody knows.
func (c *Client) UpdateCriticalAnnotations(ctx context.Context, obj client.Object) error {
	critical := map[string]string{}
	for _, k := range []string{
		meta.AnnotationKeyExternalName,
		meta.AnnotationKeyExternalCreatePending,
		meta.AnnotationKeyExternalCreateSucceeded,
		meta.AnnotationKeyExternalCreateFailed,
		ownership.AnnotationParent,
		ownership.AnnotationUnanswered,
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

// patch the list of finalizers, on condition that nothing has changed since the object
// was read: neither is another's finalizer lost, nor does what was decided by an outdated
// object go on to a call of AWS, or let go of what is there.
func (f *Finalizer) patch(ctx context.Context, obj resource.Object, change func(metav1.Object, string)) error {
	// The change works in place on a slice that obj must not share.
	wanted := &metav1.ObjectMeta{Finalizers: slices.Clone(obj.GetFinalizers())}
	change(wanted, f.name)
	err := f.c.patchMetadata(ctx, obj, map[string]any{
		"finalizers":      append([]string{}, wanted.Finalizers...),
		"resourceVersion": obj.GetResourceVersion(),
	})
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
	c.saw(p)
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

// Package configusage records which resources use which provider configs.
package configusage

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Tracker records which resources use which configs.
type Tracker struct {
	kube client.Client
}

// NewTracker returns a Tracker. kube should read usages from a cache.
func NewTracker(kube client.Client) *Tracker { return &Tracker{kube: kube} }

// Track records that a resource uses the config that it refers to. In the steady state it only reads the cache.
func (t *Tracker) Track(ctx context.Context, mg resource.ModernManaged) error {
	ref := mg.GetProviderConfigReference()
	if ref == nil || ref.Kind == "" {
		return fmt.Errorf("no provider config is set: set spec.providerConfigRef")
	}
	if len(validation.IsValidLabelValue(ref.Name)) > 0 {
		return fmt.Errorf("spec.providerConfigRef.name %q is not valid: the name of a provider config must have at "+
			"most 63 characters, "+
			"only letters, digits, '-', '_' and '.': correct it, or rename the config", ref.Name)
	}
	gvk, err := apiutil.GVKForObject(mg, t.kube.Scheme())
	if err != nil {
		return err
	}
	wanted := &v1beta1.ProviderConfigUsage{}
	wanted.SetName(string(mg.GetUID()))
	wanted.SetNamespace(mg.GetNamespace())
	wanted.SetFinalizers([]string{v1beta1.UsageFinalizer})
	wanted.SetLabels(map[string]string{xpv2.LabelKeyProviderName: ref.Name, xpv2.LabelKeyProviderKind: ref.Kind})
	wanted.SetOwnerReferences([]metav1.OwnerReference{ownedBy(mg, gvk)})
	wanted.SetProviderConfigReference(*ref)
	wanted.SetResourceReference(xpv2.TypedReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Name: mg.GetName(),
	})

	have := &v1beta1.ProviderConfigUsage{}
	err = t.kube.Get(ctx, client.ObjectKeyFromObject(wanted), have)
	switch {
	case kerrors.IsNotFound(err) && meta.WasDeleted(mg):
		// A namespace that is being deleted admits no new objects.
		return nil
	case kerrors.IsNotFound(err):
		err := t.kube.Create(ctx, wanted)
		return errors.Wrap(resource.Ignore(kerrors.IsAlreadyExists, err), "cannot record the use of a provider config")
	case err != nil:
		return errors.Wrap(err, "cannot look up the use of a provider config")
	case have.GetProviderConfigReference() == *ref && counts(have) && !blocks(have):
		return nil
	case meta.WasDeleted(have):
		return nil
	}
	have = have.DeepCopy()
	controllerutil.AddFinalizer(have, v1beta1.UsageFinalizer)
	have.SetLabels(wanted.GetLabels())
	have.SetOwnerReferences(wanted.GetOwnerReferences())
	have.SetProviderConfigReference(*ref)
	have.SetResourceReference(wanted.GetResourceReference())
	return errors.Wrap(t.kube.Update(ctx, have), "cannot record the use of a provider config")
}

// counts reports whether a config counts a usage. Those that Drop has released do not count.
func counts(u *v1beta1.ProviderConfigUsage) bool {
	return controllerutil.ContainsFinalizer(u, v1beta1.UsageFinalizer) && u.GetLabels()[xpv2.LabelKeyProviderName] != ""
}

// ownedBy returns an owner reference that deletes a usage with its resource, without blocking the deletion of the
// resource. A usage waits for its resource, so in a foreground deletion the resource must not wait for its usage.
func ownedBy(mg resource.ModernManaged, gvk schema.GroupVersionKind) metav1.OwnerReference {
	ref := meta.AsController(meta.TypedReferenceTo(mg, gvk))
	ref.BlockOwnerDeletion = ptr.To(false)
	return ref
}

// blocks reports whether a usage blocks the foreground deletion of its resource.
func blocks(u *v1beta1.ProviderConfigUsage) bool {
	return slices.ContainsFunc(u.GetOwnerReferences(),
		func(r metav1.OwnerReference) bool { return ptr.Deref(r.BlockOwnerDeletion, false) })
}

// Untrack releases the usage of a resource whose finalizer was removed. The usage itself is garbage-collected with the
// resource. If it is not released, the controller of the config releases it.
func (t *Tracker) Untrack(ctx context.Context, mg resource.ModernManaged) error {
	u := &v1beta1.ProviderConfigUsage{}
	key := client.ObjectKey{Namespace: mg.GetNamespace(), Name: string(mg.GetUID())}
	if err := t.kube.Get(ctx, key, u); err != nil {
		return errors.Wrap(resource.IgnoreNotFound(err), "cannot look up the use of a provider config")
	}
	return errors.Wrap(Release(ctx, t.kube, u), "cannot release the use of a provider config")
}

// Drop removes the record that a resource uses a config, which must not use it. Crossplane grants
// providers no right to delete usages: if the record cannot be deleted, it stays until the resource is
// deleted, without the labels by which a config finds its users.
func (t *Tracker) Drop(ctx context.Context, mg resource.ModernManaged) error {
	const what = "cannot remove the record that a provider config is used"
	have := &v1beta1.ProviderConfigUsage{}
	err := t.kube.Get(ctx, client.ObjectKey{Namespace: mg.GetNamespace(), Name: string(mg.GetUID())}, have)
	if err != nil {
		return errors.Wrap(resource.IgnoreNotFound(err), what)
	}
	u := have.DeepCopy()
	controllerutil.RemoveFinalizer(u, v1beta1.UsageFinalizer)
	delete(u.Labels, xpv2.LabelKeyProviderName)
	delete(u.Labels, xpv2.LabelKeyProviderKind)
	if equality.Semantic.DeepEqual(have, u) {
		return nil
	}
	err = t.kube.Patch(ctx, u, client.MergeFromWithOptions(have, client.MergeFromWithOptimisticLock{}))
	if err == nil && !meta.WasDeleted(u) {
		err = resource.Ignore(kerrors.IsForbidden, t.kube.Delete(ctx, u))
	}
	return errors.Wrap(resource.IgnoreNotFound(err), what)
}

// Release removes the finalizer from a usage.
func Release(ctx context.Context, kube client.Client, u *v1beta1.ProviderConfigUsage) error {
	if !controllerutil.ContainsFinalizer(u, v1beta1.UsageFinalizer) {
		return nil
	}
	before := u.DeepCopy()
	u = u.DeepCopy()
	controllerutil.RemoveFinalizer(u, v1beta1.UsageFinalizer)
	return resource.IgnoreNotFound(kube.Patch(ctx, u,
		client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

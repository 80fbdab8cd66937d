package providerconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/configusage"
)

const (
	// managedFinalizer is the finalizer of crossplane-runtime's managed reconciler. A resource that is being deleted
	// and does not have it is deleted in AWS.
	managedFinalizer = "finalizer.managedresource.crossplane.io"
	// named is the maximum number of users or regions that a message names.
	named = 3
)

// usages are the resources that use a config.
type usages struct {
	// count is the number of resources.
	count int64
	// going is the number of them that are being deleted.
	going int
	// again is true if one of them must be checked again.
	again bool
	names []string
}

// blocking returns the reason why a config cannot be deleted.
func (u *usages) blocking() string {
	names := strings.Join(u.names, ", ")
	if more := int(u.count) - len(u.names); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	verb := "use"
	if u.count == 1 {
		verb = "uses"
	}
	return fmt.Sprintf("%s still %s this config: delete them, or have them use another one", names, verb)
}

// usages returns the resources that use a config, and releases the usages that are obsolete.
func (r *Reconciler) usages(ctx context.Context, c providerConfig) (usages, error) {
	l := &v1beta1.ProviderConfigUsageList{}
	opts := []client.ListOption{client.UnsafeDisableDeepCopy, client.MatchingLabels{
		xpv2.LabelKeyProviderName: c.GetName(),
		xpv2.LabelKeyProviderKind: r.kind.gvk.Kind,
	}}
	if c.GetNamespace() != "" {
		opts = append(opts, client.InNamespace(c.GetNamespace()))
	}
	if err := r.kube.List(ctx, l, opts...); err != nil {
		return usages{}, errors.Wrap(err, "cannot list the usages of the config")
	}
	u := usages{}
	for i := range l.Items {
		counted, err := r.counts(ctx, c, &l.Items[i])
		if err != nil {
			// All who can write in a namespace can create usages there. Such a usage must not keep
			// a cluster's config from being reconciled.
			r.log.Info("Cannot reconcile a usage of a config", "config", c.GetName(), "usage",
				client.ObjectKeyFromObject(&l.Items[i]), "error", err)
			u.again = true
		}
		if counted {
			u.add(&l.Items[i])
		}
	}
	slices.Sort(u.names)
	u.names = u.names[:min(named, len(u.names))]
	return u, nil
}

func (u *usages) add(usage *v1beta1.ProviderConfigUsage) {
	u.count++
	if meta.WasDeleted(usage) {
		u.going++
	}
	// The owner was looked up, unlike resourceRef, which may hold any text.
	owner := metav1.GetControllerOf(usage)
	u.names = append(u.names, fmt.Sprintf("%s %s/%s", owner.Kind, usage.GetNamespace(), owner.Name))
}

// counts reports whether a usage counts: whether its resource still uses the config. It releases a usage that does not.
// A usage without an owner has lost its resource, for example in a restored backup. It is obsolete, or is recorded anew
// in the next reconcile of the resource. A usage that a user created never decides about a deletion.
func (r *Reconciler) counts(ctx context.Context, c providerConfig, u *v1beta1.ProviderConfigUsage) (bool, error) {
	owner := metav1.GetControllerOf(u)
	if owner == nil {
		if err := configusage.Release(ctx, r.kube, u); err != nil {
			return false, errors.Wrap(err, "cannot release a usage that has no owner")
		}
		// Crossplane grants providers no right to delete usages. One that stays does not count.
		return false, errors.Wrap(resource.IgnoreAny(r.kube.Delete(ctx, u), kerrors.IsNotFound, kerrors.IsForbidden),
			"cannot delete a usage that has no owner")
	}
	finalized := meta.WasDeleted(u) && controllerutil.ContainsFinalizer(u, v1beta1.UsageFinalizer)
	if !finalized && !meta.WasDeleted(c) {
		return true, nil
	}
	needs, err := r.needs(ctx, c, u.GetNamespace(), owner)
	if err != nil || needs || !finalized {
		return needs, err
	}
	return false, errors.Wrap(configusage.Release(ctx, r.kube, u), "cannot release a usage")
}

// needs reports whether a resource exists that uses the config, and may, and is not yet deleted in AWS. A resource
// without the finalizer may only wait for its usage to be deleted. A resource that cannot be read may need the config.
// One of a config that does not exist may need it once it is created.
func (r *Reconciler) needs(
	ctx context.Context, c providerConfig, namespace string, owner *metav1.OwnerReference,
) (bool, error) {
	obj, err := r.kube.Scheme().New(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
	if err != nil {
		return false, nil //nolint:nilerr // No resource of this provider is of such a kind.
	}
	mg, ok := obj.(resource.ModernManaged)
	if !ok {
		return false, nil
	}
	err = r.managed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: owner.Name}, mg)
	switch {
	case kerrors.IsNotFound(err), kmeta.IsNoMatchError(err):
		return false, nil
	case err != nil:
		return true, errors.Wrapf(err, "cannot read %s %s", owner.Kind, owner.Name)
	}
	ref := mg.GetProviderConfigReference()
	return mg.GetUID() == owner.UID &&
		(ref == nil || ref.Name == c.GetName() && ref.Kind == r.kind.gvk.Kind) &&
		(c.GetUID() == "" || !r.resolver.Denies(ctx, mg, "")) &&
		(!meta.WasDeleted(mg) || controllerutil.ContainsFinalizer(mg, managedFinalizer)), nil
}

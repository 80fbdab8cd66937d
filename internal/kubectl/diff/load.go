package diff

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// An input has the objects of a command as they would be applied.
type input struct {
	resources []plan.Resource

	// others are the objects that resources may refer to.
	others []client.Object

	// rejected are the plans of resources that the API server rejects.
	rejected []plan.Plan

	// skipped is the number of objects of other kinds.
	skipped int
}

// load sorts objects by what they are for a plan.
func (o *options) load(ctx context.Context, objects []*unstructured.Unstructured) (input, error) {
	in := input{}
	for _, u := range objects {
		if err := o.add(ctx, &in, u); err != nil {
			return in, err
		}
	}
	return in, nil
}

func (o *options) add(ctx context.Context, in *input, u *unstructured.Unstructured) error {
	obj, err := kubectl.Typed(o.plan.Scheme, u, o.source.FromFiles())
	if err != nil {
		return err
	}
	mg, managed := obj.(reconcile.Managed)
	switch {
	case !managed && isReference(obj):
		in.others = append(in.others, obj)
		return o.checkEndpoint(obj)
	case u.GroupVersionKind().Group == flux.Group:
		return o.addSource(ctx, in, u)
	case !managed:
		in.others = append(in.others, obj)
		in.skipped++
		return nil
	case !o.source.FromFiles():
		in.resources = append(in.resources, plan.Resource{Desired: mg, Prior: mg})
		return nil
	case o.cluster == nil:
		plan.SetDefaults(mg)
		in.resources = append(in.resources, plan.Resource{Desired: mg})
		return nil
	}
	r, err := o.applied(ctx, u)
	if isRejection(err) {
		in.rejected = append(in.rejected, plan.Plan{
			Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(),
			Action: plan.Reject, Message: err.Error(),
		})
		return nil
	}
	if err == nil {
		in.resources = append(in.resources, r)
	}
	return err
}

func (o *options) addSource(ctx context.Context, in *input, u *unstructured.Unstructured) error {
	if o.source.FromFiles() && o.cluster != nil {
		var err error
		if u, err = o.fluxSource(ctx, u); err != nil {
			return err
		}
	}
	in.others = append(in.others, u)
	return nil
}

// checkEndpoint returns an error for a ClusterProviderConfig of a file that names an endpoint. It can name any Secret
// too, and whoever offers the file for a review must not have the Secret's credentials sent to a host.
func (o *options) checkEndpoint(obj client.Object) error {
	c, ok := obj.(*v1beta1.ClusterProviderConfig)
	switch {
	case !ok, !o.source.FromFiles(), !o.refresh, o.aws.Any():
		return nil
	case c.Spec.Endpoint == nil, c.Spec.Endpoint.URL.Type == v1beta1.EndpointURLTypeAuto:
		return nil
	}
	return fmt.Errorf("ClusterProviderConfig %s names an endpoint, which is not called because it is not in "+
		"the cluster: set --aws-endpoint-url to call it", c.Name)
}

// isRejection reports whether the API server rejects an object for what it is.
func isRejection(err error) bool {
	return kerrors.IsInvalid(err) || kerrors.IsBadRequest(err)
}

// isReference reports whether an object is of a kind that only resources use.
func isReference(obj client.Object) bool {
	switch obj.(type) {
	case *corev1.Secret, *corev1.ConfigMap, *v1beta1.ProviderConfig, *v1beta1.ClusterProviderConfig:
		return true
	}
	return false
}

// applied returns a resource as the API server would store it, by a dry run, and the object that the cluster has now.
func (o *options) applied(ctx context.Context, u *unstructured.Unstructured) (plan.Resource, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	if u.GetName() == "" {
		return o.created(ctx, u)
	}
	err := o.cluster.Get(ctx, client.ObjectKeyFromObject(u), live)
	switch {
	case kerrors.IsNotFound(err):
		return o.created(ctx, u)
	case kmeta.IsNoMatchError(err):
		return plan.Resource{}, fmt.Errorf("the cluster has no kind %s of this provider: to plan without a cluster, "+
			"set --local", u.GetKind())
	case err != nil:
		return plan.Resource{}, err
	}
	desired, err := o.patched(ctx, u, live)
	if err != nil {
		return plan.Resource{}, err
	}
	return o.resource(desired, live)
}

// created returns a resource that does not exist yet.
func (o *options) created(ctx context.Context, u *unstructured.Unstructured) (plan.Resource, error) {
	out := u.DeepCopy()
	err := o.cluster.Create(ctx, out, client.DryRunAll, client.FieldOwner(kubectl.FieldManager))
	if kerrors.IsNotFound(err) { // The namespace is to be created, too.
		o.absent = append(o.absent, u.GetNamespace())
		r, err := o.resource(u, nil)
		if err == nil {
			plan.SetDefaults(r.Desired)
		}
		return r, err
	}
	if err != nil {
		return plan.Resource{}, err
	}
	out.SetUID("") // It is another one each time.
	return o.resource(out, nil)
}

// patched returns a resource as it would be after an apply by whoever has applied it before.
func (o *options) patched(
	ctx context.Context, u, live *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	out := u.DeepCopy()
	out.SetResourceVersion("")
	out.SetManagedFields(nil)
	unstructured.RemoveNestedField(out.Object, "status")
	if last, ok := live.GetAnnotations()[corev1.LastAppliedConfigAnnotation]; ok {
		// As kubectl does. Otherwise a manifest without annotations would remove those of others too.
		xpmeta.AddAnnotations(out, map[string]string{corev1.LastAppliedConfigAnnotation: last})
		manifest, err := json.Marshal(out.Object)
		if err != nil {
			return nil, err
		}
		current, err := json.Marshal(live.Object)
		if err != nil {
			return nil, err
		}
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(last), manifest, current)
		if err != nil {
			return nil, fmt.Errorf("cannot compare %s %s with what was applied last: %w", u.GetKind(), u.GetName(), err)
		}
		out = live.DeepCopy()
		return out, o.cluster.Patch(ctx, out, client.RawPatch(types.MergePatchType, patch), client.DryRunAll,
			client.FieldOwner(kubectl.FieldManager))
	}
	apply := client.Apply //nolint:staticcheck // An unstructured object has no apply configuration.
	return out, o.cluster.Patch(
		ctx, out, apply, client.DryRunAll, client.ForceOwnership, client.FieldOwner(manager(live)))
}

// manager returns who has applied an object. Fields that a new manifest lacks are removed only from what the same
// manager has applied.
func manager(live *unstructured.Unstructured) string {
	var all []string
	for _, f := range live.GetManagedFields() {
		if f.Operation == metav1.ManagedFieldsOperationApply && f.Subresource == "" &&
			!slices.Contains(all, f.Manager) {
			all = append(all, f.Manager)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return "kubectl"
}

// resource returns a resource by its objects. live is nil if the cluster does not have it.
func (o *options) resource(desired, live *unstructured.Unstructured) (out plan.Resource, err error) {
	if out.Desired, err = o.managed(desired); err == nil && live != nil {
		out.Prior, err = o.managed(live)
	}
	return out, err
}

func (o *options) managed(u *unstructured.Unstructured) (reconcile.Managed, error) {
	obj, err := kubectl.Typed(o.plan.Scheme, u, false)
	if err != nil {
		return nil, err
	}
	mg, ok := obj.(reconcile.Managed)
	if !ok {
		return nil, fmt.Errorf("%s is no managed resource", u.GetKind())
	}
	return mg, nil
}

// fluxSource returns a Flux source as it would be after an apply, before Flux reconciles it: with the artifact that it
// has in the cluster if its spec stays the same, and without one otherwise. A user who may not apply it gets it without
// one, too.
func (o *options) fluxSource(
	ctx context.Context, u *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	changed := u.DeepCopy()
	unstructured.RemoveNestedField(changed.Object, "status")
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	err := o.cluster.Get(ctx, client.ObjectKeyFromObject(u), live)
	if kerrors.IsNotFound(err) || kmeta.IsNoMatchError(err) {
		return changed, nil
	}
	desired := live
	if err == nil {
		desired, err = o.patched(ctx, u, live)
	}
	switch {
	case kerrors.IsForbidden(err):
		return changed, nil
	case err != nil:
		return nil, fmt.Errorf("cannot tell which artifact %s %s will have: %w", u.GetKind(), u.GetName(), err)
	case !equality.Semantic.DeepEqual(desired.Object["spec"], live.Object["spec"]):
		return changed, nil
	}
	return live, nil
}

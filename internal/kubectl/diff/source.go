package diff

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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

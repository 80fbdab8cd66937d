// Package fields reads fields of other objects that specs refer to: things of
// other providers, whose types this one does not know.
package fields

import (
	"context"
	"fmt"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Reader reads fields from the API server itself, since a cache would watch
// kinds that the provider has no other use for.
type Reader struct {
	live client.Reader
}

// NewReader returns a Reader on the API server.
func NewReader(live client.Reader) *Reader { return &Reader{live: live} }

// Get the string at the selected field of an object in the namespace. An error
// says what is missing: the object, the field, or the permission to read it.
func (r *Reader) Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	what := fmt.Sprintf("%s %s/%s", s.Kind, namespace, s.Name)
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(s.APIVersion)
	u.SetKind(s.Kind)
	err := r.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: s.Name}, u)
	switch {
	case kerrors.IsNotFound(err):
		return "", errors.Errorf("%s does not exist", what)
	case kerrors.IsForbidden(err):
		return "", errors.Errorf("cannot read %s: grant the provider's ServiceAccount get on %s of %s", what, s.Kind, s.APIVersion)
	case kmeta.IsNoMatchError(err):
		return "", errors.Errorf("cannot read %s: the cluster has no kind %s in %s", what, s.Kind, s.APIVersion)
	case err != nil:
		return "", errors.Wrapf(err, "cannot read %s", what)
	}
	v, err := fieldpath.Pave(u.Object).GetString(s.FieldPath)
	if err != nil || v == "" {
		return "", errors.Errorf("%s has no value at %s yet", what, s.FieldPath)
	}
	return v, nil
}

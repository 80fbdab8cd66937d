package testenv

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// Fields are the values of fields of other objects, by the objects' names.
type Fields map[string]string

// Get returns the value of a field, or a MissingError.
func (f Fields) Get(_ context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	if v, ok := f[s.Name]; ok {
		return v, nil
	}
	return "", &refs.MissingError{
		Ref: refs.ObjectRef{Kind: refs.ObjectKind(s.Kind), Namespace: namespace, Name: s.Name},
	}
}

// Functions is a client that returns Functions.
type Functions struct {
	client.Reader

	// Answer sets the Function of a key, or returns the error of the read.
	Answer func(client.ObjectKey, *v1beta1.Function) error
}

// Get returns the Function of a key.
func (f Functions) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	fn, ok := obj.(*v1beta1.Function)
	if !ok {
		return errors.Errorf("there are Functions only, no %T", obj)
	}
	return f.Answer(key, fn)
}

// Objects are the existing Secrets and ConfigMaps.
type Objects map[refs.ObjectRef]refs.ObjectData

// Get returns the data of one of them, or a MissingError.
func (o Objects) Get(_ context.Context, ref refs.ObjectRef) (refs.ObjectData, error) {
	if d, ok := o[ref]; ok {
		return d, nil
	}
	return nil, &refs.MissingError{Ref: ref}
}

// Spec returns the spec of a resource with all management policies and the default ClusterProviderConfig.
func Spec() xpv2.ManagedResourceSpec {
	return xpv2.ManagedResourceSpec{
		ManagementPolicies:      xpv2.ManagementPolicies{xpv2.ManagementActionAll},
		ProviderConfigReference: &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"},
	}
}

// Cluster is the ID of the cluster of Owner's resources.
const Cluster = "cluster-1"

// Owner returns the owner of a kind's resources, with a ProviderConfig that ignores a tag.
func Owner(kind, ignored string) tagging.Owner {
	return tagging.Owner{
		Kind: kind, ClusterID: Cluster, Config: "default",
		Ignore: func(k string) bool { return k == ignored },
	}
}

// Some returns a pointer to a random one of the values, or nil.
func Some[T any](g *rand.Rand, of ...T) *T {
	if g.IntN(2) == 0 {
		return nil
	}
	return &of[g.IntN(len(of))]
}

// JSON returns a value as JSON. It panics if the value cannot be encoded.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// APIError returns an error response of AWS as the SDK returns it.
func APIError(status int, code, message string) error {
	return &smithy.OperationError{ServiceID: "Lambda", OperationName: "X", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code, Message: message},
	}}
}

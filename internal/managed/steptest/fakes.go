package steptest

import (
	"context"
	"net/http"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// Fields are the values of fields of other objects, by the objects' names.
type Fields map[string]string

// Get the value of a field.
func (f Fields) Get(_ context.Context, _ string, s v1beta1.FieldSelector) (string, error) {
	if v, ok := f[s.Name]; ok {
		return v, nil
	}
	return "", errors.Errorf("%s %s does not exist", s.Kind, s.Name)
}

// Objects are the Secrets and ConfigMaps that there are.
type Objects map[objects.Ref]objects.Data

// Get what is in one of them, or a MissingError.
func (o Objects) Get(_ context.Context, ref objects.Ref) (objects.Data, error) {
	if d, ok := o[ref]; ok {
		return d, nil
	}
	return nil, &objects.MissingError{Ref: ref}
}

// Spec of a resource that may do all, with the default ClusterProviderConfig.
func Spec() xpv2.ManagedResourceSpec {
	return xpv2.ManagedResourceSpec{
		ManagementPolicies:      xpv2.ManagementPolicies{xpv2.ManagementActionAll},
		ProviderConfigReference: &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"},
	}
}

// APIError is an error as the SDK returns it that AWS has answered.
func APIError(status int, code, message string) error {
	return &smithy.OperationError{ServiceID: "Lambda", OperationName: "X", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code, Message: message},
	}}
}

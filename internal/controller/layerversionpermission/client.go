package layerversionpermission

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	GetLayerVersionPolicy(ctx context.Context, in *lambda.GetLayerVersionPolicyInput,
		opts ...func(*lambda.Options)) (*lambda.GetLayerVersionPolicyOutput, error)
	AddLayerVersionPermission(ctx context.Context, in *lambda.AddLayerVersionPermissionInput,
		opts ...func(*lambda.Options)) (*lambda.AddLayerVersionPermissionOutput, error)
	RemoveLayerVersionPermission(ctx context.Context, in *lambda.RemoveLayerVersionPermissionInput,
		opts ...func(*lambda.Options)) (*lambda.RemoveLayerVersionPermissionOutput, error)
}

// The AWS operations that this kind calls.
const (
	opRead   = "GetLayerVersionPolicy"
	opAdd    = "AddLayerVersionPermission"
	opRemove = "RemoveLayerVersionPermission"
)

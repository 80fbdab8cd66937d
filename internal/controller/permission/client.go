package permission

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	GetPolicy(ctx context.Context, in *lambda.GetPolicyInput,
		opts ...func(*lambda.Options)) (*lambda.GetPolicyOutput, error)
	AddPermission(ctx context.Context, in *lambda.AddPermissionInput,
		opts ...func(*lambda.Options)) (*lambda.AddPermissionOutput, error)
	RemovePermission(ctx context.Context, in *lambda.RemovePermissionInput,
		opts ...func(*lambda.Options)) (*lambda.RemovePermissionOutput, error)
}

// The AWS operations that this kind calls.
const (
	opRead   = "GetPolicy"
	opAdd    = "AddPermission"
	opRemove = "RemovePermission"
)

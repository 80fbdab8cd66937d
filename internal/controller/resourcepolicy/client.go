package resourcepolicy

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	GetResourcePolicy(ctx context.Context, in *lambda.GetResourcePolicyInput,
		opts ...func(*lambda.Options)) (*lambda.GetResourcePolicyOutput, error)
	PutResourcePolicy(ctx context.Context, in *lambda.PutResourcePolicyInput,
		opts ...func(*lambda.Options)) (*lambda.PutResourcePolicyOutput, error)
	DeleteResourcePolicy(ctx context.Context, in *lambda.DeleteResourcePolicyInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteResourcePolicyOutput, error)
}

// The AWS operations that this kind calls.
const (
	opRead   = "GetResourcePolicy"
	opPut    = "PutResourcePolicy"
	opDelete = "DeleteResourcePolicy"
)

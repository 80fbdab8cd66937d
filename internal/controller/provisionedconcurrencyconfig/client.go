package provisionedconcurrencyconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	GetProvisionedConcurrencyConfig(ctx context.Context, in *lambda.GetProvisionedConcurrencyConfigInput,
		opts ...func(*lambda.Options)) (*lambda.GetProvisionedConcurrencyConfigOutput, error)
	PutProvisionedConcurrencyConfig(ctx context.Context, in *lambda.PutProvisionedConcurrencyConfigInput,
		opts ...func(*lambda.Options)) (*lambda.PutProvisionedConcurrencyConfigOutput, error)
	DeleteProvisionedConcurrencyConfig(ctx context.Context, in *lambda.DeleteProvisionedConcurrencyConfigInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteProvisionedConcurrencyConfigOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet    = "GetProvisionedConcurrencyConfig"
	opPut    = "PutProvisionedConcurrencyConfig"
	opDelete = "DeleteProvisionedConcurrencyConfig"
)

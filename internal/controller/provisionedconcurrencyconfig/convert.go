package provisionedconcurrencyconfig

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// answer is the AWS value.
type answer = lambda.GetProvisionedConcurrencyConfigOutput

// settings are the same type for desired and observed state.
type settings = v1beta1.ProvisionedConcurrencyConfigSettings

// fromAWS returns the requested settings in comparable form.
func fromAWS(p *answer) settings {
	return settings{ProvisionedConcurrentExecutions: p.RequestedProvisionedConcurrentExecutions}
}

func putInput(s settings, n functionname.Name) *lambda.PutProvisionedConcurrencyConfigInput {
	return &lambda.PutProvisionedConcurrencyConfigInput{
		FunctionName: &n.Function, Qualifier: &n.Qualifier,
		ProvisionedConcurrentExecutions: s.ProvisionedConcurrentExecutions,
	}
}

// observation returns what status shows of provisioned concurrency.
func observation(
	p *answer, n functionname.Name,
) v1beta1.ProvisionedConcurrencyConfigObservation {
	out := v1beta1.ProvisionedConcurrencyConfigObservation{
		FunctionName: &n.Function, Qualifier: &n.Qualifier, StatusReason: p.StatusReason,
		LastModified:                             p.LastModified,
		RequestedProvisionedConcurrentExecutions: p.RequestedProvisionedConcurrentExecutions,
		AllocatedProvisionedConcurrentExecutions: p.AllocatedProvisionedConcurrentExecutions,
		AvailableProvisionedConcurrentExecutions: p.AvailableProvisionedConcurrentExecutions,
	}
	if p.Status != "" {
		out.Status = ptr.To(string(p.Status))
	}
	return out
}

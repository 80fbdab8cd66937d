package functioneventinvokeconfig

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// settings is the form in which desired and observed state are compared. All are replaced
// at once, so that nil is Lambda's default and not left to AWS.
type settings struct {
	MaximumEventAgeInSeconds *int32       `json:"maximumEventAgeInSeconds"`
	MaximumRetryAttempts     *int32       `json:"maximumRetryAttempts"`
	DestinationConfig        destinations `json:"destinationConfig"`
}

type destinations struct {
	OnFailure destination `json:"onFailure"`
	OnSuccess destination `json:"onSuccess"`
}

type destination struct {
	Destination *string `json:"destination"`
}

// A spot is a field of spec that names a destination.
type destinationField struct {
	field    string
	value    *string
	ref      *xpv2.NamespacedReference
	selector *xpv2.NamespacedSelector
	from     *v1beta1.FieldSelector
}

// destinationsOf returns all destinations that spec names.
func destinationsOf(mg *v1beta1.FunctionEventInvokeConfig) []destinationField {
	all := []destinationField{
		onFailure(mg.Spec.ForProvider.DestinationConfig),
		onSuccess(mg.Spec.ForProvider.DestinationConfig),
	}
	if mg.Spec.InitProvider != nil {
		all = append(all, onFailure(mg.Spec.InitProvider.DestinationConfig),
			onSuccess(mg.Spec.InitProvider.DestinationConfig))
	}
	return all
}

func onFailure(c *v1beta1.EventDestinationConfig) destinationField {
	s := destinationField{field: "destinationConfig.onFailure"}
	if c != nil && c.OnFailure != nil {
		d := c.OnFailure
		s.value, s.ref, s.selector, s.from = d.Destination, d.DestinationRef, d.DestinationSelector, d.DestinationFrom
	}
	return s
}

func onSuccess(c *v1beta1.EventDestinationConfig) destinationField {
	s := destinationField{field: "destinationConfig.onSuccess"}
	if c != nil && c.OnSuccess != nil {
		d := c.OnSuccess
		s.value, s.ref, s.selector, s.from = d.Destination, d.DestinationRef, d.DestinationSelector, d.DestinationFrom
	}
	return s
}

// lookup reads the field of another object for a field of spec.
type lookup func(field string, s v1beta1.FieldSelector) (string, error)

// below returns the lookup for the fields of a block of spec.
func (read lookup) below(block string) lookup {
	return func(field string, s v1beta1.FieldSelector) (string, error) { return read(block+"."+field, s) }
}

// arn returns the destination. References were resolved into its value.
func (s destinationField) arn(read lookup) (destination, error) {
	if s.value != nil || s.from == nil {
		return destination{Destination: s.value}, nil
	}
	v, err := read(s.field, *s.from)
	return destination{Destination: &v}, err
}

// fromSpec returns a block of spec in comparable form.
func fromSpec(s v1beta1.FunctionEventInvokeConfigSettings, read lookup) (settings, error) {
	out := settings{MaximumEventAgeInSeconds: s.MaximumEventAgeInSeconds, MaximumRetryAttempts: s.MaximumRetryAttempts}
	var err error
	if out.DestinationConfig.OnFailure, err = onFailure(s.DestinationConfig).arn(read); err != nil {
		return out, err
	}
	out.DestinationConfig.OnSuccess, err = onSuccess(s.DestinationConfig).arn(read)
	return out, err
}

// fromAWS returns the AWS value in comparable form. AWS returns empty blocks for destinations that are not set.
func fromAWS(c *answer) settings {
	out := settings{MaximumEventAgeInSeconds: c.MaximumEventAgeInSeconds, MaximumRetryAttempts: c.MaximumRetryAttempts}
	if d := c.DestinationConfig; d != nil {
		if d.OnFailure != nil {
			out.DestinationConfig.OnFailure.Destination = lambdaapi.NonEmpty(d.OnFailure.Destination)
		}
		if d.OnSuccess != nil {
			out.DestinationConfig.OnSuccess.Destination = lambdaapi.NonEmpty(d.OnSuccess.Destination)
		}
	}
	return out
}

func putInput(s settings, n functionname.Name) *lambda.PutFunctionEventInvokeConfigInput {
	in := &lambda.PutFunctionEventInvokeConfigInput{
		FunctionName: &n.Function, Qualifier: &n.Qualifier,
		MaximumEventAgeInSeconds: s.MaximumEventAgeInSeconds, MaximumRetryAttempts: s.MaximumRetryAttempts,
	}
	d := s.DestinationConfig
	if d == (destinations{}) {
		return in
	}
	in.DestinationConfig = &types.DestinationConfig{}
	if d.OnFailure.Destination != nil {
		in.DestinationConfig.OnFailure = &types.OnFailure{Destination: d.OnFailure.Destination}
	}
	if d.OnSuccess.Destination != nil {
		in.DestinationConfig.OnSuccess = &types.OnSuccess{Destination: d.OnSuccess.Destination}
	}
	return in
}

// observation returns what status shows of a configuration.
func observation(c *answer, n functionname.Name) v1beta1.FunctionEventInvokeConfigObservation {
	s := fromAWS(c)
	out := v1beta1.FunctionEventInvokeConfigObservation{
		FunctionName: &n.Function, Qualifier: functionconfig.StatusQualifier(n), FunctionArn: c.FunctionArn,
		MaximumEventAgeInSeconds: s.MaximumEventAgeInSeconds, MaximumRetryAttempts: s.MaximumRetryAttempts,
		OnFailureDestination: s.DestinationConfig.OnFailure.Destination,
		OnSuccessDestination: s.DestinationConfig.OnSuccess.Destination,
	}
	if c.LastModified != nil {
		out.LastModified = ptr.To(metav1.NewTime(*c.LastModified).Rfc3339Copy()) // As Kubernetes stores it.
	}
	return out
}

package functioneventinvokeconfig

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// answer is the AWS value.
type answer = lambda.GetFunctionEventInvokeConfigOutput

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

// The conversions that names do not describe.
var (
	specToSettings = samefields.MustNew[v1beta1.FunctionEventInvokeConfigSettings, settings]()

	settingsToPut = samefields.MustNew[settings, lambda.PutFunctionEventInvokeConfigInput](
		samefields.EmptyIsAbsent("destinationConfig", "destinationConfig.onFailure", "destinationConfig.onSuccess"),
	)

	answerToSettings = samefields.MustNew[answer, settings](
		samefields.EmptyIsAbsent(
			"destinationConfig.onFailure.destination", "destinationConfig.onSuccess.destination"),
	)

	answerToStatus = samefields.MustNew[answer, v1beta1.FunctionEventInvokeConfigObservation](
		samefields.EmptyIsAbsent("onFailureDestination", "onSuccessDestination"),
		samefields.From("onFailureDestination", "destinationConfig.onFailure.destination"),
		samefields.From("onSuccessDestination", "destinationConfig.onSuccess.destination"),
		samefields.With(func(t *time.Time) *metav1.Time {
			return ptr.To(metav1.NewTime(*t).Rfc3339Copy()) // As Kubernetes stores it.
		}),
	)
)

// fromAWS returns the AWS value in comparable form. AWS returns empty blocks for destinations that are not set.
func fromAWS(c *answer) settings {
	out := settings{}
	answerToSettings.Copy(&out, c)
	return out
}

func putInput(s settings, n functionname.Name) *lambda.PutFunctionEventInvokeConfigInput {
	in := &lambda.PutFunctionEventInvokeConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier}
	settingsToPut.Copy(in, &s)
	return in
}

// observation returns what status shows of a configuration.
func observation(c *answer, n functionname.Name) v1beta1.FunctionEventInvokeConfigObservation {
	out := v1beta1.FunctionEventInvokeConfigObservation{
		FunctionName: &n.Function, Qualifier: functionconfig.StatusQualifier(n),
	}
	answerToStatus.Copy(&out, c)
	return out
}

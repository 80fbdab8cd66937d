package functioneventinvokeconfig

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestEveryFieldByHand checks what happens to each field that somebody else changes or that is removed from spec.
func TestEveryFieldByHand(t *testing.T) {
	destination := func(when string) testenv.FieldCase {
		to := func(queue string) string {
			return `{"destinationConfig":{"` + when + `":{"destination":"arn:aws:sqs:eu-central-1:123456789012:` + queue + `"}}}`
		}
		return testenv.FieldCase{Spec: to("a"), ByHand: to("b"), By: []string{opPut}}
	}
	testenv.FieldTest[*v1beta1.FunctionEventInvokeConfig, v1beta1.FunctionEventInvokeConfigSettings]{
		New: newCase,
		Spec: func(c *v1beta1.FunctionEventInvokeConfig) *v1beta1.FunctionEventInvokeConfigSettings {
			return &c.Spec.ForProvider.FunctionEventInvokeConfigSettings
		},
		ByHand: func(e *testenv.Env[*v1beta1.FunctionEventInvokeConfig], c testenv.FieldCase) {
			e.Must(
				testenv.Calling(
					e.Lambda.UpdateFunctionEventInvokeConfig,
					`{"FunctionName":"cart"}`,
				)(
					e.Context(),
					c.ByHand,
				),
			)
		},
		Cases: map[string]testenv.FieldCase{
			"maximumEventAgeInSeconds": {
				Spec:   `{"maximumEventAgeInSeconds":60}`,
				ByHand: `{"maximumEventAgeInSeconds":61}`,
				By:     []string{opPut},
			},
			"maximumRetryAttempts": {
				With:   `{"maximumEventAgeInSeconds":60,"maximumRetryAttempts":null}`,
				Spec:   `{"maximumRetryAttempts":1}`,
				ByHand: `{"maximumRetryAttempts":0}`,
				By:     []string{opPut},
			},
			"destinationConfig.onFailure.destination": destination("onFailure"),
			"destinationConfig.onSuccess.destination": destination("onSuccess"),
		},
	}.Run(t)
}

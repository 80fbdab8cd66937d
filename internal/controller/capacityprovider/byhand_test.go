package capacityprovider

import (
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestEveryFieldByHand checks what happens to each field that somebody else changes or that is removed from spec.
func TestEveryFieldByHand(t *testing.T) {
	const policy = `{"capacityProviderScalingConfig":{"scalingMode":"Manual","scalingPolicies":[{"predefinedMetricType":"LambdaCapacityProviderAverageCPUUtilization","targetValue":`
	update := []string{opUpdate}
	testenv.FieldTest[*v1beta1.CapacityProvider, v1beta1.CapacityProviderSettings]{
		New: newCase,
		Spec: func(c *v1beta1.CapacityProvider) *v1beta1.CapacityProviderSettings {
			return &c.Spec.ForProvider.CapacityProviderSettings
		},
		ByHand: func(e *testenv.Env[*v1beta1.CapacityProvider], c testenv.FieldCase) {
			call := testenv.Calling(e.Lambda.UpdateCapacityProvider, `{"CapacityProviderName":"web"}`)
			if c.By[0] == tagging.OpTag {
				call = testenv.Calling(
					e.Lambda.TagResource,
					`{"Resource":"arn:aws:lambda:eu-central-1:123456789012:capacity-provider:web"}`,
				)
			}
			e.Must(call(e.Context(), c.ByHand))
			e.Advance(3 * time.Second)
		},
		Cases: map[string]testenv.FieldCase{
			"capacityProviderScalingConfig.maxVCpuCount": {
				Spec:   `{"capacityProviderScalingConfig":{"maxVCpuCount":4}}`,
				ByHand: `{"capacityProviderScalingConfig":{"maxVCpuCount":5}}`,
				By:     update,
				Left:   true,
			},
			"capacityProviderScalingConfig.scalingMode": {
				Spec:   `{"capacityProviderScalingConfig":{"scalingMode":"Auto"}}`,
				ByHand: policy + `5}]}}`,
				By:     update,
			},
			"capacityProviderScalingConfig.scalingPolicies.targetValue": {
				Spec:   policy + `"70"}]}}`,
				ByHand: policy + `5}]}}`,
				By:     update,
			},
			"propagateTags.mode": {
				Spec:   `{"propagateTags":{"mode":"None"}}`,
				ByHand: `{"propagateTags":{"mode":"Explicit","explicitTags":{"a":"1"}}}`,
				By:     update,
			},
			"propagateTags.explicitTags": {
				Spec:   `{"propagateTags":{"mode":"Explicit","explicitTags":{"a":"1"}}}`,
				ByHand: `{"propagateTags":{"mode":"Explicit","explicitTags":{"a":"2"}}}`,
				By:     update,
			},
			"telemetryConfig.loggingConfig.logGroup": {
				Spec:   `{"telemetryConfig":{"loggingConfig":{"logGroup":"/a"}}}`,
				ByHand: `{"telemetryConfig":{"loggingConfig":{"logGroup":"/b"}}}`,
				By:     update,
			},
			"telemetryConfig.loggingConfig.systemLogLevel": {
				Spec:   `{"telemetryConfig":{"loggingConfig":{"systemLogLevel":"WARN"}}}`,
				ByHand: `{"telemetryConfig":{"loggingConfig":{"systemLogLevel":"DEBUG"}}}`,
				By:     update,
			},
			"tags": {
				Spec:   `{"tags":{"a":"1"}}`,
				ByHand: `{"tags":{"a":"2"}}`,
				By:     []string{tagging.OpTag, tagging.OpUntag},
			},
		},
		Without: map[string]string{
			"capacityProviderScalingConfig.scalingPolicies.predefinedMetricType": "the key of targetValue",
		},
	}.Run(t)
}

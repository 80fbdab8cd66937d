package functioneventinvokeconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestCompare(t *testing.T) {
	there := &answer{
		MaximumEventAgeInSeconds: ptr.To[int32](60),
		MaximumRetryAttempts:     ptr.To[int32](1),
		DestinationConfig: &types.DestinationConfig{
			OnFailure: &types.OnFailure{Destination: ptr.To(queueARN)},
			OnSuccess: &types.OnSuccess{},
		},
	}
	failures := &v1beta1.EventDestinationConfig{OnFailure: &v1beta1.EventDestination{Destination: ptr.To(queueARN)}}
	age, retries := ptr.To[int32](60), ptr.To[int32](1)
	cases := map[string]struct {
		reason     string
		spec, init v1beta1.FunctionEventInvokeConfigSettings
		there      *answer
		changes    string
	}{
		"Same": {
			reason: "An empty destination is none.",
			spec: v1beta1.FunctionEventInvokeConfigSettings{
				MaximumEventAgeInSeconds: age,
				MaximumRetryAttempts:     retries,
				DestinationConfig:        failures,
			},
			there: there,
		},
		"Empty": {
			reason: "Empty destinations are none.",
			spec:   v1beta1.FunctionEventInvokeConfigSettings{MaximumEventAgeInSeconds: age},
			there: &answer{
				MaximumEventAgeInSeconds: age,
				DestinationConfig: &types.DestinationConfig{
					OnFailure: &types.OnFailure{},
					OnSuccess: &types.OnSuccess{},
				},
			},
		},
		"Left": {
			reason:  "What leaves spec leaves AWS.",
			spec:    v1beta1.FunctionEventInvokeConfigSettings{MaximumEventAgeInSeconds: age},
			there:   there,
			changes: `destinationConfig.onFailure.destination: removed, maximumRetryAttempts: removed`,
		},
		"Changed": {
			reason: "What changes is named.",
			spec: v1beta1.FunctionEventInvokeConfigSettings{
				MaximumEventAgeInSeconds: ptr.To[int32](120),
				MaximumRetryAttempts:     ptr.To[int32](0),
				DestinationConfig:        failures,
			},
			there:   there,
			changes: `maximumEventAgeInSeconds: 60 -> 120, maximumRetryAttempts: 1 -> 0`,
		},
		"Initial": {
			reason: "What is set at creation is left to others.",
			spec:   v1beta1.FunctionEventInvokeConfigSettings{MaximumRetryAttempts: retries},
			init: v1beta1.FunctionEventInvokeConfigSettings{
				MaximumEventAgeInSeconds: ptr.To[int32](300),
				MaximumRetryAttempts:     ptr.To[int32](2),
				DestinationConfig: &v1beta1.EventDestinationConfig{
					OnFailure: &v1beta1.EventDestination{Destination: ptr.To(topicARN)},
					OnSuccess: &v1beta1.EventDestination{Destination: ptr.To(topicARN)},
				},
			},
			there: there,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := compare(reconcile.Merge(fromSpec(tc.spec), fromSpec(tc.init)), fromAWS(tc.there))
			if got := c.Changes.String(); got != tc.changes {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, got, tc.changes)
			}
		})
	}
}

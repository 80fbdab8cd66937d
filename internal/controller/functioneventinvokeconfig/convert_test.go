package functioneventinvokeconfig

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

var ignoreSDK = cmpopts.IgnoreUnexported(
	lambda.PutFunctionEventInvokeConfigInput{},
	types.DestinationConfig{},
	types.OnFailure{},
	types.OnSuccess{},
)

const (
	queueARN = "arn:aws:sqs:eu-central-1:123456789012:failed"
	topicARN = "arn:aws:sns:eu-central-1:123456789012:done"
)

func TestPutInput(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1beta1.FunctionEventInvokeConfigSettings
		want   lambda.PutFunctionEventInvokeConfigInput
	}{
		"Retries": {
			reason: "What is not set is not sent, and none is a number.",
			spec:   v1beta1.FunctionEventInvokeConfigSettings{MaximumRetryAttempts: ptr.To[int32](0)},
			want:   lambda.PutFunctionEventInvokeConfigInput{MaximumRetryAttempts: ptr.To[int32](0)},
		},
		"OneDestination": {
			reason: "The other is not sent.",
			spec: v1beta1.FunctionEventInvokeConfigSettings{
				DestinationConfig: &v1beta1.EventDestinationConfig{
					OnFailure: &v1beta1.EventDestination{Destination: ptr.To(queueARN)},
				},
			},
			want: lambda.PutFunctionEventInvokeConfigInput{
				DestinationConfig: &types.DestinationConfig{OnFailure: &types.OnFailure{Destination: ptr.To(queueARN)}},
			},
		},
		"Everything": {
			reason: "All is sent.",
			spec: v1beta1.FunctionEventInvokeConfigSettings{
				MaximumEventAgeInSeconds: ptr.To[int32](60), MaximumRetryAttempts: ptr.To[int32](2),
				DestinationConfig: &v1beta1.EventDestinationConfig{
					OnFailure: &v1beta1.EventDestination{
						Destination: ptr.To(queueARN),
					},
					OnSuccess: &v1beta1.EventDestination{Destination: ptr.To(topicARN)},
				},
			},
			want: lambda.PutFunctionEventInvokeConfigInput{
				MaximumEventAgeInSeconds: ptr.To[int32](60),
				MaximumRetryAttempts:     ptr.To[int32](2),
				DestinationConfig: &types.DestinationConfig{
					OnFailure: &types.OnFailure{Destination: ptr.To(queueARN)},
					OnSuccess: &types.OnSuccess{Destination: ptr.To(topicARN)},
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.want.FunctionName, tc.want.Qualifier = ptr.To("cart"), ptr.To("live")
			if diff := cmp.Diff(
				&tc.want,
				putInput(fromSpec(tc.spec), functionname.Name{Function: "cart", Qualifier: "live"}),
				ignoreSDK,
			); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDestinationsOfOtherProviders(t *testing.T) {
	queue := v1beta1.FieldSelector{
		APIVersion: "sqs.aws.m.upbound.io/v1beta1",
		Kind:       "Queue",
		Name:       "q",
		FieldPath:  "status.atProvider.arn",
	}
	mg := &v1beta1.FunctionEventInvokeConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop"}}
	mg.Spec.ForProvider.DestinationConfig = &v1beta1.EventDestinationConfig{
		OnFailure: &v1beta1.EventDestination{DestinationFrom: &queue},
	}
	mg.Spec.InitProvider = &v1beta1.FunctionEventInvokeConfigSettings{
		DestinationConfig: &v1beta1.EventDestinationConfig{
			OnSuccess: &v1beta1.EventDestination{DestinationFrom: &queue},
		},
	}
	if diff := cmp.Diff([]v1beta1.FieldSelector{queue, queue}, refs.In(mg.Spec)); diff != "" {
		t.Errorf("both blocks are watched, -want +got:\n%s", diff)
	}
	e := &external{fields: testenv.Fields{"q": queueARN}}
	forProvider, initProvider, err := e.desired(t.Context(), mg)
	want := destinations{OnFailure: destination{ptr.To(queueARN)}, OnSuccess: destination{ptr.To(queueARN)}}
	if diff := cmp.Diff(
		want,
		reconcile.Merge(forProvider, initProvider).Settings.DestinationConfig,
	); diff != "" ||
		err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	e.fields = testenv.Fields{}
	wantErr := "cannot resolve spec.forProvider.destinationConfig.onFailure.destinationFrom: Queue shop/q does not exist"
	if _, _, err := e.desired(t.Context(), mg); err == nil || err.Error() != wantErr {
		t.Errorf("got %v, want %s", err, wantErr)
	}
	mg.Spec.ForProvider.DestinationConfig = nil
	wantErr = "cannot resolve spec.initProvider.destinationConfig.onSuccess.destinationFrom: Queue shop/q does not exist"
	if _, _, err := e.desired(t.Context(), mg); err == nil || err.Error() != wantErr {
		t.Errorf("got %v, want %s", err, wantErr)
	}
}

func TestStatus(t *testing.T) {
	at := time.Unix(1000, 0)
	precise := at.Add(123 * time.Millisecond) // Kubernetes stores seconds. More would be written at each poll.
	got := observation(&answer{
		FunctionArn: ptr.To(
			"arn",
		),
		MaximumEventAgeInSeconds: ptr.To[int32](60),
		MaximumRetryAttempts:     ptr.To[int32](1),
		LastModified:             &precise,
		DestinationConfig: &types.DestinationConfig{
			OnFailure: &types.OnFailure{Destination: ptr.To(queueARN)},
			OnSuccess: &types.OnSuccess{},
		},
	}, functionname.Name{Function: "cart", Qualifier: "live"})
	want := v1beta1.FunctionEventInvokeConfigObservation{
		FunctionName: ptr.To(
			"cart",
		),
		Qualifier:                ptr.To("live"),
		FunctionArn:              ptr.To("arn"),
		MaximumEventAgeInSeconds: ptr.To[int32](60),
		MaximumRetryAttempts: ptr.To[int32](
			1,
		),
		OnFailureDestination: ptr.To(queueARN),
		LastModified:         ptr.To(metav1.NewTime(at)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

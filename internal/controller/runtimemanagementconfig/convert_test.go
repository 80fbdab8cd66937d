package runtimemanagementconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

func TestStatus(t *testing.T) {
	n := functionname.Name{Function: "cart", Qualifier: "3"}
	got := observation(
		&answer{
			FunctionArn:       ptr.To("arn"),
			UpdateRuntimeOn:   types.UpdateRuntimeOnManual,
			RuntimeVersionArn: ptr.To(runtimeA),
		},
		n,
	)
	want := v1beta1.RuntimeManagementConfigObservation{
		FunctionName: ptr.To(
			"cart",
		),
		Qualifier:         ptr.To("3"),
		FunctionArn:       ptr.To("arn"),
		UpdateRuntimeOn:   ptr.To("Manual"),
		RuntimeVersionArn: ptr.To(runtimeA),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := observation(&answer{}, n); got.UpdateRuntimeOn != nil {
		t.Errorf("what AWS left out is not shown, got %q", *got.UpdateRuntimeOn)
	}
}

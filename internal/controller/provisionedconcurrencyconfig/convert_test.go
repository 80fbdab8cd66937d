package provisionedconcurrencyconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

var live = functionname.Name{Function: "cart", Qualifier: "live"}

func TestPutInput(t *testing.T) {
	in := putInput(settings{ProvisionedConcurrentExecutions: ptr.To[int32](5)}, live)
	if *in.FunctionName != "cart" || *in.Qualifier != "live" || *in.ProvisionedConcurrentExecutions != 5 {
		t.Errorf("got %+v", in)
	}
}

func TestStatus(t *testing.T) {
	got := observation(&answer{
		LastModified: ptr.To("then"),
		Status:       types.ProvisionedConcurrencyStatusEnumFailed,
		StatusReason: ptr.To("why"),
		RequestedProvisionedConcurrentExecutions: ptr.To[int32](
			5,
		),
		AllocatedProvisionedConcurrentExecutions: ptr.To[int32](4),
		AvailableProvisionedConcurrentExecutions: ptr.To[int32](3),
	}, live)
	want := v1beta1.ProvisionedConcurrencyConfigObservation{
		FunctionName: ptr.To(
			"cart",
		),
		Qualifier:    ptr.To("live"),
		LastModified: ptr.To("then"),
		Status:       ptr.To("FAILED"),
		StatusReason: ptr.To("why"),
		RequestedProvisionedConcurrentExecutions: ptr.To[int32](
			5,
		),
		AllocatedProvisionedConcurrentExecutions: ptr.To[int32](4),
		AvailableProvisionedConcurrentExecutions: ptr.To[int32](3),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := observation(&answer{}, live); got.Status != nil {
		t.Errorf("what AWS left out is not shown, got %q", *got.Status)
	}
}

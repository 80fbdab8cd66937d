package eventsourcemapping

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
)

// TestStatusFunctionName checks that status has the plain function name, whichever version
// or alias is invoked.
func TestStatusFunctionName(t *testing.T) {
	const arn = "arn:aws:lambda:eu-central-1:123456789012:function:cart"
	for _, suffix := range []string{"", ":live", ":7", ":$LATEST"} {
		got := observation(observed{mapping: &lambda.GetEventSourceMappingOutput{FunctionArn: ptr.To(arn + suffix)}})
		if name := ptr.Deref(got.FunctionName, ""); name != "cart" {
			t.Errorf("functionName of %s is %q, want cart", arn+suffix, name)
		}
	}
	if got := observation(observed{mapping: &lambda.GetEventSourceMappingOutput{}}); got.FunctionName != nil {
		t.Errorf("functionName without an ARN is %q, want none", *got.FunctionName)
	}
}

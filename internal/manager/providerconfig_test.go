package manager

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestChangedProviderConfigRollsOut checks that a changed config is applied at once, also to resources that would not
// be polled for an hour.
func TestChangedProviderConfigRollsOut(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	f := e.function("cart")
	e.create(f)
	e.ready(f)

	pc := &v1beta1.ProviderConfig{}
	if err := e.kube.Get(t.Context(), client.ObjectKey{Namespace: e.ns, Name: "default"}, pc); err != nil {
		t.Fatal(err)
	}
	before := pc.DeepCopy()
	pc.Spec.Tags = map[string]v1beta1.TagValue{"team": "shop"}
	if err := e.kube.Patch(t.Context(), pc, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.until("the new default tag is in AWS", func() bool {
		out, err := e.aws.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To("cart")})
		return err == nil && out.Tags["team"] == "shop"
	})
}

package manager

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
)

// A changed config counts at once, for resources that would else not be looked at
// for an hour.
func TestChangedProviderConfigRollsOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, awsdouble.Options{})
	f := r.function("cart")
	r.create(f)
	r.ready(f)

	pc := &v1beta1.ProviderConfig{}
	if err := r.kube.Get(t.Context(), client.ObjectKey{Namespace: r.ns, Name: "default"}, pc); err != nil {
		t.Fatal(err)
	}
	before := pc.DeepCopy()
	pc.Spec.Tags = map[string]v1beta1.TagValue{"team": "shop"}
	if err := r.kube.Patch(t.Context(), pc, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	r.until("the new default tag is in AWS", func() bool {
		out, err := r.aws.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To("cart")})
		return err == nil && out.Tags["team"] == "shop"
	})
}

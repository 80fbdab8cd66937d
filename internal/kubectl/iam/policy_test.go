package iam

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestPull(t *testing.T) {
	from := &v1beta1.OCISource{Reference: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/checkout:v1"}
	atFirst, layer := &v1beta1.Function{}, &v1beta1.LayerVersion{}
	atFirst.Spec.InitProvider = &v1beta1.FunctionSettings{Code: &v1beta1.FunctionCode{OCI: from}}
	layer.Spec.ForProvider.Content = &v1beta1.LayerContent{OCI: from}
	inS3 := &v1beta1.Function{}
	inS3.Spec.ForProvider.Code = &v1beta1.FunctionCode{S3Key: ptr.To("k")}
	cases := map[string]struct {
		reason string
		mg     reconcile.Managed
		want   int
	}{
		"Nothing":        {reason: "A function that is only observed needs no code.", mg: &v1beta1.Function{}},
		"NothingOfLayer": {reason: "A layer that is only observed needs no content.", mg: &v1beta1.LayerVersion{}},
		"InS3":           {reason: "Code in S3 is not in a registry.", mg: inS3},
		"AtFirst":        {reason: "Code that is deployed at the creation only is read too.", mg: atFirst, want: 3},
		"Layer":          {reason: "So is the content of a layer.", mg: layer, want: 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := allowed{}
			a.pull(Options{AccountID: "123456789012"}, tc.mg)
			if diff := cmp.Diff(tc.want, len(a)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s\n%v", tc.reason, diff, a)
			}
		})
	}
}

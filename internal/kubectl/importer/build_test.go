package importer

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestReferLayers(t *testing.T) {
	ref := func(n string) any { return map[string]any{"name": n} }
	cases := map[string]struct {
		reason string
		args   []string
		want   map[string]any
	}{
		"Own": {
			reason: "All are imported.",
			args:   []string{"own1", "own2"},
			want:   map[string]any{"layerRefs": []any{ref("own1"), ref("own2")}},
		},
		"After": {
			reason: "Others come first, as in the Function.",
			args:   []string{"other", "own1"},
			want:   map[string]any{"layers": []any{"other"}, "layerRefs": []any{ref("own1")}},
		},
		"Between": {
			reason: "References would change the order.",
			args:   []string{"own1", "other"},
			want:   map[string]any{"layers": "as observed"},
		},
		"Others": {
			reason: "None is imported.",
			args:   []string{"other"},
			want:   map[string]any{"layers": "as observed"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &builder{
				names: map[string]string{
					v1beta1.LayerVersionKind + "/own1": "own1",
					v1beta1.LayerVersionKind + "/own2": "own2",
				},
			}
			f := &function{out: &lambda.GetFunctionOutput{Configuration: &types.FunctionConfiguration{}}}
			for _, l := range tc.args {
				f.out.Configuration.Layers = append(f.out.Configuration.Layers, types.Layer{Arn: aws.String(l)})
			}
			got := map[string]any{"layers": "as observed"}
			b.referLayers(f, got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHidden(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   *types.FunctionConfiguration
		want   bool
	}{
		"Nothing": {
			reason: "AWS returns all.",
			args:   &types.FunctionConfiguration{Environment: &types.EnvironmentResponse{}},
		},
		"Environment": {
			reason: "AWS cannot decrypt the variables.",
			args: &types.FunctionConfiguration{
				Environment: &types.EnvironmentResponse{
					Error: &types.EnvironmentError{ErrorCode: aws.String("AccessDeniedException")},
				},
			},
			want: true,
		},
		"Image": {
			reason: "AWS does not return how an image is run.",
			args: &types.FunctionConfiguration{
				ImageConfigResponse: &types.ImageConfigResponse{Error: &types.ImageConfigError{}},
			},
			want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := hidden(tc.args) != ""; got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

package functionurl

import (
	stdcmp "cmp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestCompare(t *testing.T) {
	there := &answer{
		AuthType:   types.FunctionUrlAuthTypeNone,
		InvokeMode: types.InvokeModeBuffered,
		Cors: &types.Cors{
			AllowOrigins: []string{"https://b.example", "https://a.example"},
			AllowHeaders: []string{"content-type"},
			MaxAge:       ptr.To[int32](60),
		},
	}
	same := v1beta1.Cors{
		AllowOrigins:     []string{"https://a.example", "https://b.example"},
		AllowHeaders:     []string{"Content-Type"},
		MaxAge:           ptr.To[int32](60),
		AllowCredentials: ptr.To(false),
	}
	none := ptr.To("NONE")
	cases := map[string]struct {
		reason     string
		aws        *answer
		spec, init v1beta1.FunctionURLSettings
		changes    string
		want       lambda.UpdateFunctionUrlConfigInput
	}{
		"Same": {
			reason: "Neither order nor case nor a default is a change.",
			spec:   v1beta1.FunctionURLSettings{AuthType: none, InvokeMode: ptr.To("BUFFERED"), Cors: &same},
		},
		"LeftToAWS": {
			reason: "A scalar that is not set is left as it is.",
			spec:   v1beta1.FunctionURLSettings{Cors: &same},
		},
		"AuthType": {
			reason:  "Only what changes is sent.",
			spec:    v1beta1.FunctionURLSettings{AuthType: ptr.To("AWS_IAM"), Cors: &same},
			changes: `authType: "NONE" -> "AWS_IAM"`,
			want:    lambda.UpdateFunctionUrlConfigInput{AuthType: types.FunctionUrlAuthTypeAwsIam},
		},
		"InvokeMode": {
			reason:  "Only what changes is sent.",
			spec:    v1beta1.FunctionURLSettings{AuthType: none, InvokeMode: ptr.To("RESPONSE_STREAM"), Cors: &same},
			changes: `invokeMode: "BUFFERED" -> "RESPONSE_STREAM"`,
			want:    lambda.UpdateFunctionUrlConfigInput{InvokeMode: types.InvokeModeResponseStream},
		},
		"CORSRemoved": {
			reason:  "An empty block clears the settings.",
			spec:    v1beta1.FunctionURLSettings{AuthType: none},
			changes: `cors: removed`,
			want:    lambda.UpdateFunctionUrlConfigInput{Cors: &types.Cors{}},
		},
		"CORSOfDefaults": {
			reason: "Settings that allow nothing are none.",
			aws: &answer{
				AuthType: types.FunctionUrlAuthTypeNone,
				Cors: &types.Cors{
					AllowCredentials: ptr.To(false),
					AllowOrigins:     []string{},
					MaxAge:           ptr.To[int32](0),
				},
			},
			spec: v1beta1.FunctionURLSettings{AuthType: none},
		},
		"CORSChanged": {
			reason:  "What is not in the block goes, and the whole block is sent.",
			spec:    v1beta1.FunctionURLSettings{AuthType: none, Cors: &v1beta1.Cors{AllowOrigins: []string{"*"}}},
			changes: `cors.allowHeaders: removed, cors.allowOrigins: ["https://a.example" "https://b.example"] -> ["*"], cors.maxAge: 60 -> 0`,
			want: lambda.UpdateFunctionUrlConfigInput{
				Cors: &types.Cors{
					AllowOrigins:     []string{"*"},
					AllowCredentials: ptr.To(false),
					MaxAge:           ptr.To[int32](0),
				},
			},
		},
		"Initial": {
			reason: "What is set at creation is left to others.",
			spec:   v1beta1.FunctionURLSettings{AuthType: none},
			init: v1beta1.FunctionURLSettings{
				InvokeMode: ptr.To("RESPONSE_STREAM"),
				Cors:       &v1beta1.Cors{AllowOrigins: []string{"*"}},
			},
		},
		"InitialPart": {
			reason:  "A part of a block may be.",
			spec:    v1beta1.FunctionURLSettings{AuthType: none, Cors: &v1beta1.Cors{AllowOrigins: same.AllowOrigins}},
			init:    v1beta1.FunctionURLSettings{Cors: &v1beta1.Cors{MaxAge: ptr.To[int32](5)}},
			changes: `cors.allowHeaders: removed`,
			want: lambda.UpdateFunctionUrlConfigInput{
				Cors: &types.Cors{
					AllowOrigins:     same.AllowOrigins,
					AllowCredentials: ptr.To(false),
					MaxAge:           ptr.To[int32](60),
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1beta1.FunctionURL{}
			mg.Spec.ForProvider.FunctionURLSettings, mg.Spec.InitProvider = tc.spec, &tc.init
			forProvider, initProvider, _ := desired(t.Context(), mg)
			c := compare(reconcile.Merge(forProvider, initProvider), fromAWS(stdcmp.Or(tc.aws, there)))
			if got := c.Changes.String(); got != tc.changes {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, got, tc.changes)
			}
			tc.want.FunctionName = ptr.To("cart")
			if diff := cmp.Diff(
				&tc.want,
				updateInput(c.Target, c.Changes, functionname.Name{Function: "cart"}),
				ignoreSDK,
			); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

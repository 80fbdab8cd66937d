package functionurl

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

var ignoreSDK = cmpopts.IgnoreUnexported(
	lambda.CreateFunctionUrlConfigInput{},
	lambda.UpdateFunctionUrlConfigInput{},
	types.Cors{},
)

func TestCreateInput(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1beta1.FunctionURLSettings
		name   functionname.Name
		want   *lambda.CreateFunctionUrlConfigInput
	}{
		"Least": {
			reason: "What is not set is not sent.",
			spec:   v1beta1.FunctionURLSettings{AuthType: ptr.To("NONE")},
			name:   functionname.Name{Function: "cart"},
			want: &lambda.CreateFunctionUrlConfigInput{
				FunctionName: ptr.To("cart"),
				AuthType:     types.FunctionUrlAuthTypeNone,
			},
		},
		"Everything": {
			reason: "Names of headers are sent as AWS keeps them.",
			spec: v1beta1.FunctionURLSettings{
				AuthType: ptr.To("AWS_IAM"), InvokeMode: ptr.To("RESPONSE_STREAM"),
				Cors: &v1beta1.Cors{
					AllowCredentials: ptr.To(
						true,
					),
					AllowHeaders:  []string{"X-B", "x-a", "X-A"},
					AllowMethods:  []string{"POST", "GET"},
					AllowOrigins:  []string{"*"},
					ExposeHeaders: []string{"Date"},
					MaxAge:        ptr.To[int32](60),
				},
			},
			name: functionname.Name{Function: "cart", Qualifier: "live"},
			want: &lambda.CreateFunctionUrlConfigInput{
				FunctionName: ptr.To(
					"cart",
				),
				Qualifier:  ptr.To("live"),
				AuthType:   types.FunctionUrlAuthTypeAwsIam,
				InvokeMode: types.InvokeModeResponseStream,
				Cors: &types.Cors{
					AllowCredentials: ptr.To(
						true,
					),
					AllowHeaders:  []string{"x-a", "x-b"},
					AllowMethods:  []string{"GET", "POST"},
					AllowOrigins:  []string{"*"},
					ExposeHeaders: []string{"date"},
					MaxAge:        ptr.To[int32](60),
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, createInput(tc.spec, tc.name), ignoreSDK); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	got := observation(&answer{
		FunctionArn: ptr.To(
			"arn",
		),
		FunctionUrl:      ptr.To("https://abc.lambda-url.eu-central-1.on.aws/"),
		AuthType:         types.FunctionUrlAuthTypeNone,
		InvokeMode:       types.InvokeModeBuffered,
		CreationTime:     ptr.To("then"),
		LastModifiedTime: ptr.To("now"),
		Cors:             &types.Cors{AllowOrigins: []string{"*"}},
	}, functionname.Name{Function: "cart"})
	want := v1beta1.FunctionURLObservation{
		FunctionName: ptr.To(
			"cart",
		),
		Qualifier:   ptr.To("$LATEST"),
		FunctionArn: ptr.To("arn"),
		FunctionURL: ptr.To("https://abc.lambda-url.eu-central-1.on.aws/"),
		URLID:       ptr.To("abc"),
		AuthType: ptr.To(
			"NONE",
		),
		InvokeMode:       ptr.To("BUFFERED"),
		CreationTime:     ptr.To("then"),
		LastModifiedTime: ptr.To("now"),
		Cors:             &v1beta1.Cors{AllowOrigins: []string{"*"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := observation(
		&answer{Cors: &types.Cors{}},
		functionname.Name{},
	); got.Cors != nil || got.URLID != nil ||
		got.AuthType != nil {
		t.Errorf("what AWS left out is not shown, got %+v", got)
	}
}

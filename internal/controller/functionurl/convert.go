package functionurl

import (
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// settings are the same type for desired and observed state.
type settings = v1beta1.FunctionURLSettings

// fromAWS returns the AWS value in comparable form.
func fromAWS(u *answer) settings {
	return normal(settings{
		AuthType: lambdaapi.Text(u.AuthType), Cors: corsOf(u.Cors), InvokeMode: lambdaapi.Text(u.InvokeMode),
	})
}

// corsOf returns nil for a block of defaults, as AWS may return it for settings that were cleared.
func corsOf(c *types.Cors) *v1beta1.Cors {
	if c == nil || len(c.AllowHeaders)+len(c.AllowMethods)+len(c.AllowOrigins)+len(c.ExposeHeaders) == 0 &&
		!ptr.Deref(c.AllowCredentials, false) && ptr.Deref(c.MaxAge, 0) == 0 {
		return nil
	}
	return &v1beta1.Cors{
		AllowCredentials: c.AllowCredentials, AllowHeaders: c.AllowHeaders, AllowMethods: c.AllowMethods,
		AllowOrigins: c.AllowOrigins, ExposeHeaders: c.ExposeHeaders, MaxAge: c.MaxAge,
	}
}

// corsInput returns the cors block of a request. It is never nil, because AWS keeps what
// is not sent. An empty one clears the settings.
func corsInput(c *v1beta1.Cors) *types.Cors {
	if c == nil {
		return &types.Cors{}
	}
	return &types.Cors{
		AllowCredentials: c.AllowCredentials, AllowHeaders: c.AllowHeaders, AllowMethods: c.AllowMethods,
		AllowOrigins: c.AllowOrigins, ExposeHeaders: c.ExposeHeaders, MaxAge: c.MaxAge,
	}
}

func createInput(s settings, n functionname.Name) *lambda.CreateFunctionUrlConfigInput {
	in := &lambda.CreateFunctionUrlConfigInput{
		FunctionName: &n.Function, Qualifier: lambdaapi.Text(n.Qualifier),
		AuthType:   types.FunctionUrlAuthType(ptr.Deref(s.AuthType, "")),
		InvokeMode: types.InvokeMode(ptr.Deref(s.InvokeMode, "")),
	}
	if s.Cors != nil {
		in.Cors = corsInput(normal(s).Cors)
	}
	return in
}

// updateInput returns the request with only what changes: AWS keeps what is not sent.
func updateInput(t settings, changes diff.Changes, n functionname.Name) *lambda.UpdateFunctionUrlConfigInput {
	in := &lambda.UpdateFunctionUrlConfigInput{FunctionName: &n.Function, Qualifier: lambdaapi.Text(n.Qualifier)}
	if changes.Any("authType") {
		in.AuthType = types.FunctionUrlAuthType(ptr.Deref(t.AuthType, ""))
	}
	if changes.Any("cors") {
		in.Cors = corsInput(t.Cors)
	}
	if changes.Any("invokeMode") {
		in.InvokeMode = types.InvokeMode(ptr.Deref(t.InvokeMode, ""))
	}
	return in
}

// observation returns what status shows of a URL.
func observation(u *answer, n functionname.Name) v1beta1.FunctionURLObservation {
	return v1beta1.FunctionURLObservation{
		FunctionName: &n.Function, Qualifier: functionconfig.StatusQualifier(n), FunctionArn: u.FunctionArn,
		FunctionURL: u.FunctionUrl, URLID: urlID(u.FunctionUrl),
		AuthType: lambdaapi.Text(u.AuthType), Cors: corsOf(u.Cors), InvokeMode: lambdaapi.Text(u.InvokeMode),
		CreationTime: u.CreationTime, LastModifiedTime: u.LastModifiedTime,
	}
}

// created returns what status shows of a new URL.
func created(out *lambda.CreateFunctionUrlConfigOutput, n functionname.Name) v1beta1.FunctionURLObservation {
	return observation(&answer{
		FunctionArn: out.FunctionArn, FunctionUrl: out.FunctionUrl, AuthType: out.AuthType, Cors: out.Cors,
		InvokeMode: out.InvokeMode, CreationTime: out.CreationTime,
	}, n)
}

// urlID returns the id of a URL: the first part of its host.
func urlID(address *string) *string {
	u, err := url.Parse(ptr.Deref(address, ""))
	if err != nil || u.Host == "" {
		return nil
	}
	id, _, _ := strings.Cut(u.Host, ".")
	return &id
}

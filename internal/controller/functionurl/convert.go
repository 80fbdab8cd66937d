package functionurl

import (
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured"
)

// settings of a URL in one form for both what is wanted and what is there.
type settings struct {
	AuthType   *string `json:"authType"`
	Cors       *cors   `json:"cors"`
	InvokeMode *string `json:"invokeMode"`
}

// cors is replaced as a whole by AWS, so that nothing in it is left to AWS. AWS keeps
// the names of headers in lower case.
type cors struct {
	AllowCredentials bool     `json:"allowCredentials"`
	AllowHeaders     diff.Set `json:"allowHeaders"`
	AllowMethods     diff.Set `json:"allowMethods"`
	AllowOrigins     diff.Set `json:"allowOrigins"`
	ExposeHeaders    diff.Set `json:"exposeHeaders"`
	MaxAge           int32    `json:"maxAge"`
}

// fromSpec is what is wanted.
func fromSpec(s v1beta1.FunctionURLSettings) settings {
	out := settings{AuthType: s.AuthType, InvokeMode: s.InvokeMode}
	if c := s.Cors; c != nil {
		out.Cors = &cors{
			AllowCredentials: ptr.Deref(c.AllowCredentials, false), MaxAge: ptr.Deref(c.MaxAge, 0),
			AllowHeaders: set(lower(c.AllowHeaders)), ExposeHeaders: set(lower(c.ExposeHeaders)),
			AllowMethods: set(c.AllowMethods), AllowOrigins: set(c.AllowOrigins),
		}
	}
	return out
}

// fromAWS is what is there. A block without any setting is none.
func fromAWS(u types.FunctionUrlConfig) settings {
	return fromSpec(v1beta1.FunctionURLSettings{AuthType: text(u.AuthType), Cors: corsOf(u.Cors), InvokeMode: text(u.InvokeMode)})
}

func corsOf(c *types.Cors) *v1beta1.Cors {
	if c == nil || len(c.AllowHeaders)+len(c.AllowMethods)+len(c.AllowOrigins)+len(c.ExposeHeaders) == 0 && c.AllowCredentials == nil && c.MaxAge == nil {
		return nil
	}
	return &v1beta1.Cors{
		AllowCredentials: c.AllowCredentials, AllowHeaders: c.AllowHeaders, AllowMethods: c.AllowMethods,
		AllowOrigins: c.AllowOrigins, ExposeHeaders: c.ExposeHeaders, MaxAge: c.MaxAge,
	}
}

// toAWS is never nil, since AWS takes what is not sent for what is to be kept. An
// empty one clears the settings.
func (c *cors) toAWS() *types.Cors {
	if c == nil {
		return &types.Cors{}
	}
	return &types.Cors{
		AllowCredentials: &c.AllowCredentials, AllowHeaders: c.AllowHeaders, AllowMethods: c.AllowMethods,
		AllowOrigins: c.AllowOrigins, ExposeHeaders: c.ExposeHeaders, MaxAge: &c.MaxAge,
	}
}

func createInput(s settings, n functionname.Name) *lambda.CreateFunctionUrlConfigInput {
	in := &lambda.CreateFunctionUrlConfigInput{
		FunctionName: &n.Function, Qualifier: qualifier(n),
		AuthType:   types.FunctionUrlAuthType(ptr.Deref(s.AuthType, "")),
		InvokeMode: types.InvokeMode(ptr.Deref(s.InvokeMode, "")),
	}
	if s.Cors != nil {
		in.Cors = s.Cors.toAWS()
	}
	return in
}

// updateInput has what changes, and nothing else: AWS keeps what is not sent.
func updateInput(t settings, changes diff.Changes, n functionname.Name) *lambda.UpdateFunctionUrlConfigInput {
	in := &lambda.UpdateFunctionUrlConfigInput{FunctionName: &n.Function, Qualifier: qualifier(n)}
	if changes.Any("authType") {
		in.AuthType = types.FunctionUrlAuthType(ptr.Deref(t.AuthType, ""))
	}
	if changes.Any("cors") {
		in.Cors = t.Cors.toAWS()
	}
	if changes.Any("invokeMode") {
		in.InvokeMode = types.InvokeMode(ptr.Deref(t.InvokeMode, ""))
	}
	return in
}

// status of a URL.
func status(u types.FunctionUrlConfig, n functionname.Name) v1beta1.FunctionURLObservation {
	return v1beta1.FunctionURLObservation{
		FunctionName: &n.Function, Qualifier: configured.IsListed(n), FunctionArn: u.FunctionArn, FunctionURL: u.FunctionUrl, URLID: urlID(u.FunctionUrl),
		AuthType: text(u.AuthType), Cors: corsOf(u.Cors), InvokeMode: text(u.InvokeMode),
		CreationTime: u.CreationTime, LastModifiedTime: u.LastModifiedTime,
	}
}

// created is the status of a new URL.
func created(out *lambda.CreateFunctionUrlConfigOutput, n functionname.Name) v1beta1.FunctionURLObservation {
	return status(types.FunctionUrlConfig{
		FunctionArn: out.FunctionArn, FunctionUrl: out.FunctionUrl, AuthType: out.AuthType, Cors: out.Cors,
		InvokeMode: out.InvokeMode, CreationTime: out.CreationTime,
	}, n)
}

// urlID is what AWS calls a URL by: the first part of its host.
func urlID(address *string) *string {
	u, err := url.Parse(ptr.Deref(address, ""))
	if err != nil || u.Host == "" {
		return nil
	}
	id, _, _ := strings.Cut(u.Host, ".")
	return &id
}

// qualifier as calls take it: none for the function itself.
func qualifier(n functionname.Name) *string {
	if n.Qualifier == "" {
		return nil
	}
	return &n.Qualifier
}

// set is a list whose order and repetitions say nothing.
func set(list []string) diff.Set {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

func lower(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.ToLower(n))
	}
	return out
}

// text of an enum, nil if AWS left it out.
func text[T ~string](v T) *string {
	if v == "" {
		return nil
	}
	return ptr.To(string(v))
}

package functionurl

import (
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// answer is the AWS value.
type answer = lambda.GetFunctionUrlConfigOutput

// settings are the same type for desired and observed state.
type settings = v1beta1.FunctionURLSettings

// The conversions that names do not describe.
var (
	settingsToCreate = samefields.MustNew[settings, lambda.CreateFunctionUrlConfigInput]()

	// AWS keeps what is not sent. An empty block clears its settings.
	settingsToUpdate = samefields.MustNew[settings, lambda.UpdateFunctionUrlConfigInput](samefields.Clears("cors"))

	answerToSettings = samefields.MustNew[answer, settings](samefields.With(corsOf))

	answerToStatus = samefields.MustNew[answer, v1beta1.FunctionURLObservation](samefields.With(corsOf))

	createdToAnswer = samefields.MustNew[lambda.CreateFunctionUrlConfigOutput, answer]()
)

// fromAWS returns the AWS value in comparable form.
func fromAWS(u *answer) settings {
	s := settings{}
	answerToSettings.Copy(&s, u)
	return normal(s)
}

// corsOf returns nil for a block of defaults, as AWS may return it for settings that were cleared.
func corsOf(c *types.Cors) *v1beta1.Cors {
	if len(c.AllowHeaders)+len(c.AllowMethods)+len(c.AllowOrigins)+len(c.ExposeHeaders) == 0 &&
		!ptr.Deref(c.AllowCredentials, false) && ptr.Deref(c.MaxAge, 0) == 0 {
		return nil
	}
	return &v1beta1.Cors{
		AllowCredentials: c.AllowCredentials, AllowHeaders: c.AllowHeaders, AllowMethods: c.AllowMethods,
		AllowOrigins: c.AllowOrigins, ExposeHeaders: c.ExposeHeaders, MaxAge: c.MaxAge,
	}
}

func createInput(s settings, n functionname.Name) *lambda.CreateFunctionUrlConfigInput {
	in := &lambda.CreateFunctionUrlConfigInput{FunctionName: &n.Function, Qualifier: lambdaapi.Text(n.Qualifier)}
	s = normal(s)
	settingsToCreate.Copy(in, &s)
	return in
}

// updateInput returns the request with only what changes.
func updateInput(t settings, changes diff.Changes, n functionname.Name) *lambda.UpdateFunctionUrlConfigInput {
	in := &lambda.UpdateFunctionUrlConfigInput{FunctionName: &n.Function, Qualifier: lambdaapi.Text(n.Qualifier)}
	settingsToUpdate.CopyIf(in, &t, func(path string) bool { return changes.Any(path) })
	return in
}

// observation returns what status shows of a URL.
func observation(u *answer, n functionname.Name) v1beta1.FunctionURLObservation {
	out := v1beta1.FunctionURLObservation{
		FunctionName: &n.Function, Qualifier: functionconfig.StatusQualifier(n), URLID: urlID(u.FunctionUrl),
	}
	answerToStatus.Copy(&out, u)
	return out
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

// normal returns settings in canonical form: in cors, what is not set is off, and the
// order of lists is insignificant. AWS stores the names of headers in lower case.
func normal(s settings) settings {
	c := s.Cors
	if c == nil {
		return s
	}
	s.Cors = &v1beta1.Cors{
		AllowCredentials: ptr.To(ptr.Deref(c.AllowCredentials, false)), MaxAge: ptr.To(ptr.Deref(c.MaxAge, 0)),
		AllowHeaders: set(lower(c.AllowHeaders)), ExposeHeaders: set(lower(c.ExposeHeaders)),
		AllowMethods: set(c.AllowMethods), AllowOrigins: set(c.AllowOrigins),
	}
	return s
}

// set returns a list sorted, with each value once.
func set(list []string) []string {
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

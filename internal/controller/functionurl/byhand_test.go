package functionurl

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestEveryFieldByHand checks what happens to each field that somebody else changes or that is removed from spec.
func TestEveryFieldByHand(t *testing.T) {
	cors := func(with, without string) testenv.FieldCase {
		const origins = `{"cors":{"allowOrigins":["https://a.example"]`
		return testenv.FieldCase{
			With:   origins + `}}`,
			Spec:   `{"cors":{` + with + `}}`,
			ByHand: origins + `,` + without + `}}`,
			By:     []string{opUpdate},
		}
	}
	testenv.FieldTest[*v1beta1.FunctionURL, v1beta1.FunctionURLSettings]{
		New: newCase,
		Spec: func(u *v1beta1.FunctionURL) *v1beta1.FunctionURLSettings {
			return &u.Spec.ForProvider.FunctionURLSettings
		},
		ByHand: func(e *testenv.Env[*v1beta1.FunctionURL], c testenv.FieldCase) {
			e.Must(testenv.Calling(e.Lambda.UpdateFunctionUrlConfig, `{"FunctionName":"cart"}`)(e.Context(), c.ByHand))
		},
		Cases: map[string]testenv.FieldCase{
			"authType": {
				With:   `{"authType":"AWS_IAM"}`,
				ByHand: `{"authType":"NONE"}`,
				By:     []string{opUpdate},
			},
			"invokeMode": {
				Spec:   `{"invokeMode":"RESPONSE_STREAM"}`,
				ByHand: `{"invokeMode":"BUFFERED"}`,
				By:     []string{opUpdate},
				Left:   true,
			},
			"cors.allowCredentials": cors(`"allowCredentials":false`, `"allowCredentials":true`),
			"cors.allowHeaders":     cors(`"allowHeaders":["A"]`, `"allowHeaders":["B"]`),
			"cors.allowMethods":     cors(`"allowMethods":["GET"]`, `"allowMethods":["PUT"]`),
			"cors.allowOrigins": {
				Spec:   `{"cors":{"allowOrigins":["https://b.example"]}}`,
				ByHand: `{"cors":{"allowOrigins":["*"]}}`,
				By:     []string{opUpdate},
			},
			"cors.exposeHeaders": cors(`"exposeHeaders":["A"]`, `"exposeHeaders":["B"]`),
			"cors.maxAge":        cors(`"maxAge":1`, `"maxAge":2`),
		},
	}.Run(t)
}

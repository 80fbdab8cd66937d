package codesigningconfig

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestEveryFieldByHand checks what happens to each field that somebody else changes or that is removed from spec.
func TestEveryFieldByHand(t *testing.T) {
	const arn = "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-00000000000000001"
	publishers := func(n int) string {
		return `{"allowedPublishers":{"signingProfileVersionArns":["` + profile(n) + `"]}}`
	}
	testenv.FieldTest[*v1beta1.CodeSigningConfig, v1beta1.CodeSigningConfigSettings]{
		New: newCase,
		Spec: func(c *v1beta1.CodeSigningConfig) *v1beta1.CodeSigningConfigSettings {
			return &c.Spec.ForProvider.CodeSigningConfigSettings
		},
		ByHand: func(e *testenv.Env[*v1beta1.CodeSigningConfig], c testenv.FieldCase) {
			call := testenv.Calling(e.Lambda.UpdateCodeSigningConfig, `{"CodeSigningConfigArn":"`+arn+`"}`)
			if c.By[0] == tagging.OpTag {
				call = testenv.Calling(e.Lambda.TagResource, `{"Resource":"`+arn+`"}`)
			}
			e.Must(call(e.Context(), c.ByHand))
		},
		Cases: map[string]testenv.FieldCase{
			"allowedPublishers.signingProfileVersionArns": {
				With:   `{"allowedPublishers":null}`,
				Spec:   publishers(1),
				ByHand: publishers(2),
				By:     []string{opUpdate},
				Left:   true,
			},
			"codeSigningPolicies.untrustedArtifactOnDeployment": {
				Spec:   `{"codeSigningPolicies":{"untrustedArtifactOnDeployment":"Warn"}}`,
				ByHand: `{"codeSigningPolicies":{"untrustedArtifactOnDeployment":"Enforce"}}`, By: []string{opUpdate},
			},
			"description": {
				Spec:   `{"description":"a"}`,
				ByHand: `{"description":"b"}`,
				By:     []string{opUpdate},
				Left:   true,
			},
			"tags": {
				Spec:   `{"tags":{"a":"1"}}`,
				ByHand: `{"tags":{"a":"2"}}`,
				By:     []string{tagging.OpTag, tagging.OpUntag},
			},
		},
	}.Run(t)
}

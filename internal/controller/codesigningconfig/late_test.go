package codesigningconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// described are the configurations that AWS has, by policy, description and tags.
func (e *env) described() []string {
	e.Helper()
	var out []string
	for _, c := range e.all() {
		tags, err := e.Lambda.ListTags(e.Context(), &lambda.ListTagsInput{Resource: c.CodeSigningConfigArn})
		e.Must(err)
		out = append(out, string(c.CodeSigningPolicies.UntrustedArtifactOnDeployment)+" "+ptr.Deref(c.Description, "")+" "+tags.Tags["team"]+" "+tags.Tags["crossplane-uid"])
	}
	return out
}

// A creation whose answer is lost is looked for until AWS shows it and its tags.
func TestLateAndLost(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.CodeSigningConfig] {
		t.Helper()
		e := newEnv(t)
		c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) { p.Tags = map[string]string{"team": "a"} })
		return steptest.Life[*v1beta1.CodeSigningConfig]{
			Env: e.Env, Resource: c, Create: opCreate, Delete: opDelete, Lost: true,
			Edit:    func() { edit(c, func(p *v1beta1.CodeSigningConfigParameters) { p.Description = ptr.To("second") }) },
			There:   e.described,
			Created: []string{"Warn  a uid-1"}, Edited: []string{"Warn second a uid-1"},
		}
	})
}

// However late AWS shows it and its tags, there is one configuration, and none after the
// deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.CodeSigningConfig] {
		t.Helper()
		e := newEnv(t)
		c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) { p.Tags = map[string]string{"team": "a"} })
		c.Spec.InitProvider = &v1beta1.CodeSigningConfigSettings{Description: ptr.To("first")}
		return steptest.Life[*v1beta1.CodeSigningConfig]{
			Env: e.Env, Resource: c, Create: opCreate, Delete: opDelete,
			Edit: func() {
				edit(c, func(p *v1beta1.CodeSigningConfigParameters) {
					p.Tags = map[string]string{"team": "b"}
					p.CodeSigningPolicies = &v1beta1.CodeSigningPolicies{UntrustedArtifactOnDeployment: ptr.To("Enforce")}
				})
			},
			There:   e.described,
			Created: []string{"Warn first a uid-1"}, Edited: []string{"Enforce first b uid-1"},
		}
	})
}

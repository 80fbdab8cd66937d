package codesigningconfig

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that one configuration is left, that of spec, and none after the deletion, while those of
// others stay.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.CodeSigningConfig] {
		t.Helper()
		e, c := newEnv(t), testConfig()
		p := &c.Spec.ForProvider
		h := &testenv.History[*v1beta1.CodeSigningConfig]{
			Env: e.Env, Draw: draw, Resource: c,
			Calls: []string{opGet, opCreate, opUpdate, opDelete, opList, opTags, tagging.OpTag, tagging.OpUntag},
		}
		foreign := "Warn theirs  "
		_, err := e.Lambda.CreateCodeSigningConfig(e.Context(), &lambda.CreateCodeSigningConfigInput{
			AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
			Description:       ptr.To("theirs"),
		})
		e.Must(err)
		own := func() []types.CodeSigningConfig { return e.all()[1:] }
		h.Changes = []func() string{
			func() string {
				p.Description = ptr.To(fmt.Sprint(draw.IntN(3)))
				return "description " + *p.Description
			},
			func() string {
				policy := testenv.Some(draw, "Warn", "Enforce")
				p.CodeSigningPolicies = &v1beta1.CodeSigningPolicies{UntrustedArtifactOnDeployment: policy}
				if policy == nil {
					p.CodeSigningPolicies = nil
				}
				return "policy " + ptr.Deref(policy, "none")
			},
			func() string {
				p.Tags = map[string]string{"team": fmt.Sprint(draw.IntN(3))}
				if draw.IntN(3) == 0 {
					p.Tags = nil
				}
				return fmt.Sprint("tags ", p.Tags)
			},
			func() string {
				arns := []string{profile(draw.IntN(2)), profile(2)}
				p.AllowedPublishers = &v1beta1.AllowedPublishers{SigningProfileVersionArns: arns}
				return fmt.Sprint("publishers ", arns)
			},
			h.ByHand(func() string {
				_, err := e.Lambda.DeleteCodeSigningConfig(e.Context(),
					&lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(meta.GetExternalName(c))})
				return fmt.Sprint("someone deletes it: ", err)
			}),
		}
		h.End = func() {
			policy := ptr.Deref(p.CodeSigningPolicies, v1beta1.CodeSigningPolicies{}).UntrustedArtifactOnDeployment
			description := ptr.Deref(p.Description, ptr.Deref(own()[0].Description, ""))
			want := fmt.Sprintf("%s %s %s uid-1", ptr.Deref(policy, "Warn"), description, p.Tags["team"])
			if diff := cmp.Diff([]string{foreign, want}, e.described()); diff != "" {
				t.Fatalf("configurations: -want, +got:\n%s", diff)
			}
			arns := own()[0].AllowedPublishers.SigningProfileVersionArns
			if diff := cmp.Diff(p.AllowedPublishers.SigningProfileVersionArns, arns); diff != "" {
				t.Errorf("publishers: -want, +got:\n%s", diff)
			}
		}
		h.Gone = func() {
			if diff := cmp.Diff([]string{foreign}, e.described()); diff != "" {
				t.Errorf("after the deletion: -want, +got:\n%s", diff)
			}
		}
		return h
	})
}

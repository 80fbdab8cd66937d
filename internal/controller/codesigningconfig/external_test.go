package codesigningconfig

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/tagmemory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// fakeLambda fails the test by a nil function where a call is not expected.
type fakeLambda struct {
	lambdaAPI

	get    func(*lambda.GetCodeSigningConfigInput) (*lambda.GetCodeSigningConfigOutput, error)
	list   func(*lambda.ListCodeSigningConfigsInput) (*lambda.ListCodeSigningConfigsOutput, error)
	tags   func(*lambda.ListTagsInput) (*lambda.ListTagsOutput, error)
	create func(*lambda.CreateCodeSigningConfigInput) (*lambda.CreateCodeSigningConfigOutput, error)
}

func (f *fakeLambda) GetCodeSigningConfig(_ context.Context, in *lambda.GetCodeSigningConfigInput, _ ...func(*lambda.Options)) (*lambda.GetCodeSigningConfigOutput, error) {
	return f.get(in)
}

func (f *fakeLambda) ListCodeSigningConfigs(_ context.Context, in *lambda.ListCodeSigningConfigsInput, _ ...func(*lambda.Options)) (*lambda.ListCodeSigningConfigsOutput, error) {
	return f.list(in)
}

func (f *fakeLambda) ListTags(_ context.Context, in *lambda.ListTagsInput, _ ...func(*lambda.Options)) (*lambda.ListTagsOutput, error) {
	return f.tags(in)
}

func (f *fakeLambda) CreateCodeSigningConfig(_ context.Context, in *lambda.CreateCodeSigningConfigInput, _ ...func(*lambda.Options)) (*lambda.CreateCodeSigningConfigOutput, error) {
	return f.create(in)
}

const testArn = "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0"

func TestObserveErrors(t *testing.T) {
	boom := errors.New("boom")
	there := func(*lambda.GetCodeSigningConfigInput) (*lambda.GetCodeSigningConfigOutput, error) {
		return &lambda.GetCodeSigningConfigOutput{CodeSigningConfig: &types.CodeSigningConfig{CodeSigningConfigArn: ptr.To(testArn)}}, nil
	}
	cases := map[string]struct {
		reason  string
		api     *fakeLambda
		name    string
		pending bool
		want    string
	}{
		"Get": {
			reason: "What could not be read is named.", name: testArn, want: "cannot read code signing configuration " + testArn,
			api: &fakeLambda{get: func(*lambda.GetCodeSigningConfigInput) (*lambda.GetCodeSigningConfigOutput, error) { return nil, boom }},
		},
		"Tags": {
			reason: "Without its tags nobody can tell whose it is.", name: testArn, want: "cannot read the tags of " + testArn,
			api: &fakeLambda{get: there, tags: func(*lambda.ListTagsInput) (*lambda.ListTagsOutput, error) { return nil, boom }},
		},
		"List": {
			reason: "What may have been created must be found before anything is created.", pending: true, want: "cannot list code signing configurations",
			api: &fakeLambda{list: func(*lambda.ListCodeSigningConfigsInput) (*lambda.ListCodeSigningConfigsOutput, error) {
				return nil, boom
			}},
		},
		"TagsOfACandidate": {
			reason: "A candidate whose tags can't be read may be the one.", pending: true, want: "to check whether this resource created it",
			api: &fakeLambda{
				list: func(*lambda.ListCodeSigningConfigsInput) (*lambda.ListCodeSigningConfigsOutput, error) {
					return &lambda.ListCodeSigningConfigsOutput{CodeSigningConfigs: []types.CodeSigningConfig{{CodeSigningConfigArn: ptr.To(testArn)}}}, nil
				},
				tags: func(*lambda.ListTagsInput) (*lambda.ListTagsOutput, error) { return nil, boom },
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clock := steptest.NewClock()
			c := testConfig()
			if tc.name != "" {
				meta.SetExternalName(c, tc.name)
			}
			if tc.pending {
				meta.SetExternalCreatePending(c, clock.Now())
			}
			e := flow.New(&thing{api: tc.api, tags: tagmemory.NewTagCache(clock.Now), cache: &inventory.Cache{}, owner: tagging.Owner{Kind: kind, Ignore: func(string) bool { return false }}}, calls)
			if _, err := e.Observe(t.Context(), c); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nerror: want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestObserveOnlyNeedsNoRightToTags(t *testing.T) {
	api := &fakeLambda{get: func(*lambda.GetCodeSigningConfigInput) (*lambda.GetCodeSigningConfigOutput, error) {
		return &lambda.GetCodeSigningConfigOutput{CodeSigningConfig: &types.CodeSigningConfig{CodeSigningConfigArn: ptr.To(testArn), Description: ptr.To("d")}}, nil
	}, tags: func(*lambda.ListTagsInput) (*lambda.ListTagsOutput, error) {
		return nil, &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no"}
	}}
	c := testConfig()
	c.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	meta.SetExternalName(c, testArn)
	obs, err := flow.New(&thing{api: api, tags: tagmemory.NewTagCache(time.Now), cache: &inventory.Cache{}}, flow.Calls{}).Observe(t.Context(), c)
	if err != nil || !obs.ResourceExists || !obs.ResourceUpToDate {
		t.Errorf("whatever is there is shown: %+v, %v", obs, err)
	}
	if diff := cmp.Diff(ptr.To("d"), c.Status.AtProvider.Description); diff != "" {
		t.Errorf("status: -want, +got:\n%s", diff)
	}
}

package layerversion

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
)

// fakeLambda fails the test by a nil function where a call is not expected.
type fakeLambda struct {
	lambdaAPI

	get     func(*lambda.GetLayerVersionInput) (*lambda.GetLayerVersionOutput, error)
	list    func(*lambda.ListLayerVersionsInput) (*lambda.ListLayerVersionsOutput, error)
	publish func(*lambda.PublishLayerVersionInput) (*lambda.PublishLayerVersionOutput, error)
}

func (f *fakeLambda) GetLayerVersion(_ context.Context, in *lambda.GetLayerVersionInput, _ ...func(*lambda.Options)) (*lambda.GetLayerVersionOutput, error) {
	return f.get(in)
}

func (f *fakeLambda) ListLayerVersions(_ context.Context, in *lambda.ListLayerVersionsInput, _ ...func(*lambda.Options)) (*lambda.ListLayerVersionsOutput, error) {
	return f.list(in)
}

func (f *fakeLambda) PublishLayerVersion(_ context.Context, in *lambda.PublishLayerVersionInput, _ ...func(*lambda.Options)) (*lambda.PublishLayerVersionOutput, error) {
	return f.publish(in)
}

func observeOnly() xpv2.ManagementPolicies {
	return xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
}

func TestObserveErrors(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]struct {
		reason string
		api    *fakeLambda
		name   string
		intent bool
		want   string
	}{
		"Get": {
			reason: "What could not be read is named.", name: arn(3), want: "cannot read version 3 of layer l",
			api: &fakeLambda{get: func(*lambda.GetLayerVersionInput) (*lambda.GetLayerVersionOutput, error) { return nil, boom }},
		},
		"List": {
			reason: "What may have been published must be found before anything is.", intent: true, want: "cannot list the versions of layer l",
			api: &fakeLambda{list: func(*lambda.ListLayerVersionsInput) (*lambda.ListLayerVersionsOutput, error) { return nil, boom }},
		},
		"GetOfACandidate": {
			reason: "A candidate that can't be read may be the one.", intent: true, want: "cannot read version 7 of layer l",
			api: &fakeLambda{
				list: func(*lambda.ListLayerVersionsInput) (*lambda.ListLayerVersionsOutput, error) {
					return &lambda.ListLayerVersionsOutput{LayerVersions: []types.LayerVersionsListItem{{Version: 7}}}, nil
				},
				get: func(*lambda.GetLayerVersionInput) (*lambda.GetLayerVersionOutput, error) { return nil, boom },
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := testLayer()
			if tc.name != "" {
				meta.SetExternalName(l, tc.name)
			}
			if tc.intent {
				meta.AddAnnotations(l, intent{UID: "uid-1", Before: 5}.annotation())
			}
			e := flow.New(&thing{api: tc.api}, calls)
			if _, err := e.Observe(managed.WithAttempt(t.Context(), &managed.Attempt{}), l); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nerror: want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestObserveOnlyShowsWhateverIsThere(t *testing.T) {
	api := &fakeLambda{get: func(*lambda.GetLayerVersionInput) (*lambda.GetLayerVersionOutput, error) {
		return &lambda.GetLayerVersionOutput{Version: 3, LayerVersionArn: ptr.To(arn(3)), Description: ptr.To("theirs")}, nil
	}}
	l := testLayer()
	l.Spec.ManagementPolicies, l.Spec.ForProvider.Content = observeOnly(), nil
	l.Name = "another-name"
	meta.SetExternalName(l, arn(3))
	obs, err := flow.New(&thing{api: api}, flow.Calls{}).Observe(t.Context(), l)
	if err != nil || !obs.ResourceExists || !obs.ResourceUpToDate {
		t.Errorf("%+v, %v", obs, err)
	}
	if diff := cmp.Diff(ptr.To("theirs"), l.Status.AtProvider.Description); diff != "" {
		t.Errorf("status: -want, +got:\n%s", diff)
	}
}

// What is about to be published is noted before the call, or nothing is published.
func TestNothingIsPublishedWithoutANote(t *testing.T) {
	l := testLayer()
	noted := ""
	api := &fakeLambda{
		list: func(*lambda.ListLayerVersionsInput) (*lambda.ListLayerVersionsOutput, error) {
			return &lambda.ListLayerVersionsOutput{LayerVersions: []types.LayerVersionsListItem{{Version: 4}}}, nil
		},
		publish: func(*lambda.PublishLayerVersionInput) (*lambda.PublishLayerVersionOutput, error) {
			i, _ := intentOf(l)
			noted = i.UID
			if i.Before != 4 {
				t.Errorf("what was there before is noted, got %+v", i)
			}
			return &lambda.PublishLayerVersionOutput{LayerVersionArn: ptr.To(arn(5))}, nil
		},
	}
	th := &thing{api: api}
	if name, err := th.Create(t.Context(), l); err != nil || name != arn(5) || noted != "uid-1" {
		t.Errorf("Create() = %q, %v; noted by %q", name, err, noted)
	}
}

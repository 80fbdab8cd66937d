package layerversion

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

func observeOnly() xpv2.ManagementPolicies {
	return xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
}

func TestObserveErrors(t *testing.T) {
	candidate := steptest.Returns(&lambda.ListLayerVersionsOutput{LayerVersions: []types.LayerVersionsListItem{{Version: 7}}}, nil)
	get, list := steptest.Returns[lambda.GetLayerVersionOutput](nil, errors.New("boom")), steptest.Returns[lambda.ListLayerVersionsOutput](nil, errors.New("boom"))
	named := steptest.Imported[*v1beta1.LayerVersion](arn(3))
	published := func(l *v1beta1.LayerVersion) { meta.AddAnnotations(l, intent{UID: "uid-1", Before: 5}.annotation()) }
	cases := map[string]struct {
		reason string
		layer  func(*v1beta1.LayerVersion)
		script steptest.Script
		want   string
	}{
		"Get":             {reason: "What could not be read is named.", layer: named, script: steptest.Script{opGet: get}, want: "cannot read version 3 of layer l"},
		"List":            {reason: "What may have been published must be found before anything is.", layer: published, script: steptest.Script{opList: list}, want: "cannot list the versions of layer l"},
		"GetOfACandidate": {reason: "A candidate that can't be read may be the one.", layer: published, script: steptest.Script{opList: candidate, opGet: get}, want: "cannot read version 7 of layer l"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Script = tc.script
			if got := e.Observe(steptest.Build(testLayer(), tc.layer)); !strings.Contains(got.Err, tc.want) {
				t.Errorf("%s\nerror: want %q, got %v", tc.reason, tc.want, got.Err)
			}
		})
	}
}

func TestObserveOnlyShowsWhateverIsThere(t *testing.T) {
	e := newEnv(t)
	e.Script = steptest.Script{opGet: steptest.Returns(&lambda.GetLayerVersionOutput{Version: 3, LayerVersionArn: ptr.To(arn(3)), Description: ptr.To("theirs")}, nil)}
	l := steptest.Build(testLayer(), steptest.ObserveOnly, steptest.Imported[*v1beta1.LayerVersion](arn(3)))
	l.Name, l.Spec.ForProvider.Content = "another-name", nil
	if got := e.Observe(l); got.Err != "" || !got.Exists || !got.UpToDate || ptr.Deref(l.Status.AtProvider.Description, "") != "theirs" {
		t.Errorf("%+v, status %+v", got, l.Status.AtProvider)
	}
}

// What is about to be published is noted before the call, or nothing is published.
func TestNothingIsPublishedWithoutANote(t *testing.T) {
	l := testLayer()
	noted := ""
	th := &external{api: steptest.NewScripted(t, steptest.Script{
		opList: steptest.Returns(&lambda.ListLayerVersionsOutput{LayerVersions: []types.LayerVersionsListItem{{Version: 4}}}, nil),
		opPublish: steptest.Scripted(func(*lambda.PublishLayerVersionInput) (*lambda.PublishLayerVersionOutput, error) {
			i, _ := intentOf(l)
			noted = i.UID
			if i.Before != 4 {
				t.Errorf("what was there before is noted, got %+v", i)
			}
			return &lambda.PublishLayerVersionOutput{LayerVersionArn: ptr.To(arn(5))}, nil
		}),
	}).Lambda}
	if name, err := th.Create(t.Context(), l, settings{}); err != nil || name != arn(5) || noted != "uid-1" {
		t.Errorf("Create() = %q, %v; noted by %q", name, err, noted)
	}
}

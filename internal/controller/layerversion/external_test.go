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
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func observeOnly() xpv2.ManagementPolicies {
	return xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
}

func TestObserveErrors(t *testing.T) {
	candidate := testenv.Returns(
		&lambda.ListLayerVersionsOutput{LayerVersions: []types.LayerVersionsListItem{{Version: 7}}},
		nil,
	)
	get, list := testenv.Returns[lambda.GetLayerVersionOutput](
		nil,
		errors.New("boom"),
	), testenv.Returns[lambda.ListLayerVersionsOutput](
		nil,
		errors.New("boom"),
	)
	named := testenv.Imported[*v1beta1.LayerVersion](arn(3))
	published := func(l *v1beta1.LayerVersion) { meta.AddAnnotations(l, intent{UID: "uid-1", Before: 5}.annotation()) }
	cases := map[string]struct {
		reason string
		layer  func(*v1beta1.LayerVersion)
		script testenv.Script
		want   string
	}{
		"Get": {
			reason: "What could not be read is named.",
			layer:  named,
			script: testenv.Script{opGet: get},
			want:   "cannot read version 3 of layer l",
		},
		"List": {
			reason: "What may have been published must be found before anything is.",
			layer:  published,
			script: testenv.Script{opList: list},
			want:   "cannot list the versions of layer l",
		},
		"GetOfACandidate": {
			reason: "A candidate that can't be read may be the one.",
			layer:  published,
			script: testenv.Script{opList: candidate, opGet: get},
			want:   "cannot read version 7 of layer l",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Script = tc.script
			if got := e.Observe(testenv.Build(testLayer(), tc.layer)); !strings.Contains(got.Err, tc.want) {
				t.Errorf("%s\nerror: want %q, got %v", tc.reason, tc.want, got.Err)
			}
		})
	}
}

func TestObserveOnlyShowsWhateverIsThere(t *testing.T) {
	e := newEnv(t)
	e.Script = testenv.Script{
		opGet: testenv.Returns(
			&lambda.GetLayerVersionOutput{Version: 3, LayerVersionArn: ptr.To(arn(3)), Description: ptr.To("theirs")},
			nil,
		),
	}
	l := testenv.Build(testLayer(), testenv.ObserveOnly, testenv.Imported[*v1beta1.LayerVersion](arn(3)))
	l.Name, l.Spec.ForProvider.Content = "another-name", nil
	if got := e.Observe(
		l,
	); got.Err != "" || !got.Exists || !got.UpToDate ||
		ptr.Deref(l.Status.AtProvider.Description, "") != "theirs" {
		t.Errorf("%+v, status %+v", got, l.Status.AtProvider)
	}
}

// TestNothingIsPublishedWithoutARecordedIntent checks that the intent is recorded before the call,
// and that nothing is published otherwise.
func TestNothingIsPublishedWithoutARecordedIntent(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	recorded := ""
	e.Script = testenv.Script{
		opList: testenv.Returns(
			&lambda.ListLayerVersionsOutput{LayerVersions: []types.LayerVersionsListItem{{Version: 4}}}, nil,
		),
		opPublish: testenv.Scripted(func(*lambda.PublishLayerVersionInput) (*lambda.PublishLayerVersionOutput, error) {
			i, _ := intentOf(l)
			recorded = i.UID
			if i.Before != 4 {
				t.Errorf("what was there before is noted, got %+v", i)
			}
			return &lambda.PublishLayerVersionOutput{LayerVersionArn: ptr.To(arn(5))}, nil
		}),
	}
	o, err := e.Do(l)
	if name := meta.GetExternalName(l); o != testenv.Created || err != nil || name != arn(5) || recorded != "uid-1" {
		t.Errorf("%s, %v: published %q; noted by %q", o, err, name, recorded)
	}
}

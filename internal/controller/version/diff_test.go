package version

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
)

func TestExcess(t *testing.T) {
	cases := map[string]struct {
		reason string
		limit  *int32
		want   []string
	}{
		"NoLimit": {reason: "Without a limit all are kept."},
		"None":    {reason: "No earlier one is kept.", limit: ptr.To[int32](0), want: []string{"1", "3", "4"}},
		"Some":    {reason: "The newest are kept; the oldest goes first.", limit: ptr.To[int32](1), want: []string{"1", "3"}},
		"All":     {reason: "There are no more than that.", limit: ptr.To[int32](3)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := testVersion(func(v *v1beta1.Version) {
				v.Spec.ForProvider.HistoryLimit = tc.limit
				v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "4"}, {Version: "3"}, {Version: "1"}}
			})
			got := excess(v, "7")
			if len(got)+len(tc.want) > 0 {
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestUnused(t *testing.T) {
	aliases := []types.AliasConfiguration{
		{FunctionVersion: ptr.To("2")},
		{FunctionVersion: ptr.To("7"), RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"3": 0}}},
	}
	if diff := cmp.Diff([]string{"1", "4"}, unused([]string{"1", "2", "3", "4"}, aliases)); diff != "" {
		t.Errorf("versions of aliases and of their weights are in use: -want, +got:\n%s", diff)
	}
}

func TestIntent(t *testing.T) {
	v := testVersion()
	want := intent{before: 3, fingerprint: "abc"}
	v.SetAnnotations(want.annotation(v))
	if got, ok := intentOf(v); !ok || got != want {
		t.Errorf("got %v, %t, want %v", got, ok, want)
	}
	other := testVersion(func(o *v1beta1.Version) { o.UID = "uid-2" })
	other.SetAnnotations(v.GetAnnotations())
	if _, ok := intentOf(other); ok {
		t.Error("what another object noted, of which this one is a copy, is not its own")
	}
}

func TestPublished(t *testing.T) {
	content := func(memory int32) fingerprint.Content {
		return contentOf(&types.FunctionConfiguration{MemorySize: ptr.To(memory)})
	}
	versions := []listed{{1, content(1)}, {2, content(2)}, {3, content(1)}}
	cases := map[string]struct {
		reason string
		intent intent
		want   string
	}{
		"Found":  {reason: "A later version of the same content.", intent: intent{1, content(1).Fingerprint()}, want: "3"},
		"Before": {reason: "What was there before is not it.", intent: intent{3, content(1).Fingerprint()}},
		"Other":  {reason: "Nor is other content.", intent: intent{0, content(9).Fingerprint()}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.intent.published(versions); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

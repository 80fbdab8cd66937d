package alias

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

var ignoreUnexported = cmpopts.IgnoreUnexported(
	lambda.CreateAliasInput{},
	lambda.UpdateAliasInput{},
	types.AliasRoutingConfiguration{},
)

func TestIDOf(t *testing.T) {
	now := metav1.Now()
	deleted := func(a *v1beta1.Alias) { a.DeletionTimestamp = &now }
	parent := func(a *v1beta1.Alias) {
		meta.AddAnnotations(a, map[string]string{v1beta1.AnnotationParent: "g"})
	}
	external := func(name string) func(*v1beta1.Alias) {
		return func(a *v1beta1.Alias) { meta.SetExternalName(a, name) }
	}
	cases := map[string]struct {
		reason string
		alias  *v1beta1.Alias
		want   id
		err    string
	}{
		"Own": {
			reason: "Without an external name, it is the object's.",
			alias:  testAlias(),
			want:   id{"f", "live"},
		},
		"External": {
			reason: "An external name is what counts.",
			alias:  testAlias(external("prod")),
			want:   id{"f", "prod"},
		},
		"Digits": {
			reason: "Digits alone are a version.",
			alias:  testAlias(external("12")),
			err:    `"12" is not a valid alias name`,
		},
		"Latest": {
			reason: "$LATEST is no alias.",
			alias:  testAlias(external("$LATEST")),
			err:    `"$LATEST" is not a valid alias name`,
		},
		"Long": {
			reason: "Names are bounded.",
			alias:  testAlias(external(strings.Repeat("a", 129))),
			err:    "is not a valid alias name",
		},
		"Deleted": {
			reason: "What is deleted is the alias that was seen, whatever spec says now.",
			alias: testAlias(
				deleted,
				func(a *v1beta1.Alias) { a.Status.AtProvider.FunctionName = ptr.To("h") },
			),
			want: id{"h", "live"},
		},
		"DeletedUnseen": {
			reason: "What was created and never seen is known by its annotation.",
			alias: testAlias(
				deleted,
				parent,
				func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionName = nil },
			),
			want: id{"g", "live"},
		},
		"Moved": {
			reason: "An alias is not left behind.", alias: testAlias(named, parent),
			err: `changed from "g" to "f", which would leave "g" behind`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := idOf(tc.alias)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\nerror %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if got != tc.want || err != nil {
				t.Errorf("%s\ngot %v, %v, want %v", tc.reason, got, err, tc.want)
			}
		})
	}
}

func TestCreateInput(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1beta1.AliasSettings
		want   *lambda.CreateAliasInput
	}{
		"Least": {
			reason: "What is not set is not sent.",
			spec:   v1beta1.AliasSettings{FunctionVersion: ptr.To("1")},
			want: &lambda.CreateAliasInput{
				FunctionName:    ptr.To("f"),
				Name:            ptr.To("live"),
				FunctionVersion: ptr.To("1"),
			},
		},
		"All": {
			reason: "All is sent.",
			spec: v1beta1.AliasSettings{
				FunctionVersion: ptr.To("1"),
				Description:     ptr.To("d"),
				RoutingConfig:   weighted(t, "2", "0.250"),
			},
			want: &lambda.CreateAliasInput{
				FunctionName:    ptr.To("f"),
				Name:            ptr.To("live"),
				FunctionVersion: ptr.To("1"),
				Description:     ptr.To("d"),
				RoutingConfig: &types.AliasRoutingConfiguration{
					AdditionalVersionWeights: map[string]float64{"2": 0.25},
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(
				tc.want,
				createInput(id{"f", "live"}, fromSpec(tc.spec)),
				ignoreUnexported,
			); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObservation(t *testing.T) {
	got := observation(id{"f", "live"}, types.AliasConfiguration{
		AliasArn: ptr.To(
			testARN,
		),
		Name:            ptr.To("live"),
		FunctionVersion: ptr.To("2"),
		Description:     ptr.To(""),
		RevisionId:      ptr.To("r"),
		RoutingConfig:   &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"1": 1}},
	}, []v1beta1.PublishedCode{{Version: "1", Revision: "a"}, {Version: "3", Revision: "c"}, {Version: "2", Revision: "b"}})
	want := v1beta1.AliasObservation{
		Name: ptr.To(
			"live",
		),
		AliasArn:        ptr.To(testARN),
		FunctionName:    ptr.To("f"),
		FunctionVersion: ptr.To("2"),
		RevisionID:      ptr.To("r"),
		InvokeArn: ptr.To(
			"arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/" + testARN + "/invocations",
		),
		RoutingConfig: weighted(t, "1", "1"),
		Weights:       ptr.To("1=100%"),
		ServedCode:    []v1beta1.PublishedCode{{Version: "2", Revision: "b"}, {Version: "1", Revision: "a"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestPercentages(t *testing.T) {
	for want, weights := range map[string]map[string]float64{
		"2=10%":        {"2": 0.1},
		"2=7%":         {"2": 0.07},
		"2=0.5%":       {"2": 0.005},
		"2=33.3333%":   {"2": 1.0 / 3},
		"2=10%,3=0.1%": {"3": 0.001, "2": 0.1},
	} {
		if got := percentages(weights); got != want {
			t.Errorf("percentages(%v) = %q, want %q", weights, got, want)
		}
	}
}

func TestFollows(t *testing.T) {
	cases := map[string]struct {
		reason string
		alias  *v1beta1.Alias
		want   bool
	}{
		"Version": {reason: "A version is what it says.", alias: testAlias()},
		"Function": {
			reason: "A Function without a version is followed.", alias: testAlias(following), want: true,
		},
		"Both": {
			reason: "A version beside a Function stays.",
			alias:  testAlias(following, func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = ptr.To("3") }),
		},
		"Init": {
			reason: "A version at creation is moved by others afterwards.",
			alias: testAlias(following, func(a *v1beta1.Alias) {
				a.Spec.InitProvider = &v1beta1.AliasSettings{FunctionVersion: ptr.To("3")}
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := follows(tc.alias); got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}

func TestUpdateInput(t *testing.T) {
	have := types.AliasConfiguration{
		FunctionVersion: ptr.To("1"), Description: ptr.To("d"), RevisionId: ptr.To("r"),
		RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"2": 0.5}},
	}
	cases := map[string]struct {
		reason   string
		alias    *v1beta1.Alias
		followed string
		have     types.AliasConfiguration
		changes  string
		want     *lambda.UpdateAliasInput
	}{
		"Same": {
			reason: "What is the same is not sent, in whatever form; a description that is not set is left.",
			alias: testAlias(func(a *v1beta1.Alias) {
				a.Spec.ForProvider.RoutingConfig = weighted(t, "2", "0.50")
			}),
			have: have,
		},
		"Cleared": {
			reason:  "Weights that leave spec are cleared by an empty map.",
			alias:   testAlias(),
			have:    have,
			changes: "routingConfig: removed",
			want: &lambda.UpdateAliasInput{
				RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}},
			},
		},
		"Promoted": {
			reason:  "Another version takes over all calls in one step.",
			alias:   testAlias(func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = ptr.To("2") }),
			have:    have,
			changes: `functionVersion: "1" -> "2", routingConfig: removed`,
			want: &lambda.UpdateAliasInput{
				FunctionVersion: ptr.To(
					"2",
				),
				RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}},
			},
		},
		"Transient": {
			reason: "Weights of all calls are AWS's own, while provisioned concurrency moves.",
			alias:  testAlias(func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = ptr.To("2") }),
			have: types.AliasConfiguration{
				FunctionVersion: ptr.To(
					"2",
				),
				RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"1": 1}},
			},
		},
		"TransientDescription": {
			reason: "They are left alone while something else is changed.",
			alias: testAlias(func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionVersion, a.Spec.ForProvider.Description = ptr.To("2"), ptr.To("new")
			}),
			have: types.AliasConfiguration{
				FunctionVersion: ptr.To(
					"2",
				),
				RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"1": 1}},
			},
			changes: `description: "" -> "new"`,
			want:    &lambda.UpdateAliasInput{Description: ptr.To("new")},
		},
		"Followed": {
			reason:   "An alias that follows is moved to what was published.",
			alias:    testAlias(following),
			followed: "7",
			have:     types.AliasConfiguration{FunctionVersion: ptr.To("6")},
			changes:  `functionVersion: "6" -> "7"`,
			want: &lambda.UpdateAliasInput{
				FunctionVersion: ptr.To(
					"7",
				),
				RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}},
			},
		},
		"Left": {
			reason: "What initProvider names is moved by others after creation.",
			alias: testAlias(func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionVersion = nil
				a.Spec.InitProvider = &v1beta1.AliasSettings{
					FunctionVersion: ptr.To("1"),
					RoutingConfig:   weighted(t, "9", "0.1"),
				}
				a.Spec.ForProvider.Description = ptr.To("mine")
			}),
			have:    have,
			changes: `description: "d" -> "mine"`,
			want:    &lambda.UpdateAliasInput{Description: ptr.To("mine")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := reconcile.Merge(desired(tc.alias, lambdaapi.Text(tc.followed))).Compare(fromAWS(tc.have))
			if got := c.Changes.String(); got != tc.changes {
				t.Errorf("%s\nchanges %s, want %s", tc.reason, got, tc.changes)
			}
			if tc.want == nil {
				return
			}
			tc.want.FunctionName, tc.want.Name, tc.want.RevisionId = ptr.To("f"), ptr.To("live"), ptr.To("r")
			if diff := cmp.Diff(
				tc.want,
				updateInput(id{"f", "live"}, c.Target, c.Changes, ptr.To("r")),
				ignoreUnexported,
			); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

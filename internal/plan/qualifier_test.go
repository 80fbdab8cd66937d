package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// invoking returns an Invocation of a version or an alias of the function checkout.
func invoking(qualifier string) *v1beta1.Invocation {
	i := &v1beta1.Invocation{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "once"}}
	i.Spec.ForProvider = v1beta1.InvocationParameters{
		Regional: v1beta1.Regional{
			Region: testenv.Region,
		},
		FunctionName: ptr.To("checkout"),
		Qualifier:    &qualifier,
		Payload:      ptr.To("{}"),
	}
	SetDefaults(i)
	return i
}

// serving returns an Alias of the function checkout.
func serving(version string, change ...func(*v1beta1.Alias)) *v1beta1.Alias {
	a := &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "live"}}
	a.Spec.ForProvider.Region, a.Spec.ForProvider.FunctionName = testenv.Region, ptr.To("checkout")
	a.Spec.ForProvider.FunctionVersion = &version
	for _, c := range change {
		c(a)
	}
	SetDefaults(a)
	return a
}

// rolledOut is a change after which an Alias exists, and is changed step by step.
func rolledOut(a *v1beta1.Alias) {
	a.UID, a.Generation, a.Status.ReconciledGeneration = "a1", 1, 1
	meta.SetExternalName(a, "live")
	a.Status.AtProvider.FunctionVersion = ptr.To("3")
	a.Spec.Rollout = &v1beta1.AliasRollout{
		Strategy: v1beta1.RolloutStrategy{
			Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](20)}}},
		},
		PreTraffic: []v1beta1.RolloutSmokeTest{{Name: "smoke", Invoke: v1beta1.RolloutInvoke{}}},
	}
}

// measured is a change after which an Alias has a rollout that is judged by the answer of a host.
func measured(a *v1beta1.Alias) {
	if a.Spec.Rollout == nil {
		a.Spec.Rollout = &v1beta1.AliasRollout{
			Strategy: v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}},
		}
	}
	a.Spec.Rollout.Analysis = &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{
		Name: "orders", SuccessCondition: ptr.To("result.ok"),
		Provider: v1beta1.RolloutMetricProvider{Web: &v1beta1.WebMetric{URL: "https://health.example.org"}},
	}}}
}

// depending is a change after which an Alias has a rollout that begins once a URL and an object are healthy.
func depending(a *v1beta1.Alias) {
	a.Spec.Rollout.Dependencies = []v1beta1.RolloutDependency{
		{Name: "payments", HTTP: &v1beta1.RolloutHTTPDependency{URL: "https://health.example.org"}},
		{
			Name: "database",
			Condition: &v1beta1.RolloutConditionDependency{
				APIVersion: "example.org/v1",
				Kind:       "Database",
				Name:       "orders",
			},
		},
	}
}

// TestQualifiers checks plans of what reads a version or an alias of a function, which may be part of the plan or not.
func TestQualifiers(t *testing.T) {
	const rollout = "update: Invoke checkout:4; rollout from version 3 to version 4: what follows depends on the " +
		"results of its checks"
	here := function(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Region, f.Spec.ForProvider.Publish = testenv.Region, ptr.To(true)
	})
	cases := map[string]struct {
		reason   string
		plan     []Resource
		want     string
		unknowns []string
	}{
		"Planned": {
			reason: "The alias is created by the same plan.",
			plan:   []Resource{{Desired: here}, {Desired: serving("1")}, {Desired: invoking("live")}},
			want:   "create: Invoke checkout:live",
		},
		"Elsewhere": {
			reason: "Someone else has the function and its alias.",
			plan:   []Resource{{Desired: invoking("live")}},
			want:   "create: Invoke checkout:live", unknowns: []string{"function checkout:live is assumed to exist"},
		},
		"ARN": {
			reason: "The account of the config is not known, so it is taken for that of the function.",
			plan: []Resource{{Desired: serving("1", func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionName = ptr.To(
					"arn:aws:lambda:" + testenv.Region + ":123456789012:function:checkout",
				)
			})}},
			want: `create: CreateAlias checkout:live (functionVersion: added "1")`,
		},
		"OtherVersion": {
			reason: "The function is planned, and another version of it is invoked.",
			plan:   []Resource{{Desired: here}, {Desired: invoking("7")}},
			want:   "create: Invoke checkout:7", unknowns: []string{"function checkout:7 is assumed to exist"},
		},
		"Hosts": {
			reason: "The provider may allow the hosts that a rollout names.",
			plan:   []Resource{{Desired: serving("4", rolledOut, measured), Prior: serving("3", rolledOut, measured)}},
			want:   rollout,
			unknowns: []string{
				"function checkout:4 is assumed to exist",
				"function checkout:3 is assumed to exist",
			},
		},
		"Dependencies": {
			reason: "A plan knows neither whether dependencies are healthy nor whether the provider may ask.",
			plan: []Resource{
				{Desired: serving("4", rolledOut, depending), Prior: serving("3", rolledOut, depending)},
			},
			want:     rollout,
			unknowns: []string{"function checkout:4 is assumed to exist", "function checkout:3 is assumed to exist"},
		},
		"HostsOfNew": {
			reason: "So it may for an alias that is created.",
			plan:   []Resource{{Desired: here}, {Desired: serving("1", measured)}},
			want:   `create: CreateAlias checkout:live (functionVersion: added "1")`,
		},
		"Rollout": {
			reason: "Someone else has the function whose versions are rolled out.",
			plan:   []Resource{{Desired: serving("4", rolledOut), Prior: serving("3", rolledOut)}},
			want:   rollout,
			unknowns: []string{
				"function checkout:4 is assumed to exist",
				"function checkout:3 is assumed to exist",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plans := planner(t).All(t.Context(), tc.plan)
			got := plans[len(plans)-1]
			if diff := cmp.Diff(tc.want, got.Summary()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.unknowns, got.Unknowns); diff != "" {
				t.Errorf("%s\nunknowns: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLiveAlias checks that AWS is asked for the version of an alias that it does not have yet.
func TestLiveAlias(t *testing.T) {
	w := testenv.NewAWS(t, awsdouble.Options{})
	w.AddFunction("checkout")
	version := w.Publish("checkout")
	p := New(Options{
		Scheme: scheme(t), ClusterID: "c1", Now: w.Now,
		Resolver: resolving(w),
	})
	plans := p.All(t.Context(), []Resource{{Desired: serving(version)}, {Desired: invoking("live")}})
	if got, want := plans[1].Summary(), "create: Invoke checkout:live"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

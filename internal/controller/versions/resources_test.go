package versions

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	corev1 "k8s.io/api/core/v1"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// reader lists Aliases and Versions, or returns an error.
type reader struct {
	client.Reader

	items    []v1beta1.Alias
	versions []v1beta1.Version
	err      error
}

func (r reader) List(_ context.Context, l client.ObjectList, _ ...client.ListOption) error {
	switch list := l.(type) {
	case *v1beta1.AliasList:
		list.Items = r.items
	case *v1beta1.VersionList:
		list.Items = r.versions
	default:
		return errors.Errorf("%T is listed", l)
	}
	return r.err
}

// rollingOut returns an Alias of a function with a rollout of version 4.
func rollingOut(function string) v1beta1.Alias {
	a := v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "live"}}
	a.Spec.Rollout = &v1beta1.AliasRollout{RollbackWindow: &v1beta1.RolloutRollbackWindow{Revisions: 1}}
	a.Status.AtProvider.AliasArn = ptr.To(function + ":live")
	a.Status.Rollout = &v1beta1.AliasRolloutStatus{
		Stable: v1beta1.RolloutRevision{FunctionVersion: "3"}, Target: v1beta1.RolloutRevision{FunctionVersion: "4"},
		History: []v1beta1.RolloutRevision{{FunctionVersion: "2"}, {FunctionVersion: "1"}},
	}
	return a
}

// TestVersionsOfRolloutsAreKept checks that the version that a rollout returns to is kept, and those in
// its rollback window, although nothing in AWS uses them.
func TestVersionsOfRolloutsAreKept(t *testing.T) {
	chosen := rollingOut(arn)
	meta.AddAnnotations(&chosen, map[string]string{v1beta1.AnnotationRolloutRollbackTo: "1/x"})
	now := env(t).Now()
	replaced := func(ago time.Duration) reader {
		a := rollingOut(arn)
		a.Status.Rollout.Replaced = []v1beta1.RolloutReplacement{
			{FunctionVersion: "1", ReplacedAt: metav1.Time{Time: now.Add(-ago)}},
		}
		return reader{items: []v1beta1.Alias{a}}
	}
	returned := *chosen.DeepCopy()
	returned.Status.Rollout.HandledCommands = map[string]string{v1beta1.AnnotationRolloutRollbackTo: "1/x"}
	cases := map[string]struct {
		reason  string
		aliases client.Reader
		want    string
		fails   bool
	}{
		"None": {reason: "Nothing uses the oldest version.", want: "1", aliases: reader{}},
		"Window": {
			reason:  "The oldest version is not in the window, and may be deleted.",
			want:    "1",
			aliases: reader{items: []v1beta1.Alias{rollingOut(arn)}},
		},
		"Chosen": {
			reason:  "The user has chosen the oldest version, and rollback-to waits for it.",
			aliases: reader{items: []v1beta1.Alias{chosen}},
		},
		"Handled": {
			reason:  "A command that was carried out needs no version.",
			want:    "1",
			aliases: reader{items: []v1beta1.Alias{returned}},
		},
		"Replaced": {
			reason:  "Another version has replaced the oldest one: what the alias has invoked of it may still run.",
			aliases: replaced(14 * time.Minute),
		},
		"LongAgo": {reason: "It was replaced long ago.", want: "1", aliases: replaced(15 * time.Minute)},
		"Other": {
			reason:  "The rollout of another function needs none of its versions.",
			want:    "1",
			aliases: reader{items: []v1beta1.Alias{rollingOut(arn + "2")}},
		},
		"Absent": {
			reason:  "A kind that is not active has no rollouts.",
			want:    "1",
			aliases: reader{err: &kmeta.NoKindMatchError{}},
		},
		"Failed": {
			reason:  "If the rollouts are not known, nothing is deleted.",
			fails:   true,
			aliases: reader{err: errors.New("boom")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			p, h := Pruner{API: w.Lambda, Cache: w.Cache, Resources: tc.aliases}, history("4", "3", "2", "1")
			ctx := w.Context()
			got, _, err := p.at(w, h).Unused(ctx, Excess(h, ptr.To[int32](0), "4"))
			if got != tc.want || err != nil != tc.fails {
				t.Errorf("%s\ngot %q, %v, want %q", tc.reason, got, err, tc.want)
			}
		})
	}
	w := env(t)
	p := Pruner{API: w.Lambda, Cache: w.Cache, Resources: reader{items: []v1beta1.Alias{rollingOut(arn)}}}
	for version, want := range map[string]string{"1": "", "2": "Alias shop/live", "3": "Alias shop/live"} {
		ctx := w.Context()
		if got, err := p.at(w, nil).UsedBy(ctx, version); got != want || err != nil {
			t.Errorf("version %s is used by %q, %v, want %q", version, got, err, want)
		}
	}
}

// TestReplacedTargetsAreKept checks that the target of a rollout is kept for 15 minutes after another version has
// replaced it: what the alias has invoked of it may still run. It was never stable, and was not rejected.
func TestReplacedTargetsAreKept(t *testing.T) {
	a := &v1beta1.Alias{}
	a.Spec.Rollout = &v1beta1.AliasRollout{
		ProgressDeadlineSeconds: ptr.To[int32](60),
		Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{
			{SetWeight: ptr.To[int32](10)}, {Pause: &v1beta1.RolloutPause{}},
		}}},
	}
	now := env(t).Now()
	o := rollout.Observation{Route: rollout.Route{Version: "1"}, Target: "1", Versions: map[string]rollout.Version{
		"1": {Fingerprint: "f1"}, "2": {Fingerprint: "f2"}, "3": {Fingerprint: "f3"},
	}}
	until := func(what string, is func(s *v1beta1.AliasRolloutStatus) bool) {
		t.Helper()
		for range 100 {
			d := rollout.Next(a.Spec.Rollout, a.Status.Rollout, o, now)
			if d.Action == rollout.Update {
				o.Route = d.Route
				rollout.Updated(d.State)
			}
			a.Status.Rollout = d.State
			if is(d.State) {
				return
			}
			now = now.Add(min(max(d.After, time.Millisecond), time.Minute))
		}
		t.Fatalf("never %s: %+v", what, a.Status.Rollout)
	}
	begun := func(target string) {
		t.Helper()
		o.Target = target
		until("at 10 %", func(s *v1beta1.AliasRolloutStatus) bool {
			return s.Target.FunctionVersion == target && s.ObservedWeight == 10 && s.Step == v1beta1.RolloutPaused
		})
	}
	kept := func(reason string, want bool) {
		t.Helper()
		if got := slices.Contains(NeededBy(a, now), "2"); got != want {
			t.Errorf("%s\nneeded %t, want %t", reason, got, want)
		}
	}
	until("stable", func(s *v1beta1.AliasRolloutStatus) bool { return s.Phase == v1beta1.RolloutReady })
	begun("2")
	begun("3")
	kept("Version 3 has replaced version 2 a moment ago.", true)
	now = now.Add(16 * time.Minute)
	kept("No invocation of version 2 runs any more.", false)
	begun("2")
	now = now.Add(time.Hour) // Another rollout has begun long ago.
	begun("3")
	kept("The rollout that version 3 has replaced began long ago.", true)
}

// TestRolloutsAreTimedByAWS checks that a version that was replaced minutes ago is kept by a provider whose clock is
// ahead of AWS's, which the status of the rollout has.
func TestRolloutsAreTimedByAWS(t *testing.T) {
	w, h, clock := env(t), history("4", "3", "2", "1"), &session.Clock{}
	a := rollingOut(arn)
	a.Status.Rollout.Replaced = []v1beta1.RolloutReplacement{
		{FunctionVersion: "1", ReplacedAt: metav1.Time{Time: w.Now()}},
	}
	dated := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Date": {w.Now().Format(http.TimeFormat)}}}
	w.Advance(20 * time.Minute)
	_, _, err := clock.Middleware(w.Now).
		HandleDeserialize(w.Context(), middleware.DeserializeInput{}, middleware.DeserializeHandlerFunc(
			func(
				context.Context, middleware.DeserializeInput,
			) (middleware.DeserializeOutput, middleware.Metadata, error) {
				return middleware.DeserializeOutput{
					RawResponse: &smithyhttp.Response{Response: dated},
				}, middleware.Metadata{}, nil
			},
		))
	w.Must(err)
	p := Pruner{API: w.Lambda, Cache: w.Cache, Resources: reader{items: []v1beta1.Alias{a}}}.at(w, h)
	p.Facts.Others = &reconcile.Others{
		User: tenancy.User{Resource: &v1beta1.Function{}, Session: &session.Session{Clock: clock}},
	}
	if got, _, err := p.Unused(w.Context(), Excess(h, ptr.To[int32](0), "4")); got != "" || err != nil {
		t.Errorf("version %q is unused, %v", got, err)
	}
}

// TestTheOrderOfResourcesIsNoNews checks that there is one event about a version that several Aliases need, in
// whichever order a cache lists them.
func TestTheOrderOfResourcesIsNoNews(t *testing.T) {
	w := env(t)
	a, b := rollingOut(arn), rollingOut(arn)
	b.Name = "test"
	h, events := history("4", "3"), 0
	for _, items := range [][]v1beta1.Alias{{b, a}, {a, b}, {b, a}} {
		p := Pruner{API: w.Lambda, Cache: w.Cache, Resources: reader{items: items}}
		_, effects, err := p.at(w, h).Unused(w.Context(), Excess(h, ptr.To[int32](0), "4"))
		w.Must(err)
		events += len(effects.Events)
		w.Advance(time.Hour)
	}
	if events != 1 || h.RetainedVersions[0].UsedBy != "Alias shop/live" {
		t.Errorf("%d events, retained %+v", events, h.RetainedVersions)
	}
}

// TestVersionsOfSpecsAreKept checks that the versions that an Alias's spec names are kept before AWS shows that the
// alias uses them: the Alias may be paused, its rollout may not have begun, or the alias may be yet to be created.
func TestVersionsOfSpecsAreKept(t *testing.T) {
	named := func(function, region string, change func(*v1beta1.Alias)) v1beta1.Alias {
		a := v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "live"}}
		a.Spec.ForProvider = v1beta1.AliasParameters{
			ConfiguredFunction: v1beta1.ConfiguredFunction{
				Regional:     v1beta1.Regional{Region: region},
				FunctionName: &function,
			},
		}
		a.Spec.ForProvider.FunctionVersion = ptr.To("1")
		if change != nil {
			change(&a)
		}
		return a
	}
	existing := func(a *v1beta1.Alias) { a.Status.AtProvider.AliasArn = ptr.To(arn + ":live") }
	elsewhere := func(a *v1beta1.Alias) { a.Status.AtProvider.AliasArn = ptr.To(arn + "2:live") }
	byReference := func(a *v1beta1.Alias) {
		a.Spec.ForProvider.FunctionName, a.Spec.ForProvider.FunctionNameRef = nil, &xpv2.NamespacedReference{Name: "f"}
	}
	weight := func(a *v1beta1.Alias) {
		a.Spec.ForProvider.FunctionVersion = ptr.To("4")
		a.Spec.ForProvider.RoutingConfig = &v1beta1.AliasRoutingConfig{
			AdditionalVersionWeights: map[string]v1beta1.AliasWeight{"1": "0.1"},
		}
	}
	initially := func(a *v1beta1.Alias) {
		a.Spec.ForProvider.FunctionVersion = nil
		a.Spec.InitProvider = &v1beta1.AliasSettings{
			FunctionVersion: ptr.To(
				"1",
			),
			RoutingConfig: &v1beta1.AliasRoutingConfig{
				AdditionalVersionWeights: map[string]v1beta1.AliasWeight{"2": "0.1"},
			},
		}
	}
	cases := map[string]struct {
		reason string
		alias  v1beta1.Alias
		want   string
	}{
		"Initial": {
			reason: "The alias is to be created with the versions.",
			alias:  named("f", "eu-central-1", initially),
			want:   "3",
		},
		"Initially": {
			reason: "The alias was created with the versions, and has moved on.", want: "1",
			alias: named("f", "eu-central-1", func(a *v1beta1.Alias) { initially(a); existing(a) }),
		},
		"Moves": {
			reason: "The alias is to move to the version.",
			alias:  named("f", "eu-central-1", existing),
			want:   "2",
		},
		"Created": {
			reason: "The alias is to be created with the version.",
			alias:  named("f", "eu-central-1", nil),
			want:   "2",
		},
		"Reference": {
			reason: "The function is named by its resource.",
			alias:  named("", "eu-central-1", byReference),
			want:   "2",
		},
		"Weight": {
			reason: "The version is to receive a part of the invocations.",
			alias:  named("f", "eu-central-1", weight),
			want:   "2",
		},
		"Function": {
			reason: "The alias will be of another function.",
			alias:  named("g", "eu-central-1", nil),
			want:   "1",
		},
		"Region": {
			reason: "The alias will be of a function in another region.",
			alias:  named("f", "eu-west-1", nil),
			want:   "1",
		},
		"Elsewhere": {
			reason: "The alias is of another function.",
			alias:  named("f", "eu-central-1", elsewhere),
			want:   "1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			p, h := Pruner{
				API:       w.Lambda,
				Cache:     w.Cache,
				Resources: reader{items: []v1beta1.Alias{tc.alias}},
			}, history(
				"4",
				"3",
				"2",
				"1",
			)
			got, effects, err := p.at(w, h).Unused(w.Context(), Excess(h, ptr.To[int32](0), "4"))
			if got != tc.want || err != nil {
				t.Errorf("%s\ngot %q, %v, want %q; events %v", tc.reason, got, err, tc.want, effects.Events)
			}
		})
	}
}

// TestVersionsOfOthersAreKept checks that the versions of other resources of the kind Version are kept: such a Version
// would publish its version again, with another number.
func TestVersionsOfOthersAreKept(t *testing.T) {
	of := func(change func(*v1beta1.Version)) v1beta1.Version {
		v := v1beta1.Version{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "prices", UID: "uid-1"}}
		v.Spec.ForProvider = v1beta1.VersionParameters{
			ConfiguredFunction: v1beta1.ConfiguredFunction{
				Regional:     v1beta1.Regional{Region: "eu-central-1"},
				FunctionName: ptr.To("f"),
			},
		}
		change(&v)
		return v
	}
	imported := func(v *v1beta1.Version) { meta.SetExternalName(v, "1") }
	observed := func(arn string) func(*v1beta1.Version) {
		return func(v *v1beta1.Version) {
			v.Status.AtProvider.FunctionArn, v.Status.AtProvider.Version = ptr.To(arn+":1"), ptr.To("1")
		}
	}
	cases := map[string]struct {
		reason  string
		version v1beta1.Version
		of      types.UID
		want    string
	}{
		"Imported": {reason: "The version is to be imported.", version: of(imported), want: "2"},
		"Observed": {reason: "The Version is of the version.", version: of(observed(arn)), want: "2"},
		"Prepared": {
			reason: "Aliases invoke the version while AWS prepares a later one.",
			version: of(func(v *v1beta1.Version) {
				observed(arn)(v)
				v.Status.AtProvider.PreparedVersion, v.Status.AtProvider.Version = ptr.To("1"), ptr.To("4")
			}),
			want: "2",
		},
		"Reference": {
			reason: "The function is named by its resource.", want: "2",
			version: of(func(v *v1beta1.Version) {
				imported(v)
				v.Spec.ForProvider.FunctionName, v.Spec.ForProvider.FunctionNameRef = nil, &xpv2.NamespacedReference{
					Name: "f",
				}
			}),
		},
		"Elsewhere": {reason: "The version is of another function.", version: of(observed(arn + "2")), want: "1"},
		"Region": {
			reason: "The version is of a function in another region.", want: "1",
			version: of(func(v *v1beta1.Version) { imported(v); v.Spec.ForProvider.Region = "eu-west-1" }),
		},
		"Itself": {
			reason:  "An outdated cache shows an earlier version of the Version that prunes.",
			version: of(observed(arn)), of: "uid-1", want: "1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			p := Pruner{
				API:       w.Lambda,
				Cache:     w.Cache,
				Resources: reader{versions: []v1beta1.Version{tc.version}},
				Version:   tc.of,
			}
			h := history("4", "3", "2", "1")
			got, effects, err := p.at(w, h).Unused(w.Context(), Excess(h, ptr.To[int32](0), "4"))
			if got != tc.want || err != nil {
				t.Errorf("%s\ngot %q, %v, want %q; events %v", tc.reason, got, err, tc.want, effects.Events)
			}
		})
	}
}

// TestVersionsOfRefusedResources checks that an Alias and a Version of another namespace, which may not act on the
// function, keep its owner from deleting no version, whatever their specs say.
func TestVersionsOfRefusedResources(t *testing.T) {
	config := func(name string) *xpv2.ProviderConfigReference {
		return &xpv2.ProviderConfigReference{Kind: v1beta1.ClusterProviderConfigKind, Name: name}
	}
	cases := map[string]struct {
		reason string
		// allowed is the annotation of the Function, and namespace and config those of the others.
		allowed, namespace, config string
		trusting                   bool
		want                       string
	}{
		"Refused": {reason: "What is refused uses nothing.", namespace: "mall", config: "shared", want: "1"},
		"Own": {
			reason:    "Those of the Function's namespace count.",
			namespace: "shop",
			config:    "shared",
			want:      "3",
		},
		"Allowed": {
			reason:    "So do those that it allows.",
			allowed:   "mall",
			namespace: "mall",
			config:    "shared",
			want:      "3",
		},
		"Trusted": {
			reason:    "And those that the config allows.",
			namespace: "mall",
			config:    "shared",
			trusting:  true,
			want:      "3",
		},
		"Elsewhere": {
			reason:    "A config that the Function does not use allows nothing.",
			namespace: "mall",
			config:    "other",
			trusting:  true,
			want:      "1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			owner := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "f", UID: "uid-0"}}
			owner.Spec.ProviderConfigReference = config("shared")
			owner.Status.AtProvider.FunctionArn = ptr.To(arn)
			metav1.SetMetaDataAnnotation(&owner.ObjectMeta, v1beta1.AnnotationAllowedNamespaces, tc.allowed)
			a := v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: tc.namespace, Name: "a", UID: "uid-1"}}
			a.Spec.ForProvider = v1beta1.AliasParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: "eu-central-1"},
					FunctionName: ptr.To("f"),
				},
				AliasSettings: v1beta1.AliasSettings{FunctionVersion: ptr.To("1")},
			}
			v := v1beta1.Version{ObjectMeta: metav1.ObjectMeta{Namespace: tc.namespace, Name: "v", UID: "uid-2"}}
			v.Spec.ForProvider = v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: "eu-central-1"},
					FunctionName: ptr.To("f"),
				},
			}
			meta.SetExternalName(&v, "2")
			a.Spec.ProviderConfigReference, v.Spec.ProviderConfigReference = config(tc.config), config(tc.config)

			s := runtime.NewScheme()
			w.Must(corev1.AddToScheme(s))
			w.Must(v1beta1.AddToScheme(s))
			c := fake.NewClientBuilder().WithScheme(s).WithObjects(owner).
				WithIndex(&v1beta1.Function{}, tenancy.Index, tenancy.IndexedBy).Build()
			of := &session.Session{
				AWS:     aws.Config{Region: "eu-central-1"},
				Tenancy: session.Tenancy{Trusting: tc.trusting},
			}
			of.Identity.Account, of.Scope.Account = "123456789012", "123456789012"
			h := history("4", "3", "2", "1")
			p := Pruner{
				API:       w.Lambda,
				Cache:     w.Cache,
				Resources: reader{items: []v1beta1.Alias{a}, versions: []v1beta1.Version{v}},
			}.at(
				w,
				h,
			)
			p.Facts.Others = &reconcile.Others{
				Registry: tenancy.New(c, c, w.Now), User: tenancy.User{Resource: owner, Session: of},
			}
			got, effects, err := p.Unused(w.Context(), Excess(h, ptr.To[int32](0), "4"))
			if got != tc.want || err != nil {
				t.Errorf("%s\ngot %q, %v, want %q; events %v", tc.reason, got, err, tc.want, effects.Events)
			}
		})
	}
}

// TestAliasesThatAreNotSeen checks that a provider that is limited to namespaces deletes no version of a function with
// an alias that none of its Aliases manages: the rollout of an Alias elsewhere may return to any.
func TestAliasesThatAreNotSeen(t *testing.T) {
	managed, observed := rollingOut(arn), rollingOut(arn)
	managed.Status.Rollout, observed.Status.Rollout = nil, nil
	observed.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	cases := map[string]struct {
		reason  string
		limited bool
		alias   string
		items   []v1beta1.Alias
		want    string
	}{
		"Unseen": {reason: "Nobody knows which versions the alias's rollout needs.", limited: true, alias: "live"},
		"Observed": {
			reason:  "An Alias that only observes it leaves it to another one.",
			limited: true,
			alias:   "live",
			items:   []v1beta1.Alias{observed},
		},
		"Other": {
			reason:  "The Alias is of another alias.",
			limited: true,
			alias:   "test",
			items:   []v1beta1.Alias{managed},
		},
		"Managed": {
			reason:  "The Alias that manages it is seen.",
			limited: true,
			alias:   "live",
			items:   []v1beta1.Alias{managed},
			want:    "1",
		},
		"NoAlias":   {reason: "Without an alias there is no rollout.", limited: true, want: "1"},
		"Unlimited": {reason: "If all Aliases are seen, the alias has no rollout.", alias: "live", want: "1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			if tc.alias != "" {
				_, err := w.Lambda.CreateAlias(
					w.Context(),
					&lambda.CreateAliasInput{FunctionName: ptr.To("f"), Name: &tc.alias, FunctionVersion: ptr.To("4")},
				)
				w.Must(err)
			}
			p, h := Pruner{
				API:       w.Lambda,
				Cache:     w.Cache,
				Resources: reader{items: tc.items},
				Limited:   tc.limited,
			}, history(
				"4",
				"3",
				"2",
				"1",
			)
			for range 2 { // The second time, the lists are cached.
				ctx := w.Context()
				got, effects, err := p.at(w, h).Unused(ctx, Excess(h, ptr.To[int32](0), "4"))
				if got != tc.want || err != nil {
					t.Errorf("%s\ngot %q, %v, want %q", tc.reason, got, err, tc.want)
				}
				if events := effects.Events; tc.want == "" && len(h.RetainedVersions) != 3 {
					t.Errorf(
						"status must have the versions that are kept, got %v, events %v",
						h.RetainedVersions,
						events,
					)
				}
			}
		})
	}
}

package codesigningconfig

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// profile returns the ARN of a signing profile's version.
func profile(n int) string {
	return fmt.Sprintf("arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p%d/v", n)
}

type env struct {
	*testenv.Env[*v1beta1.CodeSigningConfig]

	tags   *readcache.TagCache
	cache  *readcache.Cache
	fields testenv.Fields
}

func newEnv(t testing.TB) *env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	e := &env{tags: readcache.NewTagCache(w.Now), cache: &readcache.Cache{}, fields: testenv.Fields{}}
	e.Env = testenv.Observing(w, func() reconcile.Observer[*v1beta1.CodeSigningConfig] {
		return newExternal(e.external())
	})
	return e
}

func (e *env) external() *external {
	return &external{
		api:    e.Lambda,
		fields: e.fields,
		tags:   e.tags,
		cache:  e.cache,
		owner:  testenv.Owner(kind, "ignored"),
	}
}

// all returns the configurations in AWS.
func (e *env) all() []types.CodeSigningConfig {
	e.Helper()
	out, err := e.Lambda.ListCodeSigningConfigs(e.Context(), &lambda.ListCodeSigningConfigsInput{})
	if err != nil {
		e.Fatal(err)
	}
	return out.CodeSigningConfigs
}

func testConfig(change ...func(*v1beta1.CodeSigningConfigParameters)) *v1beta1.CodeSigningConfig {
	c := &v1beta1.CodeSigningConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns", UID: "uid-1", Generation: 1},
		Spec: v1beta1.CodeSigningConfigSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.CodeSigningConfigParameters{
				Regional: v1beta1.Regional{Region: testenv.Region},
				CodeSigningConfigSettings: v1beta1.CodeSigningConfigSettings{
					AllowedPublishers: &v1beta1.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
				},
			},
		},
	}
	for _, f := range change {
		f(&c.Spec.ForProvider)
	}
	return c
}

// TestAConfigurationDeletedDuringAChangeIsCreatedAgain checks that a configuration that AWS has shown counts as seen
// while it is changed soon after its creation, so that another one is created if someone has deleted it.
func TestAConfigurationDeletedDuringAChangeIsCreatedAgain(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	e.Converge(c)
	edit(c, func(p *v1beta1.CodeSigningConfigParameters) { p.Description = ptr.To("d") })
	if o, err := e.Do(c); o != testenv.Updated || err != nil {
		t.Fatal(o, err)
	}
	_, err := e.Lambda.DeleteCodeSigningConfig(e.Context(),
		&lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(meta.GetExternalName(c))})
	e.Must(err)
	if o, err := e.Do(c); o != testenv.Waits || err != nil {
		t.Fatal(o, err)
	}
	e.Advance(10 * time.Minute)
	if diff := cmp.Diff([]string{opCreate}, e.Converge(c)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func edit(c *v1beta1.CodeSigningConfig, change func(*v1beta1.CodeSigningConfigParameters)) {
	change(&c.Spec.ForProvider)
	c.Generation++
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) { p.Tags = map[string]string{"team": "a"} })
	if diff := cmp.Diff([]string{opCreate}, e.Converge(c)); diff != "" {
		t.Errorf("a creation is one call: -want, +got:\n%s", diff)
	}
	arn := meta.GetExternalName(c)
	if all := e.all(); len(all) != 1 || *all[0].CodeSigningConfigArn != arn ||
		ptr.Deref(c.Status.AtProvider.UntrustedArtifactOnDeployment, "") != "Warn" {
		t.Errorf("AWS has %+v, status %+v", all, c.Status.AtProvider)
	}
	edit(c, func(p *v1beta1.CodeSigningConfigParameters) {
		p.Description, p.Tags = ptr.To("d"), map[string]string{"owner": "b"}
		p.CodeSigningPolicies = &v1beta1.CodeSigningPolicies{UntrustedArtifactOnDeployment: ptr.To("Enforce")}
		p.AllowedPublishers = &v1beta1.AllowedPublishers{SigningProfileVersionArns: []string{profile(2), profile(1)}}
	})
	if diff := cmp.Diff([]string{tagging.OpTag, tagging.OpUntag, opUpdate}, e.Converge(c)); diff != "" {
		t.Errorf("an edit is a call for each kind of change: -want, +got:\n%s", diff)
	}
	edit(c, func(p *v1beta1.CodeSigningConfigParameters) {
		p.CodeSigningPolicies, p.Description = nil, ptr.To("")
	})
	e.Converge(c)
	if all := e.all(); all[0].CodeSigningPolicies.UntrustedArtifactOnDeployment != types.CodeSigningPolicyWarn ||
		*all[0].Description != "" {
		t.Errorf("what is removed returns to AWS's default, got %+v", all[0])
	}
	e.Remove(c)
	if diff := cmp.Diff([]string{opDelete}, e.Converge(c)); diff != "" || len(e.all()) != 0 {
		t.Errorf("a deletion is one call: -want, +got:\n%s", diff)
	}
}

// TestAsManyTagsAsAWSAllows checks that tags can be replaced when there is no room for more.
func TestAsManyTagsAsAWSAllows(t *testing.T) {
	tags := func(prefix string) map[string]string {
		all := map[string]string{}
		for i := range 44 {
			all[fmt.Sprint(prefix, i)] = "1"
		}
		return all
	}
	e := newEnv(t)
	c := testConfig()
	c.Spec.ForProvider.Tags = tags("a")
	e.Converge(c)
	c.Spec.ForProvider.Tags = tags("b")
	c.Generation++
	if diff := cmp.Diff([]string{tagging.OpUntag, tagging.OpTag}, e.Converge(c)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestSteadyReconcileIsOneCall checks that a steady reconcile makes one call: tags are not in
// its result, so they are cached.
func TestSteadyReconcileIsOneCall(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	e.Converge(c)
	for _, tc := range []struct {
		reason string
		before func()
		want   []string
	}{
		{"It is steady.", func() {}, []string{opGet}},
		{"The process is new.", func() { e.tags = readcache.NewTagCache(e.Now) }, []string{opGet, opTags}},
		{"It is steady again.", func() {}, []string{opGet}},
		{"An hour has passed.", func() { e.Advance(time.Hour) }, []string{opGet, opTags}},
		{"Spec changed.", func() { edit(c, func(*v1beta1.CodeSigningConfigParameters) {}) }, []string{opGet, opTags}},
	} {
		tc.before()
		if diff := cmp.Diff(tc.want, e.Poll(c)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
		}
	}
}

func TestDriftIsCorrected(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	e.Converge(c)
	arn := ptr.To(meta.GetExternalName(c))
	if _, err := e.Lambda.UpdateCodeSigningConfig(
		t.Context(),
		&lambda.UpdateCodeSigningConfigInput{
			CodeSigningConfigArn: arn,
			AllowedPublishers:    &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(9)}},
		},
	); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(c)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if _, err := e.Lambda.UntagResource(
		t.Context(),
		&lambda.UntagResourceInput{Resource: arn, TagKeys: ownership.Keys()},
	); err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Hour)
	if diff := cmp.Diff([]string{tagging.OpTag}, e.Converge(c)); diff != "" {
		t.Errorf("tags that were taken off come back: -want, +got:\n%s", diff)
	}
}

// TestALostCreationIsFoundAgain checks that a lost response leaves neither an orphan nor a
// duplicate.
func TestALostCreationIsFoundAgain(t *testing.T) {
	e := newEnv(t)
	for range 3 {
		if _, err := e.Lambda.CreateCodeSigningConfig(
			t.Context(),
			&lambda.CreateCodeSigningConfigInput{
				AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
			},
		); err != nil {
			t.Fatal(err)
		}
		e.Advance(time.Hour)
	}
	c := testConfig()
	e.Lose(c, opCreate)
	if name := meta.GetExternalName(c); name != "" {
		t.Fatalf("nothing is known yet, got %q", name)
	}
	before := len(e.Double.Calls())
	if got := e.Converge(c); len(got) != 0 || len(e.all()) != 4 {
		t.Errorf("nothing more must be created: %v; AWS has %d", got, len(e.all()))
	}
	if diff := cmp.Diff([]string{opList, opTags, opGet, opTags}, e.Operations()[before:][:4]); diff != "" {
		t.Errorf("only what is as young as the creation is looked at: -want, +got:\n%s", diff)
	}
	e.Remove(c)
	if e.Converge(c); len(e.all()) != 3 {
		t.Errorf("only its own is deleted, %d are left", len(e.all()))
	}
}

func TestForeignAndImported(t *testing.T) {
	e := newEnv(t)
	other := testConfig()
	other.UID, other.Name = "uid-2", "other"
	e.Converge(other)
	c := testConfig()
	meta.SetExternalName(c, meta.GetExternalName(other))
	if _, err := e.Step(c); !ownership.IsForeign(err) {
		t.Errorf("another resource's configuration is foreign, got %v", err)
	}
	out, err := e.Lambda.CreateCodeSigningConfig(
		t.Context(),
		&lambda.CreateCodeSigningConfigInput{
			AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	c = testConfig()
	meta.SetExternalName(c, *out.CodeSigningConfig.CodeSigningConfigArn)
	if diff := cmp.Diff([]string{tagging.OpTag}, e.Converge(c)); diff != "" {
		t.Errorf("what the user names is adopted: -want, +got:\n%s", diff)
	}
	c = testConfig()
	meta.SetExternalName(c, "csc-1")
	if _, err := e.Step(c); !reconcile.IsInvalid(err) || !strings.Contains(err.Error(), "is not the ARN") {
		t.Errorf("an external name is an ARN, got %v", err)
	}
}

func TestAConfigurationInUseIsNotDeleted(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	e.Converge(c)
	if _, err := e.Lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To(
			"f",
		),
		Role:                 ptr.To("arn:aws:iam::123456789012:role/r"),
		PackageType:          types.PackageTypeImage,
		CodeSigningConfigArn: ptr.To(meta.GetExternalName(c)),
		Code: &types.FunctionCode{
			ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/r:1"),
		},
	}); err != nil {
		t.Fatal(err)
	}
	e.Remove(c)
	if _, err := e.Step(c); err == nil || !strings.Contains(err.Error(), "attached to a function") {
		t.Errorf("AWS's reason is told, got %v", err)
	}
	if _, err := e.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To("f")},
	); err != nil {
		t.Fatal(err)
	}
	if e.Converge(c); len(e.all()) != 0 {
		t.Error("once it is free it is deleted")
	}
}

func TestPublishersOfOtherObjects(t *testing.T) {
	e := newEnv(t)
	c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) {
		p.AllowedPublishers = &v1beta1.AllowedPublishers{
			SigningProfileVersionArnsFrom: []v1beta1.FieldSelector{{Name: "profile"}},
		}
	})
	if _, err := e.Step(
		c,
	); err == nil ||
		!strings.Contains(err.Error(), "spec.forProvider.allowedPublishers.signingProfileVersionArnsFrom") {
		t.Errorf("the field is named, got %v", err)
	}
	e.fields["profile"] = profile(1)
	e.Converge(c)
	e.fields["profile"] = profile(2)
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(c)); diff != "" {
		t.Errorf("another version of the profile is followed: -want, +got:\n%s", diff)
	}
	if got := c.GetCondition(xpv2.TypeReady).Status; got != corev1.ConditionTrue {
		t.Errorf("Ready is %s", got)
	}
}

// generator generates random specs over every field.
type generator struct{ *rand.Rand }

func (g generator) settings() v1beta1.CodeSigningConfigSettings {
	s := v1beta1.CodeSigningConfigSettings{Description: testenv.Some(g.Rand, "", "a", "b"), Tags: map[string]string{}}
	for _, k := range []string{"a", "b", "ignored"} {
		if v := testenv.Some(g.Rand, "1", "2"); v != nil {
			s.Tags[k] = *v
		}
	}
	if p := testenv.Some(g.Rand, "Warn", "Enforce"); p != nil || g.IntN(2) == 0 {
		s.CodeSigningPolicies = &v1beta1.CodeSigningPolicies{UntrustedArtifactOnDeployment: p}
	}
	arns := []string{profile(1), profile(2), profile(3)}
	g.Shuffle(len(arns), func(i, j int) { arns[i], arns[j] = arns[j], arns[i] })
	s.AllowedPublishers = &v1beta1.AllowedPublishers{SigningProfileVersionArns: arns[:1+g.IntN(3)]}
	return s
}

// TestRandomSpecsConverge checks that random specs are created without drift, and that
// random changes of them converge.
func TestRandomSpecsConverge(t *testing.T) {
	for seed := range uint64(60) {
		g := generator{rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // Not used for security.
		e := newEnv(t)
		c := testConfig()
		c.Spec.ForProvider.CodeSigningConfigSettings = g.settings()
		if g.IntN(3) == 0 {
			c.Spec.InitProvider = ptr.To(g.settings())
		}
		if diff := cmp.Diff([]string{opCreate}, e.Converge(c)); diff != "" {
			t.Fatalf("seed %d: a creation is all: -want, +got:\n%s", seed, diff)
		}
		for range 3 {
			edit(c, func(p *v1beta1.CodeSigningConfigParameters) { p.CodeSigningConfigSettings = g.settings() })
			e.Converge(c)
			if got := testenv.Writes(e.Poll(c)); len(got) != 0 {
				t.Fatalf("seed %d: calls without a reason: %v", seed, got)
			}
		}
	}
}

// TestChangedOwner checks that a resource that another owner has adopted since its
// tags were read is not changed any more.
func TestChangedOwner(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	arn := func() *string { return ptr.To(meta.GetExternalName(c)) }
	e.ChangeOwner(c, arn, func() {
		_, err := e.Lambda.UpdateCodeSigningConfig(
			t.Context(),
			&lambda.UpdateCodeSigningConfigInput{
				CodeSigningConfigArn: arn(),
				AllowedPublishers:    &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(9)}},
			},
		)
		e.Must(err)
	})
}

// TestOwnConfigurationsAreNotDuplicated checks that what carries the resource's UID is found
// without the annotations that name it, and that several are reported instead of creating
// another.
func TestOwnConfigurationsAreNotDuplicated(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	e.Converge(c)
	first := meta.GetExternalName(c)
	c.SetAnnotations(nil)
	if got := e.Converge(c); len(got) != 0 || meta.GetExternalName(c) != first {
		t.Errorf("without annotations: calls %v, name %s, want %s", got, meta.GetExternalName(c), first)
	}

	out, err := e.Lambda.ListTags(t.Context(), &lambda.ListTagsInput{Resource: &first})
	e.Must(err)
	second, err := e.Lambda.CreateCodeSigningConfig(
		t.Context(),
		&lambda.CreateCodeSigningConfigInput{
			AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
			Tags:              out.Tags,
		},
	)
	e.Must(err)
	c.SetAnnotations(nil)
	meta.SetExternalCreatePending(c, e.Now())
	e.ReconcileForAnHour(c, nil, nil, "name this resource")
	_, err = e.Do(c)
	if err == nil || !strings.Contains(err.Error(), first) ||
		!strings.Contains(err.Error(), *second.CodeSigningConfig.CodeSigningConfigArn) {
		t.Errorf("want that both are named, got %v", err)
	}
	e.Remove(c)
	if diff := cmp.Diff([]string{opDelete, opDelete}, e.Converge(c)); diff != "" || len(e.all()) != 0 {
		t.Errorf("what is ours goes, all of it: %v, %s", e.all(), diff)
	}
}

// stripped returns a configuration whose resource has lost its annotations and its status
// long after the creation.
func stripped(e *env) (c *v1beta1.CodeSigningConfig, arn string) {
	e.Helper()
	c = testConfig()
	c.CreationTimestamp, c.Finalizers = metav1.NewTime(e.Now()), []string{managed.FinalizerName}
	e.Converge(c)
	arn = meta.GetExternalName(c)
	e.Advance(2 * time.Hour)
	c.SetAnnotations(nil)
	c.Status = v1beta1.CodeSigningConfigStatus{}
	e.Double.ResetCalls()
	return c, arn
}

// TestAResourceThatLostAnnotationsAndStatus checks that what a resource has created is
// found by its tags, and not created again.
func TestAResourceThatLostAnnotationsAndStatus(t *testing.T) {
	cases := map[string]struct {
		reason string
		lose   func(c *v1beta1.CodeSigningConfig)
	}{
		"Finalizer": {
			reason: "The finalizer precedes each create, so that one may have been made.",
			lose:   func(*v1beta1.CodeSigningConfig) {},
		},
		"NoFinalizer": {
			reason: "A tool may have replaced the whole object, and removed the finalizer.",
			lose:   func(c *v1beta1.CodeSigningConfig) { c.Finalizers = nil },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			c, arn := stripped(e)
			tc.lose(c)
			if got := e.Converge(c); len(got) != 0 || meta.GetExternalName(c) != arn || len(e.all()) != 1 {
				t.Errorf(
					"%s\ncalls %v, name %s, want %s; AWS has %d",
					tc.reason,
					got,
					meta.GetExternalName(c),
					arn,
					len(e.all()),
				)
			}
		})
	}
	t.Run("Deleted", func(t *testing.T) {
		e := newEnv(t)
		c, _ := stripped(e)
		e.Remove(c)
		if diff := cmp.Diff([]string{opDelete}, e.Converge(c)); diff != "" || len(e.all()) != 0 {
			t.Errorf("nothing is left behind: %v, %s", e.all(), diff)
		}
	})
}

// TestCallsBeforeACreation checks that a new resource is created by one call. One that may
// have been created before costs a list, and the tags of some configurations at a time,
// which all resources of a config share.
func TestCallsBeforeACreation(t *testing.T) {
	e := newEnv(t)
	for range 45 {
		_, err := e.Lambda.CreateCodeSigningConfig(
			t.Context(),
			&lambda.CreateCodeSigningConfigInput{
				AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
			},
		)
		e.Must(err)
	}
	e.Double.ResetCalls()
	created := func(uid string, change func(*v1beta1.CodeSigningConfig)) map[string]int {
		t.Helper()
		e.Double.ResetCalls()
		c := testConfig()
		c.UID, c.CreationTimestamp = ktypes.UID(uid), metav1.NewTime(e.Now())
		change(c)
		e.Converge(c)
		calls := map[string]int{}
		for _, op := range e.Operations() {
			calls[op]++
		}
		return calls
	}
	if got := created("new", func(*v1beta1.CodeSigningConfig) {}); got[opList] != 0 || got[opCreate] != 1 {
		t.Errorf("a new resource: %v", got)
	}
	waited := func(c *v1beta1.CodeSigningConfig) { c.Finalizers = []string{managed.FinalizerName} }
	if got := created("waited", waited); got[opList] != 3 || got[opTags] > 50 || got[opCreate] != 1 {
		t.Errorf("a resource that has waited for something looks at 20 tags at a time: %v", got)
	}
	if got := created("second", waited); got[opList] != 1 || got[opTags] > 5 || got[opCreate] != 1 {
		t.Errorf("the next one knows the tags: %v", got)
	}
}

// TestDifferencesOfAnObservedConfig checks that a resource that is only observed differs
// in all that spec asks for, not only in its tags.
func TestDifferencesOfAnObservedConfig(t *testing.T) {
	e := newEnv(t)
	foreign := testConfig()
	e.Converge(foreign)
	c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) {
		p.AllowedPublishers.SigningProfileVersionArns = []string{profile(2)}
		p.Tags = map[string]string{"team": "shop"}
	})
	c.UID = "uid-2"
	testenv.ObserveOnly(c)
	meta.SetExternalName(c, meta.GetExternalName(foreign))
	e.Differs(c, "allowedPublishers", "tags[team]")
}

// TestAWrongNotFound checks that two wrong reports of AWS that a configuration does not exist
// neither create a second one nor leave anything in AWS.
func TestAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	mg := testConfig()
	e.Converge(mg)
	if got := e.WrongNotFound(mg, opGet, 2); len(got) != 0 {
		t.Errorf("it exists after all, but is written: %v", got)
	}
	e.Remove(mg)
	if diff := cmp.Diff([]string{opDelete}, e.WrongNotFound(mg, opGet, 2)); diff != "" {
		t.Errorf("it is deleted after all: -want, +got:\n%s", diff)
	}
}

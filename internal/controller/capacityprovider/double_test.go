package capacityprovider

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

type env struct {
	*testenv.Env[*v1beta1.CapacityProvider]

	tags   *readcache.TagCache
	fields testenv.Fields
}

func newEnv(t testing.TB) *env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{CreateDuration: 2 * time.Second, UpdateDuration: 2 * time.Second})
	e := &env{tags: readcache.NewTagCache(w.Now), fields: testenv.Fields{}}
	e.Env = testenv.Observing(w, func() reconcile.Observer[*v1beta1.CapacityProvider] {
		return newExternal(e.external())
	})
	return e
}

func (e *env) external() *external {
	return &external{api: e.Lambda, fields: e.fields, tags: e.tags, owner: testenv.Owner(kind, "ignored")}
}

func testProvider(change ...func(*v1beta1.CapacityProviderParameters)) *v1beta1.CapacityProvider {
	c := &v1beta1.CapacityProvider{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "ns", UID: "uid-1", Generation: 1},
		Spec: v1beta1.CapacityProviderSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.CapacityProviderParameters{
				Regional: v1beta1.Regional{Region: testenv.Region},
				VPCConfig: &v1beta1.CapacityProviderVPCConfig{
					SubnetIDs:        []string{"subnet-1", "subnet-2"},
					SecurityGroupIDs: []string{"sg-1"},
				},
				PermissionsConfig: &v1beta1.CapacityProviderPermissionsConfig{
					CapacityProviderOperatorRoleArn: ptr.To("arn:aws:iam::123456789012:role/operator"),
				},
			},
		},
	}
	for _, f := range change {
		f(&c.Spec.ForProvider)
	}
	return c
}

func edit(c *v1beta1.CapacityProvider, change func(*v1beta1.CapacityProviderParameters)) {
	change(&c.Spec.ForProvider)
	c.Generation++
}

func (e *env) provider() awsdouble.CapacityProvider {
	e.Helper()
	p, ok := e.Double.CapacityProvider(testenv.Region, "web")
	if !ok {
		e.Fatal("AWS has no capacity provider")
	}
	return p
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	c := testProvider(func(p *v1beta1.CapacityProviderParameters) { p.Tags = map[string]string{"team": "a"} })
	for range 2 {
		if _, err := e.Step(c); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.GetCondition(xpv2.TypeReady); got.Reason != xpv2.ReasonCreating {
		t.Errorf("a pending one is being created, got %+v", got)
	}
	e.Converge(c)
	if got := c.GetCondition(
		xpv2.TypeReady,
	); got.Status != corev1.ConditionTrue ||
		ptr.Deref(c.Status.AtProvider.State, "") != "Active" {
		t.Errorf("an active one is ready, got %+v", got)
	}
	if got := meta.GetExternalName(
		c,
	); got != "web" ||
		v1beta1.CapacityProviderARN()(c) != *e.provider().CapacityProviderArn {
		t.Errorf("external name %s, ARN %s", got, v1beta1.CapacityProviderARN()(c))
	}
	edit(c, func(p *v1beta1.CapacityProviderParameters) {
		p.Tags = map[string]string{"team": "b"}
		p.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{
			MaxVCPUCount: ptr.To[int32](64),
			ScalingMode:  ptr.To("Manual"),
			ScalingPolicies: []v1beta1.TargetTrackingScalingPolicy{
				{PredefinedMetricType: "LambdaCapacityProviderAverageCPUUtilization", TargetValue: "70.0"},
			},
		}
		p.PropagateTags = &v1beta1.PropagateTags{Mode: "Explicit", ExplicitTags: map[string]string{"a": "b"}}
		p.TelemetryConfig = &v1beta1.CapacityProviderTelemetryConfig{
			LoggingConfig: v1beta1.CapacityProviderLoggingConfig{
				LogGroup:       ptr.To("/web"),
				SystemLogLevel: ptr.To("DEBUG"),
			},
		}
	})
	if diff := cmp.Diff([]string{tagging.OpTag, opUpdate}, e.Converge(c)); diff != "" {
		t.Errorf("an edit is a call for tags and one for all else: -want, +got:\n%s", diff)
	}
	got := e.provider()
	if *got.CapacityProviderScalingConfig.MaxVCpuCount != 64 ||
		got.CapacityProviderScalingConfig.ScalingPolicies[0].TargetValue == nil ||
		*got.CapacityProviderScalingConfig.ScalingPolicies[0].TargetValue != 70 ||
		got.PropagateTags.ExplicitTags["a"] != "b" ||
		*got.TelemetryConfig.LoggingConfig.LogGroup != "/web" {
		t.Errorf("AWS has %+v", got)
	}
	edit(c, func(p *v1beta1.CapacityProviderParameters) {
		p.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{MaxVCPUCount: ptr.To[int32](32)}
	})
	e.Converge(c)
	if got := e.provider().CapacityProviderScalingConfig; *got.MaxVCpuCount != 32 || got.ScalingMode != "Auto" ||
		len(got.ScalingPolicies) != 0 {
		t.Errorf("without a mode, and so without policies, scaling is automatic, got %+v", got)
	}
	edit(c, func(p *v1beta1.CapacityProviderParameters) {
		p.CapacityProviderScalingConfig, p.PropagateTags, p.TelemetryConfig = nil, nil, nil
	})
	e.Converge(c)
	got = e.provider()
	if got.CapacityProviderScalingConfig.ScalingMode != "Auto" || got.PropagateTags.Mode != "None" ||
		*got.TelemetryConfig.LoggingConfig.LogGroup != "/aws/lambda/capacity-provider/web" ||
		got.TelemetryConfig.LoggingConfig.SystemLogLevel != "INFO" {
		t.Errorf("what is removed returns to AWS's defaults, got %+v", got)
	}
	e.Remove(c)
	if diff := cmp.Diff([]string{opDelete}, e.Converge(c)); diff != "" {
		t.Errorf("a deletion is one call, and waits until it is gone: -want, +got:\n%s", diff)
	}
	if _, there := e.Double.CapacityProvider(testenv.Region, "web"); there {
		t.Error("it must be gone")
	}
}

// TestSteadyReconcileIsOneCall checks that a steady reconcile makes one call: tags are not in
// its result, so they are cached.
func TestSteadyReconcileIsOneCall(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Converge(c)
	if diff := cmp.Diff([]string{opGet}, e.Poll(c)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	e.Advance(time.Hour)
	if diff := cmp.Diff([]string{opGet, opTags}, e.Poll(c)); diff != "" {
		t.Errorf("an hour later: -want, +got:\n%s", diff)
	}
}

// TestDeletedByHand checks that a capacity provider that someone else deletes is not reported as a deletion of the
// resource, and is created again.
func TestDeletedByHand(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Converge(c)
	if _, err := e.Lambda.DeleteCapacityProvider(
		t.Context(),
		&lambda.DeleteCapacityProviderInput{CapacityProviderName: ptr.To("web")},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(c); err != nil {
		t.Fatal(err)
	}
	if got := c.GetCondition(
		xpv2.TypeReady,
	); got.Reason != xpv2.ReasonUnavailable ||
		got.Message != "AWS is deleting the capacity provider" {
		t.Errorf("only a resource with a deletion timestamp is Deleting, got %+v", got)
	}
	e.Advance(time.Minute)
	if diff := cmp.Diff([]string{opCreate}, e.Converge(c)); diff != "" {
		t.Errorf("it is created again: -want, +got:\n%s", diff)
	}
}

func TestACreationThatFails(t *testing.T) {
	e := newEnv(t)
	e.Double.FailCapacity("web")
	c := testProvider()
	for range 4 {
		if _, err := e.Step(c); err != nil {
			t.Fatal(err)
		}
		e.Advance(time.Second)
	}
	got := c.GetCondition(xpv2.TypeReady)
	if got.Status != corev1.ConditionFalse || got.Message != failed {
		t.Errorf("what AWS says is told, got %+v", got)
	}
	e.Remove(c)
	e.Converge(c)
}

func TestALostCreationIsOwned(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Lose(c, opCreate)
	if got := e.Converge(c); len(got) != 0 {
		t.Errorf("nothing more must be created: %v", got)
	}
	other := testProvider()
	other.UID, other.Namespace = "uid-2", "bank"
	if _, err := e.Step(other); !ownership.IsForeign(err) {
		t.Errorf("another resource's is foreign, got %v", err)
	}
	e.Remove(other)
	if got := e.Converge(other); len(got) != 0 {
		t.Errorf("and never deleted: %v", got)
	}
}

func TestWhatCannotBeChanged(t *testing.T) {
	e := newEnv(t)
	c := testProvider(func(p *v1beta1.CapacityProviderParameters) {
		p.VPCConfig = &v1beta1.CapacityProviderVPCConfig{
			SubnetIDsFrom:        []v1beta1.FieldSelector{{Name: "subnet"}},
			SecurityGroupIDsFrom: []v1beta1.FieldSelector{{Name: "group"}},
		}
		p.PermissionsConfig = &v1beta1.CapacityProviderPermissionsConfig{
			CapacityProviderOperatorRoleArnFrom: &v1beta1.FieldSelector{Name: "role"},
		}
		p.KMSKeyArnFrom = &v1beta1.FieldSelector{Name: "key"}
	})
	for name, value := range map[string]string{
		"subnet": "subnet-1", "group": "sg-1", "role": "arn:aws:iam::123456789012:role/r",
		"key": "arn:aws:kms:eu-central-1:123456789012:key/k",
	} {
		if _, err := e.Step(c); err == nil {
			t.Fatal("what is missing is told")
		}
		e.fields[name] = value
	}
	e.Converge(c)
	e.fields["subnet"] = "subnet-2"
	if _, err := e.Step(
		c,
	); !reconcile.IsInvalid(err) ||
		!strings.Contains(err.Error(), "AWS can't change: vpcConfig.subnetIds") {
		t.Errorf("a subnet that is another now is told as the user's mistake, got %v", err)
	}
}

func TestAProviderInUseIsNotDeleted(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Converge(c)
	if _, err := e.Lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To(
			"f",
		),
		Role:        ptr.To("arn:aws:iam::123456789012:role/r"),
		PackageType: types.PackageTypeImage,
		Code: &types.FunctionCode{
			ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/r:1"),
		},
		MemorySize: ptr.To[int32](2048),
		CapacityProviderConfig: &types.CapacityProviderConfig{
			LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
				CapacityProviderArn: c.Status.AtProvider.CapacityProviderArn,
			},
		},
	}); err != nil {
		t.Fatal(err)
	}
	e.Remove(c)
	if _, err := e.Step(c); err == nil || !strings.Contains(err.Error(), "is used by functions") {
		t.Errorf("AWS's reason is told, got %v", err)
	}
}

// generator generates random specs over every field.
type generator struct{ *rand.Rand }

func (g generator) settings() v1beta1.CapacityProviderSettings {
	s := v1beta1.CapacityProviderSettings{Tags: map[string]string{}}
	for _, k := range []string{"a", "b", "ignored"} {
		if v := testenv.Some(g.Rand, "1", "2"); v != nil {
			s.Tags[k] = *v
		}
	}
	if g.IntN(2) == 0 {
		s.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{
			MaxVCPUCount: testenv.Some(g.Rand, int32(2), 64),
			ScalingMode:  testenv.Some(g.Rand, "Auto", "Manual"),
		}
		if ptr.Deref(s.CapacityProviderScalingConfig.ScalingMode, "") == "Manual" {
			s.CapacityProviderScalingConfig.ScalingPolicies = []v1beta1.TargetTrackingScalingPolicy{
				{
					PredefinedMetricType: "LambdaCapacityProviderAverageCPUUtilization",
					TargetValue:          ptr.Deref(testenv.Some(g.Rand, "50", "70.50"), "1"),
				},
			}
		}
	}
	if g.IntN(2) == 0 {
		s.PropagateTags = &v1beta1.PropagateTags{Mode: "None"}
		if v := testenv.Some(g.Rand, "1", "2"); v != nil {
			s.PropagateTags = &v1beta1.PropagateTags{Mode: "Explicit", ExplicitTags: map[string]string{"k": *v}}
		}
	}
	if g.IntN(2) == 0 {
		s.TelemetryConfig = &v1beta1.CapacityProviderTelemetryConfig{
			LoggingConfig: v1beta1.CapacityProviderLoggingConfig{
				LogGroup:       testenv.Some(g.Rand, "/a", "/b"),
				SystemLogLevel: testenv.Some(g.Rand, "DEBUG", "INFO", "WARN"),
			},
		}
	}
	return s
}

// TestRandomSpecsConverge checks that random specs are created without drift, and that
// random changes of them converge.
func TestRandomSpecsConverge(t *testing.T) {
	for seed := range uint64(60) {
		g := generator{rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // Not used for security.
		e := newEnv(t)
		c := testProvider(func(p *v1beta1.CapacityProviderParameters) {
			p.CapacityProviderSettings, p.KMSKeyArn = g.settings(), testenv.Some(
				g.Rand,
				"arn:aws:kms:eu-central-1:123456789012:key/k",
			)
			if g.IntN(2) == 0 {
				p.InstanceRequirements = &v1beta1.InstanceRequirements{
					AllowedInstanceTypes: []string{"m7g.large", "c7g.large"},
				}
				if a := testenv.Some(g.Rand, "x86_64", "arm64"); a != nil {
					p.InstanceRequirements.Architectures = []string{*a}
				}
			}
		})
		if g.IntN(3) == 0 {
			c.Spec.InitProvider = ptr.To(g.settings())
		}
		if diff := cmp.Diff([]string{opCreate}, e.Converge(c)); diff != "" {
			t.Fatalf("seed %d: a creation is all: -want, +got:\n%s", seed, diff)
		}
		for range 3 {
			edit(c, func(p *v1beta1.CapacityProviderParameters) { p.CapacityProviderSettings = g.settings() })
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
	c := testProvider(func(p *v1beta1.CapacityProviderParameters) {
		p.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{MaxVCPUCount: ptr.To[int32](400)}
	})
	e.ChangeOwner(c, func() *string { return c.Status.AtProvider.CapacityProviderArn }, func() {
		_, err := e.Lambda.UpdateCapacityProvider(t.Context(), &lambda.UpdateCapacityProviderInput{
			CapacityProviderName: ptr.To(
				"web",
			),
			CapacityProviderScalingConfig: &types.CapacityProviderScalingConfig{MaxVCpuCount: ptr.To[int32](500)},
		})
		e.Must(err)
	})
}

// TestDifferencesOfAnObservedProvider checks that a resource that is only observed differs
// in all that spec asks for, including what AWS cannot change.
func TestDifferencesOfAnObservedProvider(t *testing.T) {
	e := newEnv(t)
	e.Converge(testProvider())
	c := testProvider(func(p *v1beta1.CapacityProviderParameters) {
		p.VPCConfig.SubnetIDs = []string{"subnet-3"}
		p.Tags = map[string]string{"team": "shop"}
	})
	c.UID = "uid-2"
	testenv.ObserveOnly(c)
	meta.SetExternalName(c, "web")
	e.Differs(c, "vpcConfig.subnetIds", "tags[team]")
}

// TestAWrongNotFound checks that a single wrong report of AWS that a capacity provider does not exist
// leaves nothing in AWS.
func TestAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	mg := testProvider()
	e.Converge(mg)
	e.Remove(mg)
	if diff := cmp.Diff([]string{opDelete}, e.WrongNotFound(mg, opGet, 1)); diff != "" {
		t.Errorf("it is deleted after all: -want, +got:\n%s", diff)
	}
}

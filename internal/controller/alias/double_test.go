package alias

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
)

// emptyZip is an archive without files.
const emptyZip = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// clock is a settable clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// rig is a double with the real SDK before it, in which function f has the versions 1
// to 3, and a reconciler that does what the runtime does, a step at a time.
type rig struct {
	t         *testing.T
	clock     *clock
	double    *awsdouble.Server
	lambda    *lambda.Client
	cache     *inventory.Cache
	published string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	d := awsdouble.New(awsdouble.Options{Now: c.Now})
	d.Start()
	t.Cleanup(d.Close)
	r := &rig{t: t, clock: c, double: d, cache: &inventory.Cache{}, published: "3"}
	r.lambda = lambda.NewFromConfig(d.Config(testRegion), func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	if _, err := r.lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To("f"), Role: ptr.To("arn:aws:iam::123456789012:role/r"), Handler: ptr.To("index.handler"), Runtime: types.RuntimePython313,
		Code: &types.FunctionCode{ZipFile: []byte(emptyZip)}, Publish: true,
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r.publish()
	}
	return r
}

// publish another version of the function.
func (r *rig) publish() {
	r.t.Helper()
	if _, err := r.lambda.UpdateFunctionConfiguration(r.t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f")}); err != nil {
		r.t.Fatal(err)
	}
	out, err := r.lambda.PublishVersion(r.t.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("f")})
	if err != nil {
		r.t.Fatal(err)
	}
	r.published = *out.Version
}

// step is one reconcile that takes answers of any age since a time. It tells whether
// there was nothing to do.
func (r *rig) step(a *v1beta1.Alias, age time.Duration) (settled bool, err error) {
	now := r.clock.Now()
	ctx := managed.WithTurn(r.t.Context(), &managed.Turn{Fresh: inventory.Fresh{Now: now, Since: now.Add(-age)}})
	e := testExternal(r.lambda, publishedLast(r.published), r.cache)
	obs, err := e.Observe(ctx, a)
	switch {
	case err != nil:
		return false, err
	case !obs.ResourceExists && meta.WasDeleted(a):
		return true, nil
	case meta.WasDeleted(a):
		_, err = e.Delete(ctx, a)
		return false, err
	case !obs.ResourceExists:
		meta.SetExternalCreatePending(a, now)
		_, err = e.Create(ctx, a)
		return false, err
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, a)
		return false, err
	}
	return a.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue, nil
}

// settle reconciles until there is nothing to do, and returns the calls that wrote.
func (r *rig) settle(a *v1beta1.Alias) []string {
	r.t.Helper()
	r.double.ResetCalls()
	for range 10 {
		r.clock.advance(time.Second)
		done, err := r.step(a, 0)
		if err != nil {
			r.t.Fatalf("reconcile: %v", err)
		}
		if done {
			return r.writes()
		}
	}
	r.t.Fatalf("did not settle: %v; calls %v", a.GetCondition(xpv2.TypeReady), r.writes())
	return nil
}

func (r *rig) writes() []string {
	var out []string
	for _, c := range r.double.Calls() {
		if c.Operation != callList {
			out = append(out, c.Operation)
		}
	}
	return out
}

// inAWS is the alias as AWS has it.
func (r *rig) inAWS() awsdouble.Alias {
	r.t.Helper()
	a, ok := r.double.Alias("f", "live")
	if !ok {
		r.t.Fatal("AWS has no alias")
	}
	return a
}

func TestLifecycle(t *testing.T) {
	r := newRig(t)
	a := testAlias(func(a *v1beta1.Alias) {
		a.Spec.ForProvider.Description, a.Spec.ForProvider.RoutingConfig = ptr.To("canary"), weighted(t, "2", "0.1")
	})
	if diff := cmp.Diff([]string{callCreate}, r.settle(a)); diff != "" {
		t.Errorf("creation: -want, +got:\n%s", diff)
	}
	if got := r.inAWS(); got.FunctionVersion != "1" || got.Description != "canary" || got.RoutingConfig.AdditionalVersionWeights["2"] != 0.1 {
		t.Errorf("created: %+v", got)
	}
	a.Spec.ForProvider.FunctionVersion, a.Spec.ForProvider.RoutingConfig = ptr.To("2"), nil
	if diff := cmp.Diff([]string{callUpdate}, r.settle(a)); diff != "" {
		t.Errorf("a promotion is one call: -want, +got:\n%s", diff)
	}
	if got := r.inAWS(); got.FunctionVersion != "2" || got.RoutingConfig != nil {
		t.Errorf("promoted: %+v", got)
	}
	r.double.EditAlias("f", "live", func(e *awsdouble.Alias) {
		e.Description, e.RoutingConfig = "by hand", &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{"1": 0.5}}
	})
	if diff := cmp.Diff([]string{callUpdate}, r.settle(a)); diff != "" {
		t.Errorf("a change by hand is put right in one call: -want, +got:\n%s", diff)
	}
	if got := r.inAWS(); got.Description != "canary" || got.RoutingConfig != nil {
		t.Errorf("put right: %+v", got)
	}
	a.DeletionTimestamp = ptr.To(metav1.NewTime(r.clock.Now()))
	a.Spec.ForProvider.FunctionName = nil
	if diff := cmp.Diff([]string{callDelete}, r.settle(a)); diff != "" {
		t.Errorf("deletion: -want, +got:\n%s", diff)
	}
	if _, there := r.double.Alias("f", "live"); there {
		t.Error("the alias is still there")
	}
}

func TestFollowing(t *testing.T) {
	r := newRig(t)
	a := testAlias(following)
	r.settle(a)
	if got := r.inAWS().FunctionVersion; got != "3" {
		t.Errorf("the alias invokes version %s, want what was published last", got)
	}
	r.publish()
	if diff := cmp.Diff([]string{callUpdate}, r.settle(a)); diff != "" || r.inAWS().FunctionVersion != "4" {
		t.Errorf("the alias must follow to version 4, is at %s: -want, +got:\n%s", r.inAWS().FunctionVersion, diff)
	}
}

func TestTransientWeightsAreNoDrift(t *testing.T) {
	r := newRig(t)
	a := testAlias()
	r.settle(a)
	r.double.EditAlias("f", "live", func(e *awsdouble.Alias) {
		e.RoutingConfig = &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{"3": 1}}
	})
	if got := r.settle(a); len(got) > 0 {
		t.Errorf("weights of provisioned concurrency must be left alone, got %v", got)
	}
	if got := a.Status.AtProvider.RoutingConfig; got == nil || got.AdditionalVersionWeights["3"] != "1" {
		t.Errorf("status must show them, got %v", got)
	}
}

func TestLostAnswers(t *testing.T) {
	for _, op := range []string{callCreate, callUpdate} {
		for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
			t.Run(fmt.Sprint(op, drop), func(t *testing.T) {
				r := newRig(t)
				a := testAlias()
				if op == callUpdate {
					r.settle(a)
					a.Spec.ForProvider.FunctionVersion = ptr.To("2")
				}
				r.double.Fail(awsdouble.Fault{Operation: op, Drop: drop, Times: 1})
				if _, err := r.step(a, 0); err == nil {
					t.Fatal("the lost answer must be an error")
				}
				r.settle(a)
				if got := r.inAWS().FunctionVersion; got != *a.Spec.ForProvider.FunctionVersion {
					t.Errorf("the alias invokes version %s", got)
				}
			})
		}
	}
}

func TestSteadyReconcilesShareOneCall(t *testing.T) {
	r := newRig(t)
	var all []*v1beta1.Alias
	for i := range 5 {
		a := testAlias(func(a *v1beta1.Alias) { a.Name = fmt.Sprintf("a%d", i) })
		r.settle(a)
		all = append(all, a)
	}
	r.double.ResetCalls()
	r.clock.advance(time.Minute)
	for _, a := range all {
		if done, err := r.step(a, 10*time.Second); err != nil || !done {
			t.Fatalf("a settled alias must stay settled: %t, %v", done, err)
		}
	}
	if got := r.double.Count(""); got != 1 || r.double.Count(callList) != 1 {
		t.Errorf("five Aliases of one function must share one ListAliases, got %v", r.double.Calls())
	}
}

// TestAnySpec takes random aliases from one random spec to another and back.
func TestAnySpec(t *testing.T) {
	const specs = 200
	for seed := range uint64(specs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			g := rand.New(rand.NewPCG(seed, 1))
			first, second := randomSettings(g), randomSettings(g)
			a := testAlias(func(a *v1beta1.Alias) { a.Spec.ForProvider.AliasSettings = first })
			if seed%4 == 0 {
				i := randomSettings(g)
				if i.RoutingConfig != nil && first.RoutingConfig == nil {
					i.RoutingConfig = weighted(t, other(g, *first.FunctionVersion), "0.3")
				}
				a.Spec.InitProvider = &i
			}
			r.converges(a, 1)
			if a.Spec.InitProvider != nil && a.Spec.InitProvider.RoutingConfig != nil {
				// Others own the weights now, and would have to move them first.
				second.FunctionVersion, second.RoutingConfig = first.FunctionVersion, first.RoutingConfig
			}
			for _, s := range []v1beta1.AliasSettings{second, first} {
				a.Spec.ForProvider.AliasSettings = s
				r.converges(a, 1)
				r.matches(s)
			}
		})
	}
}

// converges settles an alias in at most so many calls, and checks that nothing is
// written afterwards.
func (r *rig) converges(a *v1beta1.Alias, most int) {
	r.t.Helper()
	if got := r.settle(a); len(got) > most {
		r.t.Errorf("took %d calls, at most %d are needed: %v", len(got), most, got)
	}
	if more := r.settle(a); len(more) > 0 {
		r.t.Errorf("a settled alias must not be written to, got %v", more)
	}
}

// matches checks that AWS has all that a spec names.
func (r *rig) matches(s v1beta1.AliasSettings) {
	r.t.Helper()
	got := r.inAWS()
	if got.FunctionVersion != *s.FunctionVersion || got.Description != ptr.Deref(s.Description, got.Description) {
		r.t.Errorf("AWS has %+v, want %+v", got, s)
	}
	if s.RoutingConfig == nil {
		return
	}
	var have *types.AliasRoutingConfiguration
	if got.RoutingConfig != nil {
		have = &types.AliasRoutingConfiguration{AdditionalVersionWeights: got.RoutingConfig.AdditionalVersionWeights}
	}
	if diff := cmp.Diff(settingsOf(s).RoutingConfig, routingOf(weightsOf(have))); diff != "" {
		r.t.Errorf("weights: -want, +got:\n%s", diff)
	}
}

func randomSettings(g *rand.Rand) v1beta1.AliasSettings {
	s := v1beta1.AliasSettings{FunctionVersion: ptr.To(fmt.Sprint(1 + g.IntN(3)))}
	if g.IntN(2) == 0 {
		s.Description = ptr.To([]string{"", "one", "two"}[g.IntN(3)])
	}
	if g.IntN(2) == 0 {
		weight := []v1beta1.AliasWeight{"0", "0.0", "0.25", "0.50", "0.999"}[g.IntN(5)]
		s.RoutingConfig = &v1beta1.AliasRoutingConfig{AdditionalVersionWeights: map[string]v1beta1.AliasWeight{other(g, *s.FunctionVersion): weight}}
	}
	return s
}

// other is another version than the given one.
func other(g *rand.Rand, version string) string {
	for {
		if v := fmt.Sprint(1 + g.IntN(3)); v != version {
			return v
		}
	}
}

package alias

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env is a test environment in which function f has the versions 1 to 3.
type env struct {
	*testenv.Env[*v1beta1.Alias]

	// functions are those that aliases follow.
	functions testenv.Functions

	// health is the result of each check of a rollout.
	health results

	// metrics are those of the rollouts.
	metrics *reporting.Metrics

	// tracer traces the rollouts. Nil traces nothing.
	tracer trace.Tracer
}

func newEnv(t testing.TB) *env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	w.AddFunction("f", func(in *lambda.CreateFunctionInput) { in.Publish = true })
	e := &env{metrics: reporting.NewMetrics()}
	for _, size := range []int32{256, 512} {
		e.functions = publishedLast(w.Publish("f", memory(size)))
	}
	e.Env = testenv.Observing(w, func() reconcile.Observer[*v1beta1.Alias] {
		x := &external{
			api:       w.Lambda,
			functions: e.functions,
			cache:     w.Cache,
			analyzer:  e.health,
			metrics:   e.metrics,
			tracer:    e.tracer,
			now:       w.Now,
		}
		return x.resource()
	})
	return e
}

// memory changes the size of a function's memory.
func memory(size int32) func(*lambda.UpdateFunctionConfigurationInput) {
	return func(in *lambda.UpdateFunctionConfigurationInput) { in.MemorySize = &size }
}

// inAWS returns the alias in AWS.
func (e *env) inAWS() awsdouble.Alias {
	e.Helper()
	a, ok := e.Double.Alias("f", "live")
	if !ok {
		e.Fatal("AWS has no alias")
	}
	return a
}

func TestLifecycle(t *testing.T) {
	r := newEnv(t)
	a := testAlias(func(a *v1beta1.Alias) {
		a.Spec.ForProvider.Description, a.Spec.ForProvider.RoutingConfig = ptr.To("canary"), weighted(t, "2", "0.1")
	})
	if diff := cmp.Diff([]string{opCreate}, r.Converge(a)); diff != "" {
		t.Errorf("creation: -want, +got:\n%s", diff)
	}
	if got := r.inAWS(); got.FunctionVersion != "1" || got.Description != "canary" ||
		got.RoutingConfig.AdditionalVersionWeights["2"] != 0.1 {
		t.Errorf("created: %+v", got)
	}
	a.Spec.ForProvider.FunctionVersion, a.Spec.ForProvider.RoutingConfig = ptr.To("2"), nil
	if diff := cmp.Diff([]string{opUpdate}, r.Converge(a)); diff != "" {
		t.Errorf("a promotion is one call: -want, +got:\n%s", diff)
	}
	if got := r.inAWS(); got.FunctionVersion != "2" || got.RoutingConfig != nil {
		t.Errorf("promoted: %+v", got)
	}
	r.Double.EditAlias("f", "live", func(e *awsdouble.Alias) {
		e.Description, e.RoutingConfig = "by hand", &awsdouble.Routing{
			AdditionalVersionWeights: map[string]float64{"1": 0.5},
		}
	})
	if diff := cmp.Diff([]string{opUpdate}, r.Converge(a)); diff != "" {
		t.Errorf("a change by hand is put right in one call: -want, +got:\n%s", diff)
	}
	if got := r.inAWS(); got.Description != "canary" || got.RoutingConfig != nil {
		t.Errorf("put right: %+v", got)
	}
	r.Remove(a)
	a.Spec.ForProvider.FunctionName = nil
	if diff := cmp.Diff([]string{opDelete}, r.Converge(a)); diff != "" {
		t.Errorf("deletion: -want, +got:\n%s", diff)
	}
	if _, there := r.Double.Alias("f", "live"); there {
		t.Error("the alias is still there")
	}
}

func TestFollowing(t *testing.T) {
	e := newEnv(t)
	a := testAlias(following)
	e.Converge(a)
	if got := e.inAWS().FunctionVersion; got != "3" {
		t.Errorf("the alias invokes version %s, want what was published last", got)
	}
	e.functions = publishedLast(e.Publish("f"))
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(a)); diff != "" || e.inAWS().FunctionVersion != "4" {
		t.Errorf("the alias must follow to version 4, is at %s: -want, +got:\n%s", e.inAWS().FunctionVersion, diff)
	}
}

func TestTransientWeightsAreNoDrift(t *testing.T) {
	r := newEnv(t)
	a := testAlias()
	r.Converge(a)
	r.Double.EditAlias("f", "live", func(e *awsdouble.Alias) {
		e.RoutingConfig = &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{"3": 1}}
	})
	if got := r.Converge(a); len(got) > 0 {
		t.Errorf("weights of provisioned concurrency must be left alone, got %v", got)
	}
	if got := a.Status.AtProvider.RoutingConfig; got == nil || got.AdditionalVersionWeights["3"] != "1" {
		t.Errorf("status must show them, got %v", got)
	}
}

func TestLostAnswers(t *testing.T) {
	for _, op := range []string{opCreate, opUpdate} {
		for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
			t.Run(fmt.Sprint(op, drop), func(t *testing.T) {
				e := newEnv(t)
				a := testAlias()
				if op == opUpdate {
					e.Converge(a)
					a.Spec.ForProvider.FunctionVersion = ptr.To("2")
				}
				e.Double.Fail(awsdouble.Fault{Operation: op, Drop: drop, Times: 1})
				if _, err := e.Step(a); err == nil {
					t.Fatal("the lost answer must be an error")
				}
				e.Converge(a)
				if got := e.inAWS().FunctionVersion; got != *a.Spec.ForProvider.FunctionVersion {
					t.Errorf("the alias invokes version %s", got)
				}
			})
		}
	}
}

// TestLostAnswerOfAnotherFunction checks that the alias that an unanswered create has made is not left behind if spec
// names another function before it is found.
func TestLostAnswerOfAnotherFunction(t *testing.T) {
	e, a := newEnv(t), testAlias()
	function := *a.Spec.ForProvider.FunctionName
	e.AddFunction("basket")
	e.Double.Fail(awsdouble.Fault{Operation: opCreate, Drop: awsdouble.DropAfter, Times: 1})
	if _, err := e.Step(a); err == nil {
		t.Fatal("the lost answer must be an error")
	}
	a.Spec.ForProvider.FunctionName = ptr.To("basket") // The one that functionNameRef is resolved to now.
	a.Generation++
	if _, err := e.Step(a); err == nil || !strings.Contains(err.Error(), "would leave") {
		t.Errorf("got %v, want that the alias of %s would be left behind", err, function)
	}
	a.Spec.ForProvider.FunctionName = ptr.To(function)
	a.Generation++
	e.Converge(a)
	if n := e.Double.Count(opCreate); n != 1 {
		t.Errorf("%d aliases were created, want the one", n)
	}
}

func TestSteadyReconcilesShareOneCall(t *testing.T) {
	e := newEnv(t)
	var all []*v1beta1.Alias
	for i := range 5 {
		a := testAlias(func(a *v1beta1.Alias) { a.Name = fmt.Sprintf("a%d", i) })
		e.Converge(a)
		all = append(all, a)
	}
	e.Advance(time.Minute)
	e.Age = 10 * time.Second
	e.Share(all, opList)
}

// TestAnySpec changes random aliases from one random spec to another and back.
func TestAnySpec(t *testing.T) {
	const specs = 200
	for seed := range uint64(specs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
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
			e.converges(a, 1)
			if a.Spec.InitProvider != nil && a.Spec.InitProvider.RoutingConfig != nil {
				// Others own the weights now, and would have to move them first.
				second.FunctionVersion, second.RoutingConfig = first.FunctionVersion, first.RoutingConfig
			}
			for _, s := range []v1beta1.AliasSettings{second, first} {
				a.Spec.ForProvider.AliasSettings = s
				e.converges(a, 1)
				e.matches(s)
			}
		})
	}
}

// converges checks that an alias converges in at most so many calls, and that nothing is
// written afterwards.
func (e *env) converges(a *v1beta1.Alias, most int) {
	e.Helper()
	if got := e.Converge(a); len(got) > most {
		e.Errorf("took %d calls, at most %d are needed: %v", len(got), most, got)
	}
	if more := e.Converge(a); len(more) > 0 {
		e.Errorf("a converged alias must not be written to, got %v", more)
	}
}

// matches checks that AWS has all that a spec names.
func (e *env) matches(s v1beta1.AliasSettings) {
	e.Helper()
	got := e.inAWS()
	if got.FunctionVersion != *s.FunctionVersion || got.Description != ptr.Deref(s.Description, got.Description) {
		e.Errorf("AWS has %+v, want %+v", got, s)
	}
	if s.RoutingConfig == nil {
		return
	}
	var have *types.AliasRoutingConfiguration
	if got.RoutingConfig != nil {
		have = &types.AliasRoutingConfiguration{AdditionalVersionWeights: got.RoutingConfig.AdditionalVersionWeights}
	}
	if diff := cmp.Diff(fromSpec(s).RoutingConfig, routingOf(weightsOf(have))); diff != "" {
		e.Errorf("weights: -want, +got:\n%s", diff)
	}
}

func randomSettings(g *rand.Rand) v1beta1.AliasSettings {
	s := v1beta1.AliasSettings{FunctionVersion: ptr.To(fmt.Sprint(1 + g.IntN(3)))}
	if g.IntN(2) == 0 {
		s.Description = ptr.To([]string{"", "one", "two"}[g.IntN(3)])
	}
	if g.IntN(2) == 0 {
		weight := []v1beta1.AliasWeight{"0", "0.0", "0.25", "0.50", "0.999"}[g.IntN(5)]
		s.RoutingConfig = &v1beta1.AliasRoutingConfig{
			AdditionalVersionWeights: map[string]v1beta1.AliasWeight{other(g, *s.FunctionVersion): weight},
		}
	}
	return s
}

// other returns another version than the given one.
func other(g *rand.Rand, version string) string {
	for {
		if v := fmt.Sprint(1 + g.IntN(3)); v != version {
			return v
		}
	}
}

// TestMissingVersion checks the error for a version that the function does not have.
func TestMissingVersion(t *testing.T) {
	e := newEnv(t)
	_, _, err := e.Attempt(testAlias(func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = ptr.To("9") }))
	const want = "version 9 of function f does not exist in "
	if got := awserr.CauseFirst(err); err == nil || !strings.HasPrefix(got.Error(), want) {
		t.Errorf("got %v, want %q", got, want)
	}
}

// TestInitialWeightOfItself checks that an alias is created without a weight of initProvider that is of the version
// that forProvider names, such as one that was promoted before someone deleted the alias, and that it is recognised
// without it if the creation is not answered.
func TestInitialWeightOfItself(t *testing.T) {
	e := newEnv(t)
	a := testAlias(func(a *v1beta1.Alias) {
		a.Spec.ForProvider.FunctionVersion = ptr.To("2")
		a.Spec.InitProvider = &v1beta1.AliasSettings{RoutingConfig: weighted(t, "2", "0.1")}
	})
	e.Lose(a, opCreate)
	if diff := cmp.Diff([]string(nil), e.Converge(a)); diff != "" {
		t.Errorf("after an unanswered creation: -want, +got:\n%s", diff)
	}
	if at := a.Status.AtProvider; *at.FunctionVersion != "2" || at.RoutingConfig != nil {
		t.Errorf("the alias is %+v", at)
	}
}

// TestPromotedInitialWeight checks that a version that has a weight of initProvider becomes that of the alias.
func TestPromotedInitialWeight(t *testing.T) {
	e := newEnv(t)
	a := testAlias(func(a *v1beta1.Alias) {
		a.Spec.InitProvider = &v1beta1.AliasSettings{RoutingConfig: &v1beta1.AliasRoutingConfig{
			AdditionalVersionWeights: map[string]v1beta1.AliasWeight{"2": "0.1"},
		}}
	})
	e.Converge(a)
	a.Spec.ForProvider.FunctionVersion = ptr.To("2")
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(a)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if at := a.Status.AtProvider; *at.FunctionVersion != "2" || at.RoutingConfig != nil {
		t.Errorf("the alias is %+v", at)
	}
}

package campaign

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	// released is a function with the versions 1, 2 and 3, which nobody manages.
	released = "released-base"

	// perMinute is how often an alias with a rollout is invoked in a minute.
	perMinute = 600

	// smokeTestRepeats is how often a smoke test is repeated if its response is lost.
	smokeTestRepeats = 2
)

// routes are the routes that aliases of the released function have had, by their name.
type routes struct {
	mu sync.Mutex
	of map[string][]string
}

// serve serves a call of AWS, and records the routes of aliases that it may have changed.
func (s *Simulation) serve(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if _, name, ok := strings.Cut(r.URL.Path, released+"/aliases/"); ok && r.Method == http.MethodPut {
			s.noteRoute(name)
		}
	}()
	if s.inspect != nil {
		s.inspect(w, r)
		return
	}
	s.Double.ServeHTTP(w, r)
}

func (s *Simulation) noteRoute(name string) {
	s.routes.mu.Lock()
	defer s.routes.mu.Unlock()
	if s.routes.of == nil {
		s.routes.of = map[string][]string{}
	}
	if got, all := s.route(name), s.routes.of[name]; len(all) == 0 || all[len(all)-1] != got {
		s.routes.of[name] = append(all, got)
	}
}

// routesOf returns the routes that an alias has had since it was first changed.
func (s *Simulation) routesOf(name string) []string {
	s.routes.mu.Lock()
	defer s.routes.mu.Unlock()
	return slices.Clone(s.routes.of[name])
}

// route returns the present route of an alias of the released function, such as 1 or
// 1+2:0.1, and an empty string if there is no such alias.
func (s *Simulation) route(name string) string {
	a, _ := s.Double.Alias(released, name)
	out := []string{a.FunctionVersion}
	if a.RoutingConfig != nil {
		for _, v := range slices.Sorted(maps.Keys(a.RoutingConfig.AdditionalVersionWeights)) {
			out = append(out, fmt.Sprintf("%s:%g", v, a.RoutingConfig.AdditionalVersionWeights[v]))
		}
	}
	return strings.Join(out, "+")
}

// release creates the released function.
func (s *Simulation) release() {
	s.Helper()
	s.prepare(s.Lambda, released)
	for _, memory := range []int32{192, 256} {
		_, err := s.Lambda.UpdateFunctionConfiguration(s.Context(),
			&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(released), MemorySize: aws.Int32(memory)})
		if err == nil {
			time.Sleep(time.Minute) // The update has completed in AWS.
			_, err = s.Lambda.PublishVersion(s.Context(),
				&lambda.PublishVersionInput{FunctionName: aws.String(released)})
		}
		if err != nil {
			s.Fatal(err)
		}
	}
}

// rolledOut returns an Alias of version 1 of the released function with a rollout.
func rolledOut(variant string, rollout map[string]any) Kind {
	return Kind{
		Kind: "Alias", Variant: variant, Rollout: rollout,
		ForProvider: map[string]any{"region": Region, "functionName": released, "functionVersion": "1"},
	}
}

// errorRate is an analysis of Lambda's error rate.
func errorRate() map[string]any {
	return map[string]any{"metrics": []any{map[string]any{
		"name": "errors", "interval": "1m", "successCondition": "result < 0.05",
		"provider": map[string]any{"lambda": map[string]any{"metric": "ErrorRate"}},
	}}}
}

// canary is a rollout by a canary of four steps.
func canary() map[string]any {
	return map[string]any{
		"strategy": map[string]any{"canary": map[string]any{"steps": []any{
			map[string]any{"setWeight": int64(10)},
			map[string]any{"pause": map[string]any{"duration": "1m"}},
			map[string]any{"setWeight": int64(50)},
			map[string]any{"analysis": map[string]any{}},
		}}},
		"preTraffic":    []any{map[string]any{"name": "smoke", "invoke": map[string]any{"payload": `{"smoke": true}`}}},
		"analysis":      errorRate(),
		"finalBakeTime": "1m",
	}
}

// rolloutScenarios returns the scenarios of a rollout from version 1 to version 2, which is
// healthy in the first and fails half of its invocations in the second.
func rolloutScenarios() []scenario {
	return []scenario{rolloutScenario("promotes", "2", 0), rolloutScenario("rolls back", "1", 0.5)}
}

func rolloutScenario(name, serves string, failing float64) scenario {
	k := rolledOut("rollout", canary())
	ended := func(s *Simulation) (phase string, ok bool) {
		u := s.stored(k.New())
		phase, target := rolloutField(u, "phase"), rolloutField(u, "target", "functionVersion")
		return phase, target == "2" && (phase == v1beta1.RolloutReady || phase == v1beta1.RolloutFailed)
	}
	return scenario{
		name: k.Name() + " " + name, mg: k.New, alias: k.Name(), serves: serves,
		creates: "Invoke", repeats: smokeTestRepeats,
		before: func(s *Simulation) {
			s.release()
			s.Double.Traffic(awsdouble.Traffic{
				Function: released, Alias: k.Name(), PerMinute: perMinute,
				Versions: map[string]awsdouble.Outcomes{"2": {ErrorRate: failing}},
			})
			s.Create(k.New())
			if !s.Until(10*time.Minute, func() bool {
				return s.ready(k.New()) && rolloutField(s.stored(k.New()), "phase") == v1beta1.RolloutReady
			}) {
				s.Fatalf("the alias does not become ready: %v", s.stored(k.New()).Object["status"])
			}
		},
		act: func(s *Simulation) {
			s.Patch(k.New(),
				map[string]any{"spec": map[string]any{"forProvider": map[string]any{"functionVersion": "2"}}})
		},
		amid: func(s *Simulation) bool { return s.route(k.Name()) == "1+2:0.1" },
		done: func(s *Simulation) bool {
			if _, ok := ended(s); !ok {
				return false
			}
			if serves == "2" {
				return s.ready(k.New())
			}
			return s.rolledBack(k.New())
		},
		again: func(s *Simulation) {
			if !s.Until(3*time.Hour, func() bool { _, ok := ended(s); return ok }) {
				s.Errorf("the rollout does not end: %v", s.stored(k.New()).Object["status"])
			}
			if phase, _ := ended(s); phase == v1beta1.RolloutFailed && serves == "2" {
				s.Patch(k.New(),
					map[string]any{"metadata": map[string]any{"annotations": map[string]any{
						v1beta1.AnnotationRolloutRetry: "again",
					}}})
			}
		},
	}
}

// rolledBack reports whether the rollout of a resource has failed, and the stable version
// serves.
func (s *Simulation) rolledBack(u *unstructured.Unstructured) bool {
	s.Helper()
	s.stored(u)
	return rolloutField(u, "phase") == v1beta1.RolloutFailed && rolloutField(u, "drift") == "" &&
		is(u, "Ready", "False") && conditionOf(u, "Ready")["reason"] == string(v1beta1.ReasonRolledBack) &&
		is(u, "Synced", "True")
}

// rolloutField returns a field of status.rollout.
func rolloutField(u *unstructured.Unstructured, path ...string) string {
	out, _, _ := unstructured.NestedString(u.Object, append([]string{"status", "rollout"}, path...)...)
	return out
}

// follows reports whether a route may follow another one in a rollout from version 1 to
// version 2: no step is left out, except by a rollback.
func follows(before, after string) bool {
	next := map[string]string{"1": "1+2:0.1", "1+2:0.1": "1+2:0.5", "1+2:0.5": "2"}
	return after == "1" || next[before] == after
}

// routed checks the routes of a scenario's alias: that no step was left out, that a version
// that fails never served alone, and that the right version serves in the end.
func (sc scenario) routed(s *Simulation) {
	s.Helper()
	if sc.serves == "" {
		return
	}
	before := "1"
	for _, r := range s.routesOf(sc.alias) {
		if !follows(before, r) || sc.serves == "1" && r == "2" {
			s.Errorf("the alias went from %s to %s: %v", before, r, s.routesOf(sc.alias))
		}
		before = r
	}
	if got := s.route(sc.alias); got != sc.serves {
		s.Errorf("the alias ends at %s: %v", got, s.routesOf(sc.alias))
	}
}

// withRollout returns the spec of a resource with a rollout, if there is one.
func withRollout(spec, rollout map[string]any) map[string]any {
	if rollout != nil {
		spec["rollout"] = runtime.DeepCopyJSON(rollout)
	}
	return spec
}

package alias

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the alias is as spec says, that the deletion leaves none, and that another one stays.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.Alias] {
		t.Helper()
		e, a := newEnv(t), testAlias()
		p := &a.Spec.ForProvider
		h := &testenv.History[*v1beta1.Alias]{
			Env: e.Env, Draw: draw, Resource: a, Calls: []string{opGet, opCreate, opUpdate, opDelete, opList},
		}
		e.AddAlias("f", "other", "1")
		other, _ := e.Double.Alias("f", "other")
		version := func() string { return fmt.Sprint(1 + draw.IntN(3)) }
		h.Changes = []func() string{
			func() string {
				p.FunctionVersion, p.RoutingConfig = ptr.To(version()), nil
				if v, w := version(), []float64{0.25, 0.5}[draw.IntN(2)]; v != *p.FunctionVersion {
					p.RoutingConfig = weighted(t, v, fmt.Sprint(w))
				}
				return fmt.Sprintf("version %s, weights %v", *p.FunctionVersion, p.RoutingConfig)
			},
			func() string {
				p.Description = ptr.To(fmt.Sprint(draw.IntN(3)))
				return "description " + *p.Description
			},
			func() string {
				p.Description = nil
				return "no description"
			},
			h.ByHand(func() string {
				if _, there := e.Double.Alias("f", "live"); !there {
					return "the alias is gone, but AWS still returns it"
				}
				e.Double.EditAlias("f", "live", func(a *awsdouble.Alias) {
					a.FunctionVersion, a.Description, a.RoutingConfig = version(), "by hand", nil
				})
				return "someone changes the alias"
			}),
			h.ByHand(func() string {
				_, err := e.Lambda.DeleteAlias(e.Context(),
					&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")})
				return fmt.Sprint("someone deletes the alias: ", err)
			}),
		}
		h.End = func() {
			is := e.inAWS()
			if is.FunctionVersion != *p.FunctionVersion || is.Description != ptr.Deref(p.Description, is.Description) {
				t.Errorf("the alias is %+v, want %+v", is, p.AliasSettings)
			}
			weights := ptr.Deref(is.RoutingConfig, awsdouble.Routing{}).AdditionalVersionWeights
			if diff := cmp.Diff(fromSpec(p.AliasSettings).RoutingConfig, routingOf(weights)); diff != "" {
				t.Errorf("weights: -want, +got:\n%s", diff)
			}
		}
		h.Gone = func() {
			if _, there := e.Double.Alias("f", "live"); there {
				t.Error("the alias is left")
			}
			if is, _ := e.Double.Alias("f", "other"); !cmp.Equal(is, other) {
				t.Errorf("the other alias is %v, want %v", is, other)
			}
		}
		return h
	})
}

// TestRandomRollouts checks that a rollout ends with the version of spec once all versions are healthy and the user
// asks for it again, that the deletion leaves no alias, and that another one stays.
func TestRandomRollouts(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.Alias] {
		t.Helper()
		e, a, bad, first, commands := newEnv(t), testAlias(), map[string]bool{}, 1, 0
		e.health = func(s rollout.Subject, _ rollout.CheckID) string {
			if bad[s.Target] {
				return rollout.Failure
			}
			return rollout.Success
		}
		h := &testenv.History[*v1beta1.Alias]{
			Env: e.Env, Draw: draw, Resource: a,
			Calls: []string{opGet, opCreate, opUpdate, opDelete, opList, opInvoke, opGetConfiguration},
		}
		a.Spec.Rollout = canary()
		e.AddAlias("f", "other", "1")
		other, _ := e.Double.Alias("f", "other")
		version := func() string { return fmt.Sprint(first + draw.IntN(3)) }
		command := func(name string) string {
			commands++
			value := fmt.Sprintf("%s/%d", version(), commands)
			metav1.SetMetaDataAnnotation(&a.ObjectMeta, name, value)
			return "the user sets " + name + " to " + value
		}
		proceeds := func() string {
			n := 1 + draw.IntN(40)
			h.Reconciles(n)
			return fmt.Sprintf("%d reconciles", n)
		}
		desires := func() string {
			a.Spec.ForProvider.FunctionVersion = ptr.To(version())
			return "version " + *a.Spec.ForProvider.FunctionVersion
		}
		replaced := func() string {
			_, err := e.Lambda.DeleteFunction(e.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f")})
			e.Must(err)
			h.Reconciles(draw.IntN(20))
			e.AddFunction("f", func(in *lambda.CreateFunctionInput) { in.Publish = true })
			e.Publish("f", memory(256))
			last, err := strconv.Atoi(e.Publish("f", memory(512)))
			e.Must(err)
			first = last - 2
			e.AddAlias("f", "other", fmt.Sprint(first))
			other, _ = e.Double.Alias("f", "other")
			h.Reconciles(draw.IntN(20))
			return "the function is deleted and created again; " + desires()
		}
		edited := func() string {
			if _, there := e.Double.Alias("f", "live"); !there {
				return "nothing"
			}
			e.Double.EditAlias("f", "live", func(a *awsdouble.Alias) {
				a.FunctionVersion, a.RoutingConfig = version(), nil
				if v := version(); v != a.FunctionVersion && draw.IntN(2) == 0 {
					weight := []float64{0.1, 0.25, 0.5}[draw.IntN(3)]
					a.RoutingConfig = &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{v: weight}}
				}
			})
			return "someone changes the alias"
		}
		deleted := func() string {
			_, err := e.Lambda.DeleteAlias(e.Context(),
				&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")})
			return fmt.Sprint("someone deletes the alias: ", err)
		}
		h.Between = []func() string{edited, deleted}
		h.Changes = []func() string{
			replaced, edited, deleted, proceeds, proceeds, proceeds, desires, desires,
			func() string {
				v := version()
				bad[v] = !bad[v]
				return fmt.Sprintf("version %s is bad: %t", v, bad[v])
			},
			func() string {
				return command([]string{
					v1beta1.AnnotationRolloutAbort, v1beta1.AnnotationRolloutRetry, v1beta1.AnnotationRolloutPromote,
					v1beta1.AnnotationRolloutPromoteFull, v1beta1.AnnotationRolloutRollbackTo,
				}[draw.IntN(5)])
			},
			func() string {
				a.Spec.Rollout = []*v1beta1.AliasRollout{nil, canary(), canary()}[draw.IntN(3)]
				if r := a.Spec.Rollout; r != nil {
					r.Paused, r.OnDrift = draw.IntN(4) == 0, []string{"Pause", "Revert", "Adopt"}[draw.IntN(3)]
				}
				return "rollout " + testenv.JSON(a.Spec.Rollout)
			},
		}
		h.Calm = func() {
			clear(bad)
			if n, _ := strconv.Atoi(*a.Spec.ForProvider.FunctionVersion); n < first { // It was of another function.
				desires()
			}
			if a.Spec.Rollout != nil {
				a.Spec.Rollout.Paused, a.Spec.Rollout.OnDrift = false, v1beta1.OnDriftRevert
			}
			a.Generation++
			h.Reconciles(80)
			if r := a.Status.Rollout; r != nil && r.Phase != v1beta1.RolloutReady {
				command(v1beta1.AnnotationRolloutRetry)
				h.Reconciles(80)
			}
		}
		h.End = func() {
			if is := e.inAWS(); is.FunctionVersion != *a.Spec.ForProvider.FunctionVersion || is.RoutingConfig != nil {
				t.Errorf("the alias is %+v, want version %s", is, *a.Spec.ForProvider.FunctionVersion)
			}
		}
		h.Gone = func() {
			if _, there := e.Double.Alias("f", "live"); there {
				t.Error("the alias is left")
			}
			if is, _ := e.Double.Alias("f", "other"); !cmp.Equal(is, other) {
				t.Errorf("the other alias is %v, want %v", is, other)
			}
		}
		return h
	})
}

package alias

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
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
		e.AddAlias("f", "other")
		other, _ := e.Double.Alias("f", "other")
		var weights *awsdouble.Routing
		version := func() string { return fmt.Sprint(1 + draw.IntN(3)) }
		h.Changes = []func() string{
			func() string {
				p.FunctionVersion, p.RoutingConfig, weights = ptr.To(version()), nil, nil
				if v, w := version(), []float64{0.25, 0.5}[draw.IntN(2)]; v != *p.FunctionVersion {
					p.RoutingConfig = weighted(t, v, fmt.Sprint(w))
					weights = &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{v: w}}
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
				e.Double.EditAlias("f", "live", func(a *awsdouble.Alias) {
					a.FunctionVersion, a.Description, a.RoutingConfig = version(), "by hand", nil
				})
				return "someone changes the alias"
			}),
			h.ByHand(func() string {
				_, err := e.Lambda.DeleteAlias(e.Context(),
					&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")})
				e.Must(err)
				return "someone deletes the alias"
			}),
		}
		h.End = func() {
			is := e.inAWS()
			if is.FunctionVersion != *p.FunctionVersion || is.Description != ptr.Deref(p.Description, is.Description) {
				t.Errorf("the alias is %+v, want %+v", is, p.AliasSettings)
			}
			if diff := cmp.Diff(weights, is.RoutingConfig); diff != "" {
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

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

package functionurl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the URL of $LATEST is as spec says, that the deletion leaves none, and that the URL
// of an alias stays.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.FunctionURL] {
		t.Helper()
		e, u := newEnv(t), newURL()
		e.Lambda = e.TryingOnce()
		p := &u.Spec.ForProvider
		h := &testenv.History[*v1beta1.FunctionURL]{
			Env: e.Env, Draw: draw, Resource: u, Calls: []string{opGet, opCreate, opUpdate, opDelete},
		}
		function, alias := ptr.To(functionconfigtest.Function), ptr.To(functionconfigtest.Alias)
		get := func(qualifier *string) (*answer, error) {
			return e.Lambda.GetFunctionUrlConfig(e.Context(),
				&lambda.GetFunctionUrlConfigInput{FunctionName: function, Qualifier: qualifier})
		}
		var other *lambda.CreateFunctionUrlConfigOutput
		others := func(string) {
			var err error
			other, err = e.Lambda.CreateFunctionUrlConfig(e.Context(), &lambda.CreateFunctionUrlConfigInput{
				FunctionName: function, Qualifier: alias, AuthType: types.FunctionUrlAuthTypeNone,
			})
			e.Must(err)
		}
		others("")
		h.Changes = []func() string{
			functionconfigtest.Replaced(h, others),
			func() string {
				p.AuthType = ptr.To([]string{"NONE", "AWS_IAM"}[draw.IntN(2)])
				return "authType " + *p.AuthType
			},
			func() string {
				p.InvokeMode = []*string{nil, ptr.To("BUFFERED"), ptr.To("RESPONSE_STREAM")}[draw.IntN(3)]
				return "invokeMode " + ptr.Deref(p.InvokeMode, "")
			},
			func() string {
				p.Cors = nil
				if draw.IntN(3) > 0 {
					p.Cors = &v1beta1.Cors{
						AllowOrigins: []string{fmt.Sprintf("https://%d.example", draw.IntN(2))},
						MaxAge: testenv.Some[int32](
							draw,
							0,
							60,
						),
						AllowCredentials: testenv.Some(draw, false, true),
						AllowHeaders:     [][]string{nil, {"X-One", "a"}}[draw.IntN(2)],
					}
				}
				return fmt.Sprintf("cors %+v", p.Cors)
			},
			h.ByHand(func() string {
				_, err := e.Lambda.UpdateFunctionUrlConfig(e.Context(), &lambda.UpdateFunctionUrlConfigInput{
					FunctionName: function, AuthType: types.FunctionUrlAuthTypeNone,
					Cors: &types.Cors{AllowOrigins: []string{"*"}, ExposeHeaders: []string{"b"}},
				})
				return fmt.Sprint("someone changes the URL: ", err)
			}),
			h.ByHand(func() string {
				_, err := e.Lambda.DeleteFunctionUrlConfig(e.Context(),
					&lambda.DeleteFunctionUrlConfigInput{FunctionName: function})
				return fmt.Sprint("someone deletes the URL: ", err)
			}),
		}
		h.End = func() {
			o, err := get(nil)
			e.Must(err)
			want, is := normal(p.FunctionURLSettings), fromAWS(o)
			if want.InvokeMode == nil { // It is left to AWS.
				want.InvokeMode = is.InvokeMode
			}
			if diff := cmp.Diff(want, is); diff != "" {
				t.Errorf("-spec +AWS:\n%s", diff)
			}
		}
		h.Gone = func() {
			if _, err := get(nil); !awserr.IsNotFound(err) {
				t.Errorf("the URL is left: %v", err)
			}
			is, err := get(alias)
			if e.Must(err); *is.FunctionUrl != *other.FunctionUrl || is.AuthType != other.AuthType {
				t.Errorf("the URL of the alias is %+v, want %+v", is, other)
			}
		}
		return h
	})
}

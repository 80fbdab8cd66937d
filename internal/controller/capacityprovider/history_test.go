package capacityprovider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the capacity provider is as spec says, and gone after the deletion, while that of
// someone else stays as it is.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.CapacityProvider] {
		t.Helper()
		e, c := newEnv(t), testProvider(func(p *v1beta1.CapacityProviderParameters) {
			p.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{MaxVCPUCount: ptr.To[int32](64)}
		})
		_, err := e.Lambda.CreateCapacityProvider(e.Context(), &lambda.CreateCapacityProviderInput{
			CapacityProviderName: ptr.To("theirs"),
			VpcConfig: &types.CapacityProviderVpcConfig{
				SubnetIds: []string{"subnet-1"}, SecurityGroupIds: []string{"sg-1"},
			},
			PermissionsConfig: &types.CapacityProviderPermissionsConfig{
				CapacityProviderOperatorRoleArn: ptr.To("arn:aws:iam::123456789012:role/operator"),
			},
		})
		e.Must(err)
		e.Advance(time.Minute)
		theirs := func() string {
			p, _ := e.Double.CapacityProvider(testenv.Region, "theirs")
			return testenv.JSON(p)
		}
		foreign, p := theirs(), &c.Spec.ForProvider
		h := &testenv.History[*v1beta1.CapacityProvider]{
			Env: e.Env, Draw: draw, Resource: c, Restart: func() { e.tags = readcache.NewTagCache(e.Now) },
			Calls: []string{opGet, opCreate, opUpdate, opDelete, opTags, tagging.OpTag, tagging.OpUntag},
		}
		deleted := func() error { // AWS does not delete it while it changes.
			_, err := e.Lambda.DeleteCapacityProvider(
				e.Context(), &lambda.DeleteCapacityProviderInput{CapacityProviderName: ptr.To("web")},
			)
			return err
		}
		scaled := func() string {
			s := &v1beta1.CapacityProviderScalingConfig{MaxVCPUCount: ptr.To(32 + 32*draw.Int32N(2))}
			if draw.IntN(2) == 0 {
				s.ScalingMode, s.ScalingPolicies = ptr.To("Manual"), []v1beta1.TargetTrackingScalingPolicy{{
					PredefinedMetricType: "LambdaCapacityProviderAverageCPUUtilization",
					TargetValue:          fmt.Sprintf("%d.0", 50+draw.IntN(2)),
				}}
			}
			p.CapacityProviderScalingConfig = s
			return "scaling " + testenv.JSON(s)
		}
		h.Changes = []func() string{
			scaled, scaled,
			func() string {
				p.PropagateTags, p.TelemetryConfig = nil, nil
				if draw.IntN(2) == 0 {
					tags := map[string]string{"a": fmt.Sprint(draw.IntN(2))}
					p.PropagateTags = &v1beta1.PropagateTags{Mode: "Explicit", ExplicitTags: tags}
				}
				if draw.IntN(2) == 0 {
					p.TelemetryConfig = &v1beta1.CapacityProviderTelemetryConfig{
						LoggingConfig: v1beta1.CapacityProviderLoggingConfig{
							LogGroup: ptr.To("/web"), SystemLogLevel: ptr.To("DEBUG"),
						},
					}
				}
				return "propagation and telemetry " + testenv.JSON([]any{p.PropagateTags, p.TelemetryConfig})
			},
			func() string {
				if p.Tags = nil; draw.IntN(3) > 0 {
					p.Tags = map[string]string{fmt.Sprint(draw.IntN(2)): fmt.Sprint(draw.IntN(2))}
				}
				return fmt.Sprint("tags ", p.Tags)
			},
			h.ByHand(func() string { return fmt.Sprint("someone deletes it: ", deleted()) }),
			func() string {
				e.Double.FailCapacity("web")
				return "the next one fails"
			},
		}
		observer, seen := e.Observer, time.Time{}
		e.Observer = func() reconcile.Observer[*v1beta1.CapacityProvider] {
			switch got, _ := e.Double.CapacityProvider(testenv.Region, "web"); {
			case got.State != types.CapacityProviderStateFailed:
				seen = e.Now()
			case e.Now().Sub(seen) > time.Minute: // Someone lets it be created again.
				_ = deleted()
			}
			return observer()
		}
		h.End = func() {
			got := e.provider()
			maps.DeleteFunc(got.Tags, func(key, _ string) bool { return len(key) > 1 })
			have := fromAWS("web", observed{provider: &got.CapacityProvider, tags: got.Tags})
			spec := fromSpec(p.CapacityProviderSettings)
			fixedToSettings.Copy(&spec, p)
			want := withDefaults("web", spec)
			want.InstanceRequirements = have.InstanceRequirements
			if diff := cmp.Diff(want, have, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the capacity provider: -want, +got:\n%s", diff)
			}
		}
		h.Gone = func() {
			got, there := e.Double.CapacityProvider(testenv.Region, "web")
			if there && got.State != types.CapacityProviderStateDeleting || theirs() != foreign {
				t.Errorf("%t: %+v is left; that of someone else was %s and is %s", there, got, foreign, theirs())
			}
		}
		return h
	})
}

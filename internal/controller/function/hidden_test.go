package function

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// undecryptable is an answer whose environment AWS can't decrypt.
func undecryptable(o *lambda.GetFunctionOutput) {
	o.Configuration.KMSKeyArn = ptr.To(oldKey)
	o.Configuration.Environment = &types.EnvironmentResponse{Error: &types.EnvironmentError{ErrorCode: ptr.To("KMSDisabledException"), Message: ptr.To("disabled")}}
}

// reconciles one function with a fake AWS that refuses or takes updates.
type reconciles struct {
	t      *testing.T
	api    *fakeLambda
	memory *memory
	sent   []*lambda.UpdateFunctionConfigurationInput
	coded  []*lambda.UpdateFunctionCodeInput
	refuse error
}

func newReconciles(t *testing.T, answer func() *lambda.GetFunctionOutput) *reconciles {
	t.Helper()
	r := &reconciles{t: t, memory: newMemory()}
	r.api = &fakeLambda{
		get: func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) { return answer(), nil },
		updateConfig: func(in *lambda.UpdateFunctionConfigurationInput) (*lambda.UpdateFunctionConfigurationOutput, error) {
			r.sent = append(r.sent, in)
			return &lambda.UpdateFunctionConfigurationOutput{}, r.refuse
		},
		updateCode: func(in *lambda.UpdateFunctionCodeInput) (*lambda.UpdateFunctionCodeOutput, error) {
			r.coded = append(r.coded, in)
			return &lambda.UpdateFunctionCodeOutput{}, nil
		},
	}
	return r
}

// do so many reconciles.
func (r *reconciles) do(f *v1beta1.Function, times int) {
	r.t.Helper()
	for range times {
		e, th := testExternal(r.api, nil)
		th.memory = r.memory
		obs, err := e.Observe(r.t.Context(), f)
		if err != nil {
			r.t.Fatal(err)
		}
		if obs.ResourceUpToDate {
			continue
		}
		if _, err := e.Update(r.t.Context(), f); (err != nil) != (r.refuse != nil) && len(r.coded) == 0 {
			r.t.Fatal(err)
		}
	}
}

func TestUnreadableEnvironment(t *testing.T) {
	with := func(key string, vars map[string]string) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) {
			f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: vars}
			f.Spec.ForProvider.KMSKeyArn = ptr.To(key)
		}
	}
	cases := map[string]struct {
		reason string
		f      *v1beta1.Function
		change func(*v1beta1.Function)
		refuse error
		want   []map[string]string
	}{
		"Trusted": {
			reason: "What was sent before is trusted, whoever looks.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), settledOnce),
		},
		"Fresh": {
			reason: "A spec that was not looked at yet is sent once.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"})),
			want:   []map[string]string{{"AA": "1"}},
		},
		"AnotherKey": {
			reason: "The repair, another key, takes the variables along, and is sent once.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), settledOnce),
			change: func(f *v1beta1.Function) { f.Spec.ForProvider.KMSKeyArn = ptr.To(newKey); f.Generation++ },
			want:   []map[string]string{{"AA": "1"}},
		},
		"AnotherVariable": {
			reason: "A changed variable is sent once.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), settledOnce),
			change: func(f *v1beta1.Function) {
				f.Spec.ForProvider.Environment.Variables = map[string]string{"AA": "2"}
				f.Generation++
			},
			want: []map[string]string{{"AA": "2"}},
		},
		"AnotherSecret": {
			reason: "So is one that comes from elsewhere, where spec itself does not change.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), settledOnce),
			change: func(f *v1beta1.Function) { f.Spec.ForProvider.Environment.Variables = map[string]string{"AA": "2"} },
			want:   []map[string]string{{"AA": "2"}},
		},
		"NoMoreVariables": {
			reason: "Variables that can't be read can be removed.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), settledOnce),
			change: func(f *v1beta1.Function) { f.Spec.ForProvider.Environment = nil; f.Generation++ },
			want:   []map[string]string{{}},
		},
		"Refused": {
			reason: "What AWS refuses is owed until it takes it.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"})),
			refuse: steptest.APIError(400, "InvalidParameterValueException", "KMS key is disabled"),
			want:   []map[string]string{{"AA": "1"}, {"AA": "1"}, {"AA": "1"}, {"AA": "1"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var r *reconciles
			r = newReconciles(t, func() *lambda.GetFunctionOutput {
				return ours(testFunction(), undecryptable, func(o *lambda.GetFunctionOutput) {
					if n := len(r.sent); n > 0 && r.refuse == nil && r.sent[n-1].KMSKeyArn != nil {
						o.Configuration.KMSKeyArn = r.sent[n-1].KMSKeyArn
					}
				})
			})
			r.refuse = tc.refuse
			if tc.change != nil {
				r.do(tc.f, 1)
				tc.change(tc.f)
			}
			r.do(tc.f, 4)
			var got []map[string]string
			for _, in := range r.sent {
				got = append(got, in.Environment.Variables)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if c := tc.f.GetCondition(xpv2.TypeReady); tc.refuse == nil && c.Reason != xpv2.ReasonUnavailable {
				t.Errorf("%s\nReady must say that AWS can't read the environment, got %+v", tc.reason, c)
			}
		})
	}
}

// settledOnce is a function that was looked at since its spec changed.
func settledOnce(f *v1beta1.Function) { f.SetConditions(condition.Updating(f.Generation, "")) }

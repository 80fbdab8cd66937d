package function

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// undecryptable changes an answer so that AWS can't decrypt the environment.
func undecryptable(o *lambda.GetFunctionOutput) {
	o.Configuration.KMSKeyArn = ptr.To(oldKey)
	o.Configuration.Environment = &types.EnvironmentResponse{
		Error: &types.EnvironmentError{ErrorCode: ptr.To("KMSDisabledException"), Message: ptr.To("disabled")},
	}
}

// reconciles reconciles one function with a fake AWS that rejects or accepts updates.
type reconciles struct {
	t      *testing.T
	api    *testenv.AWS
	memory *records
	sent   []*lambda.UpdateFunctionConfigurationInput
	coded  []*lambda.UpdateFunctionCodeInput
	refuse error
}

func newReconciles(t *testing.T, answer func() *lambda.GetFunctionOutput) *reconciles {
	t.Helper()
	r := &reconciles{t: t, memory: newRecords()}
	r.api = testenv.NewScripted(t, testenv.Script{
		opGet: testenv.Scripted(
			func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) { return answer(), nil },
		),
		"UpdateFunctionConfiguration": testenv.Scripted(func(in *lambda.UpdateFunctionConfigurationInput) (
			*lambda.UpdateFunctionConfigurationOutput, error,
		) {
			r.sent = append(r.sent, in)
			return &lambda.UpdateFunctionConfigurationOutput{}, r.refuse
		}),
		"UpdateFunctionCode": testenv.Scripted(func(in *lambda.UpdateFunctionCodeInput) (
			*lambda.UpdateFunctionCodeOutput, error,
		) {
			r.coded = append(r.coded, in)
			return &lambda.UpdateFunctionCodeOutput{}, nil
		}),
	})
	return r
}

// do reconciles so many times.
func (r *reconciles) do(f *v1beta1.Function, times int) {
	r.t.Helper()
	for range times {
		th := testExternal(r.api.Lambda, nil)
		th.memory = r.memory
		done := engine.Once(r.t.Context(), th.resource(), reconcile.Facts{}, f, nil)
		refused := done.Called != "" && r.refuse != nil
		if (done.Err != nil) != refused && (done.Called == "" || len(r.coded) == 0) {
			r.t.Fatal(done.Err)
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
			reason: "A value that was sent before counts as correct after a restart.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), convergedOnce),
		},
		"Fresh": {
			reason: "A spec that was not looked at yet is sent once.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"})),
			want:   []map[string]string{{"AA": "1"}},
		},
		"AnotherKey": {
			reason: "The repair, another key, takes the variables along, and is sent once.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), convergedOnce),
			change: func(f *v1beta1.Function) { f.Spec.ForProvider.KMSKeyArn = ptr.To(newKey); f.Generation++ },
			want:   []map[string]string{{"AA": "1"}},
		},
		"AnotherVariable": {
			reason: "A changed variable is sent once.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), convergedOnce),
			change: func(f *v1beta1.Function) {
				f.Spec.ForProvider.Environment.Variables = map[string]string{"AA": "2"}
				f.Generation++
			},
			want: []map[string]string{{"AA": "2"}},
		},
		"AnotherSecret": {
			reason: "A variable that changes in its Secret is sent once, although spec is unchanged.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), convergedOnce),
			change: func(f *v1beta1.Function) {
				f.Spec.ForProvider.Environment.Variables = map[string]string{"AA": "2"}
			},
			want: []map[string]string{{"AA": "2"}},
		},
		"NoMoreVariables": {
			reason: "Variables that can't be read can be removed.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"}), convergedOnce),
			change: func(f *v1beta1.Function) { f.Spec.ForProvider.Environment = nil; f.Generation++ },
			want:   []map[string]string{{}},
		},
		"Refused": {
			reason: "What AWS refuses is owed until it takes it.",
			f:      testFunction(with(oldKey, map[string]string{"AA": "1"})),
			refuse: testenv.APIError(400, "InvalidParameterValueException", "KMS key is disabled"),
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

// TestUnreadableEnvironmentIsPublished checks that changed variables are published, although AWS does not show them.
func TestUnreadableEnvironmentIsPublished(t *testing.T) {
	number := 0
	r := newReconciles(t, func() *lambda.GetFunctionOutput { return ours(testFunction(), undecryptable) })
	r.api.Script["PublishVersion"] = testenv.Scripted(func(*lambda.PublishVersionInput) (
		*lambda.PublishVersionOutput, error,
	) {
		number++
		return &lambda.PublishVersionOutput{Version: ptr.To(strconv.Itoa(number))}, nil
	})
	f := testFunction(convergedOnce, func(f *v1beta1.Function) {
		f.Spec.ForProvider.Publish, f.Spec.ForProvider.KMSKeyArn = ptr.To(true), ptr.To(oldKey)
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"AA": "1"}}
	})
	r.do(f, 4)
	if len(r.sent) != 0 || lastPublished(f) != "1" {
		t.Fatalf("updates %d, version %s, want none and 1", len(r.sent), lastPublished(f))
	}
	f.Spec.ForProvider.Environment.Variables = map[string]string{"AA": "2"}
	r.do(f, 4)
	if len(r.sent) != 1 || lastPublished(f) != "2" {
		t.Errorf("updates %d, version %s, want 1 and 2", len(r.sent), lastPublished(f))
	}
}

// withoutVariables is an answer of AWS that cannot decrypt them.
var withoutVariables = testenv.With("Environment", map[string]any{
	"Error": map[string]any{"ErrorCode": "KMSDisabledException", "Message": "disabled"},
})

// TestReadableAfterUnansweredPublication checks that a version is published once if AWS does not answer, and returns it
// again when it returns variables that it did not return before.
func TestReadableAfterUnansweredPublication(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.FunctionSettings = withCode(publishes, func(p *v1beta1.FunctionSettings) {
			p.Environment = &v1beta1.Environment{Variables: map[string]string{"AA": "1"}}
		})
	})
	e.Converge(f)
	f.Spec.ForProvider.MemorySize = ptr.To[int32](512)
	f.Generation++
	_, err := e.Step(f)
	e.Must(err)
	e.Advance(time.Minute)
	e.Responses = map[string]testenv.Answer{opGet: withoutVariables}
	e.Lose(f, string(opPublish))
	e.Break(string(opPublish))
	_, err = e.Step(f)
	if !testenv.ErrorMatches(err, "boom") {
		t.Fatal(err)
	}
	e.Double.ClearFaults()
	e.Responses = nil
	if got := e.Converge(f); len(got) != 1 || lastPublished(f) != "2" {
		t.Errorf("version %s by %v, want 2 by one call", lastPublished(f), got)
	}
}

// TestUnansweredVariablesAreReverted checks that variables are sent that spec has had before, if AWS may have others by
// then: it has not answered their update, and does not return them.
func TestUnansweredVariablesAreReverted(t *testing.T) {
	e := newEnv(t)
	with := func(value string) v1beta1.FunctionSettings {
		return withCode(func(p *v1beta1.FunctionSettings) {
			p.Environment = &v1beta1.Environment{Variables: map[string]string{"AA": value}}
		})
	}
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = with("1") })
	e.Converge(f)
	e.Responses = map[string]testenv.Answer{opGet: withoutVariables}
	apply(f, with("2"))
	e.Lambda = e.TryingOnce()
	e.Lose(f, string(opUpdateConfiguration))
	apply(f, with("1"))
	for range 5 {
		e.Advance(time.Minute)
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := e.Double.Function("f")
	if n := e.Double.Count(string(opUpdateConfiguration)); got.Environment.Variables["AA"] != "1" || n != 2 {
		t.Errorf("AWS has %v after %d updates, want the variables of spec after two", got.Environment.Variables, n)
	}
}

// TestVariablesOfOthersAfterUnansweredUpdate checks that variables that can't be read are not overwritten because an
// update was not answered that AWS has shown since.
func TestVariablesOfOthersAfterUnansweredUpdate(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"AA": "1"}}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			Environment: &v1beta1.Environment{Variables: map[string]string{"RELEASE": "none"}},
		}
	})
	e.Converge(f)
	f.Spec.ForProvider.Environment.Variables["AA"] = "2"
	f.Generation++
	e.Lambda = e.TryingOnce()
	e.Lose(f, string(opUpdateConfiguration))
	if got := e.Converge(f); len(got) > 0 {
		t.Fatalf("the update was made, and yet %v", got)
	}
	e.Double.EditFunction("f", func(f *awsdouble.Function) { f.Environment.Variables["RELEASE"] = "v7" })
	e.Responses = map[string]testenv.Answer{opGet: withoutVariables}
	for range 3 {
		e.Advance(time.Minute)
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := e.Double.Function("f"); got.Environment.Variables["RELEASE"] != "v7" {
		t.Errorf("the variable of another tool was overwritten: %v", got.Environment.Variables)
	}
}

// convergedOnce marks a function as reconciled since its spec changed.
func convergedOnce(f *v1beta1.Function) { f.SetConditions(reconcile.Updating(f.Generation, "")) }

// TestKeyWithoutVariables checks the key of a function without variables, for which AWS
// keeps none.
func TestKeyWithoutVariables(t *testing.T) {
	key := func(f *v1beta1.Function) { f.Spec.ForProvider.KMSKeyArn = ptr.To(newKey) }
	cases := map[string]struct {
		reason string
		f      *v1beta1.Function
		want   int
	}{
		"Trusted": {reason: "One that creation took along is not missed.", f: testFunction(key, convergedOnce)},
		"Fresh":   {reason: "A setting that is added later is sent once.", f: testFunction(key), want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := newReconciles(t, func() *lambda.GetFunctionOutput { return ours(testFunction()) })
			r.do(tc.f, 4)
			if len(r.sent) != tc.want {
				t.Errorf("%s: sent %d times, want %d", tc.reason, len(r.sent), tc.want)
			}
			if c := tc.f.GetCondition(xpv2.TypeReady); c.Reason != xpv2.ReasonAvailable {
				t.Errorf("%s: %+v", tc.reason, c)
			}
		})
	}
}

// TestUnreadableImageConfig checks an image configuration that AWS can't read.
func TestUnreadableImageConfig(t *testing.T) {
	f := testFunction(convergedOnce)
	answer := func() *lambda.GetFunctionOutput {
		return ours(testFunction(), func(o *lambda.GetFunctionOutput) {
			o.Configuration.ImageConfigResponse = &types.ImageConfigResponse{
				Error: &types.ImageConfigError{ErrorCode: ptr.To("AccessDeniedException"), Message: ptr.To("no")},
			}
		})
	}
	r := newReconciles(t, answer)
	r.do(f, 2)
	f.Spec.ForProvider.ImageConfig = &v1beta1.ImageConfig{Command: []string{"app"}}
	f.Generation++
	r.do(f, 3)
	if len(r.sent) != 1 || r.sent[0].ImageConfig == nil || r.sent[0].ImageConfig.Command[0] != "app" {
		t.Errorf("a change must be sent once, got %+v", r.sent)
	}
	if c := f.GetCondition(xpv2.TypeReady); !strings.Contains(c.Message, "cannot read the imageConfig") {
		t.Errorf("Ready must tell, got %+v", c)
	}
}

// TestUnreadableEnvironmentOfAnotherTool checks that variables that can't be read are not
// overwritten unless spec changes, because another tool may have set them.
func TestUnreadableEnvironmentOfAnotherTool(t *testing.T) {
	f := testFunction(convergedOnce, func(f *v1beta1.Function) {
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			Environment: &v1beta1.Environment{Variables: map[string]string{"RELEASE": "none"}},
		}
		f.Status.AtProvider.Initialized = true
	})
	readable := true
	r := newReconciles(t, func() *lambda.GetFunctionOutput {
		return ours(testFunction(), func(o *lambda.GetFunctionOutput) {
			variables := map[string]string{"RELEASE": "v7"}
			if o.Configuration.Environment = (&types.EnvironmentResponse{Variables: variables}); !readable {
				undecryptable(o)
			}
		})
	})
	r.do(f, 2)
	readable = false
	r.do(f, 2)
	if len(r.sent) > 0 {
		t.Errorf("nothing changed, and yet %+v was sent", r.sent[0].Environment.Variables)
	}
	f.Spec.ForProvider.KMSKeyArn = ptr.To(newKey)
	f.Generation++
	r.do(f, 1)
	if len(r.sent) != 1 || r.sent[0].Environment.Variables["RELEASE"] != "none" {
		t.Errorf("another key needs variables, and those of creation are all that is known: %+v", r.sent)
	}
}

// forgets drops a setting from the calls that set it, so that AWS accepts and does not return it, as some emulators do.
func forgets(in any) {
	if u, ok := in.(*lambda.UpdateFunctionConfigurationInput); ok {
		u.TracingConfig = nil
	}
}

// TestUnshownConfigurationLetsCodePass checks that a setting that AWS accepts but does not
// return is sent less and less often, does not block other changes, and is reported.
func TestUnshownConfigurationLetsCodePass(t *testing.T) {
	r := newEnv(t)
	r.OnCall = forgets
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	r.Converge(f)
	apply(f, withCode(publishes, func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "y"}}
		p.TracingConfig = &v1beta1.TracingConfig{Mode: "Active"}
		p.ReservedConcurrentExecutions = ptr.To[int32](5)
	}))
	r.Double.ResetCalls()
	for range 400 {
		if _, err := r.Step(f); err != nil {
			t.Fatal(err)
		}
		r.Advance(5 * time.Second)
	}
	if n := r.Double.Count("UpdateFunctionConfiguration"); n < 2 || n > 6 {
		t.Errorf("in half an hour it must be sent a few times, not %d", n)
	}
	if r.Double.Count("UpdateFunctionCode") != 1 || r.Double.Count("PutFunctionConcurrency") != 1 ||
		lastPublished(f) != "2" {
		t.Errorf("the rest must be done once and published, got version %s by %v",
			lastPublished(f), testenv.Writes(r.Operations()))
	}
	const message = "AWS has accepted a change of tracingConfig.mode"
	if c := f.GetCondition(xpv2.TypeReady); !strings.Contains(c.Message, message) ||
		c.Reason != xpv2.ReasonUnavailable {
		t.Errorf("Ready must tell what AWS does not take, got %+v", c)
	}
}

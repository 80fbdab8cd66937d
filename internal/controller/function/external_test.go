package function

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		err              string
		reason           xpv2.ConditionReason
		due              call
		calls            []string
	}
	get := func(o *lambda.GetFunctionOutput) func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) {
		return always[*lambda.GetFunctionInput](o, nil)
	}
	one := []string{"GetFunction"}

	cases := map[string]struct {
		reason  string
		f       *v1beta1.Function
		get     func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error)
		objects steptest.Objects
		want    want
	}{
		"Absent": {
			reason: "What AWS doesn't have is to be created.",
			f:      testFunction(),
			get:    always[*lambda.GetFunctionInput]((*lambda.GetFunctionOutput)(nil), notFound()),
			want:   want{reason: xpv2.ReasonCreating, calls: one},
		},
		"AbsentButMayNotCreate": {
			reason: "Without the Create policy, its absence is told and nothing is due.",
			f: testFunction(func(f *v1beta1.Function) {
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate}
			}),
			get:  always[*lambda.GetFunctionInput]((*lambda.GetFunctionOutput)(nil), notFound()),
			want: want{upToDate: true, reason: xpv2.ReasonUnavailable, calls: one},
		},
		"Steady": {
			reason: "A steady function is ready, by one call.",
			f:      testFunction(),
			get:    get(ours(testFunction())),
			want:   want{exists: true, upToDate: true, reason: xpv2.ReasonAvailable, calls: one},
		},
		"Drift": {
			reason: "A change by hand is seen.",
			f:      testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) }),
			get:    get(ours(testFunction())),
			want:   want{exists: true, reason: condition.ReasonUpdating, due: callUpdateConfiguration, calls: one},
		},
		"CodeDrift": {
			reason: "Code that someone else deployed is seen by its hash.",
			f:      testFunction(),
			get:    get(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Configuration.CodeSha256 = ptr.To("other") })),
			want:   want{exists: true, reason: condition.ReasonUpdating, due: callUpdateCode, calls: one},
		},
		"MidUpdate": {
			reason: "While AWS updates nothing is due, whatever differs.",
			f:      testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) }),
			get: get(ours(testFunction(), func(o *lambda.GetFunctionOutput) {
				o.Configuration.LastUpdateStatus = types.LastUpdateStatusInProgress
			})),
			want: want{exists: true, upToDate: true, reason: condition.ReasonUpdating, calls: one},
		},
		"Foreign": {
			reason: "A function without our tags is not touched.",
			f:      testFunction(),
			get:    get(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags = nil })),
			want:   want{err: "exists and was not created by this resource", reason: xpv2.ReasonUnavailable, calls: one},
		},
		"Imported": {
			reason: "One that the user names is adopted; its tags come first.",
			f:      testFunction(func(f *v1beta1.Function) { meta.SetExternalName(f, "f") }),
			get:    get(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags = nil })),
			want:   want{exists: true, reason: condition.ReasonUpdating, due: callTag, calls: one},
		},
		"LostAnswer": {
			reason: "What a create made whose answer was lost is ours by its UID.",
			f:      testFunction(func(f *v1beta1.Function) { meta.SetExternalCreatePending(f, time.Now()) }),
			get:    get(ours(testFunction())),
			want:   want{exists: true, upToDate: true, reason: xpv2.ReasonAvailable, calls: one},
		},
		"ForeignWhenDeleted": {
			reason: "A Function that is deleted lets go of what is not ours.",
			f:      testFunction(func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.Now()) }),
			get:    get(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags = nil })),
			want:   want{calls: one},
		},
		"TagsUnreadable": {
			reason: "Without tags nobody can tell whose it is.",
			f:      testFunction(),
			get: get(ours(testFunction(), func(o *lambda.GetFunctionOutput) {
				o.Tags, o.TagsError = nil, &types.TagsError{ErrorCode: ptr.To("AccessDeniedException"), Message: ptr.To("no")}
			})),
			want: want{err: "lambda:ListTags", reason: xpv2.ReasonUnavailable, calls: one},
		},
		"ObserveOnly": {
			reason: "Observe only may look at anything, and never judges what differs.",
			f: testFunction(func(f *v1beta1.Function) {
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			}),
			get:  get(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags, o.Configuration.MemorySize = nil, ptr.To[int32](999) })),
			want: want{exists: true, upToDate: true, reason: xpv2.ReasonAvailable, calls: one},
		},
		"MissingSecret": {
			reason: "A Secret that is not there is named.",
			f: testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.Environment = &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{{SecretRef: &v1beta1.EnvironmentSourceReference{Name: "app"}}}}
			}),
			get:  get(ours(testFunction())),
			want: want{err: "Secret ns/app does not exist", calls: one},
		},
		"Renamed": {
			reason: "Another external name would leave the function behind.",
			f: testFunction(func(f *v1beta1.Function) {
				f.Status.AtProvider.FunctionName = ptr.To("f")
				meta.SetExternalName(f, "g")
			}),
			want: want{err: `would leave function "f" behind`},
		},
		"UndecryptableEnvironment": {
			reason: "An environment that AWS can't decrypt is not an empty one, and does not hold up anything.",
			f: testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"AA": "1"}}
				f.SetConditions(condition.Updating(1, ""))
			}),
			get:  get(ours(testFunction(), undecryptable)),
			want: want{exists: true, upToDate: true, reason: xpv2.ReasonUnavailable, calls: one},
		},
		"UndecryptableEnvironmentWhenDeleted": {
			reason: "Deletion does not need the environment.",
			f:      testFunction(func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.Now()) }),
			get:    get(ours(testFunction(), undecryptable)),
			want:   want{exists: true, calls: one},
		},
		"UndecryptableEnvironmentObserveOnly": {
			reason: "Nor does looking.",
			f: testFunction(func(f *v1beta1.Function) {
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			}),
			get:  get(ours(testFunction(), undecryptable)),
			want: want{exists: true, upToDate: true, reason: xpv2.ReasonUnavailable, calls: one},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			api := &fakeLambda{get: tc.get}
			e, _ := testExternal(api, tc.objects)
			due := callNone
			turn := &managed.Attempt{ReserveFn: func(ops ...string) time.Duration {
				if ops[0] != callCreate && ops[0] != opDelete {
					due = call(ops[0])
				}
				return 0
			}}
			obs, err := e.Observe(managed.WithAttempt(t.Context(), turn), tc.f)
			if (err == nil) != (tc.want.err == "") || (err != nil && !strings.Contains(err.Error(), tc.want.err)) {
				t.Fatalf("%s\nerror: want %q, got %v", tc.reason, tc.want.err, err)
			}
			got := want{
				exists: obs.ResourceExists, upToDate: obs.ResourceUpToDate, err: tc.want.err,
				reason: tc.f.GetCondition(xpv2.TypeReady).Reason, due: due, calls: api.calls,
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSecretsStaySecret(t *testing.T) {
	const value = "hunter2-very-secret"
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{VariablesFrom: []v1beta1.EnvironmentVariable{{
			Name:      "DB_PASSWORD",
			ValueFrom: v1beta1.ValueSource{SecretKeyRef: &v1beta1.KeySelector{Name: "db", Key: "password"}},
		}}}
	})
	var sent map[string]string
	api := &fakeLambda{
		get: always[*lambda.GetFunctionInput](ours(f, func(o *lambda.GetFunctionOutput) {
			o.Configuration.Environment = &types.EnvironmentResponse{Variables: map[string]string{"DB_PASSWORD": "old-" + value}}
		}), nil),
		updateConfig: func(in *lambda.UpdateFunctionConfigurationInput) (*lambda.UpdateFunctionConfigurationOutput, error) {
			sent = in.Environment.Variables
			return &lambda.UpdateFunctionConfigurationOutput{}, nil
		},
	}
	e, th := testExternal(api, steptest.Objects{secret("ns", "db"): objects.Data{"password": []byte(value)}})
	turn := &managed.Attempt{}
	ctx := managed.WithAttempt(testContext(t), turn)

	obs, err := e.Observe(ctx, f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Update(ctx, f); err != nil {
		t.Fatal(err)
	}
	if sent["DB_PASSWORD"] != value {
		t.Errorf("the value itself must be sent to AWS")
	}
	if !strings.Contains(obs.Diff, "environment.variables[DB_PASSWORD]") {
		t.Errorf("the diff must name the variable, got %q", obs.Diff)
	}
	if !strings.Contains(turn.ChangeSummary(), "environment.variables[DB_PASSWORD]") {
		t.Errorf("the event must name the variable, got %q", turn.ChangeSummary())
	}
	status := strings.Builder{}
	for _, c := range f.Status.Conditions {
		status.WriteString(c.Message)
	}
	for what, text := range map[string]string{"diff": obs.Diff, "event": turn.ChangeSummary(), "conditions": status.String(), "plan": cmp.Diff(nil, th.plan.changes)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("the secret's value must not be in the %s: %s", what, text)
		}
	}
}

func TestCreate(t *testing.T) {
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Tags = map[string]string{"team": "a"}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{MemorySize: ptr.To[int32](512)}
	})
	var in *lambda.CreateFunctionInput
	api := &fakeLambda{
		get: always[*lambda.GetFunctionInput]((*lambda.GetFunctionOutput)(nil), notFound()),
		create: func(i *lambda.CreateFunctionInput) (*lambda.CreateFunctionOutput, error) {
			in = i
			return &lambda.CreateFunctionOutput{FunctionName: i.FunctionName, FunctionArn: ptr.To(testARN), State: types.StatePending}, nil
		},
	}
	e, _ := testExternal(api, nil)
	if _, err := e.Observe(testContext(t), f); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Create(testContext(t), f); err != nil {
		t.Fatal(err)
	}
	if ptr.Deref(in.FunctionName, "") != "f" || in.Tags["team"] != "a" || in.Tags[ownership.TagUID] != "uid-1" || len(in.Code.ZipFile) == 0 {
		t.Errorf("the function must be created whole, with the tags that say whose it is: %+v", in)
	}
	if ptr.Deref(in.MemorySize, 0) != 512 {
		t.Errorf("initProvider must be used at creation, got memory size %d", ptr.Deref(in.MemorySize, 0))
	}
	if meta.GetExternalName(f) != "f" || !ownership.WroteName(f) {
		t.Errorf("the external name must be written once the function exists, got annotations %v", f.GetAnnotations())
	}
}

func TestCreateAlreadyExists(t *testing.T) {
	f := testFunction()
	api := &fakeLambda{
		get:    always[*lambda.GetFunctionInput]((*lambda.GetFunctionOutput)(nil), notFound()),
		create: always[*lambda.CreateFunctionInput]((*lambda.CreateFunctionOutput)(nil), steptest.APIError(409, "ResourceConflictException", "Function already exist: f")),
	}
	e, _ := testExternal(api, nil)
	turn := &managed.Attempt{}
	ctx := managed.WithAttempt(testContext(t), turn)
	if _, err := e.Observe(ctx, f); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Create(ctx, f); err != nil {
		t.Errorf("whose it is must be left to the next observation, got %v", err)
	}
	if _, held := turn.Aborted(); !held {
		t.Error("the reconcile must be dropped and come back")
	}
	if meta.GetExternalName(f) != "" {
		t.Error("an external name must not be written for what may be foreign")
	}
}

func TestUpdate(t *testing.T) {
	busy := steptest.APIError(409, "ResourceConflictException", "The operation cannot be performed at this time. An update is in progress for resource: "+testARN)
	stale := steptest.APIError(412, "PreconditionFailedException", "The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id")

	cases := map[string]struct {
		reason string
		answer error
		err    bool
		held   bool
	}{
		"Done":   {reason: "The call is made and described."},
		"Busy":   {reason: "Someone else's update is waited for, without an error.", answer: busy, held: true},
		"Stale":  {reason: "Someone else's change is looked at first, without an error.", answer: stale, held: true},
		"Failed": {reason: "Any other error is told.", answer: errors.New("boom"), err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.Timeout = ptr.To[int32](9) })
			var in *lambda.UpdateFunctionConfigurationInput
			api := &fakeLambda{
				get: always[*lambda.GetFunctionInput](ours(f), nil),
				updateConfig: func(i *lambda.UpdateFunctionConfigurationInput) (*lambda.UpdateFunctionConfigurationOutput, error) {
					in = i
					return &lambda.UpdateFunctionConfigurationOutput{}, tc.answer
				},
			}
			e, _ := testExternal(api, nil)
			turn := &managed.Attempt{}
			ctx := managed.WithAttempt(testContext(t), turn)
			if _, err := e.Observe(ctx, f); err != nil {
				t.Fatal(err)
			}
			_, err := e.Update(ctx, f)
			if (err != nil) != tc.err {
				t.Errorf("%s: Update: %v", tc.reason, err)
			}
			if _, held := turn.Aborted(); held != tc.held {
				t.Errorf("%s: held: want %t, got %t", tc.reason, tc.held, held)
			}
			if ptr.Deref(in.Timeout, 0) != 9 || in.MemorySize != nil || in.Environment != nil || ptr.Deref(in.RevisionId, "") != "rev-1" {
				t.Errorf("%s: only what changed is sent, guarded by the revision that was observed: %+v", tc.reason, in)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	f := testFunction(func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.Now()) })
	var in *lambda.DeleteFunctionInput
	api := &fakeLambda{
		get: always[*lambda.GetFunctionInput](ours(f), nil),
		delete: func(i *lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error) {
			in = i
			return nil, notFound()
		},
	}
	e, _ := testExternal(api, nil)
	obs, err := e.Observe(testContext(t), f)
	if err != nil || !obs.ResourceExists {
		t.Fatalf("what is there must be told, so that it is deleted: %+v, %v", obs, err)
	}
	if _, err := e.Delete(testContext(t), f); err != nil {
		t.Errorf("what is gone already is deleted: %v", err)
	}
	if ptr.Deref(in.FunctionName, "") != "f" || in.Qualifier != nil {
		t.Errorf("the whole function is deleted, got %+v", in)
	}
	if r := f.GetCondition(xpv2.TypeReady).Reason; r != xpv2.ReasonDeleting {
		t.Errorf("the condition must tell of the deletion, got %s", r)
	}
}

// A durable function lingers until its executions have come to their end, which may take
// days: it is looked at ever more seldom.
func TestDeletionLingers(t *testing.T) {
	for since, want := range map[time.Duration]time.Duration{0: time.Second, time.Minute: 10 * time.Second, time.Hour: 3 * time.Minute, 100 * time.Hour: 5 * time.Minute} {
		f := testFunction(func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.NewTime(steptest.Start.Add(-since))) })
		e, _ := testExternal(&fakeLambda{get: always[*lambda.GetFunctionInput](ours(f, func(o *lambda.GetFunctionOutput) {
			o.Configuration.State, o.Configuration.StateReasonCode = types.StateDeleting, types.StateReasonCodeDrainingDurableExecutions
		}), nil)}, nil)
		turn := &managed.Attempt{}
		ctx := managed.WithAttempt(t.Context(), turn)
		if _, err := e.Observe(ctx, f); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Delete(ctx, f); err != nil {
			t.Fatal(err)
		}
		if got, held := turn.Aborted(); !held || got != want {
			t.Errorf("after %v, look again after %v, got %v", since, want, got)
		}
	}
}

// AWS signs archives only, and some regions answer the question with an error.
func TestImagesAreNotAskedForCodeSigning(t *testing.T) {
	f := testFunction(func(f *v1beta1.Function) {
		p := &f.Spec.ForProvider
		p.PackageType, p.Runtime, p.Handler = ptr.To("Image"), nil, nil
		p.Code, p.CodeSigningConfigArn = &v1beta1.FunctionCode{ImageURI: ptr.To(testImage + ":1")}, ptr.To("")
	})
	image := ours(testFunction(), func(o *lambda.GetFunctionOutput) {
		o.Configuration.PackageType, o.Configuration.Runtime, o.Configuration.Handler = types.PackageTypeImage, "", nil
		o.Code.ImageUri = ptr.To(testImage + ":1")
	})
	api := &fakeLambda{get: always[*lambda.GetFunctionInput](image, nil)}
	e, _ := testExternal(api, nil)
	obs, err := e.Observe(t.Context(), f)
	if err != nil || !obs.ResourceUpToDate || len(api.calls) != 1 {
		t.Errorf("one call must do: %+v, %v, %v", obs, err, api.calls)
	}
}

// AWS tells a scaling configuration as requested, and once it is applied as that alone.
func TestAppliedScalingIsNotPutAgain(t *testing.T) {
	bounds := &types.FunctionScalingConfig{MinExecutionEnvironments: ptr.To[int32](3), MaxExecutionEnvironments: ptr.To[int32](9)}
	earlier := &types.FunctionScalingConfig{MinExecutionEnvironments: ptr.To[int32](5)}
	for name, answer := range map[string]*lambda.GetFunctionScalingConfigOutput{
		"Requested": {RequestedFunctionScalingConfig: bounds, AppliedFunctionScalingConfig: earlier},
		"Applied":   {AppliedFunctionScalingConfig: bounds},
	} {
		t.Run(name, func(t *testing.T) {
			f := testFunction(func(f *v1beta1.Function) {
				usesInstances(&f.Spec.ForProvider.FunctionSettings)
				f.Spec.ForProvider.FunctionScalingConfig = &v1beta1.FunctionScalingConfig{MinExecutionEnvironments: ptr.To[int32](3), MaxExecutionEnvironments: ptr.To[int32](9)}
			})
			api := &fakeLambda{
				get:     always[*lambda.GetFunctionInput](ours(testFunction(), func(o *lambda.GetFunctionOutput) { onInstancesOf(o.Configuration) }), nil),
				scaling: always[*lambda.GetFunctionScalingConfigInput](answer, nil),
			}
			e, _ := testExternal(api, nil)
			if obs, err := e.Observe(t.Context(), f); err != nil || !obs.ResourceUpToDate {
				t.Errorf("nothing is due: %s, %v", obs.Diff, err)
			}
		})
	}
}

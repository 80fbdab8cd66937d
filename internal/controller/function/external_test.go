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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.Function
	)
	has := func(o *lambda.GetFunctionOutput) func(*env) {
		return func(e *env) { e.Script = testenv.Script{opGet: testenv.Returns(o, nil)} }
	}
	absent := func(e *env) {
		e.Script = testenv.Script{opGet: testenv.Returns[lambda.GetFunctionOutput](nil, notFound())}
	}
	one := []string{opGet}
	inOrder := observation{
		Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable, Reserved: testenv.None, Calls: one,
	}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[*env, mg]{
		"New": {
			Reason:   "What was never created is not read first: AWS rejects a second creation of the name.",
			Resource: testFunction(),
			AWS:      func(e *env) { e.reachable = true },
			Want:     observation{Ready: xpv2.ReasonCreating, Reserved: []string{opCreate}, Calls: testenv.None},
		},
		"NewAndNamed": {
			Reason:   "What has an external name may exist.",
			Resource: testFunction(func(f mg) { meta.SetExternalName(f, "f") }),
			AWS:      func(e *env) { has(ours(testFunction()))(e); e.reachable = true }, Want: inOrder,
		},
		"Absent": {
			Reason: "What AWS doesn't have is to be created.", Resource: testFunction(), AWS: absent,
			Want: observation{Ready: xpv2.ReasonCreating, Reserved: []string{opCreate}, Calls: one},
		},
		"AbsentButMayNotCreate": {
			Reason: "Without the policy Create, the absence is reported and no call is due.", Resource: testFunction(
				testenv.May[mg](xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate),
			), AWS: absent,
			Want: observation{UpToDate: true, Ready: xpv2.ReasonUnavailable, Reserved: testenv.None, Calls: one},
		},
		"Steady": {
			Reason: "A steady function is ready, by one call.", Resource: testFunction(),
			AWS: has(ours(testFunction())), Want: inOrder,
		},
		"Drift": {
			Reason: "A manual change is detected.", Resource: testFunction(
				func(f mg) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) },
			), AWS: has(ours(testFunction())),
			Want: observation{
				Exists: true, Ready: v1beta1.ReasonUpdating, Reserved: []string{string(opUpdateConfiguration)},
				Calls: one,
			},
		},
		"CodeDrift": {
			Reason: "Code that someone else deployed is seen by its hash.", Resource: testFunction(), AWS: has(ours(
				testFunction(), func(o *lambda.GetFunctionOutput) { o.Configuration.CodeSha256 = ptr.To("other") },
			)),
			Want: observation{
				Exists: true, Ready: v1beta1.ReasonUpdating, Reserved: []string{string(opUpdateCode)}, Calls: one,
			},
		},
		"MidUpdate": {
			Reason:   "While AWS updates nothing is due, whatever differs.",
			Resource: testFunction(func(f mg) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) }),
			AWS: has(ours(testFunction(), func(o *lambda.GetFunctionOutput) {
				o.Configuration.LastUpdateStatus = types.LastUpdateStatusInProgress
			})),
			Want: observation{
				Exists: true, UpToDate: true, Ready: v1beta1.ReasonUpdating, Reserved: testenv.None, Calls: one,
			},
		},
		"Foreign": {
			Reason: "A function without our tags is not touched.", Resource: testFunction(),
			AWS: has(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags = nil })),
			Want: observation{
				Ready: xpv2.ReasonUnavailable, Err: "exists and was not created by this resource",
				Reserved: testenv.None, Calls: one,
			},
		},
		"Imported": {
			Reason: "One that the user names is adopted; its tags come first.", Resource: testFunction(
				testenv.Imported[mg]("f"),
			), AWS: has(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags = nil })),
			Want: observation{
				Exists: true, Ready: v1beta1.ReasonUpdating, Reserved: []string{string(opTag)}, Calls: one,
			},
		},
		"LostAnswer": {
			Reason:   "The result of an unanswered create is recognized by its UID.",
			Resource: testFunction(testenv.Pending), AWS: has(ours(testFunction())), Want: inOrder,
		},
		"ForeignWhenDeleted": {
			Reason: "A Function that is being deleted does not delete a foreign function.", Resource: testFunction(
				testenv.BeingDeleted,
			), AWS: has(ours(testFunction(), func(o *lambda.GetFunctionOutput) { o.Tags = nil })),
			Want: observation{Aborted: true, Reserved: testenv.None, Calls: one},
		},
		"TagsUnreadable": {
			Reason:   "Without tags, the ownership is unknown.",
			Resource: testFunction(),
			AWS: has(ours(testFunction(), func(o *lambda.GetFunctionOutput) {
				o.Tags, o.TagsError = nil, &types.TagsError{
					ErrorCode: ptr.To(
						"AccessDeniedException",
					),
					Message: ptr.To("User: arn:aws:sts::1:assumed-role/p/session-1 " +
						"is not authorized to perform: lambda:ListTags on resource: f because no identity-based policy allows it"),
				}
			})),
			Want: observation{
				Ready: xpv2.ReasonUnavailable, Reserved: testenv.None, Calls: one, Stalls: true,
				Err: "arn:aws:sts::1:assumed-role/p may not lambda:ListTags on f: allow it in a policy of the identity",
			},
		},
		"ObserveOnly": {
			Reason:   "An observe-only resource may read any function, and changes nothing.",
			Resource: testFunction(testenv.ObserveOnly),
			AWS: has(ours(testFunction(), func(o *lambda.GetFunctionOutput) {
				o.Tags, o.Configuration.MemorySize = nil, ptr.To[int32](999)
			})), Want: inOrder,
		},
		"MissingSecret": {
			Reason: "A Secret that is not there is named.",
			Resource: testFunction(func(f mg) {
				f.Spec.ForProvider.Environment = &v1beta1.Environment{
					EnvFrom: []v1beta1.EnvironmentSource{{SecretRef: &v1beta1.EnvironmentSourceReference{Name: "app"}}},
				}
			}),
			AWS:  has(ours(testFunction())),
			Want: observation{Err: "Secret ns/app does not exist", Reserved: testenv.None, Calls: one},
		},
		"Renamed": {
			Reason: "Another external name would leave the function behind.",
			Resource: testFunction(func(f mg) {
				f.Status.AtProvider.FunctionName = ptr.To("f")
				meta.SetExternalName(f, "g")
			}),
			Want: observation{Err: `would leave function "f" behind`, Reserved: testenv.None, Calls: testenv.None},
		},
		"UndecryptableEnvironment": {
			Reason: "An environment that AWS can't decrypt is not an empty one, and does not hold up anything.",
			Resource: testFunction(func(f mg) {
				f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"AA": "1"}}
				f.SetConditions(reconcile.Updating(1, ""))
			}),
			AWS: has(ours(testFunction(), undecryptable)),
			Want: observation{
				Exists: true, UpToDate: true, Ready: xpv2.ReasonUnavailable, Reserved: testenv.None, Calls: one,
			},
		},
		"UndecryptableEnvironmentWhenDeleted": {
			Reason: "Deletion does not need the environment.", Resource: testFunction(testenv.BeingDeleted),
			AWS:  has(ours(testFunction(), undecryptable)),
			Want: observation{Exists: true, Reserved: []string{opDelete}, Calls: one},
		},
		"UndecryptableEnvironmentObserveOnly": {
			Reason:   "An observe-only resource needs no readable environment.",
			Resource: testFunction(testenv.ObserveOnly), AWS: has(ours(testFunction(), undecryptable)),
			Want: observation{
				Exists: true, UpToDate: true, Ready: xpv2.ReasonUnavailable, Reserved: testenv.None, Calls: one,
			},
		},
	})
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
	api := testenv.NewScripted(t, testenv.Script{
		opGet: testenv.Returns(ours(f, func(o *lambda.GetFunctionOutput) {
			o.Configuration.Environment = &types.EnvironmentResponse{
				Variables: map[string]string{"DB_PASSWORD": "old-" + value},
			}
		}), nil),
		"UpdateFunctionConfiguration": testenv.Scripted(func(in *lambda.UpdateFunctionConfigurationInput) (
			*lambda.UpdateFunctionConfigurationOutput, error,
		) {
			sent = in.Environment.Variables
			return &lambda.UpdateFunctionConfigurationOutput{}, nil
		}),
	})
	th := testExternal(
		api.Lambda,
		testenv.Objects{refs.SecretOf("ns", "db"): refs.ObjectData{"password": []byte(value)}},
	)

	done := engine.Once(testContext(t), th.resource(), reconcile.Facts{}, f, nil)
	if done.Err != nil {
		t.Fatal(done.Err)
	}
	obs := engine.ObservationFor(f, done.Outcome)
	if sent["DB_PASSWORD"] != value {
		t.Errorf("the value itself must be sent to AWS")
	}
	if !strings.Contains(obs.Diff, "environment.variables[DB_PASSWORD]") {
		t.Errorf("the diff must name the variable, got %q", obs.Diff)
	}
	if !strings.Contains(done.Does, "environment.variables[DB_PASSWORD]") {
		t.Errorf("the event must name the variable, got %q", done.Does)
	}
	status := strings.Builder{}
	for _, c := range f.Status.Conditions {
		status.WriteString(c.Message)
	}
	for what, text := range map[string]string{
		"diff": obs.Diff, "event": done.Does, "conditions": status.String(),
		"plan": cmp.Diff(nil, th.planned.Changes),
	} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("the secret's value must not be in the %s: %s", what, text)
		}
	}
}

func TestCreate(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Tags = map[string]string{"team": "a", "ignored": "x"}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{MemorySize: ptr.To[int32](512)}
	})
	var in *lambda.CreateFunctionInput
	e.OnCall = func(i any) {
		if i, ok := i.(*lambda.CreateFunctionInput); ok {
			in = i
		}
	}
	if o, _, err := e.Attempt(f); o != testenv.Created || err != nil {
		t.Fatal(o, err)
	}
	if ptr.Deref(in.FunctionName, "") != "f" || in.Tags["team"] != "a" || in.Tags[ownership.TagUID] != "uid-1" ||
		len(in.Code.ZipFile) == 0 {
		t.Errorf("the function must be created whole, with the tags that say whose it is: %+v", in)
	}
	if v, ok := in.Tags["ignored"]; ok {
		t.Errorf("a tag that the config ignores must not be set, got %q", v)
	}
	if ptr.Deref(in.MemorySize, 0) != 512 {
		t.Errorf("initProvider must be used at creation, got memory size %d", ptr.Deref(in.MemorySize, 0))
	}
	if meta.GetExternalName(f) != "f" || !ownership.WroteName(f) {
		t.Errorf("the external name must be written once the function exists, got annotations %v", f.GetAnnotations())
	}
}

// TestInitialTags checks that a tag of initProvider wins over the config's, like one of forProvider, and that it is
// left alone after the creation.
func TestInitialTags(t *testing.T) {
	th := testExternal(nil, nil)
	th.tags.Defaults = map[string]string{"team": "platform", "stage": "prod", "cost": "1"}
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Tags = map[string]string{"stage": "test"}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Tags: map[string]string{"team": "shop"}}
	})
	forProvider, initProvider, err := th.desired(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	d := reconcile.Merge(forProvider, initProvider)
	for key, want := range map[string]string{"team": "shop", "stage": "test", "cost": "1"} {
		if got := d.Settings.Tags[key]; got != want {
			t.Errorf("tag %s is %q, want %q", key, got, want)
		}
	}
	if !d.Left.Covers("tags[team]") {
		t.Errorf("the tag of initProvider is not left alone: %v", d.Left)
	}
}

func TestCreateAlreadyExists(t *testing.T) {
	e := newEnv(t)
	e.Refuse(opCreate, 409, "ResourceConflictException", "Function already exist: f")
	f := testFunction()
	if _, aborted, err := e.Attempt(f); err != nil || !aborted {
		t.Errorf("whose it is must be left to the next observation, which comes back: aborted %t, %v", aborted, err)
	}
	if meta.GetExternalName(f) != "" {
		t.Error("an external name must not be written for what may be foreign")
	}
}

func TestUpdate(t *testing.T) {
	busy := testenv.APIError(
		409, "ResourceConflictException",
		"The operation cannot be performed at this time. An update is in progress for resource: "+testARN,
	)
	stale := testenv.APIError(
		412, "PreconditionFailedException",
		"The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to "+
			"retrieve the latest Revision Id",
	)

	cases := map[string]struct {
		reason  string
		answer  error
		err     bool
		aborted bool
	}{
		"Done":   {reason: "The call is made and described."},
		"Busy":   {reason: "Someone else's update is waited for, without an error.", answer: busy, aborted: true},
		"Stale":  {reason: "Someone else's change is looked at first, without an error.", answer: stale, aborted: true},
		"Failed": {reason: "Any other error is returned.", answer: errors.New("boom"), err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.Timeout = ptr.To[int32](9) })
			var in *lambda.UpdateFunctionConfigurationInput
			e := newEnv(t)
			e.Script = testenv.Script{
				opGet: testenv.Returns(ours(f), nil),
				"UpdateFunctionConfiguration": testenv.Scripted(func(i *lambda.UpdateFunctionConfigurationInput) (
					*lambda.UpdateFunctionConfigurationOutput, error,
				) {
					in = i
					return &lambda.UpdateFunctionConfigurationOutput{}, tc.answer
				}),
			}
			if o, aborted, err := e.Attempt(f); o != testenv.Updated || (err != nil) != tc.err ||
				aborted != tc.aborted {
				t.Errorf("%s: %s: %v, aborted %t", tc.reason, o, err, aborted)
			}
			if ptr.Deref(in.Timeout, 0) != 9 || in.MemorySize != nil || in.Environment != nil ||
				ptr.Deref(in.RevisionId, "") != "rev-1" {
				t.Errorf("%s: only what changed is sent, guarded by the revision that was observed: %+v", tc.reason, in)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	e := newEnv(t)
	f := testFunction(testenv.BeingDeleted)
	var in *lambda.DeleteFunctionInput
	e.Script = testenv.Script{
		opGet: testenv.Returns(ours(f), nil),
		opDelete: testenv.Scripted(func(i *lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error) {
			in = i
			return nil, notFound()
		}),
	}
	if o, _, err := e.Attempt(f); o != testenv.Deleted || err != nil {
		t.Errorf(
			"what is there must be told, so that it is deleted, and what is gone already is deleted: %s, %v", o, err,
		)
	}
	if ptr.Deref(in.FunctionName, "") != "f" || in.Qualifier != nil {
		t.Errorf("the whole function is deleted, got %+v", in)
	}
	if r := f.GetCondition(xpv2.TypeReady).Reason; r != xpv2.ReasonDeleting {
		t.Errorf("the condition must tell of the deletion, got %s", r)
	}
}

// TestDeletionLingers checks that a durable function in deletion, which lasts until its
// executions have ended, perhaps days, says so once and is observed less and less often.
func TestDeletionLingers(t *testing.T) {
	facts := reconcile.Facts{Fresh: readcache.Freshness{Now: testenv.Start}}
	for since, want := range map[time.Duration]time.Duration{
		0: time.Second, time.Minute: 10 * time.Second, time.Hour: 3 * time.Minute, 100 * time.Hour: 5 * time.Minute,
	} {
		f := testFunction(
			func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.NewTime(testenv.Start.Add(-since))) },
		)
		answer := ours(f, func(o *lambda.GetFunctionOutput) {
			o.Configuration.State = types.StateDeleting
			o.Configuration.StateReasonCode = types.StateReasonCodeDrainingDurableExecutions
		})
		th := testExternal(testenv.NewScripted(t, testenv.Script{opGet: testenv.Returns(answer, nil)}).Lambda, nil)
		done := engine.Once(t.Context(), th.resource(), facts, f, nil)
		if r := f.GetCondition(xpv2.TypeReady); done.Err != nil || done.Later != nil ||
			r.Reason != xpv2.ReasonDeleting || !strings.Contains(r.Message, "kubectl lambda executions") {
			t.Errorf("after %v, Ready says what it waits for: %s, %+v, %v", since, r.Message, done.Later, done.Err)
		}
		done = engine.Once(t.Context(), th.resource(), facts, f, nil)
		if done.Later == nil || done.Later.After != want {
			t.Errorf("after %v, look again after %v, got %+v, %v", since, want, done.Later, done.Err)
		}
	}
}

// TestImagesAreNotAskedForCodeSigning checks that the code signing of an image is not read:
// AWS signs only archives, and some regions return an error.
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
	api := testenv.NewScripted(t, testenv.Script{opGet: testenv.Returns(image, nil)})
	done := engine.Observe(t.Context(), testExternal(api.Lambda, nil).resource(), reconcile.Facts{}, f)
	if done.Err != nil || !done.Exists || done.Call != nil || len(api.Operations()) != 1 {
		t.Errorf("one call must do: %+v, %v", done, api.Operations())
	}
}

// TestAppliedScalingIsNotPutAgain checks that a scaling configuration that AWS returns as
// requested, and later only as applied, is not sent again.
func TestAppliedScalingIsNotPutAgain(t *testing.T) {
	bounds := &types.FunctionScalingConfig{
		MinExecutionEnvironments: ptr.To[int32](3), MaxExecutionEnvironments: ptr.To[int32](9),
	}
	earlier := &types.FunctionScalingConfig{MinExecutionEnvironments: ptr.To[int32](5)}
	for name, answer := range map[string]*lambda.GetFunctionScalingConfigOutput{
		"Requested": {RequestedFunctionScalingConfig: bounds, AppliedFunctionScalingConfig: earlier},
		"Applied":   {AppliedFunctionScalingConfig: bounds},
	} {
		t.Run(name, func(t *testing.T) {
			f := testFunction(func(f *v1beta1.Function) {
				usesInstances(&f.Spec.ForProvider.FunctionSettings)
				f.Spec.ForProvider.FunctionScalingConfig = &v1beta1.FunctionScalingConfig{
					MinExecutionEnvironments: ptr.To[int32](3), MaxExecutionEnvironments: ptr.To[int32](9),
				}
			})
			api := testenv.NewScripted(t, testenv.Script{
				opGet: testenv.Returns(
					ours(testFunction(), func(o *lambda.GetFunctionOutput) { onInstancesOf(o.Configuration) }), nil,
				),
				"GetFunctionScalingConfig": testenv.Returns(answer, nil),
			})
			done := engine.Observe(t.Context(), testExternal(api.Lambda, nil).resource(), reconcile.Facts{}, f)
			if done.Err != nil || !done.Exists || done.Call != nil {
				t.Errorf("nothing is due: %s, %v", done.Changes, done.Err)
			}
		})
	}
}

func TestExpectedReads(t *testing.T) {
	exists := func(f *v1beta1.Function) { f.Status.AtProvider.FunctionArn = ptr.To(testARN) }
	cases := map[string]struct {
		reason string
		f      *v1beta1.Function
		want   []string
	}{
		"New":    {"A creation is likely to follow.", testFunction(), []string{opGet, opCreate}},
		"Exists": {"A change is unlikely to follow.", testFunction(exists), []string{opGet}},
		"Deleted": {
			"The deletion is likely to follow.", testFunction(exists, testenv.BeingDeleted), []string{opGet, opDelete},
		},
		"Deleting": {
			"The deletion was requested already.",
			testFunction(exists, testenv.BeingDeleted, func(f *v1beta1.Function) { f.SetConditions(xpv2.Deleting()) }),
			[]string{opGet},
		},
		"Unmade": {"There is nothing to delete.", testFunction(testenv.BeingDeleted), []string{opGet}},
		"Observed": {
			"Nothing is created if the policies allow observing only.",
			testFunction(testenv.May[*v1beta1.Function](xpv2.ManagementActionObserve)),
			[]string{opGet},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, expectedReads(tc.f)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

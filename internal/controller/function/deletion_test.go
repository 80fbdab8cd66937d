package function

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestReleaseStep(t *testing.T) {
	now := testenv.Start
	inVPC := &types.VpcConfigResponse{SubnetIds: []string{"subnet-1"}, SecurityGroupIds: []string{"sg-1", "sg-2"}}
	detach := &release{does: "leaving"}
	replace := func(groups ...string) *release {
		return &release{does: "replacing", to: &vpcConfig{SubnetIDs: inVPC.SubnetIds, SecurityGroupIDs: groups}}
	}
	modified := func(ago time.Duration) *string { return ptr.To(now.Add(-ago).Format(modifiedLayout)) }
	type step struct{ waits, due, fails bool }
	releaseDone, releaseDue, releaseWaits, fails := step{}, step{due: true}, step{waits: true}, step{fails: true}
	cases := map[string]struct {
		reason   string
		release  *release
		c        types.FunctionConfiguration
		attempts int32
		want     step
	}{
		"InVPC": {
			reason: "A function in a VPC is detached first.", release: detach,
			c: types.FunctionConfiguration{VpcConfig: inVPC}, want: releaseDue,
		},
		"Detached": {
			reason: "AWS shows an empty VPC after that.", release: detach,
			c: types.FunctionConfiguration{
				VpcConfig: &types.VpcConfigResponse{}, LastUpdateStatus: types.LastUpdateStatusSuccessful,
			},
			want: releaseDone,
		},
		"Detaching": {
			reason: "The new configuration is shown before it is converged.", release: detach,
			c: types.FunctionConfiguration{
				LastUpdateStatus: types.LastUpdateStatusInProgress, LastModified: modified(time.Minute),
			},
			want: releaseWaits,
		},
		"OtherChange": {
			reason: "AWS accepts no change while another is in progress.", release: detach,
			c: types.FunctionConfiguration{
				VpcConfig: inVPC, LastUpdateStatus: types.LastUpdateStatusInProgress, LastModified: modified(0),
			},
			want: releaseWaits,
		},
		"Pending": {
			reason: "AWS accepts no change while it creates the function.", release: detach,
			c:    types.FunctionConfiguration{VpcConfig: inVPC, State: types.StatePending, LastModified: modified(0)},
			want: releaseWaits,
		},
		"Stuck": {
			reason: "A change that AWS never completes does not keep the function.", release: detach,
			c: types.FunctionConfiguration{
				LastUpdateStatus: types.LastUpdateStatusInProgress, LastModified: modified(changeLimit + time.Second),
			},
			want: fails,
		},
		"StuckUnknown": {
			reason: "A change of unknown age does not keep the function from being deleted.", release: detach,
			c: types.FunctionConfiguration{LastUpdateStatus: types.LastUpdateStatusInProgress}, want: fails,
		},
		"UpdateFailed": {
			reason: "A change that failed is sent again, whatever AWS shows.", release: detach,
			c: types.FunctionConfiguration{LastUpdateStatus: types.LastUpdateStatusFailed}, attempts: 1,
			want: releaseDue,
		},
		"Ignored": {
			reason: "One that is not shown too.", release: detach,
			c:        types.FunctionConfiguration{VpcConfig: inVPC, LastUpdateStatus: types.LastUpdateStatusSuccessful},
			attempts: 4, want: releaseDue,
		},
		"Exhausted": {
			reason: "The number of attempts is limited.", release: detach,
			c: types.FunctionConfiguration{VpcConfig: inVPC}, attempts: 5, want: fails,
		},
		"Inactive": {
			reason: "AWS has the last word on a function that it has put to sleep.", release: detach,
			c: types.FunctionConfiguration{VpcConfig: inVPC, State: types.StateInactive}, want: releaseDue,
		},
		"Replace": {
			reason: "Other groups are replaced.", release: replace("sg-9"),
			c: types.FunctionConfiguration{VpcConfig: inVPC}, want: releaseDue,
		},
		"Replaced": {
			reason: "In any order.", release: replace("sg-2", "sg-1"), c: types.FunctionConfiguration{VpcConfig: inVPC},
			want: releaseDone,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			waits, due, why := tc.release.step(&tc.c, tc.attempts, now)
			if got := (step{waits, due, why != nil}); got != tc.want {
				t.Errorf("%s\nwant %+v, got %+v", tc.reason, tc.want, got)
			}
		})
	}
}

func vpcFunction(change ...func(*v1beta1.FunctionParameters)) *v1beta1.Function {
	return testFunction(func(f *v1beta1.Function) {
		p := &f.Spec.ForProvider
		p.VPCConfig = &v1beta1.VPCConfig{
			SubnetIDs: []string{"subnet-1", "subnet-2"}, SecurityGroupIDs: []string{"sg-1"},
			IPv6AllowedForDualStack: ptr.To(true),
		}
		for _, c := range change {
			c(p)
		}
	})
}

func detaches(p *v1beta1.FunctionParameters) { p.DetachFromVPCOnDestroy = ptr.To(true) }

func replaces(p *v1beta1.FunctionParameters) {
	p.ReplaceSecurityGroupsOnDestroy, p.ReplacementSecurityGroupIDs = ptr.To(true), []string{"sg-9"}
}

func TestDeleteInVPC(t *testing.T) {
	now := testenv.Start
	from := func(names ...string) func(*v1beta1.FunctionParameters) {
		return func(p *v1beta1.FunctionParameters) {
			p.ReplaceSecurityGroupsOnDestroy = ptr.To(true)
			for _, n := range names {
				p.ReplacementSecurityGroupIDsFrom = append(
					p.ReplacementSecurityGroupIDsFrom, v1beta1.FieldSelector{Kind: "SecurityGroup", Name: n},
				)
			}
		}
	}
	refused := testenv.APIError(
		400, "InvalidParameterValueException",
		"Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. EC2 Error Message: "+
			"The security group 'sg-9' does not exist",
	)
	type want struct {
		calls    []string
		groups   []string
		attempts int32
		ready    string
		events   int
		err      bool
		aborted  bool
	}
	update, both := []string{"GetFunction", "UpdateFunctionConfiguration"}, []string{"GetFunction", "DeleteFunction"}
	cases := map[string]struct {
		reason   string
		f        *v1beta1.Function
		policies xpv2.ManagementPolicies
		have     func(*types.FunctionConfiguration)
		answer   error
		quota    time.Duration
		want     want
	}{
		"NotAsked": {reason: "By default the function is deleted at once.", f: vpcFunction(), want: want{calls: both}},
		"Detach": {
			reason: "The function is detached from its VPC, with the file systems that it mounts there.",
			f:      vpcFunction(detaches),
			want: want{
				calls: update, groups: []string{}, attempts: 1, ready: "detaching it from its VPC before the deletion",
			},
		},
		"Replace": {
			reason: "The function keeps its subnets, and gets other security groups.", f: vpcFunction(replaces),
			want: want{
				calls: update, groups: []string{"sg-9"}, attempts: 1,
				ready: "replacing its security groups before the deletion",
			},
		},
		"From": {
			reason: "References are resolved, and those that are gone left out.",
			f:      vpcFunction(from("gone", "default")),
			want: want{
				calls: update, groups: []string{"sg-default"}, attempts: 1,
				ready: "replacing its security groups before the deletion",
			},
		},
		"FromTwice": {
			reason: "A group that two references select is sent once.",
			f:      vpcFunction(from("default", "default")),
			want: want{
				calls: update, groups: []string{"sg-default"}, attempts: 1,
				ready: "replacing its security groups before the deletion",
			},
		},
		"FromGone": {
			reason: "Without a replacement, the function is deleted as it is, with an event.",
			f:      vpcFunction(from("gone")), want: want{calls: both, events: 1},
		},
		"Failed": {
			reason: "AWS accepts no update of a function that failed.", f: vpcFunction(detaches),
			have: func(c *types.FunctionConfiguration) { c.State = types.StateFailed },
			want: want{calls: []string{"GetFunction", "DeleteFunction"}, events: 1},
		},
		"NoUpdate": {
			reason: "What must not be updated is not.", f: vpcFunction(detaches),
			policies: xpv2.ManagementPolicies{"Observe", "Create", "Delete"}, want: want{calls: both},
		},
		"Deleting": {
			reason: "AWS is deleting the function already.", f: vpcFunction(detaches),
			have: func(c *types.FunctionConfiguration) { c.State = types.StateDeleting },
			want: want{calls: []string{"GetFunction"}, aborted: true},
		},
		"Refused": {
			reason: "A rejected change is reported in Ready and in an event.", f: vpcFunction(replaces),
			answer: refused,
			want:   want{calls: update, groups: []string{"sg-9"}, attempts: 1, events: 1, ready: "attempt 1 of 5"},
		},
		"NoAnswer": {
			reason: "A call without an answer is an error as ever: most likely AWS cannot be reached at all.",
			f:      vpcFunction(detaches), answer: errors.New("connection reset"),
			want: want{calls: update, groups: []string{}, err: true},
		},
		"Throttled": {
			reason: "Being throttled is no refusal.", f: vpcFunction(detaches),
			answer: testenv.APIError(429, "TooManyRequestsException", "Rate Exceeded."),
			want:   want{calls: update, groups: []string{}, aborted: true},
		},
		"NoQuota": {
			reason: "Without quota for the call it is not made.", f: vpcFunction(detaches), quota: time.Second,
			want: want{calls: []string{"GetFunction"}, aborted: true},
		},
		"InProgress": {
			reason: "A change in progress is awaited, which Ready reports.", f: vpcFunction(detaches),
			have: func(c *types.FunctionConfiguration) {
				c.LastUpdateStatus, c.VpcConfig = types.LastUpdateStatusInProgress, nil
			},
			want: want{calls: []string{"GetFunction"}, ready: "detaching it from its VPC before the deletion"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := tc.f
			f.DeletionTimestamp = ptr.To(metav1.NewTime(now))
			f.Spec.ManagementPolicies = tc.policies
			var in *lambda.UpdateFunctionConfigurationInput
			api := testenv.NewScripted(t, testenv.Script{
				opGet: testenv.Returns(ours(f, func(o *lambda.GetFunctionOutput) {
					o.Configuration.VpcConfig = &types.VpcConfigResponse{
						SubnetIds: []string{"subnet-1", "subnet-2"}, SecurityGroupIds: []string{"sg-1"},
						Ipv6AllowedForDualStack: ptr.To(true), VpcId: ptr.To("vpc-1"),
					}
					o.Configuration.FileSystemConfigs = []types.FileSystemConfig{
						{Arn: ptr.To("arn"), LocalMountPath: ptr.To("/mnt/a")},
					}
					if tc.have != nil {
						tc.have(o.Configuration)
					}
				}), nil),
				"UpdateFunctionConfiguration": testenv.Scripted(func(i *lambda.UpdateFunctionConfigurationInput) (
					*lambda.UpdateFunctionConfigurationOutput, error,
				) {
					in = i
					return &lambda.UpdateFunctionConfigurationOutput{}, tc.answer
				}),
				opDelete: testenv.Returns(&lambda.DeleteFunctionOutput{}, nil),
			})
			th := testExternal(api.Lambda, nil)
			th.resolver.fields = testenv.Fields{"default": "sg-default"}
			facts := reconcile.Facts{ReserveFn: func(ops ...string) time.Duration {
				if slices.Contains(ops, "UpdateFunctionConfiguration") {
					return tc.quota
				}
				return 0
			}}
			done := engine.Once(testContext(t), th.resource(), facts, f, nil)
			if done.Called != reconcile.ToDelete {
				t.Fatal(done.Err)
			}
			aborted := done.Later != nil
			got := want{
				calls: api.Operations(), attempts: f.Status.AtProvider.VPCReleaseAttempts,
				events: len(done.Events), err: done.Err != nil, aborted: aborted,
			}
			if in != nil {
				got.groups = in.VpcConfig.SecurityGroupIds
				leaves := len(got.groups) == 0
				if leaves != (len(in.VpcConfig.SubnetIds) == 0) || leaves != (in.FileSystemConfigs != nil) {
					t.Errorf("%s\nonly who leaves the VPC loses subnets and file systems: %+v", tc.reason, in)
				}
			}
			if c := f.GetCondition(xpv2.TypeReady); strings.Contains(c.Message, tc.want.ready) &&
				(tc.want.ready != "") == (c.Message != "") {
				got.ready = tc.want.ready
			} else {
				got.ready = c.Message
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if r := f.GetCondition(xpv2.TypeReady).Reason; !aborted && !tc.want.err && r != xpv2.ReasonDeleting {
				t.Errorf("%s\nReady must tell of the deletion, got %s", tc.reason, r)
			}
		})
	}
}

// TestWaitForReleaseIsSilent checks that waiting writes nothing, because nothing has
// changed.
func TestWaitForReleaseIsSilent(t *testing.T) {
	f := vpcFunction(detaches)
	f.DeletionTimestamp = ptr.To(metav1.NewTime(testenv.Start))
	f.SetConditions(reconcile.Deleting(f.Generation, "detaching it from its VPC before the deletion"))
	answer := ours(f, func(o *lambda.GetFunctionOutput) {
		o.Configuration.LastUpdateStatus = types.LastUpdateStatusInProgress
	})
	th := testExternal(testenv.NewScripted(t, testenv.Script{opGet: testenv.Returns(answer, nil)}).Lambda, nil)
	done := engine.Once(testContext(t), th.resource(), reconcile.Facts{}, f, nil)
	if done.Later == nil || done.Later.After < time.Second {
		t.Errorf("the reconcile must be dropped and come back, got %+v, %v", done.Later, done.Err)
	}
}

func TestDeletionReleasesTheVPC(t *testing.T) {
	for name, option := range map[string]func(*v1beta1.FunctionParameters){"Detach": detaches, "Replace": replaces} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := vpcFunction(option)
			e.Converge(f)
			e.Remove(f)
			if diff := cmp.Diff([]string{"UpdateFunctionConfiguration", "DeleteFunction"}, e.Converge(f)); diff != "" {
				t.Errorf("the VPC is released before the function is deleted: -want, +got:\n%s", diff)
			}
			for _, c := range e.Double.Calls() {
				if c.ErrorCode == "ResourceConflictException" {
					t.Errorf("nothing must be sent while AWS is mid-update, but %s met a conflict", c.Operation)
				}
			}
		})
	}
}

// TestNotFoundAfterTheRelease checks that a single wrong answer does not leave the function in AWS after its VPC was
// released.
func TestNotFoundAfterTheRelease(t *testing.T) {
	e := newEnv(t)
	f := vpcFunction(detaches)
	e.Converge(f)
	e.Remove(f)
	if _, err := e.Step(f); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"DeleteFunction"}, e.WrongNotFound(f, string(opGet), 1)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestDeletionReleasesTheVPCDespiteKills checks that a deletion continues by the state in
// AWS if the provider is killed after any call, before it writes the status.
func TestDeletionReleasesTheVPCDespiteKills(t *testing.T) {
	e := newEnv(t)
	f := vpcFunction(detaches)
	e.Converge(f)
	e.Remove(f)
	e.Double.ResetCalls()
	for range 20 {
		if done, err := e.Step(f.DeepCopy()); err != nil {
			t.Fatal(err)
		} else if done {
			break
		}
		e.Advance(200 * time.Millisecond)
	}
	if diff := cmp.Diff(
		[]string{"UpdateFunctionConfiguration", "DeleteFunction"}, testenv.Writes(e.Operations()),
	); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestDeletionIsBounded checks that the function is deleted in the end, however AWS answers
// the release.
func TestDeletionIsBounded(t *testing.T) {
	cases := map[string]func(*env){
		"Refused": func(e *env) {
			e.Double.Fail(
				awsdouble.Fault{Operation: "UpdateFunctionConfiguration", Times: -1, Error: awsdouble.AccessDenied(
					"lambda:UpdateFunctionConfiguration",
				)},
			)
		},
		"Broken": func(e *env) {
			e.Double.Fail(awsdouble.Fault{Operation: "UpdateFunctionConfiguration", Times: -1, Error: awsdouble.Error{
				Status: 501, Code: "NotImplemented", Message: "no",
			}})
		},
		"NotThere": func(e *env) {
			e.Double.Fail(awsdouble.Fault{Operation: "UpdateFunctionConfiguration", Times: -1, Error: awsdouble.Error{
				Status: 404, Code: "ResourceNotFoundException", Message: "no",
			}})
		},
		"Busy": func(e *env) {
			e.Double.Fail(
				awsdouble.Fault{
					Operation: "UpdateFunctionConfiguration", Times: -1,
					Error: awsdouble.Error{
						Status: 409, Code: "ResourceConflictException",
						Message: "The operation cannot be performed at this time. An update is in progress",
					},
				},
			)
		},
	}
	for name, fail := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			// The SDK's own retries are not counted.
			e.Lambda = e.AWS.Lambda
			f := vpcFunction(detaches)
			e.Converge(f)
			e.Remove(f)
			fail(e)
			e.Double.ResetCalls()
			for range 40 {
				e.Advance(time.Second)
				if done, err := e.Step(f); err != nil {
					t.Fatal(err)
				} else if done {
					break
				}
			}
			updates := slices.DeleteFunc(
				testenv.Writes(e.Operations()), func(op string) bool { return op == "DeleteFunction" },
			)
			if len(e.functions()) > 0 || f.Status.AtProvider.VPCReleaseAttempts != 5 || len(updates) < 5 {
				t.Errorf(
					"want 5 attempts and then the deletion, got %d of %v, functions %v",
					f.Status.AtProvider.VPCReleaseAttempts, updates, e.functions(),
				)
			}
		})
	}
}

// TestDeletionAfterFailedReleases checks that the function is also deleted if AWS accepts
// the update but fails to apply it.
func TestDeletionAfterFailedReleases(t *testing.T) {
	e := newEnv(t)
	f := vpcFunction(detaches)
	e.Converge(f)
	e.Remove(f)
	e.Double.ResetCalls()
	for range 60 {
		e.Double.FailUpdate("f", "The role lacks a permission.", "InsufficientRolePermissions")
		e.Advance(time.Second)
		if done, err := e.Step(f); err != nil {
			t.Fatal(err)
		} else if done {
			break
		}
	}
	want := []string{
		"UpdateFunctionConfiguration", "UpdateFunctionConfiguration", "UpdateFunctionConfiguration",
		"UpdateFunctionConfiguration", "UpdateFunctionConfiguration", "DeleteFunction",
	}
	if diff := cmp.Diff(want, testenv.Writes(e.Operations())); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestForeignFunctionStaysInItsVPC checks that the function of another owner is not
// detached from its VPC.
func TestForeignFunctionStaysInItsVPC(t *testing.T) {
	f := vpcFunction(detaches)
	f.DeletionTimestamp = ptr.To(metav1.NewTime(testenv.Start))
	th := testExternal(
		testenv.NewScripted(
			t, testenv.Script{opGet: testenv.Returns(ours(f, func(o *lambda.GetFunctionOutput) { o.Tags = nil }), nil)},
		).Lambda,
		nil,
	)
	done := engine.Observe(testContext(t), th.resource(), reconcile.Facts{}, f)
	if done.Err != nil || done.Exists {
		t.Errorf("want it to be let go of, got %+v", done)
	}
}

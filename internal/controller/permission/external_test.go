package permission

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.Permission
	)
	const withSource = `{"Sid":"bucket","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction",
		"Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart","Condition":{"ArnLike":{"AWS:SourceArn":"arn:aws:s3:::uploads"}}}`
	const foreign = `statement bucket of the policy of function cart exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "bucket"`
	principal := func(p mg) { p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com") }
	selected := func(name string) func(mg) {
		return func(p mg) { p.Spec.ForProvider.SourceArnFrom = &v1beta1.FieldSelector{Kind: "Bucket", Name: name} }
	}
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"NoPolicy": {
			Reason:   "Where there is no policy, there is no statement.",
			Resource: testPermission(),
			Want:     observation{Ready: xpv2.ReasonCreating},
		},
		"NoStatement": {
			Reason:   "The statements of others are theirs.",
			Resource: testPermission(),
			AWS:      has(otherStatement),
			Want:     observation{Ready: xpv2.ReasonCreating},
		},
		"Unreadable": {
			Reason:   "The policy cannot be read.",
			Resource: testPermission(),
			AWS:      func(e env) { e.Break(opRead) },
			Want:     observation{Err: "cannot get the policy of function cart: " + testenv.Boom},
		},
		"NoPolicyAtAll": {
			Reason: "What AWS answers has to be a policy.", Resource: testPermission(),
			AWS: func(e env) {
				has(bucketStatement)(e)
				e.Responses = testenv.Answers{opRead: testenv.With("Policy", "{")}
			},
			Want: observation{Err: "cannot read the policy of function cart: the JSON is incomplete"},
		},
		"Same": {
			Reason:   "The statement is owned and equals spec.",
			Resource: testPermission(named),
			AWS:      has(otherStatement + "," + bucketStatement),
			Want:     inOrder,
		},
		"Differs": {
			Reason:   "The statement is owned, and was changed manually.",
			Resource: testPermission(named, principal),
			AWS:      has(bucketStatement),
			Want: observation{
				Exists: true,
				Ready:  "Updating",
				Diff:   `principal: "s3.amazonaws.com" -> "sns.amazonaws.com"`,
			},
		},
		"MayNotAdd": {
			Reason: "What may not be added again is not removed.",
			Resource: testPermission(
				named,
				principal,
				testenv.May[mg](xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate),
			),
			AWS: has(bucketStatement),
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonAvailable,
				Diff:     `principal: "s3.amazonaws.com" -> "sns.amazonaws.com"`,
			},
		},
		"Foreign": {
			Reason:   "An existing statement of the same id is foreign.",
			Resource: testPermission(),
			AWS:      has(bucketStatement),
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: foreign},
		},
		"Imported": {
			Reason:   "The user has imported the statement.",
			Resource: testPermission(imported),
			AWS:      has(bucketStatement),
			Want:     inOrder,
		},
		"LostAnswer": {
			Reason:   "The statement did not exist before an unanswered create, and equals what that sent.",
			Resource: testPermission(testenv.Pending),
			AWS:      has(bucketStatement),
			Want:     inOrder,
		},
		"LostAnswerOfOther": {
			Reason: "The statement differs from what the unanswered create sent.",
			Resource: testPermission(
				testenv.Pending,
				func(p mg) { p.Spec.ForProvider.Action = ptr.To("lambda:GetFunction") },
			),
			AWS:  has(bucketStatement),
			Want: observation{Ready: xpv2.ReasonUnavailable, Err: foreign},
		},
		"ObserveOnly": {
			Reason:   "Observing needs no ownership.",
			Resource: testPermission(testenv.ObserveOnly, func(p mg) { p.Spec.ForProvider.Principal = nil }),
			AWS:      has(bucketStatement),
			Want:     inOrder,
		},
		"SourceFrom": {
			Reason:   "The source's ARN comes from another object.",
			Resource: testPermission(named, selected("uploads")),
			AWS:      has(withSource),
			Want:     inOrder,
		},
		"SourceFromMissing": {
			Reason:   "Without it nothing is known to differ.",
			Resource: testPermission(named, selected("missing")),
			AWS:      has(withSource),
			Want: observation{
				Err: "cannot resolve spec.forProvider.sourceArnFrom: Bucket team/missing does not exist",
			},
		},
		"SourceFromMissingAtCreation": {
			Reason:   "Nothing is created while a reference is not resolved.",
			Resource: testPermission(selected("missing")),
			Want: observation{
				Err: "cannot resolve spec.forProvider.sourceArnFrom: Bucket team/missing does not exist",
			},
		},
		"Deleted": {
			Reason:   "An owned statement is deleted, whatever it has become.",
			Resource: testPermission(named, testenv.BeingDeleted),
			AWS:      has(`{"Sid":"bucket","Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}`),
			Want:     observation{Exists: true},
		},
		"DeletedForeign": {
			Reason:   "A foreign resource is not deleted.",
			Resource: testPermission(testenv.BeingDeleted),
			AWS:      has(bucketStatement),
			Want:     observation{Aborted: true},
		},
		"DeletedCopy": {
			Reason: "The statement of the resource whose annotations were copied is not that of the function in spec.",
			Resource: testPermission(imported, testenv.BeingDeleted, func(p mg) {
				meta.AddAnnotations(
					p,
					map[string]string{v1beta1.AnnotationNamedBy: "u0/bucket", v1beta1.AnnotationParent: "cart"},
				)
				p.Spec.ForProvider.FunctionName = ptr.To("basket")
			}),
			AWS: has(bucketStatement),
		},
		"DeletedUnresolved": {
			Reason:   "What it referred to is gone before anything was added.",
			Resource: testPermission(testenv.BeingDeleted, func(p mg) { p.Spec.ForProvider.FunctionName = nil }),
			Want:     observation{Calls: testenv.None},
		},
		"Moved": {
			Reason: "A statement is not left behind unnoticed.",
			Resource: testPermission(named, func(p mg) {
				p.Status.AtProvider.FunctionName, p.Status.AtProvider.Qualifier = ptr.To("basket"), ptr.To("live")
			}),
			Want: observation{
				Calls: testenv.None,
				Err:   `spec or the external name was changed from "basket:live" to "cart", which would leave "basket:live" behind: change spec.forProvider or the annotation crossplane.io/external-name back, and create another resource for "cart"`,
			},
		},
		"MovedUnseen": {
			Reason: "A statement on another function is not left behind, even if status was lost.",
			Resource: testPermission(
				named,
				func(p mg) { meta.AddAnnotations(p, map[string]string{v1beta1.AnnotationParent: "basket"}) },
			),
			Want: observation{
				Calls: testenv.None,
				Err:   `spec or the external name was changed from "basket" to "cart", which would leave "basket" behind: change spec.forProvider or the annotation crossplane.io/external-name back, and create another resource for "cart"`,
			},
		},
		"TwoNames": {
			Reason:   "One of them would be ignored.",
			Resource: testPermission(imported, func(p mg) { p.Spec.ForProvider.StatementID = ptr.To("other") }),
			Want: observation{
				Calls: testenv.None,
				Err:   `spec.forProvider.statementId is "other", but the annotation crossplane.io/external-name says "bucket": remove one of them`,
			},
		},
	})
}

// TestDeletedAfterItsFunctionWasForgotten checks that a deletion removes the statement
// from where it was added, although spec no longer names its function.
func TestDeletedAfterItsFunctionWasForgotten(t *testing.T) {
	for name, change := range map[string]func(*v1beta1.Permission){
		"Status": func(p *v1beta1.Permission) {
			p.Status.AtProvider = v1beta1.PermissionObservation{FunctionName: ptr.To("basket"), Qualifier: ptr.To("live")}
		},
		"Annotation": func(p *v1beta1.Permission) {
			meta.AddAnnotations(p, map[string]string{v1beta1.AnnotationParent: "basket:live"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.AddFunction("basket")
			e.Publish("basket")
			e.AddAlias("basket", "live", "1")
			arn := functionArn[:len(functionArn)-len("cart")] + "basket:live"
			e.put(arn, bucketStatement)
			has(bucketStatement)(e)
			e.Converge(
				testPermission(
					named,
					testenv.BeingDeleted,
					change,
					func(p *v1beta1.Permission) { p.Spec.ForProvider.FunctionName = nil },
				),
			)
			if got := e.Double.Policy(arn); got != "" {
				t.Errorf("it is left there: %s", got)
			}
			if got := e.Double.Policy(functionArn); got == "" {
				t.Error("another statement was removed")
			}
		})
	}
}

func TestCreate(t *testing.T) {
	cases := map[string]struct {
		reason  string
		aws     func(env)
		want    string
		aborted bool
	}{
		"Added": {reason: "The name of the created statement is recorded.", aws: func(env) {}},
		"Exists": {reason: "The next observation checks the ownership.", aborted: true, aws: func(e env) {
			e.Refuse(
				opAdd,
				409,
				"ResourceConflictException",
				"The statement id (bucket) provided already exists. Please provide a new statement id, or remove the existing statement.",
			)
		}},
		"Fails": {
			reason: "AWS's error is returned.",
			aws:    func(e env) { e.Break(opAdd) },
			want:   "cannot add statement bucket to the policy of function cart: " + testenv.Boom,
		},
		"Blocked": {
			reason: "The error says what to remove.",
			aws:    has(strings.Replace(otherStatement, `"*"`, `{"AWS":"AROAEXAMPLE"}`, 1)),
			want:   "cannot add statement bucket to the policy of function cart: first remove statement other of another tool, because its principal was deleted in IAM, and AWS accepts no other statement until then: ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			tc.aws(e)
			p := testPermission()
			_, aborted, err := e.Attempt(p)
			if got := ownership.Parent(p); got != "cart" {
				t.Errorf("before it is added, the function is remembered: %q", got)
			}
			if !testenv.ErrorMatches(err, tc.want) || aborted != tc.aborted {
				t.Errorf("%s\nerror %v, want %q; aborted %t", tc.reason, err, tc.want, aborted)
			}
			if ownership.WroteName(p) != (name == "Added") {
				t.Errorf("\n%s\nname %q", tc.reason, meta.GetExternalName(p))
			}
		})
	}
}

// TestUpdate checks that what a changed statement allows is added before the statement is removed, and that the
// statement stays if AWS rejects that.
func TestUpdate(t *testing.T) {
	e := newEnv(t)
	has(otherStatement + "," + bucketStatement)(e)
	p := testPermission(
		named,
		func(p *v1beta1.Permission) { p.Spec.ForProvider.SourceAccount = ptr.To("123456789012") },
	)
	before := e.Double.Policy(functionArn)
	e.Double.Fail(awsdouble.Fault{Operation: opAdd, Error: awsdouble.Error{
		Status:  400,
		Code:    "InvalidParameterValueException",
		Message: "The provided principal was invalid. Please check the principal and try again.",
	}})
	want := "cannot change statement bucket of the policy of function cart: "
	if o, err := e.Do(p); o != testenv.Updated || !testenv.ErrorMatches(err, want) {
		t.Errorf("%s, %v", o, err)
	}
	if got := e.Double.Policy(functionArn); got != before {
		t.Errorf("the policy was changed: %s", got)
	}
	e.Double.ResetCalls()
	if o, err := e.Do(p); o != testenv.Updated || err != nil || e.Done.After == 0 {
		t.Errorf("%s, %v; comes back at once: %v", o, err, e.Done.After)
	}
	e.Want(p, "it is looked at", testenv.Converged)
	if diff := cmp.Diff([]string{opRead, opAdd, opRemove, opAdd, opRemove, opRead}, e.Operations()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestUpdateOfLongPolicy checks that a statement is replaced even if the policy has no room for another one.
func TestUpdateOfLongPolicy(t *testing.T) {
	e := newEnv(t)
	p := testPermission()
	e.Converge(p)
	p.Spec.ForProvider.SourceAccount = ptr.To("123456789012")
	e.Double.Fail(awsdouble.Fault{Operation: opAdd, Error: awsdouble.Error{
		Status:  400,
		Code:    "PolicyLengthExceededException",
		Message: "The final policy size (20490) is bigger than the limit (20480).",
	}})
	e.Converge(p)
	if got := e.Double.Policy(
		functionArn,
	); !strings.Contains(got, "123456789012\"}") ||
		strings.Count(got, `"Sid"`) != 1 {
		t.Errorf("the policy is %s", got)
	}
}

// TestInterruptedUpdate checks that an update continues wherever it was interrupted, that something allows what spec
// asks for from its first call on, and that nothing is left of it, also if the resource is deleted then.
func TestInterruptedUpdate(t *testing.T) {
	passed := func(status int, body []byte) (int, []byte) { return status, body }
	for name, faults := range map[string][]awsdouble.Fault{
		"Added":      {{Operation: opRemove, Error: awsdouble.ServiceFailure()}},
		"Removed":    {{Operation: opAdd, Answer: passed}, {Operation: opAdd, Error: awsdouble.ServiceFailure()}},
		"AddedAgain": {{Operation: opRemove, Answer: passed}, {Operation: opRemove, Error: awsdouble.ServiceFailure()}},
	} {
		interrupted := func(t *testing.T) (env, *v1beta1.Permission) {
			t.Helper()
			e := newEnv(t)
			e.Lambda = e.TryingOnce()
			has(otherStatement + "," + bucketStatement)(e)
			p := testPermission(
				named,
				func(p *v1beta1.Permission) { p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com") },
			)
			for _, f := range faults {
				e.Double.Fail(f)
			}
			if _, err := e.Do(p); err == nil {
				t.Fatal("nothing was interrupted")
			}
			if got := e.Double.Policy(functionArn); !strings.Contains(got, "sns.amazonaws.com") {
				t.Errorf("nothing allows what spec asks for: %s", got)
			}
			return e, p
		}
		check := func(t *testing.T, e env, statements int) {
			t.Helper()
			got := e.Double.Policy(functionArn)
			if strings.Contains(got, "s3.amazonaws.com") || strings.Count(got, `"Sid"`) != statements ||
				strings.Count(got, `"bucket"`) != statements-1 {
				t.Errorf("the policy is %s", got)
			}
		}
		t.Run(name, func(t *testing.T) {
			e, p := interrupted(t)
			e.Converge(p)
			check(t, e, 2)
		})
		t.Run(name+"Deleted", func(t *testing.T) {
			e, p := interrupted(t)
			e.Remove(p)
			e.Converge(p)
			check(t, e, 1)
		})
	}
}

func TestDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, code, want string
	}{
		"Gone":  {reason: "What is gone is no error.", code: "ResourceNotFoundException"},
		"Fails": {reason: "AWS's error is returned.", code: "InvalidParameterValueException", want: "cannot remove statement bucket of the policy of function cart: " + testenv.Boom},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			has(bucketStatement)(e)
			e.Refuse(opRemove, 400, tc.code, "boom")
			if o, _, err := e.Attempt(
				testPermission(named, testenv.BeingDeleted),
			); o != testenv.Deleted ||
				!testenv.ErrorMatches(err, tc.want) {
				t.Errorf("%s\n%s, error %v, want %q", tc.reason, o, err, tc.want)
			}
		})
	}
}

// TestAWrongNotFound checks that a wrong report of AWS that a policy does not exist counts once, also where answers are
// shared.
func TestAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	e.Age = 2 * time.Second
	p := testPermission()
	e.Converge(p)
	e.Remove(p)
	if diff := cmp.Diff([]string{opRemove}, e.WrongNotFound(p, opRead, 1)); diff != "" {
		t.Errorf("it is removed after all: -want, +got:\n%s", diff)
	}
}

package layerversionpermission

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const isForeign = `statement partner of the policy of layer version base:1 exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "base:1:partner"`

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.LayerVersionPermission
	)
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
			AWS:      versions{1: otherStatement}.in,
			Want:     observation{Ready: xpv2.ReasonCreating},
		},
		"MayNotCreate": {
			Reason:   "Without the policy Create, the statement is not created.",
			Resource: testPermission(testenv.May[mg](xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate)),
			Want:     observation{UpToDate: true, Ready: xpv2.ReasonUnavailable},
		},
		"Unreadable": {
			Reason:   "The policy cannot be read.",
			Resource: testPermission(),
			AWS:      func(e env) { e.Break(opRead) },
			Want:     observation{Err: "cannot get the policy of layer version base:1: " + testenv.Boom},
		},
		"NoPolicyAtAll": {
			Reason:   "What AWS answers has to be a policy.",
			Resource: testPermission(),
			AWS: func(e env) {
				versions{1: partnerStatement}.in(e)
				e.Responses = testenv.Answers{opRead: testenv.With("Policy", "{")}
			},
			Want: observation{Err: "cannot read the policy of layer version base:1: the JSON is incomplete"},
		},
		"Same": {
			Reason:   "The statement is owned and equals spec.",
			Resource: testPermission(named),
			AWS:      versions{1: otherStatement + "," + partnerStatement}.in,
			Want:     inOrder,
		},
		"Differs": {
			Reason:   "The statement is owned, and was changed manually.",
			Resource: testPermission(named, public),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Exists: true, Ready: "Updating", Diff: `principal: "111122223333" -> "*"`},
		},
		"MayNotAdd": {
			Reason: "What may not be added again is not removed.",
			Resource: testPermission(
				named,
				public,
				testenv.May[mg](xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate),
			),
			AWS: versions{
				1: partnerStatement,
			}.in,
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonAvailable,
				Diff:     `principal: "111122223333" -> "*"`,
			},
		},
		"Foreign": {
			Reason:   "An existing statement of the same id is foreign.",
			Resource: testPermission(),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: isForeign},
		},
		"Imported": {
			Reason:   "The user has imported the statement.",
			Resource: testPermission(imported),
			AWS:      versions{1: partnerStatement}.in,
			Want:     inOrder,
		},
		"ImportedOtherwise": {
			Reason:   "Spec and the external name name different versions.",
			Resource: testPermission(imported, atTwo),
			Want: observation{
				Calls: testenv.None,
				Err:   `the annotation crossplane.io/external-name is "base:1:partner", but spec asks for "base:2:partner": make them the same`,
			},
		},
		"ImportedByStatement": {
			Reason:   "An import names the version too.",
			Resource: testPermission(func(p mg) { meta.SetExternalName(p, "partner") }),
			Want: observation{
				Calls: testenv.None,
				Err:   `the annotation crossplane.io/external-name is "partner", but spec asks for "base:1:partner": make them the same`,
			},
		},
		"LostAnswer": {
			Reason:   "The statement did not exist before an unanswered create, and equals what that sent.",
			Resource: testPermission(tried),
			AWS:      versions{1: partnerStatement}.in,
			Want:     inOrder,
		},
		"LostAnswerOfOther": {
			Reason:   "The statement differs from what the unanswered create sent.",
			Resource: testPermission(tried, public),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: isForeign},
		},
		"LostAnswerAndMoved": {
			Reason:   "What that create made is not left behind.",
			Resource: testPermission(tried, atTwo),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Exists: true, Ready: "Updating", Diff: "versionNumber: 1 -> 2"},
		},
		"LostAnswerAndEdited": {
			Reason:   "Whether that create or somebody else made it is not known, so it is neither removed nor left unnoticed.",
			Resource: testPermission(tried, atTwo, public),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: isForeign},
		},
		"ObserveOnly": {
			Reason:   "Observing needs no ownership.",
			Resource: testPermission(testenv.ObserveOnly, func(p mg) { p.Spec.ForProvider.Principal = nil }),
			AWS:      versions{1: partnerStatement}.in,
			Want:     inOrder,
		},
		"Moved": {
			Reason:   "The statement is first removed from the previous version.",
			Resource: testPermission(named, atTwo),
			AWS:      versions{1: partnerStatement, 2: partnerAtTwo}.in,
			Want:     observation{Exists: true, Ready: "Updating", Diff: "versionNumber: 1 -> 2"},
		},
		"MovedToForeign": {
			Reason:   "What others have there stays.",
			Resource: testPermission(named, atTwo), AWS: versions{2: publicAtTwo}.in,
			Want: observation{
				Ready: xpv2.ReasonUnavailable,
				Err:   `statement partner of the policy of layer version base:2 exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "base:2:partner"`,
			},
		},
		"Renamed": {
			Reason:   "An id that spec has since then is the one.",
			Resource: testPermission(named, func(p mg) { p.Spec.ForProvider.StatementID = ptr.To("friend") }),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Exists: true, Ready: "Updating", Diff: `statementId: "partner" -> "friend"`},
		},
		"OtherRegion": {
			Reason:   "A layer of the same name here is another one.",
			Resource: testPermission(byArn("arn:aws:lambda:us-east-1:123456789012:layer:base:1")),
			Want: observation{
				Calls: testenv.None,
				Err:   "layer version arn:aws:lambda:us-east-1:123456789012:layer:base:1 is in another region than spec.forProvider.region, which is eu-central-1: create a LayerVersionPermission in that region, or use a layer version of this one",
			},
		},
		"NoLayerVersion": {
			Reason:   "Admission can't see what a reference comes to.",
			Resource: testPermission(byArn(layerArn + ":0")),
			Want: observation{
				Calls: testenv.None,
				Err:   `"arn:aws:lambda:eu-central-1:123456789012:layer:base:0" is not the ARN of a layer version: set spec.forProvider.layerVersionArn to one of the form arn:aws:lambda:region:123456789012:layer:name:version`,
			},
		},
		"Deleted": {
			Reason:   "An owned statement is deleted, whatever it and spec have become.",
			Resource: testPermission(named, testenv.BeingDeleted, unresolved),
			AWS: versions{
				1: `{"Sid":"partner","Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}`,
			}.in,
			Want: observation{Exists: true},
		},
		"DeletedForeign": {
			Reason:   "A foreign resource is not deleted.",
			Resource: testPermission(testenv.BeingDeleted),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Aborted: true},
		},
		"DeletedMisnamed": {
			Reason: "The external name is no statement's, and the statement of spec was never adopted.",
			Resource: testPermission(
				testenv.BeingDeleted,
				func(p mg) { meta.SetExternalName(p, "partner") },
			),
			AWS: versions{1: partnerStatement}.in,
		},
		"DeletedGiven": {
			Reason:   "A statement that was never owned, and that spec does not name, is not deleted.",
			Resource: testPermission(imported, testenv.BeingDeleted, atTwo), AWS: versions{1: partnerStatement}.in,
		},
		"DeletedUnresolved": {
			Reason:   "What it referred to is gone before anything was added.",
			Resource: testPermission(testenv.BeingDeleted, unresolved),
			Want:     observation{Calls: testenv.None},
		},
		"DeletedAfterLostAnswer": {
			Reason:   "What the create made goes too.",
			Resource: testPermission(tried, testenv.BeingDeleted, unresolved),
			AWS:      versions{1: partnerStatement}.in,
			Want:     observation{Exists: true},
		},
		"DeletedWhileMoving": {
			Reason: "Nothing is left where it was going, though its name was not written yet.",
			Resource: testPermission(
				named,
				testenv.BeingDeleted,
				tried,
				func(p mg) { meta.AddAnnotations(p, map[string]string{v1beta1.AnnotationParent: "base:2:partner"}) },
			),
			AWS:  versions{2: partnerAtTwo}.in,
			Want: observation{Exists: true},
		},
	})
}

// TestObserveOnlyFollows checks that a resource that only observes shows the version in
// spec, regardless of the previous one.
func TestObserveOnlyFollows(t *testing.T) {
	e := newEnv(t)
	versions{1: partnerStatement, 2: publicAtTwo}.in(e)
	p := testPermission(testenv.ObserveOnly)
	for _, version := range []int64{1, 2} {
		p.Spec.ForProvider.VersionNumber = ptr.To(version)
		if o := e.Observe(p); !o.Exists || o.Err != "" || *p.Status.AtProvider.VersionNumber != version {
			t.Errorf("version %d: %+v: %+v", version, o, p.Status.AtProvider)
		}
	}
	if diff := cmp.Diff([]string{opRead, opRead}, e.Operations()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestCreate(t *testing.T) {
	cases := map[string]struct {
		reason, code, message, want string
		aborted                     bool
	}{
		"Exists": {
			reason:  "The next observation checks the ownership.",
			code:    "ResourceConflictException",
			aborted: true,
			message: "The statement id (partner) provided already exists. Please provide a new statement id, or remove the existing statement.",
		},
		"NoVersion": {
			reason:  "The error says that the layer version must exist first.",
			code:    "ResourceNotFoundException",
			message: "Layer version " + layerArn + ":1 does not exist.",
			want: "cannot add statement partner: publish layer version base:1 first, or set spec.forProvider to one that exists: " +
				"ResourceNotFoundException: Layer version " + layerArn + ":1 does not exist.",
		},
		"Fails": {
			reason: "AWS's error is returned.", code: "InvalidParameterValueException", message: "boom",
			want: "cannot add statement partner to the policy of layer version base:1: " + testenv.Boom,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Refuse(opAdd, 400, tc.code, tc.message)
			p := testPermission()
			_, aborted, err := e.Attempt(p)
			if got := ownership.Parent(p); got != "base:1:partner" {
				t.Errorf("before it is added, the place is remembered: %q", got)
			}
			if !testenv.ErrorMatches(err, tc.want) || aborted != tc.aborted || ownership.WroteName(p) {
				t.Errorf(
					"%s\nerror %v, want %q; aborted %t; name %q",
					tc.reason,
					err,
					tc.want,
					aborted,
					meta.GetExternalName(p),
				)
			}
		})
	}
}

// TestUpdate checks that what a changed statement allows is added before the statement is removed, that the statement
// stays if AWS rejects that, and that nothing is left of an update that was interrupted, also if the resource moves to
// another version or is deleted then.
func TestUpdate(t *testing.T) {
	passed := func(status int, body []byte) (int, []byte) { return status, body }
	rejected := awsdouble.Error{
		Status:  400,
		Code:    "InvalidParameterValueException",
		Message: "The provided principal was invalid.",
	}
	for name, tc := range map[string]struct {
		reason string
		faults []awsdouble.Fault
		then   []func(env, *v1beta1.LayerVersionPermission)
		want   [3]int
	}{
		"Rejected": {
			reason: "The old statement stays.", faults: []awsdouble.Fault{{Operation: opAdd, Error: rejected}}, want: [3]int{2, 0, 1},
		},
		"Interrupted": {
			reason: "The new statement remains, beside the other.", faults: []awsdouble.Fault{{Operation: opAdd, Answer: passed}, {Operation: opAdd, Error: awsdouble.ServiceFailure()}},
			then: []func(env, *v1beta1.LayerVersionPermission){func(env, *v1beta1.LayerVersionPermission) {}},
			want: [3]int{2, 0, 0},
		},
		"InterruptedMoved": {
			reason: "The new statement moves.", faults: []awsdouble.Fault{{Operation: opAdd, Answer: passed}, {Operation: opAdd, Error: awsdouble.ServiceFailure()}},
			then: []func(env, *v1beta1.LayerVersionPermission){func(_ env, p *v1beta1.LayerVersionPermission) { atTwo(p) }},
			want: [3]int{1, 1, 0},
		},
		"InterruptedDeleted": {
			reason: "The other remains.", faults: []awsdouble.Fault{{Operation: opRemove, Error: awsdouble.ServiceFailure()}},
			then: []func(env, *v1beta1.LayerVersionPermission){func(e env, p *v1beta1.LayerVersionPermission) { e.Remove(p) }},
			want: [3]int{1, 0, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Lambda = e.TryingOnce()
			versions{1: otherStatement + "," + partnerStatement}.in(e)
			p := testPermission(
				named,
				func(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.Principal = ptr.To("444455556666") },
			)
			for _, f := range tc.faults {
				e.Double.Fail(f)
			}
			if _, err := e.Do(
				p,
			); !testenv.ErrorMatches(
				err,
				"cannot change statement partner of the policy of layer version base:1: ",
			) {
				t.Errorf("%v", err)
			}
			for _, change := range tc.then {
				change(e, p)
				e.Converge(p)
			}
			one, two := e.Double.Policy(layerArn+":1"), e.Double.Policy(layerArn+":2")
			got := [3]int{
				strings.Count(one, `"Sid"`),
				strings.Count(two, "444455556666"),
				strings.Count(one, "111122223333"),
			}
			if got != tc.want || !strings.Contains(one, "other") {
				t.Errorf("%s\nwant %v, got %v: %s and %s", tc.reason, tc.want, got, one, two)
			}
		})
	}
}

// TestUpdateRemovesThenAdds checks that a statement with another desired place is removed
// by one reconcile and added by the next, so that each makes one change, and a crash in
// between leaves only a statement to add.
func TestUpdateRemovesThenAdds(t *testing.T) {
	e := newEnv(t)
	versions{1: otherStatement + "," + partnerStatement}.in(e)
	p := testPermission(named, atTwo)
	if o, err := e.Do(p); o != testenv.Updated || err != nil || e.Done.After == 0 {
		t.Errorf("%s, %v; comes back at once: %v", o, err, e.Done.After)
	}
	e.Want(p, "it is added and looked at", testenv.Created, testenv.Converged)
	if diff := cmp.Diff([]string{opRead, opRemove, opRead, opRead, opAdd, opRead}, e.Operations()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	one, two := e.Double.Policy(layerArn+":1"), e.Double.Policy(layerArn+":2")
	if strings.Contains(one, "partner") || !strings.Contains(one, "other") || !strings.Contains(two, "partner") ||
		meta.GetExternalName(p) != "base:2:partner" {
		t.Errorf("the policies are %s and %s, and it is named %s", one, two, meta.GetExternalName(p))
	}
}

func TestDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, code, want string
	}{
		"Gone":  {reason: "What is gone is no error.", code: "ResourceNotFoundException"},
		"Fails": {reason: "AWS's error is returned.", code: "InvalidParameterValueException", want: "cannot remove statement partner of the policy of layer version base:1: " + testenv.Boom},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			versions{1: partnerStatement}.in(e)
			e.Refuse(opRemove, 400, tc.code, "boom")
			if o, _, err := e.Attempt(
				testPermission(named, testenv.BeingDeleted, atTwo),
			); o != testenv.Deleted ||
				!testenv.ErrorMatches(err, tc.want) {
				t.Errorf("%s\n%s, error %v, want %q", tc.reason, o, err, tc.want)
			}
		})
	}
}

// TestDeleteOfAnotherVersion checks that the statement of the version in the external name
// is removed, not that in spec.
func TestDeleteOfAnotherVersion(t *testing.T) {
	e := newEnv(t)
	versions{1: otherStatement + "," + partnerStatement}.in(e)
	e.Converge(testPermission(named, testenv.BeingDeleted, atTwo))
	if got := e.Double.Policy(layerArn + ":1"); strings.Contains(got, "partner") || !strings.Contains(got, "other") {
		t.Errorf("the policy is %s", got)
	}
}

package layerversionpermission

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

const isForeign = `statement partner of the policy of layer version base:1 exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "base:1:partner"`

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		ready            xpv2.ConditionReason
		diff, err        string
	}
	policies := func(a ...xpv2.ManagementAction) func(*v1beta1.LayerVersionPermission) {
		return func(p *v1beta1.LayerVersionPermission) { p.Spec.ManagementPolicies = a }
	}
	cases := map[string]struct {
		reason string
		p      *v1beta1.LayerVersionPermission
		has    versions
		get    func(*lambda.GetLayerVersionPolicyInput) (*lambda.GetLayerVersionPolicyOutput, error)
		want   want
	}{
		"NoPolicy": {
			reason: "Where there is no policy, there is no statement.",
			p:      testPermission(), has: versions{},
			want: want{ready: xpv2.ReasonCreating},
		},
		"NoStatement": {
			reason: "The statements of others are theirs.",
			p:      testPermission(), has: versions{1: otherStatement},
			want: want{ready: xpv2.ReasonCreating},
		},
		"MayNotCreate": {
			reason: "It is not made where that is not allowed.",
			p:      testPermission(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate)), has: versions{},
			want: want{upToDate: true, ready: xpv2.ReasonUnavailable},
		},
		"Unreadable": {
			reason: "AWS could not be asked.",
			p:      testPermission(), get: failing(errBoom),
			want: want{err: "cannot get the policy of layer version base:1: boom"},
		},
		"NoPolicyAtAll": {
			reason: "What AWS answers has to be a policy.",
			p:      testPermission(),
			get: func(*lambda.GetLayerVersionPolicyInput) (*lambda.GetLayerVersionPolicyOutput, error) {
				return &lambda.GetLayerVersionPolicyOutput{Policy: ptr.To("{")}, nil
			},
			want: want{err: "cannot read the policy of layer version base:1: the JSON is incomplete"},
		},
		"Same": {
			reason: "Ours, and as it should be.",
			p:      testPermission(named), has: versions{1: otherStatement + "," + partnerStatement},
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"Differs": {
			reason: "Ours, and changed by hand.",
			p:      testPermission(named, public), has: versions{1: partnerStatement},
			want: want{exists: true, ready: "Updating", diff: `principal: "111122223333" -> "*"`},
		},
		"MayNotAdd": {
			reason: "What may not be added again is not removed.",
			p:      testPermission(named, public, policies(xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate)), has: versions{1: partnerStatement},
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonUnavailable, diff: `principal: "111122223333" -> "*"`},
		},
		"Foreign": {
			reason: "A statement of this id that is there already is not ours.",
			p:      testPermission(), has: versions{1: partnerStatement},
			want: want{ready: xpv2.ReasonUnavailable, err: isForeign},
		},
		"Imported": {
			reason: "The user says that this one is meant.",
			p:      testPermission(imported), has: versions{1: partnerStatement},
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"ImportedOtherwise": {
			reason: "It is not known which of the two is meant.",
			p:      testPermission(imported, atTwo),
			want:   want{err: `the annotation crossplane.io/external-name is "base:1:partner", but spec asks for "base:2:partner": make them the same`},
		},
		"ImportedByStatement": {
			reason: "An import names the version too.",
			p:      testPermission(func(p *v1beta1.LayerVersionPermission) { meta.SetExternalName(p, "partner") }),
			want:   want{err: `the annotation crossplane.io/external-name is "partner", but spec asks for "base:1:partner": make them the same`},
		},
		"LostAnswer": {
			reason: "It was not there before a create whose answer was lost, and is as it would have made it.",
			p:      testPermission(tried), has: versions{1: partnerStatement},
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"LostAnswerOfOther": {
			reason: "It would have made it otherwise.",
			p:      testPermission(tried, public), has: versions{1: partnerStatement},
			want: want{ready: xpv2.ReasonUnavailable, err: isForeign},
		},
		"LostAnswerAndMoved": {
			reason: "What that create made is not left behind.",
			p:      testPermission(tried, atTwo), has: versions{1: partnerStatement},
			want: want{exists: true, ready: "Updating", diff: "versionNumber: 1 -> 2"},
		},
		"TriedInVainAndMoved": {
			reason: "What somebody else made meanwhile is left alone.",
			p:      testPermission(tried, atTwo, public), has: versions{1: partnerStatement},
			want: want{ready: xpv2.ReasonCreating},
		},
		"ObserveOnly": {
			reason: "Anyone may look.",
			p:      testPermission(policies(xpv2.ManagementActionObserve), func(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.Principal = nil }),
			has:    versions{1: partnerStatement},
			want:   want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"Moved": {
			reason: "It is first removed from the version before.",
			p:      testPermission(named, atTwo), has: versions{1: partnerStatement, 2: partnerAtTwo},
			want: want{exists: true, ready: "Updating", diff: "versionNumber: 1 -> 2"},
		},
		"MovedToForeign": {
			reason: "What others have there stays.",
			p:      testPermission(named, atTwo), has: versions{2: publicAtTwo},
			want: want{
				ready: xpv2.ReasonUnavailable,
				err:   `statement partner of the policy of layer version base:2 exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "base:2:partner"`,
			},
		},
		"Renamed": {
			reason: "An id that spec has since then is the one.",
			p:      testPermission(named, func(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.StatementID = ptr.To("friend") }), has: versions{1: partnerStatement},
			want: want{exists: true, ready: "Updating", diff: `statementId: "partner" -> "friend"`},
		},
		"OtherRegion": {
			reason: "A layer of the same name here is another one.",
			p:      testPermission(byArn("arn:aws:lambda:us-east-1:123456789012:layer:base:1")),
			want:   want{err: "layer version arn:aws:lambda:us-east-1:123456789012:layer:base:1 is in another region than spec.forProvider.region, which is eu-central-1: create a LayerVersionPermission in that region, or use a layer version of this one"},
		},
		"NoLayerVersion": {
			reason: "Admission can't see what a reference comes to.",
			p:      testPermission(byArn(layerArn + ":0")),
			want:   want{err: `"arn:aws:lambda:eu-central-1:123456789012:layer:base:0" is not the ARN of a layer version: set spec.forProvider.layerVersionArn to one of the form arn:aws:lambda:region:123456789012:layer:name:version`},
		},
		"Deleted": {
			reason: "Ours goes, whatever it has become, and whatever spec means now.",
			p:      testPermission(named, deleted, unresolved), has: versions{1: `{"Sid":"partner","Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}`},
			want: want{exists: true},
		},
		"DeletedForeign": {
			reason: "What is not ours stays.",
			p:      testPermission(deleted), has: versions{1: partnerStatement},
		},
		"DeletedMisnamed": {
			reason: "What the user named is none, and spec's was never taken over.",
			p:      testPermission(deleted, func(p *v1beta1.LayerVersionPermission) { meta.SetExternalName(p, "partner") }), has: versions{1: partnerStatement},
		},
		"DeletedUnresolved": {
			reason: "What it referred to is gone before anything was added.",
			p:      testPermission(deleted, unresolved),
		},
		"DeletedAfterLostAnswer": {
			reason: "What the create made goes too.",
			p:      testPermission(tried, deleted, unresolved), has: versions{1: partnerStatement},
			want: want{exists: true},
		},
		"DeletedWhileMoving": {
			reason: "Nothing is left where it was going, though its name was not written yet.",
			p: testPermission(named, deleted, tried, func(p *v1beta1.LayerVersionPermission) {
				meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: "base:2:partner"})
			}),
			has:  versions{2: partnerAtTwo},
			want: want{exists: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			get := tc.get
			if get == nil && tc.has != nil {
				get = tc.has.get
			}
			e, ctx, _ := testExternal(&fakeLambda{get: get})
			o, err := e.Observe(ctx, tc.p)
			got := want{exists: o.ResourceExists, upToDate: o.ResourceUpToDate, diff: o.Diff, err: message(err), ready: tc.p.GetCondition(xpv2.TypeReady).Reason}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nObserve(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A resource that only observes shows the version that spec means, whichever it showed
// before.
func TestObserveOnlyFollows(t *testing.T) {
	p := testPermission(func(p *v1beta1.LayerVersionPermission) {
		p.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	})
	api := &fakeLambda{get: versions{1: partnerStatement, 2: publicAtTwo}.get}
	for _, version := range []int64{1, 2} {
		p.Spec.ForProvider.VersionNumber = ptr.To(version)
		e, ctx, _ := testExternal(api)
		if o, err := e.Observe(ctx, p); err != nil || !o.ResourceExists || *p.Status.AtProvider.VersionNumber != version {
			t.Errorf("version %d: %+v, %v: %+v", version, o, err, p.Status.AtProvider)
		}
	}
	if diff := cmp.Diff([]string{callRead, callRead}, api.calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestCreate(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   string
		held   bool
	}{
		"Added": {reason: "Its name is kept."},
		"Exists": {
			reason: "Whose it is, the next look tells.",
			err:    &smithy.GenericAPIError{Code: "ResourceConflictException", Message: "The statement id (partner) provided already exists. Please provide a new statement id, or remove the existing statement."},
			held:   true,
		},
		"NoVersion": {
			reason: "It says what comes first.",
			err:    &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "Layer version " + layerArn + ":1 does not exist."},
			want: "cannot add statement partner: publish layer version base:1 first, or set spec.forProvider to one that exists: " +
				"api error ResourceNotFoundException: Layer version " + layerArn + ":1 does not exist.",
		},
		"Fails": {reason: "AWS says why.", err: errBoom, want: "cannot add statement partner to the policy of layer version base:1: boom"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := testPermission()
			e, ctx, turn := testExternal(&fakeLambda{get: failing(errNotFound), add: func(*lambda.AddLayerVersionPermissionInput) error { return tc.err }})
			if _, err := e.Observe(ctx, p); err != nil {
				t.Fatal(err)
			}
			if got := ownership.Parent(p); got != "base:1:partner" {
				t.Errorf("before it is added, the place is remembered: %q", got)
			}
			_, err := e.Create(ctx, p)
			if diff := cmp.Diff(tc.want, message(err)); diff != "" {
				t.Errorf("\n%s\nCreate(): -want, +got:\n%s", tc.reason, diff)
			}
			if _, held := turn.Aborted(); held != tc.held {
				t.Errorf("\n%s\nheld: %t", tc.reason, held)
			}
			if ownership.WroteName(p) != (tc.err == nil) {
				t.Errorf("\n%s\nname %q", tc.reason, meta.GetExternalName(p))
			}
		})
	}
}

// A statement that is to be elsewhere is removed by one reconcile and added by the next,
// so that each makes one change, and a crash in between leaves but a statement to add.
func TestUpdateRemovesThenAdds(t *testing.T) {
	has := versions{1: otherStatement + "," + partnerStatement}
	var removed *lambda.RemoveLayerVersionPermissionInput
	var added *lambda.AddLayerVersionPermissionInput
	api := &fakeLambda{
		get: has.get,
		remove: func(in *lambda.RemoveLayerVersionPermissionInput) error {
			removed, has[1] = in, otherStatement
			return nil
		},
		add: func(in *lambda.AddLayerVersionPermissionInput) error { added, has[2] = in, partnerAtTwo; return nil },
	}
	p := testPermission(named, atTwo)
	e, ctx, turn := testExternal(api)
	if _, err := e.Observe(ctx, p); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Update(ctx, p); err != nil {
		t.Fatal(err)
	}
	if turn.RequeueDelay() == 0 {
		t.Error("it does not come back at once")
	}
	e, ctx, _ = testExternal(api)
	if o, err := e.Observe(ctx, p); err != nil || o.ResourceExists {
		t.Fatalf("Observe(): %+v, %v", o, err)
	}
	if _, err := e.Create(ctx, p); err != nil {
		t.Fatalf("Create(): %v", err)
	}
	if diff := cmp.Diff([]string{callRead, callRemove, callRead, callRead, callAdd}, api.calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	wantRemoved := &lambda.RemoveLayerVersionPermissionInput{LayerName: ptr.To("base"), VersionNumber: ptr.To[int64](1), StatementId: ptr.To("partner")}
	if diff := cmp.Diff(wantRemoved, removed, cmpopts.IgnoreUnexported(lambda.RemoveLayerVersionPermissionInput{})); diff != "" {
		t.Errorf("removed: -want, +got:\n%s", diff)
	}
	if *added.VersionNumber != 2 || meta.GetExternalName(p) != "base:2:partner" {
		t.Errorf("added to version %d, named %s", *added.VersionNumber, meta.GetExternalName(p))
	}
}

func TestDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Removed": {reason: "It goes."},
		"Gone":    {reason: "What is gone is no error.", err: errNotFound},
		"Fails":   {reason: "AWS says why.", err: errBoom, want: "cannot remove statement partner of the policy of layer version base:1: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPermission(named, deleted, atTwo)
			var removed *lambda.RemoveLayerVersionPermissionInput
			e, ctx, _ := testExternal(&fakeLambda{get: versions{1: partnerStatement}.get, remove: func(in *lambda.RemoveLayerVersionPermissionInput) error {
				removed = in
				return tc.err
			}})
			if _, err := e.Observe(ctx, p); err != nil {
				t.Fatal(err)
			}
			_, err := e.Delete(ctx, p)
			if diff := cmp.Diff(tc.want, message(err)); diff != "" {
				t.Errorf("\n%s\nDelete(): -want, +got:\n%s", tc.reason, diff)
			}
			if *removed.VersionNumber != 1 || *removed.StatementId != "partner" {
				t.Errorf("it removes %+v", removed)
			}
		})
	}
}

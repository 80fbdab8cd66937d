package permission

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		ready            xpv2.ConditionReason
		diff, err        string
	}
	selected := func(p *v1beta1.Permission) {
		p.Spec.ForProvider.SourceArnFrom = &v1beta1.FieldSelector{Kind: "Bucket", Name: "uploads"}
	}
	const withSource = `{"Sid":"bucket","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction",
		"Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart","Condition":{"ArnLike":{"AWS:SourceArn":"arn:aws:s3:::uploads"}}}`
	cases := map[string]struct {
		reason string
		p      *v1beta1.Permission
		get    func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error)
		fields steptest.Fields
		want   want
	}{
		"NoPolicy": {
			reason: "Where there is no policy, there is no statement.",
			p:      testPermission(), get: failing(errNotFound),
			want: want{ready: xpv2.ReasonCreating},
		},
		"NoStatement": {
			reason: "The statements of others are theirs.",
			p:      testPermission(), get: answering(otherStatement),
			want: want{ready: xpv2.ReasonCreating},
		},
		"Unreadable": {
			reason: "AWS could not be asked.",
			p:      testPermission(), get: failing(errBoom),
			want: want{err: "cannot get the policy of function cart: boom"},
		},
		"NoPolicyAtAll": {
			reason: "What AWS answers has to be a policy.",
			p:      testPermission(),
			get: func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) {
				return &lambda.GetPolicyOutput{Policy: ptr.To("{")}, nil
			},
			want: want{err: "cannot read the policy of function cart: the JSON is incomplete"},
		},
		"Same": {
			reason: "Ours, and as it should be.",
			p:      testPermission(named), get: answering(otherStatement + "," + bucketStatement),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"Differs": {
			reason: "Ours, and changed by hand.",
			p: testPermission(named, func(p *v1beta1.Permission) {
				p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com")
			}),
			get:  answering(bucketStatement),
			want: want{exists: true, ready: "Updating", diff: `principal: "s3.amazonaws.com" -> "sns.amazonaws.com"`},
		},
		"MayNotAdd": {
			reason: "What may not be added again is not removed.",
			p: testPermission(named, func(p *v1beta1.Permission) {
				p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com")
				p.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate}
			}),
			get:  answering(bucketStatement),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonUnavailable, diff: `principal: "s3.amazonaws.com" -> "sns.amazonaws.com"`},
		},
		"Foreign": {
			reason: "A statement of this id that is there already is not ours.",
			p:      testPermission(), get: answering(bucketStatement),
			want: want{
				ready: xpv2.ReasonUnavailable,
				err:   `statement bucket of the policy of function cart exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "bucket"`,
			},
		},
		"Imported": {
			reason: "The user says that this one is meant.",
			p:      testPermission(imported), get: answering(bucketStatement),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"LostAnswer": {
			reason: "It was not there before a create whose answer was lost, and is as it would have made it.",
			p: testPermission(func(p *v1beta1.Permission) {
				meta.SetExternalCreatePending(p, p.CreationTimestamp.Time.AddDate(2026, 1, 1))
			}),
			get:  answering(bucketStatement),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"LostAnswerOfOther": {
			reason: "It would have made it otherwise.",
			p: testPermission(func(p *v1beta1.Permission) {
				meta.SetExternalCreatePending(p, p.CreationTimestamp.Time.AddDate(2026, 1, 1))
				p.Spec.ForProvider.Action = ptr.To("lambda:GetFunction")
			}),
			get: answering(bucketStatement),
			want: want{
				ready: xpv2.ReasonUnavailable,
				err:   `statement bucket of the policy of function cart exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "bucket"`,
			},
		},
		"ObserveOnly": {
			reason: "Anyone may look.",
			p: testPermission(func(p *v1beta1.Permission) {
				p.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				p.Spec.ForProvider.Principal = nil
			}),
			get:  answering(bucketStatement),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"SourceFrom": {
			reason: "The source's ARN is another object's to tell.",
			p:      testPermission(named, selected), get: answering(withSource), fields: steptest.Fields{"uploads": "arn:aws:s3:::uploads"},
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"SourceFromMissing": {
			reason: "Without it nothing is known to differ.",
			p:      testPermission(named, selected), get: answering(withSource),
			want: want{err: "cannot resolve spec.forProvider.sourceArnFrom: Bucket uploads does not exist"},
		},
		"SourceFromMissingAtCreation": {
			reason: "Nor is anything added.",
			p:      testPermission(selected), get: failing(errNotFound),
			want: want{err: "cannot resolve spec.forProvider.sourceArnFrom: Bucket uploads does not exist"},
		},
		"Deleted": {
			reason: "Ours goes, whatever it has become.",
			p:      testPermission(named, deleted), get: answering(`{"Sid":"bucket","Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}`),
			want: want{exists: true},
		},
		"DeletedForeign": {
			reason: "What is not ours stays.",
			p:      testPermission(deleted), get: answering(bucketStatement),
		},
		"DeletedUnresolved": {
			reason: "What it referred to is gone before anything was added.",
			p:      testPermission(deleted, func(p *v1beta1.Permission) { p.Spec.ForProvider.FunctionName = nil }),
		},
		"Moved": {
			reason: "A statement is not left behind unnoticed.",
			p: testPermission(named, func(p *v1beta1.Permission) {
				p.Status.AtProvider.FunctionName = ptr.To("basket")
				p.Status.AtProvider.Qualifier = ptr.To("live")
			}),
			want: want{err: "spec now names function cart, but the statement is in the policy of function basket:live and would be left behind there: create another Permission, or change spec back"},
		},
		"MovedUnseen": {
			reason: "Nor where status was lost.",
			p: testPermission(named, func(p *v1beta1.Permission) {
				meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: "basket"})
			}),
			want: want{err: "spec now names function cart, but the statement is in the policy of function basket and would be left behind there: create another Permission, or change spec back"},
		},
		"TwoNames": {
			reason: "One of them would be ignored.",
			p:      testPermission(imported, func(p *v1beta1.Permission) { p.Spec.ForProvider.StatementID = ptr.To("other") }),
			want:   want{err: `spec.forProvider.statementId is "other", but the annotation crossplane.io/external-name says "bucket": remove one of them`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, ctx, _ := testExternal(&fakeLambda{get: tc.get}, tc.fields)
			o, err := e.Observe(ctx, tc.p)
			got := want{exists: o.ResourceExists, upToDate: o.ResourceUpToDate, diff: o.Diff, err: message(t, err), ready: tc.p.GetCondition(xpv2.TypeReady).Reason}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nObserve(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A deletion looks where the statement was added, though spec can't tell any more.
func TestDeletedAfterItsFunctionWasForgotten(t *testing.T) {
	for name, change := range map[string]func(*v1beta1.Permission){
		"Status": func(p *v1beta1.Permission) {
			p.Status.AtProvider = v1beta1.PermissionObservation{FunctionName: ptr.To("basket"), Qualifier: ptr.To("live")}
		},
		"Annotation": func(p *v1beta1.Permission) {
			meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: "basket:live"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPermission(named, deleted, change, func(p *v1beta1.Permission) { p.Spec.ForProvider.FunctionName = nil })
			var removed *lambda.RemovePermissionInput
			api := &fakeLambda{
				get: func(in *lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) {
					if *in.FunctionName != "basket" || *in.Qualifier != "live" {
						t.Errorf("it looks at %s:%s", *in.FunctionName, *in.Qualifier)
					}
					return answering(bucketStatement)(in)
				},
				remove: func(in *lambda.RemovePermissionInput) error { removed = in; return nil },
			}
			e, ctx, _ := testExternal(api, nil)
			if o, err := e.Observe(ctx, p); err != nil || !o.ResourceExists {
				t.Fatalf("Observe(): %+v, %v", o, err)
			}
			if _, err := e.Delete(ctx, p); err != nil {
				t.Fatal(err)
			}
			want := &lambda.RemovePermissionInput{FunctionName: ptr.To("basket"), Qualifier: ptr.To("live"), StatementId: ptr.To("bucket")}
			if removed == nil || *removed.FunctionName != *want.FunctionName || *removed.Qualifier != *want.Qualifier || *removed.StatementId != *want.StatementId {
				t.Errorf("it removes %+v", removed)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   string
		held   bool
	}{
		"Added":  {reason: "Its name is kept."},
		"Exists": {reason: "Whose it is, the next look tells.", err: &smithy.GenericAPIError{Code: "ResourceConflictException", Message: "The statement id (bucket) provided already exists. Please provide a new statement id, or remove the existing statement."}, held: true},
		"Fails":  {reason: "AWS says why.", err: errBoom, want: "cannot add statement bucket to the policy of function cart: boom"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := testPermission()
			api := &fakeLambda{get: failing(errNotFound), add: func(*lambda.AddPermissionInput) error { return tc.err }}
			e, ctx, turn := testExternal(api, nil)
			if _, err := e.Observe(ctx, p); err != nil {
				t.Fatal(err)
			}
			if got := ownership.Parent(p); got != "cart" {
				t.Errorf("before it is added, the function is remembered: %q", got)
			}
			_, err := e.Create(ctx, p)
			if diff := cmp.Diff(tc.want, message(t, err)); diff != "" {
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

// A statement that differs is removed by one reconcile and added by the next, so that
// each makes one call, and a crash in between leaves nothing but a statement to add.
func TestUpdateRemovesThenAdds(t *testing.T) {
	there := true
	api := &fakeLambda{
		get: func(in *lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) {
			if there {
				return answering(otherStatement + "," + bucketStatement)(in)
			}
			return answering(otherStatement)(in)
		},
		remove: func(*lambda.RemovePermissionInput) error { there = false; return nil },
		add:    func(*lambda.AddPermissionInput) error { there = true; return nil },
	}
	p := testPermission(named, func(p *v1beta1.Permission) { p.Spec.ForProvider.SourceAccount = ptr.To("123456789012") })
	e, ctx, turn := testExternal(api, nil)
	if _, err := e.Observe(ctx, p); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Update(ctx, p); err != nil {
		t.Fatal(err)
	}
	if there || turn.RequeueDelay() == 0 {
		t.Errorf("removed: %t, comes back at once: %v", !there, turn.RequeueDelay())
	}
	e, ctx, _ = testExternal(api, nil)
	if o, err := e.Observe(ctx, p); err != nil || o.ResourceExists {
		t.Fatalf("Observe(): %+v, %v", o, err)
	}
	if _, err := e.Create(ctx, p); err != nil || !there {
		t.Fatalf("Create(): %v", err)
	}
	if diff := cmp.Diff([]string{callRead, callRemove, callRead, callAdd}, api.calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
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
		"Fails":   {reason: "AWS says why.", err: errBoom, want: "cannot remove statement bucket of the policy of function cart: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPermission(named, deleted)
			e, ctx, _ := testExternal(&fakeLambda{get: answering(bucketStatement), remove: func(*lambda.RemovePermissionInput) error { return tc.err }}, nil)
			if _, err := e.Observe(ctx, p); err != nil {
				t.Fatal(err)
			}
			_, err := e.Delete(ctx, p)
			if diff := cmp.Diff(tc.want, message(t, err)); diff != "" {
				t.Errorf("\n%s\nDelete(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

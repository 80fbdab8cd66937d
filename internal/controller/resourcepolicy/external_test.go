package resourcepolicy

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

const (
	testArn = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

	publicPolicy  = `{"Version":"2012-10-17","Statement":[{"Sid":"all","Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction","Resource":"*"}]}`
	accountPolicy = `{"Version":"2012-10-17","Statement":[{"Sid":"all","Effect":"Allow","Principal":{"AWS":"111122223333"},"Action":"lambda:InvokeFunction","Resource":"*"}]}`
)

// fakeLambda answers with its fields, and notes the calls in their order.
type fakeLambda struct {
	calls []string

	get    func(*lambda.GetResourcePolicyInput) (*lambda.GetResourcePolicyOutput, error)
	put    func(*lambda.PutResourcePolicyInput) error
	delete func(*lambda.DeleteResourcePolicyInput) error
}

func (f *fakeLambda) GetResourcePolicy(_ context.Context, in *lambda.GetResourcePolicyInput, _ ...func(*lambda.Options)) (*lambda.GetResourcePolicyOutput, error) {
	f.calls = append(f.calls, callRead)
	return f.get(in)
}

func (f *fakeLambda) PutResourcePolicy(_ context.Context, in *lambda.PutResourcePolicyInput, _ ...func(*lambda.Options)) (*lambda.PutResourcePolicyOutput, error) {
	f.calls = append(f.calls, callPut)
	return &lambda.PutResourcePolicyOutput{}, f.put(in)
}

func (f *fakeLambda) DeleteResourcePolicy(_ context.Context, in *lambda.DeleteResourcePolicyInput, _ ...func(*lambda.Options)) (*lambda.DeleteResourcePolicyOutput, error) {
	f.calls = append(f.calls, callDelete)
	return &lambda.DeleteResourcePolicyOutput{}, f.delete(in)
}

var (
	errNotFound = &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "The resource you requested does not exist."}
	errStale    = &smithy.GenericAPIError{Code: "PreconditionFailedException", Message: "The Revision Id provided does not match the latest Revision Id."}
	errBoom     = errors.New("boom")
)

func answering(policy string) func(*lambda.GetResourcePolicyInput) (*lambda.GetResourcePolicyOutput, error) {
	return func(*lambda.GetResourcePolicyInput) (*lambda.GetResourcePolicyOutput, error) {
		return &lambda.GetResourcePolicyOutput{Policy: ptr.To(policy), RevisionId: ptr.To("r1")}, nil
	}
}

func failing(err error) func(*lambda.GetResourcePolicyInput) (*lambda.GetResourcePolicyOutput, error) {
	return func(*lambda.GetResourcePolicyInput) (*lambda.GetResourcePolicyOutput, error) { return nil, err }
}

func testPolicy(change ...func(*v1beta1.ResourcePolicy)) *v1beta1.ResourcePolicy {
	p := &v1beta1.ResourcePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "public", Namespace: "team", UID: "u1", Generation: 1},
		Spec: v1beta1.ResourcePolicySpec{ForProvider: v1beta1.ResourcePolicyParameters{
			Region: steptest.Region, ResourceArn: ptr.To(testArn), Policy: ptr.To(publicPolicy),
		}},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

// named has the policy's name written by itself.
func named(p *v1beta1.ResourcePolicy) { meta.AddAnnotations(p, ownership.Name(p, testArn)) }

func pending(p *v1beta1.ResourcePolicy) {
	meta.SetExternalCreatePending(p, p.CreationTimestamp.AddDate(2026, 1, 1))
}

func deleted(p *v1beta1.ResourcePolicy) { p.DeletionTimestamp = ptr.To(metav1.Now()) }

func asking(policy string) func(*v1beta1.ResourcePolicy) {
	return func(p *v1beta1.ResourcePolicy) { p.Spec.ForProvider.Policy = ptr.To(policy) }
}

func external(api lambdaAPI, f steptest.Fields) (*flow.External[*v1beta1.ResourcePolicy, observed], context.Context, *managed.Attempt) {
	turn := &managed.Attempt{}
	return flow.New(&thing{api: api, fields: f}, flow.Calls{Create: callPut, Delete: callDelete}), managed.WithAttempt(context.Background(), turn), turn
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		ready            xpv2.ConditionReason
		diff, err        string
	}
	selected := func(p *v1beta1.ResourcePolicy) {
		p.Spec.ForProvider.ResourceArn = nil
		p.Spec.ForProvider.ResourceArnFrom = &v1beta1.FieldSelector{Kind: "Alias", Name: "live"}
	}
	foreign := `the policy of ` + testArn + ` exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "` + testArn + `"`
	cases := map[string]struct {
		reason string
		p      *v1beta1.ResourcePolicy
		get    func(*lambda.GetResourcePolicyInput) (*lambda.GetResourcePolicyOutput, error)
		fields steptest.Fields
		want   want
	}{
		"None": {
			reason: "There is none yet.",
			p:      testPolicy(), get: failing(errNotFound),
			want: want{ready: xpv2.ReasonCreating},
		},
		"Empty": {
			reason: "An answer without a policy is none either.",
			p:      testPolicy(), get: answering(""),
			want: want{ready: xpv2.ReasonCreating},
		},
		"Unreadable": {
			reason: "AWS could not be asked.",
			p:      testPolicy(), get: failing(errBoom),
			want: want{err: "cannot get the policy of " + testArn + ": boom"},
		},
		"NoPolicy": {
			reason: "What AWS answers has to be one.",
			p:      testPolicy(), get: answering("[]"),
			want: want{err: "cannot read the policy of " + testArn + ": expected a JSON object, not array"},
		},
		"Same": {
			reason: "Ours, and as it should be.",
			p:      testPolicy(named), get: answering(publicPolicy),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"Rewritten": {
			reason: "AWS writes it in its own way.",
			p:      testPolicy(named, asking(accountPolicy)),
			get:    answering(`{"Id":"default","Statement":[{"Resource":["*"],"Action":["lambda:InvokeFunction"],"Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Effect":"Allow","Sid":"all"}],"Version":"2012-10-17"}`),
			want:   want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"Differs": {
			reason: "Ours, and changed by hand.",
			p:      testPolicy(named), get: answering(accountPolicy),
			want: want{
				exists: true, ready: "Updating",
				diff: `policy.Statement[all]: {"Action":"lambda:InvokeFunction","Effect":"Allow","Principal":{"AWS":"111122223333"},"Resource":"*","Sid":"all"} -> ` +
					`{"Action":"lambda:InvokeFunction","Effect":"Allow","Principal":{"AWS":"*"},"Resource":"*","Sid":"all"}`,
			},
		},
		"Invalid": {
			reason: "What is no policy is not put, nor compared.",
			p:      testPolicy(named, asking(`{"Statement":}`)), get: answering(publicPolicy),
			want: want{err: "spec.forProvider.policy is not a valid policy: invalid character '}' looking for beginning of value"},
		},
		"InvalidAtCreation": {
			reason: "What is no policy is not put.",
			p:      testPolicy(asking(`{"Statement":[{"Effect":"Allow","Actions":"*"}]}`)), get: failing(errNotFound),
			want: want{err: `spec.forProvider.policy is not a valid policy: in statement 1, unknown field "Actions"`},
		},
		"Large": {
			reason: "AWS counts bytes.",
			p:      testPolicy(asking(`{"Statement": "` + strings.Repeat("ä", 10240) + `"}`)), get: failing(errNotFound),
			want: want{err: "spec.forProvider.policy has 20496 bytes without white space, but AWS allows 20480: shorten it"},
		},
		"Foreign": {
			reason: "A policy that is there already is not ours, even if it is the same.",
			p:      testPolicy(), get: answering(publicPolicy),
			want: want{ready: xpv2.ReasonUnavailable, err: foreign},
		},
		"Imported": {
			reason: "The user says that it is meant.",
			p:      testPolicy(func(p *v1beta1.ResourcePolicy) { meta.SetExternalName(p, testArn) }), get: answering(publicPolicy),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"LostAnswer": {
			reason: "It was not there before a put whose answer was lost, and is what was put.",
			p:      testPolicy(pending), get: answering(publicPolicy),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"LostAnswerOfOther": {
			reason: "Somebody else put another one meanwhile.",
			p:      testPolicy(pending), get: answering(accountPolicy),
			want: want{ready: xpv2.ReasonUnavailable, err: foreign},
		},
		"ObserveOnly": {
			reason: "Anyone may look.",
			p: testPolicy(func(p *v1beta1.ResourcePolicy) {
				p.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				p.Spec.ForProvider.Policy = nil
			}),
			get:  answering(publicPolicy),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"NothingAsked": {
			reason: "Who may only delete it need not say what it is.",
			p: testPolicy(named, func(p *v1beta1.ResourcePolicy) {
				p.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionDelete}
				p.Spec.ForProvider.Policy = nil
			}),
			get:  answering(publicPolicy),
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"From": {
			reason: "The ARN is another object's to tell.",
			p:      testPolicy(named, selected), get: answering(publicPolicy), fields: steptest.Fields{"live": testArn},
			want: want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		},
		"FromMissing": {
			reason: "Until it does, nothing is known.",
			p:      testPolicy(selected),
			want:   want{err: "cannot resolve spec.forProvider.resourceArnFrom: Alias live does not exist"},
		},
		"FromMovedOn": {
			reason: "A policy is not left behind unnoticed.",
			p:      testPolicy(named, selected), fields: steptest.Fields{"live": testArn + ":live"},
			want: want{err: "spec now names " + testArn + ":live, but the policy belongs to " + testArn + " and would be left behind there: create another ResourcePolicy, or change spec or the annotation crossplane.io/external-name back"},
		},
		"Deleted": {
			reason: "Ours goes, whatever it has become, and whatever spec can't tell any more.",
			p:      testPolicy(named, deleted, selected), get: answering(accountPolicy),
			want: want{exists: true},
		},
		"DeletedForeign": {
			reason: "What is not ours stays.",
			p:      testPolicy(deleted), get: answering(publicPolicy),
		},
		"DeletedUnresolved": {
			reason: "It was never put.",
			p:      testPolicy(deleted, selected),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, ctx, _ := external(&fakeLambda{get: tc.get}, tc.fields)
			o, err := e.Observe(ctx, tc.p)
			got := want{exists: o.ResourceExists, upToDate: o.ResourceUpToDate, diff: o.Diff, err: message(err), ready: tc.p.GetCondition(xpv2.TypeReady).Reason}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nObserve(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	p := testPolicy(asking("{\n  \"Statement\": {\"Effect\": \"Allow\"}\n}\n"))
	var put *lambda.PutResourcePolicyInput
	e, ctx, _ := external(&fakeLambda{get: failing(errNotFound), put: func(in *lambda.PutResourcePolicyInput) error { put = in; return nil }}, nil)
	if _, err := e.Observe(ctx, p); err != nil {
		t.Fatal(err)
	}
	if got := ownership.Parent(p); got != testArn {
		t.Errorf("before it is put, the resource is remembered: %q", got)
	}
	if _, err := e.Create(ctx, p); err != nil || *put.Policy != `{"Statement":{"Effect":"Allow"}}` || put.RevisionId != nil || *put.ResourceArn != testArn {
		t.Errorf("Create(): %+v, %v", put, err)
	}
	if !ownership.WroteName(p) {
		t.Error("the name is not kept")
	}
}

// A change of the policy that was not seen is neither overwritten nor deleted.
func TestRevision(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		err    error
		held   bool
		want   string
	}{
		"Latest": {reason: "It is still the one that was seen."},
		"Stale":  {reason: "It is looked at again.", err: errStale, held: true},
		"Fails":  {reason: "AWS says why.", err: errBoom, want: "boom"},
	} {
		t.Run("Update"+name, func(t *testing.T) {
			p := testPolicy(named)
			e, ctx, turn := external(&fakeLambda{get: answering(accountPolicy), put: func(in *lambda.PutResourcePolicyInput) error {
				if *in.RevisionId != "r1" {
					t.Errorf("revision %s", *in.RevisionId)
				}
				return tc.err
			}}, nil)
			if _, err := e.Observe(ctx, p); err != nil {
				t.Fatal(err)
			}
			_, err := e.Update(ctx, p)
			if _, held := turn.Aborted(); held != tc.held || !strings.Contains(message(err), tc.want) || (err == nil) != (tc.want == "") {
				t.Errorf("%s held: %t, error: %v", tc.reason, held, err)
			}
		})
		t.Run("Delete"+name, func(t *testing.T) {
			p := testPolicy(named, deleted)
			e, ctx, turn := external(&fakeLambda{get: answering(accountPolicy), delete: func(in *lambda.DeleteResourcePolicyInput) error {
				if *in.RevisionId != "r1" {
					t.Errorf("revision %s", *in.RevisionId)
				}
				return tc.err
			}}, nil)
			if _, err := e.Observe(ctx, p); err != nil {
				t.Fatal(err)
			}
			_, err := e.Delete(ctx, p)
			if _, held := turn.Aborted(); held != tc.held || !strings.Contains(message(err), tc.want) || (err == nil) != (tc.want == "") {
				t.Errorf("%s held: %t, error: %v", tc.reason, held, err)
			}
		})
	}
}

func TestDeleteOfWhatIsGone(t *testing.T) {
	p := testPolicy(named, deleted)
	e, ctx, _ := external(&fakeLambda{get: answering(publicPolicy), delete: func(*lambda.DeleteResourcePolicyInput) error { return errNotFound }}, nil)
	if _, err := e.Observe(ctx, p); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, p); err != nil {
		t.Error(err)
	}
}

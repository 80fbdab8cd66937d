package resourcepolicy

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const (
	testArn = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

	publicPolicy  = `{"Version":"2012-10-17","Statement":[{"Sid":"all","Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction","Resource":"*"}]}`
	accountPolicy = `{"Version":"2012-10-17","Statement":[{"Sid":"all","Effect":"Allow","Principal":{"AWS":"111122223333"},"Action":"lambda:InvokeFunction","Resource":"*"}]}`
)

func testPolicy(change ...func(*v1beta1.ResourcePolicy)) *v1beta1.ResourcePolicy {
	return testenv.Build(&v1beta1.ResourcePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "public", Namespace: "team", UID: "u1", Generation: 1},
		Spec: v1beta1.ResourcePolicySpec{ForProvider: v1beta1.ResourcePolicyParameters{
			Regional: v1beta1.Regional{
				Region: testenv.Region,
			},
			ResourceArn: ptr.To(testArn),
			Policy:      ptr.To(publicPolicy),
		}},
	}, change...)
}

// named sets the external name as if the policy had written it.
var named = testenv.Named[*v1beta1.ResourcePolicy](testArn)

func asking(policy string) func(*v1beta1.ResourcePolicy) {
	return func(p *v1beta1.ResourcePolicy) { p.Spec.ForProvider.Policy = ptr.To(policy) }
}

// has returns a function that puts the policy of function cart.
func has(policy string) func(env) {
	return func(e env) {
		e.Helper()
		if !e.Double.PutPolicy(testArn, policy) {
			e.Fatal("the policy can't be put")
		}
	}
}

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.ResourcePolicy
	)
	selected := func(name string) func(mg) {
		return func(p mg) {
			p.Spec.ForProvider.ResourceArn, p.Spec.ForProvider.ResourceArnFrom = nil, &v1beta1.FieldSelector{
				Kind: "Alias",
				Name: name,
			}
		}
	}
	// unusual responds with a policy that AWS would not return.
	unusual := func(policy string) func(env) {
		return func(e env) {
			has(publicPolicy)(e)
			e.Responses = testenv.Answers{opRead: testenv.With("Policy", policy)}
		}
	}
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable}
	foreign := `the policy of ` + testArn + ` exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "` + testArn + `"`
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"None": {
			Reason:   "A policy that does not exist is created.",
			Resource: testPolicy(),
			Want:     observation{Ready: xpv2.ReasonCreating},
		},
		"Empty": {
			Reason:   "An answer without a policy does not say that there is none.",
			Resource: testPolicy(),
			AWS:      unusual(""),
			Want:     observation{Err: "cannot read the policy of " + testArn + ": AWS's answer lacks policy"},
		},
		"Unreadable": {
			Reason:   "The policy cannot be read.",
			Resource: testPolicy(),
			AWS:      func(e env) { e.Break(opRead) },
			Want:     observation{Err: "cannot get the policy of " + testArn + ": " + testenv.Boom},
		},
		"NoPolicy": {
			Reason:   "What AWS answers has to be one.",
			Resource: testPolicy(),
			AWS:      unusual("[]"),
			Want:     observation{Err: "cannot read the policy of " + testArn + ": expected a JSON object, not array"},
		},
		"Same": {
			Reason:   "The policy is owned and equals spec.",
			Resource: testPolicy(named),
			AWS:      has(publicPolicy),
			Want:     inOrder,
		},
		"Rewritten": {
			Reason:   "AWS writes it in its own way.",
			Resource: testPolicy(named, asking(accountPolicy)),
			AWS: has(
				`{"Id":"default","Statement":[{"Resource":["*"],"Action":["lambda:InvokeFunction"],"Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Effect":"Allow","Sid":"all"}],"Version":"2012-10-17"}`,
			),
			Want: inOrder,
		},
		"Differs": {
			Reason:   "The policy is owned, and was changed manually.",
			Resource: testPolicy(named), AWS: has(accountPolicy),
			Want: observation{
				Exists: true,
				Ready:  "Updating",
				Diff: `policy.Statement[all]: {"Action":"lambda:InvokeFunction","Effect":"Allow","Principal":{"AWS":"111122223333"},"Resource":"*","Sid":"all"} -> ` +
					`{"Action":"lambda:InvokeFunction","Effect":"Allow","Principal":{"AWS":"*"},"Resource":"*","Sid":"all"}`,
			},
		},
		"Invalid": {
			Reason:   "What is no policy is not put, nor compared.",
			Resource: testPolicy(named, asking(`{"Statement":}`)),
			AWS:      has(publicPolicy),
			Want: observation{
				Err: "spec.forProvider.policy is not a valid policy: invalid character '}' looking for beginning of value",
			},
		},
		"InvalidAtCreation": {
			Reason:   "What is no policy is not put.",
			Resource: testPolicy(asking(`{"Statement":[{"Effect":"Allow","Actions":"*"}]}`)),
			Want: observation{
				Err: `spec.forProvider.policy is not a valid policy: in statement 1, unknown field "Actions"`,
			},
		},
		"Large": {
			Reason:   "AWS counts bytes.",
			Resource: testPolicy(asking(`{"Statement": "` + strings.Repeat("ä", 10240) + `"}`)),
			Want: observation{
				Err: "spec.forProvider.policy has 20496 bytes without white space, but AWS allows 20480: shorten it",
			},
		},
		"Foreign": {
			Reason:   "An existing policy is foreign, even if it is equal.",
			Resource: testPolicy(),
			AWS:      has(publicPolicy),
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: foreign},
		},
		"Imported": {
			Reason:   "The user has imported it by its name.",
			Resource: testPolicy(testenv.Imported[mg](testArn)),
			AWS:      has(publicPolicy),
			Want:     inOrder,
		},
		"LostAnswer": {
			Reason:   "The policy did not exist before an unanswered put, and equals what that sent.",
			Resource: testPolicy(testenv.Pending),
			AWS:      has(publicPolicy),
			Want:     inOrder,
		},
		"LostAnswerOfOther": {
			Reason:   "Somebody else put another one meanwhile.",
			Resource: testPolicy(testenv.Pending),
			AWS:      has(accountPolicy),
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: foreign},
		},
		"ObserveOnly": {
			Reason: "Observing needs no ownership.",
			Resource: testPolicy(func(p mg) {
				p.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				p.Spec.ForProvider.Policy = nil
			}),
			AWS:  has(publicPolicy),
			Want: inOrder,
		},
		"NothingAsked": {
			Reason: "A resource that may only delete the policy needs no document.",
			Resource: testPolicy(named, func(p mg) {
				p.Spec.ManagementPolicies = xpv2.ManagementPolicies{
					xpv2.ManagementActionObserve,
					xpv2.ManagementActionDelete,
				}
				p.Spec.ForProvider.Policy = nil
			}),
			AWS:  has(publicPolicy),
			Want: inOrder,
		},
		"From": {
			Reason:   "The ARN comes from another object.",
			Resource: testPolicy(named, selected("live")),
			AWS:      has(publicPolicy),
			Want:     inOrder,
		},
		"FromMissing": {
			Reason:   "Until it does, nothing is known.",
			Resource: testPolicy(selected("missing")),
			Want: observation{
				Calls: testenv.None,
				Err:   "cannot resolve spec.forProvider.resourceArnFrom: Alias team/missing does not exist",
			},
		},
		"FromMovedOn": {
			Reason:   "A policy is not left behind unnoticed.",
			Resource: testPolicy(named, selected("moved")),
			Want: observation{
				Calls: testenv.None,
				Err:   `spec or the external name was changed from "` + testArn + `" to "` + testArn + `:live", which would leave "` + testArn + `" behind: change spec.forProvider or the annotation crossplane.io/external-name back, and create another resource for "` + testArn + `:live"`,
			},
		},
		"Deleted": {
			Reason:   "An owned policy is deleted, even if spec can no longer be resolved.",
			Resource: testPolicy(named, testenv.BeingDeleted, selected("missing")),
			AWS:      has(accountPolicy),
			Want:     observation{Exists: true},
		},
		"DeletedForeign": {
			Reason:   "A foreign resource is not deleted.",
			Resource: testPolicy(testenv.BeingDeleted),
			AWS:      has(publicPolicy),
			Want:     observation{Aborted: true},
		},
		"DeletedGiven": {
			Reason: "A policy that was never owned, and that spec does not name, is not deleted.",
			Resource: testPolicy(
				testenv.Imported[mg](testArn),
				testenv.BeingDeleted,
				func(p mg) { p.Spec.ForProvider.ResourceArn = ptr.To(testArn + ":live") },
			),
			AWS: has(publicPolicy),
		},
		"DeletedUnresolved": {
			Reason:   "A policy that was never put is not deleted.",
			Resource: testPolicy(testenv.BeingDeleted, selected("missing")),
			Want:     observation{Calls: testenv.None},
		},
	})
}

func TestCreate(t *testing.T) {
	e := newEnv(t)
	p := testPolicy(asking("{\n  \"Statement\": {\"Effect\": \"Allow\"}\n}\n"))
	var put *lambda.PutResourcePolicyInput
	e.OnCall = func(in any) {
		if in, ok := in.(*lambda.PutResourcePolicyInput); ok {
			put = in
			if got := ownership.Parent(p); got != testArn {
				t.Errorf("before it is put, the resource is remembered: %q", got)
			}
		}
	}
	if _, _, err := e.Attempt(
		p,
	); err != nil || *put.Policy != `{"Statement":{"Effect":"Allow"}}` || put.RevisionId != nil ||
		*put.ResourceArn != testArn {
		t.Errorf("Create(): %+v, %v", put, err)
	}
	if !ownership.WroteName(p) {
		t.Error("the name is not kept")
	}
}

// TestRevision checks that a policy that was changed since it was read is neither
// overwritten nor deleted.
func TestRevision(t *testing.T) {
	for name, change := range map[string]func(*v1beta1.ResourcePolicy){"Update": func(*v1beta1.ResourcePolicy) {}, "Delete": testenv.BeingDeleted[*v1beta1.ResourcePolicy]} {
		p := func() *v1beta1.ResourcePolicy { return testPolicy(named, change) }
		t.Run(name+"Latest", func(t *testing.T) {
			e := newEnv(t)
			has(accountPolicy)(e)
			if _, aborted, err := e.Attempt(
				p(),
			); aborted || err != nil ||
				strings.Contains(e.Double.Policy(testArn), "111122223333") {
				t.Errorf(
					"It is still the one that was seen. held: %t, error: %v, %s",
					aborted,
					err,
					e.Double.Policy(testArn),
				)
			}
		})
		t.Run(name+"Stale", func(t *testing.T) {
			e := newEnv(t)
			has(accountPolicy)(e)
			e.Outpaced(p(), func() { has(strings.Replace(accountPolicy, "1111", "4444", 1))(e) })
			if got := e.Double.Policy(testArn); !strings.Contains(got, "444422223333") {
				t.Errorf("the policy is %s", got)
			}
		})
		t.Run(name+"Fails", func(t *testing.T) {
			e := newEnv(t)
			has(accountPolicy)(e)
			e.Break(opPut, opDelete)
			if _, aborted, err := e.Attempt(p()); aborted || !testenv.ErrorMatches(err, testenv.Boom) {
				t.Errorf("AWS says why. held: %t, error: %v", aborted, err)
			}
		})
	}
}

func TestDeleteOfWhatIsGone(t *testing.T) {
	e := newEnv(t)
	has(publicPolicy)(e)
	e.Refuse(opDelete, 404, "ResourceNotFoundException", "The resource you requested does not exist.")
	if o, _, err := e.Attempt(testPolicy(named, testenv.BeingDeleted)); o != testenv.Deleted || err != nil {
		t.Error(o, err)
	}
}

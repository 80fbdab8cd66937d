package alias

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// has returns a function that adds aliases of version 1 of function f to AWS.
func has(names ...string) func(*env) {
	return func(e *env) {
		for _, n := range names {
			e.AddAlias("f", n, "1")
		}
	}
}

// TestPublishesNone checks that an Alias of a Function without versions is Stalled, as only the user can help.
func TestPublishesNone(t *testing.T) {
	e := &external{functions: testenv.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error { return nil }}}
	if _, err := e.followed(t.Context(), testAlias(following)); !reconcile.IsInvalid(err) {
		t.Errorf("want an error that only the user can correct, got %v", err)
	}
}

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.Alias
	)
	rolledOut := func(a mg) { a.Spec.Rollout = canary() }
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable}
	follows := func(answer func(client.ObjectKey, *v1beta1.Function) error) func(*env) {
		return func(e *env) { e.functions = testenv.Functions{Answer: answer} }
	}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[*env, mg]{
		"Absent": {
			Reason:   "An alias that is not there is created.",
			Resource: testAlias(),
			AWS:      has("other"),
			Want:     observation{Ready: xpv2.ReasonCreating},
		},
		"InvalidName": {
			Reason:   "Only the user can give it a name that AWS allows.",
			Resource: testAlias(func(a mg) { a.Name = "shop.live" }),
			Want:     observation{Err: `"shop.live" is not a valid alias name`, Stalls: true, Calls: testenv.None},
		},
		"AbsentFollowing": {
			Reason:   "One that follows is created once there is something to follow.",
			Resource: testAlias(following),
			AWS:      func(e *env) { e.functions = publishedLast("") },
			Want:     observation{Ready: xpv2.ReasonCreating, Err: "Function ns/cart has not published a version yet"},
		},
		"AbsentFollowingInitial": {
			Reason: "A Function may publish at its creation only.", Resource: testAlias(following),
			AWS: follows(func(_ client.ObjectKey, f *v1beta1.Function) error {
				f.Spec.InitProvider = &v1beta1.FunctionSettings{Publish: ptr.To(true)}
				return nil
			}),
			Want: observation{Ready: xpv2.ReasonCreating, Err: "Function ns/cart has not published a version yet"},
		},
		"NothingToFollowAfterAdoption": {
			Reason: "What a Function adopted, it publishes no initial version of.", Resource: testAlias(following),
			AWS: follows(func(_ client.ObjectKey, f *v1beta1.Function) error {
				f.Spec.InitProvider = &v1beta1.FunctionSettings{Publish: ptr.To(true)}
				f.Status.AtProvider.Initialized = true
				return nil
			}),
			Want: observation{Err: "Function ns/cart publishes none: set its spec.forProvider.publish to true"},
		},
		"NothingToFollow": {
			Reason:   "A Function that publishes nothing can't be followed.",
			Resource: testAlias(following),
			AWS:      follows(func(client.ObjectKey, *v1beta1.Function) error { return nil }),
			Want:     observation{Err: "Function ns/cart publishes none: set its spec.forProvider.publish to true"},
		},
		"NoFunction": {
			Reason: "Nor can one that is not there.", Resource: testAlias(following),
			AWS: follows(func(client.ObjectKey, *v1beta1.Function) error {
				return kerrors.NewNotFound(schema.GroupResource{Resource: "functions"}, "cart")
			}),
			Want: observation{Err: "cannot get Function ns/cart"},
		},
		"Ours": {Reason: "Ours and as wanted.", Resource: testAlias(named), AWS: has("live", "other"), Want: inOrder},
		"OursToChange": {
			Reason:   "Ours and not as wanted.",
			Resource: testAlias(named, func(a mg) { a.Spec.ForProvider.FunctionVersion = ptr.To("2") }),
			AWS:      has("live"),
			Want:     observation{Exists: true, Ready: "Updating"},
		},
		"Foreign": {
			Reason:   "An alias of that name that was there before is not touched.",
			Resource: testAlias(),
			AWS:      has("live"),
			Want: observation{
				Ready: xpv2.ReasonUnavailable,
				Err:   "alias live of function f exists and was not created by this resource",
			},
		},
		"Imported": {
			Reason:   "It is taken over by its name.",
			Resource: testAlias(testenv.Imported[mg]("live")),
			AWS:      has("live"),
			Want:     inOrder,
		},
		"LostAnswer": {
			Reason:   "One that is as we asked for, after an answer that was lost, is ours.",
			Resource: testAlias(testenv.Pending),
			AWS:      has("live"),
			Want:     inOrder,
		},
		"LostAnswerOutpaced": {
			Reason:   "So is one that follows what has been published since.",
			Resource: testAlias(testenv.Pending, following, asked),
			AWS:      has("live"),
			Want:     observation{Exists: true, Ready: "Updating"},
		},
		"LostAnswerOther": {
			Reason:   "One that is not as we asked for is not.",
			Resource: testAlias(testenv.Pending, func(a mg) { a.Spec.ForProvider.Description = ptr.To("d") }),
			AWS:      has("live"),
			Want:     observation{Ready: xpv2.ReasonUnavailable, Err: "was not created by this resource"},
		},
		"LostAnswerRollout": {
			Reason:   "One with a rollout is ours as one without.",
			Resource: testAlias(testenv.Pending, rolledOut),
			AWS:      has("live"),
			Want:     inOrder,
		},
		"LostAnswerOtherRollout": {
			Reason: "And if it is not as we asked for, no rollout begins.",
			Resource: testAlias(
				testenv.Pending,
				rolledOut,
				func(a mg) { a.Spec.ForProvider.FunctionVersion = ptr.To("2") },
			),
			AWS:  has("live"),
			Want: observation{Ready: xpv2.ReasonUnavailable, Err: "was not created by this resource"},
		},
		"DeletedGone": {
			Reason:   "A deletion ends when the alias is gone.",
			Resource: testAlias(named, testenv.BeingDeleted),
			AWS:      has("other"),
		},
		"DeletedWithItsFunction": {
			Reason: "Aliases go with their function.", Resource: testAlias(named, testenv.BeingDeleted),
			AWS: func(e *env) {
				_, err := e.Lambda.DeleteFunction(e.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f")})
				e.Must(err)
			},
		},
		"DeletedAndNotListed": {
			Reason:   "A list without it is not conclusive: the alias would be left behind.",
			Resource: testAlias(named, testenv.BeingDeleted),
			AWS: func(e *env) {
				has("live")(e)
				e.Double.Fail(
					awsdouble.Fault{
						Operation: opList,
						Times:     -1,
						Answer:    func(int, []byte) (int, []byte) { return http.StatusOK, []byte("{}") },
					},
				)
			},
			Want: observation{Exists: true},
		},
		"NoVersion": {
			Reason:   "An answer without a version is no change of the alias, which a rollout would undo.",
			Resource: testAlias(named),
			AWS: func(e *env) {
				has("live")(e)
				e.Double.Fail(
					awsdouble.Fault{Operation: opList, Times: -1, Answer: func(_ int, b []byte) (int, []byte) {
						return http.StatusOK, bytes.ReplaceAll(
							b,
							[]byte(`"FunctionVersion":"1"`),
							[]byte(`"FunctionVersion":""`),
						)
					}},
				)
			},
			Want: observation{Err: "AWS's answer lacks functionVersion"},
		},
		"DeletedNoVersion": {
			Reason: "The deletion needs no more than the name.", Resource: testAlias(named, testenv.BeingDeleted),
			AWS: func(e *env) {
				has("live")(e)
				e.Responses = testenv.Answers{
					opList: testenv.Without("FunctionVersion"),
					opGet:  testenv.Without("FunctionVersion"),
				}
			},
			Want: observation{Exists: true, Reserved: []string{opDelete}},
		},
		"DeletedNeverCreated": {
			Reason:   "What was never created needs no look.",
			Resource: testAlias(testenv.BeingDeleted, func(a mg) { a.Spec.ForProvider.FunctionName = nil }),
			Want:     observation{Calls: testenv.None},
		},
		"ObserveOnly": {
			Reason:   "Any alias may be looked at.",
			Resource: testAlias(testenv.ObserveOnly, func(a mg) { a.Spec.ForProvider.FunctionVersion = ptr.To("9") }),
			AWS:      has("live"),
			Want:     inOrder,
		},
		"Denied": {
			Reason:   "What AWS refuses is told.",
			Resource: testAlias(),
			AWS:      func(e *env) { e.Refuse(opList, http.StatusForbidden, "AccessDeniedException", "no") },
			Want:     observation{Err: "cannot list the aliases of function f"},
		},
	})
}

func TestConnection(t *testing.T) {
	e := newEnv(t)
	has("live")(e)
	_, err := e.Do(testAlias(named))
	e.Must(err)
	want := map[string][]byte{
		"aliasArn": []byte(testARN),
		"invokeArn": []byte(
			"arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/" + testARN + "/invocations",
		),
	}
	if diff := cmp.Diff(want, map[string][]byte(e.Done.Details)); diff != "" {
		t.Errorf("connection details: -want, +got:\n%s", diff)
	}
}

func TestSomeoneElseWasQuicker(t *testing.T) {
	r := newEnv(t)
	a := testAlias()
	r.Converge(a)
	a.Spec.ForProvider.FunctionVersion = ptr.To("2")
	r.Outpaced(a, func() { r.Double.EditAlias("f", "live", func(e *awsdouble.Alias) { e.Description = "theirs" }) })
	if got := r.inAWS(); got.FunctionVersion != "1" || got.Description != "theirs" {
		t.Errorf("AWS has %+v", got)
	}
}

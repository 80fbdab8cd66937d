package alias

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// listed answers ListAliases with aliases of version 1.
func listed(names ...string) func(*lambda.ListAliasesInput) (*lambda.ListAliasesOutput, error) {
	return func(*lambda.ListAliasesInput) (*lambda.ListAliasesOutput, error) {
		out := &lambda.ListAliasesOutput{}
		for _, n := range names {
			out.Aliases = append(out.Aliases, types.AliasConfiguration{
				Name: ptr.To(n), AliasArn: ptr.To(strings.Replace(testARN, "live", n, 1)), FunctionVersion: ptr.To("1"), RevisionId: ptr.To("r"),
			})
		}
		return out, nil
	}
}

func TestObserve(t *testing.T) {
	now := metav1.Now()
	deleted := func(a *v1beta1.Alias) { a.DeletionTimestamp = &now }
	pending := func(a *v1beta1.Alias) { meta.SetExternalCreatePending(a, time.Now()) }
	cases := map[string]struct {
		reason    string
		alias     *v1beta1.Alias
		list      func(*lambda.ListAliasesInput) (*lambda.ListAliasesOutput, error)
		functions steptest.Functions
		exists    bool
		upToDate  bool
		ready     xpv2.ConditionReason
		err       string
	}{
		"Absent": {reason: "An alias that is not there is created.", alias: testAlias(), list: listed("other"), ready: xpv2.ReasonCreating},
		"AbsentFollowing": {
			reason: "One that follows is created once there is something to follow.", alias: testAlias(following), list: listed(),
			functions: publishedLast(""), ready: xpv2.ReasonCreating, err: "Function ns/cart has not published a version yet",
		},
		"NothingToFollow": {
			reason: "A Function that publishes nothing can't be followed.", alias: testAlias(following), list: listed(),
			functions: steptest.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error { return nil }},
			err:       "Function ns/cart publishes none: set its spec.forProvider.publish to true",
		},
		"NoFunction": {
			reason: "Nor can one that is not there.", alias: testAlias(following), list: listed(),
			functions: steptest.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error {
				return kerrors.NewNotFound(schema.GroupResource{Resource: "functions"}, "cart")
			}},
			err: "cannot get Function ns/cart",
		},
		"Ours": {
			reason: "Ours and as wanted.", alias: testAlias(named), list: listed("live", "other"), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"OursToChange": {
			reason: "Ours and not as wanted.", alias: testAlias(named, func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = ptr.To("2") }),
			list: listed("live"), exists: true, ready: "Updating",
		},
		"Foreign": {
			reason: "An alias of that name that was there before is not touched.", alias: testAlias(), list: listed("live"),
			ready: xpv2.ReasonUnavailable, err: "alias live of function f exists and was not created by this resource",
		},
		"Imported": {
			reason: "It is taken over by its name.", alias: testAlias(func(a *v1beta1.Alias) { meta.SetExternalName(a, "live") }), list: listed("live"),
			exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"LostAnswer": {
			reason: "One that is as we asked for, after an answer that was lost, is ours.", alias: testAlias(pending), list: listed("live"),
			exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"LostAnswerOutpaced": {
			reason: "So is one that follows what has been published since.", alias: testAlias(pending, following), list: listed("live"),
			functions: publishedLast("2"), exists: true, ready: "Updating",
		},
		"LostAnswerOther": {
			reason: "One that is not as we asked for is not.", alias: testAlias(pending, func(a *v1beta1.Alias) { a.Spec.ForProvider.Description = ptr.To("d") }),
			list: listed("live"), ready: xpv2.ReasonUnavailable, err: "was not created by this resource",
		},
		"DeletedGone": {reason: "A deletion ends when the alias is gone.", alias: testAlias(named, deleted), list: listed("other")},
		"DeletedWithItsFunction": {
			reason: "Aliases go with their function.", alias: testAlias(named, deleted),
			list: func(*lambda.ListAliasesInput) (*lambda.ListAliasesOutput, error) {
				return nil, steptest.APIError(http.StatusNotFound, "ResourceNotFoundException", "Function not found")
			},
		},
		"DeletedNeverCreated": {
			reason: "What was never created needs no look.", alias: testAlias(deleted, func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionName = nil }),
		},
		"ObserveOnly": {
			reason: "Any alias may be looked at.", alias: testAlias(func(a *v1beta1.Alias) {
				a.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				a.Spec.ForProvider.FunctionVersion = ptr.To("9")
			}),
			list: listed("live"), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"Denied": {
			reason: "What AWS refuses is told.", alias: testAlias(),
			list: func(*lambda.ListAliasesInput) (*lambda.ListAliasesOutput, error) {
				return nil, steptest.APIError(http.StatusForbidden, "AccessDeniedException", "no")
			},
			err: "cannot list the aliases of function f",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx := managed.WithAttempt(t.Context(), &managed.Attempt{})
			e := testExternal(&fakeLambda{list: tc.list}, tc.functions, &inventory.Cache{})
			got, err := e.Observe(ctx, tc.alias)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\nerror %v, want %q", tc.reason, err, tc.err)
				}
			} else if err != nil {
				t.Errorf("%s\nerror %v", tc.reason, err)
			}
			if got.ResourceExists != tc.exists || got.ResourceUpToDate != tc.upToDate {
				t.Errorf("%s\nexists %t, up to date %t", tc.reason, got.ResourceExists, got.ResourceUpToDate)
			}
			if ready := tc.alias.GetCondition(xpv2.TypeReady).Reason; ready != tc.ready {
				t.Errorf("%s\nReady has reason %q, want %q", tc.reason, ready, tc.ready)
			}
		})
	}
}

func TestConnection(t *testing.T) {
	e := testExternal(&fakeLambda{list: listed("live")}, nil, &inventory.Cache{})
	got, err := e.Observe(t.Context(), testAlias(named))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{
		"aliasArn":  []byte(testARN),
		"invokeArn": []byte("arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/" + testARN + "/invocations"),
	}
	if diff := cmp.Diff(want, map[string][]byte(got.ConnectionDetails)); diff != "" {
		t.Errorf("connection details: -want, +got:\n%s", diff)
	}
}

func TestSomeoneElseWasQuicker(t *testing.T) {
	turn := &managed.Attempt{}
	ctx := managed.WithAttempt(t.Context(), turn)
	api := &fakeLambda{list: listed("live"), update: func(in *lambda.UpdateAliasInput) (*lambda.UpdateAliasOutput, error) {
		if ptr.Deref(in.RevisionId, "") != "r" {
			t.Errorf("an update must name the revision that it was made for, got %v", in.RevisionId)
		}
		return nil, steptest.APIError(http.StatusPreconditionFailed, "PreconditionFailedException", "stale")
	}}
	a := testAlias(named, func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = ptr.To("2") })
	e := testExternal(api, nil, &inventory.Cache{})
	if _, err := e.Observe(ctx, a); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Update(ctx, a); err != nil {
		t.Errorf("a change by someone else must be no error, got %v", err)
	}
	if _, held := turn.Aborted(); !held {
		t.Error("the alias must be looked at again")
	}
}

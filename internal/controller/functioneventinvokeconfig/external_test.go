package functioneventinvokeconfig

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

const cartARN = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

// fakeLambda answers with its fields. A call that a test does not expect finds a nil
// field and panics, which names it.
type fakeLambda struct {
	list   func() (*lambda.ListFunctionEventInvokeConfigsOutput, error)
	put    func(*lambda.PutFunctionEventInvokeConfigInput) (*lambda.PutFunctionEventInvokeConfigOutput, error)
	remove func(*lambda.DeleteFunctionEventInvokeConfigInput) (*lambda.DeleteFunctionEventInvokeConfigOutput, error)
}

// GetFunctionEventInvokeConfig finds no more than the list does.
func (f *fakeLambda) GetFunctionEventInvokeConfig(context.Context, *lambda.GetFunctionEventInvokeConfigInput, ...func(*lambda.Options)) (*lambda.GetFunctionEventInvokeConfigOutput, error) {
	return nil, steptest.APIError(404, "ResourceNotFoundException", "The resource you requested does not exist.")
}

func (f *fakeLambda) ListFunctionEventInvokeConfigs(context.Context, *lambda.ListFunctionEventInvokeConfigsInput, ...func(*lambda.Options)) (*lambda.ListFunctionEventInvokeConfigsOutput, error) {
	return f.list()
}

func (f *fakeLambda) PutFunctionEventInvokeConfig(_ context.Context, in *lambda.PutFunctionEventInvokeConfigInput, _ ...func(*lambda.Options)) (*lambda.PutFunctionEventInvokeConfigOutput, error) {
	return f.put(in)
}

func (f *fakeLambda) DeleteFunctionEventInvokeConfig(_ context.Context, in *lambda.DeleteFunctionEventInvokeConfigInput, _ ...func(*lambda.Options)) (*lambda.DeleteFunctionEventInvokeConfigOutput, error) {
	return f.remove(in)
}

func listed(all ...types.FunctionEventInvokeConfig) func() (*lambda.ListFunctionEventInvokeConfigsOutput, error) {
	return func() (*lambda.ListFunctionEventInvokeConfigsOutput, error) {
		return &lambda.ListFunctionEventInvokeConfigsOutput{FunctionEventInvokeConfigs: all}, nil
	}
}

func apiError(code string) error { return &smithy.GenericAPIError{Code: code, Message: "boom"} }

func there(qualifier string, retries int32) types.FunctionEventInvokeConfig {
	return types.FunctionEventInvokeConfig{FunctionArn: ptr.To(cartARN + ":" + qualifier), MaximumRetryAttempts: &retries}
}

// newConfig is of the function cart, and has events tried once more.
func newConfig(edit ...func(*v1beta1.FunctionEventInvokeConfig)) *v1beta1.FunctionEventInvokeConfig {
	c := &v1beta1.FunctionEventInvokeConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "async", UID: "u1", Generation: 2}}
	c.Spec.ForProvider.FunctionName, c.Spec.ForProvider.MaximumRetryAttempts = ptr.To("cart"), ptr.To[int32](1)
	for _, f := range edit {
		f(c)
	}
	return c
}

func named(c *v1beta1.FunctionEventInvokeConfig) {
	meta.AddAnnotations(c, ownership.Name(c, "cart:$LATEST"))
}

func pending(c *v1beta1.FunctionEventInvokeConfig) {
	meta.SetExternalCreatePending(c, time.Unix(1, 0))
}

func deleted(c *v1beta1.FunctionEventInvokeConfig) {
	c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
}

func toQueue(name string) func(*v1beta1.FunctionEventInvokeConfig) {
	return func(c *v1beta1.FunctionEventInvokeConfig) {
		c.Spec.ForProvider.DestinationConfig = &v1beta1.EventDestinationConfig{OnFailure: &v1beta1.OnFailureDestination{DestinationFrom: &v1beta1.FieldSelector{Kind: "Queue", Name: name}}}
	}
}

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		ready            xpv2.ConditionReason
		reserved         []string
		err              string
	}
	create := want{ready: xpv2.ReasonCreating, reserved: []string{callPut}}
	inOrder := want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable}
	cases := map[string]struct {
		reason string
		list   func() (*lambda.ListFunctionEventInvokeConfigsOutput, error)
		mg     *v1beta1.FunctionEventInvokeConfig
		want   want
	}{
		"Absent":  {"It is to be made.", listed(), newConfig(), create},
		"OfAlias": {"That of an alias is another one.", listed(there("live", 1)), newConfig(), create},
		"Denied": {"What AWS says is passed on.", func() (*lambda.ListFunctionEventInvokeConfigsOutput, error) {
			return nil, apiError("AccessDeniedException")
		}, newConfig(), want{err: "cannot list the asynchronous invocation configurations of function cart"}},
		"InOrder":    {"Nothing is due.", listed(there("live", 0), there("$LATEST", 1)), newConfig(named), inOrder},
		"Drifted":    {"It is put right.", listed(there("$LATEST", 2)), newConfig(named), want{exists: true, ready: "Updating", reserved: []string{callPut}}},
		"Foreign":    {"What someone else made stays as it is.", listed(there("$LATEST", 1)), newConfig(), want{ready: xpv2.ReasonUnavailable, err: `set the annotation crossplane.io/external-name to "cart:$LATEST"`}},
		"LostAnswer": {"What was made without an answer is ours.", listed(there("$LATEST", 1)), newConfig(pending), inOrder},
		"LostAnswerWithQueue": {
			"It is compared with what spec refers to.", listed(there("$LATEST", 1)), newConfig(pending, toQueue("q")),
			want{ready: xpv2.ReasonUnavailable, err: "was not created by this resource"},
		},
		"QueueUnknown": {
			"What is missing is named.", listed(), newConfig(toQueue("other")),
			want{err: "cannot resolve spec.forProvider.destinationConfig.onFailure.destinationFrom: Queue other does not exist"},
		},
		"QueueLost": {
			"What is missing is named, and what is there stays.", listed(there("$LATEST", 1)), newConfig(named, toQueue("other")),
			want{err: "Queue other does not exist"},
		},
		"QueueAdded":  {"It is added.", listed(there("$LATEST", 1)), newConfig(named, toQueue("q")), want{exists: true, ready: "Updating", reserved: []string{callPut}}},
		"Deleted":     {"It is to be removed, whatever spec refers to.", listed(there("$LATEST", 1)), newConfig(named, deleted, toQueue("other")), want{exists: true, reserved: []string{callDelete}}},
		"DeletedGone": {"It is gone.", listed(), newConfig(named, deleted), want{}},
		"ObserveOnly": {"Whatever is there is shown.", listed(there("$LATEST", 1)), newConfig(func(c *v1beta1.FunctionEventInvokeConfig) {
			c.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			c.Spec.ForProvider = v1beta1.FunctionEventInvokeConfigParameters{}
			meta.SetExternalName(c, "cart")
		}), inOrder},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			ctx := managed.WithAttempt(t.Context(), &managed.Attempt{ReserveFn: func(ops ...string) time.Duration {
				got.reserved = append(got.reserved, ops...)
				return 0
			}})
			o, err := newExternal(&fakeLambda{list: tc.list}, &inventory.Cache{}, steptest.Fields{"q": queueARN}).Observe(ctx, tc.mg)
			got.exists, got.upToDate, got.ready = o.ResourceExists, o.ResourceUpToDate, tc.mg.GetCondition(xpv2.TypeReady).Reason
			if err != nil && tc.want.err != "" && strings.Contains(err.Error(), tc.want.err) {
				got.err = tc.want.err
			} else if err != nil {
				got.err = err.Error()
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCallsThatFail(t *testing.T) {
	boom := apiError("InvalidParameterValueException")
	api := &fakeLambda{
		list: listed(there("$LATEST", 2)),
		put: func(*lambda.PutFunctionEventInvokeConfigInput) (*lambda.PutFunctionEventInvokeConfigOutput, error) {
			return nil, boom
		},
		remove: func(*lambda.DeleteFunctionEventInvokeConfigInput) (*lambda.DeleteFunctionEventInvokeConfigOutput, error) {
			return nil, boom
		},
	}
	e, mg := newExternal(api, &inventory.Cache{}, nil), newConfig(named)
	if _, err := e.Observe(t.Context(), mg); err != nil {
		t.Fatal(err)
	}
	_, create := e.Create(t.Context(), mg)
	_, update := e.Update(t.Context(), mg)
	_, remove := e.Delete(t.Context(), mg)
	for verb, err := range map[string]error{"create": create, "update": update, "delete": remove} {
		if want := "cannot " + verb + " the asynchronous invocation configuration of function cart:$LATEST"; !errors.Is(err, boom) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestReferences(t *testing.T) {
	c := newConfig(func(c *v1beta1.FunctionEventInvokeConfig) {
		c.Spec.ForProvider.DestinationConfig = &v1beta1.EventDestinationConfig{OnSuccess: &v1beta1.OnSuccessDestination{DestinationRef: &xpv2.NamespacedReference{Name: "next"}}}
	})
	got := references(c)
	if len(got) != 4 || got[3].Field != "destinationConfig.onSuccess" || got[3].Ref.Name != "next" || got[3].To.Kind != "Function" {
		t.Errorf("got %+v, want the destination among them", got)
	}
}

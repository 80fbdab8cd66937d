package provisionedconcurrencyconfig

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

// fakeLambda answers with its fields. A call that a test does not expect finds a nil
// field and panics, which names it.
type fakeLambda struct {
	list   func() (*lambda.ListProvisionedConcurrencyConfigsOutput, error)
	put    func() (*lambda.PutProvisionedConcurrencyConfigOutput, error)
	remove func() (*lambda.DeleteProvisionedConcurrencyConfigOutput, error)
}

// GetProvisionedConcurrencyConfig finds no more than the list does.
func (f *fakeLambda) GetProvisionedConcurrencyConfig(context.Context, *lambda.GetProvisionedConcurrencyConfigInput, ...func(*lambda.Options)) (*lambda.GetProvisionedConcurrencyConfigOutput, error) {
	return nil, steptest.APIError(404, "ResourceNotFoundException", "The resource you requested does not exist.")
}

func (f *fakeLambda) ListProvisionedConcurrencyConfigs(context.Context, *lambda.ListProvisionedConcurrencyConfigsInput, ...func(*lambda.Options)) (*lambda.ListProvisionedConcurrencyConfigsOutput, error) {
	return f.list()
}

func (f *fakeLambda) PutProvisionedConcurrencyConfig(context.Context, *lambda.PutProvisionedConcurrencyConfigInput, ...func(*lambda.Options)) (*lambda.PutProvisionedConcurrencyConfigOutput, error) {
	return f.put()
}

func (f *fakeLambda) DeleteProvisionedConcurrencyConfig(context.Context, *lambda.DeleteProvisionedConcurrencyConfigInput, ...func(*lambda.Options)) (*lambda.DeleteProvisionedConcurrencyConfigOutput, error) {
	return f.remove()
}

func listed(all ...types.ProvisionedConcurrencyConfigListItem) func() (*lambda.ListProvisionedConcurrencyConfigsOutput, error) {
	return func() (*lambda.ListProvisionedConcurrencyConfigsOutput, error) {
		return &lambda.ListProvisionedConcurrencyConfigsOutput{ProvisionedConcurrencyConfigs: all}, nil
	}
}

func apiError(code string) error { return &smithy.GenericAPIError{Code: code, Message: "boom"} }

// of a qualifier of the function cart.
func of(qualifier string, p types.ProvisionedConcurrencyConfigListItem) types.ProvisionedConcurrencyConfigListItem {
	p.FunctionArn = ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:cart:" + qualifier)
	return p
}

// newConfig keeps five environments of cart:live ready.
func newConfig(edit ...func(*v1beta1.ProvisionedConcurrencyConfig)) *v1beta1.ProvisionedConcurrencyConfig {
	c := &v1beta1.ProvisionedConcurrencyConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "warm", UID: "u1", Generation: 2}}
	p := &c.Spec.ForProvider
	p.FunctionName, p.Qualifier, p.ProvisionedConcurrentExecutions = ptr.To("cart"), ptr.To("live"), ptr.To[int32](5)
	for _, f := range edit {
		f(c)
	}
	return c
}

func named(c *v1beta1.ProvisionedConcurrencyConfig) {
	meta.AddAnnotations(c, ownership.Name(c, "cart:live"))
}

func pending(c *v1beta1.ProvisionedConcurrencyConfig) {
	meta.SetExternalCreatePending(c, time.Unix(1, 0))
}

func deleted(c *v1beta1.ProvisionedConcurrencyConfig) {
	c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
}

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		ready            xpv2.ConditionReason
		reserved         []string
		err              string
	}
	five := of("live", item(types.ProvisionedConcurrencyStatusEnumReady, 5, 0))
	inOrder := want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable}
	create := want{ready: xpv2.ReasonCreating, reserved: []string{callPut}}
	cases := map[string]struct {
		reason string
		list   func() (*lambda.ListProvisionedConcurrencyConfigsOutput, error)
		mg     *v1beta1.ProvisionedConcurrencyConfig
		want   want
	}{
		"Absent":    {"It is to be made.", listed(), newConfig(), create},
		"OfVersion": {"That of a version is another one.", listed(of("1", item(types.ProvisionedConcurrencyStatusEnumReady, 5, 0))), newConfig(), create},
		"Denied": {"What AWS says is passed on.", func() (*lambda.ListProvisionedConcurrencyConfigsOutput, error) {
			return nil, apiError("AccessDeniedException")
		}, newConfig(), want{err: "cannot list the provisioned concurrency of function cart"}},
		"InOrder":     {"Nothing is due.", listed(five), newConfig(named), inOrder},
		"InMotion":    {"It is awaited.", listed(of("live", item(types.ProvisionedConcurrencyStatusEnumInProgress, 5, 0))), newConfig(named), want{exists: true, upToDate: true, ready: xpv2.ReasonCreating}},
		"Drifted":     {"It is put right.", listed(of("live", item(types.ProvisionedConcurrencyStatusEnumReady, 9, 0))), newConfig(named), want{exists: true, ready: "Updating", reserved: []string{callPut}}},
		"Foreign":     {"What someone else made stays as it is.", listed(five), newConfig(), want{ready: xpv2.ReasonUnavailable, err: `set the annotation crossplane.io/external-name to "cart:live"`}},
		"LostAnswer":  {"What was made without an answer is ours.", listed(five), newConfig(pending), inOrder},
		"NoQualifier": {"A function has none.", nil, newConfig(func(c *v1beta1.ProvisionedConcurrencyConfig) { c.Spec.ForProvider.Qualifier = nil }), want{err: "no alias or version of function cart is named"}},
		"Deleted":     {"It is to be removed.", listed(five), newConfig(named, deleted), want{exists: true, reserved: []string{callDelete}}},
		"DeletedGone": {"It is gone.", listed(), newConfig(named, deleted), want{}},
		"ObserveOnly": {"Whatever is there is shown.", listed(five), newConfig(func(c *v1beta1.ProvisionedConcurrencyConfig) {
			c.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			c.Spec.ForProvider = v1beta1.ProvisionedConcurrencyConfigParameters{}
			meta.SetExternalName(c, "cart:live")
		}), inOrder},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			ctx := managed.WithAttempt(t.Context(), &managed.Attempt{ReserveFn: func(ops ...string) time.Duration {
				got.reserved = append(got.reserved, ops...)
				return 0
			}})
			o, err := newExternal(&fakeLambda{list: tc.list}, &inventory.Cache{}, func() time.Time { return testNow }).Observe(ctx, tc.mg)
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
		list:   listed(of("live", item(types.ProvisionedConcurrencyStatusEnumReady, 9, 0))),
		put:    func() (*lambda.PutProvisionedConcurrencyConfigOutput, error) { return nil, boom },
		remove: func() (*lambda.DeleteProvisionedConcurrencyConfigOutput, error) { return nil, boom },
	}
	e, mg := newExternal(api, &inventory.Cache{}, func() time.Time { return testNow }), newConfig(named)
	if _, err := e.Observe(t.Context(), mg); err != nil {
		t.Fatal(err)
	}
	_, create := e.Create(t.Context(), mg)
	_, update := e.Update(t.Context(), mg)
	_, remove := e.Delete(t.Context(), mg)
	for verb, err := range map[string]error{"create": create, "update": update, "delete": remove} {
		if want := "cannot " + verb + " the provisioned concurrency of function cart:live"; !errors.Is(err, boom) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestReferences(t *testing.T) {
	c := newConfig(func(c *v1beta1.ProvisionedConcurrencyConfig) {
		c.Spec.ForProvider.QualifierRef = &xpv2.NamespacedReference{Name: "live"}
	})
	if got := references(c); len(got) != 2 || got[1].Field != "qualifier" || got[1].To.Kind != "Alias" || got[1].Ref.Name != "live" {
		t.Errorf("got %+v, want both references", got)
	}
}

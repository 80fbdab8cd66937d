package functionurl

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
	list   func() (*lambda.ListFunctionUrlConfigsOutput, error)
	create func(*lambda.CreateFunctionUrlConfigInput) (*lambda.CreateFunctionUrlConfigOutput, error)
	update func(*lambda.UpdateFunctionUrlConfigInput) (*lambda.UpdateFunctionUrlConfigOutput, error)
	remove func(*lambda.DeleteFunctionUrlConfigInput) (*lambda.DeleteFunctionUrlConfigOutput, error)
}

// GetFunctionUrlConfig finds no more than the list does.
func (f *fakeLambda) GetFunctionUrlConfig(context.Context, *lambda.GetFunctionUrlConfigInput, ...func(*lambda.Options)) (*lambda.GetFunctionUrlConfigOutput, error) { //nolint:revive,staticcheck // The SDK's spelling.
	return nil, steptest.APIError(404, "ResourceNotFoundException", "The resource you requested does not exist.")
}

func (f *fakeLambda) ListFunctionUrlConfigs(context.Context, *lambda.ListFunctionUrlConfigsInput, ...func(*lambda.Options)) (*lambda.ListFunctionUrlConfigsOutput, error) { //nolint:revive,staticcheck // The SDK's spelling.
	return f.list()
}

func (f *fakeLambda) CreateFunctionUrlConfig(_ context.Context, in *lambda.CreateFunctionUrlConfigInput, _ ...func(*lambda.Options)) (*lambda.CreateFunctionUrlConfigOutput, error) { //nolint:revive,staticcheck // The SDK's spelling.
	return f.create(in)
}

func (f *fakeLambda) UpdateFunctionUrlConfig(_ context.Context, in *lambda.UpdateFunctionUrlConfigInput, _ ...func(*lambda.Options)) (*lambda.UpdateFunctionUrlConfigOutput, error) { //nolint:revive,staticcheck // The SDK's spelling.
	return f.update(in)
}

func (f *fakeLambda) DeleteFunctionUrlConfig(_ context.Context, in *lambda.DeleteFunctionUrlConfigInput, _ ...func(*lambda.Options)) (*lambda.DeleteFunctionUrlConfigOutput, error) { //nolint:revive,staticcheck // The SDK's spelling.
	return f.remove(in)
}

// listed are URLs of the function cart that AWS answers.
func listed(urls ...types.FunctionUrlConfig) func() (*lambda.ListFunctionUrlConfigsOutput, error) {
	return func() (*lambda.ListFunctionUrlConfigsOutput, error) {
		return &lambda.ListFunctionUrlConfigsOutput{FunctionUrlConfigs: urls}, nil
	}
}

func failing(code string) func() (*lambda.ListFunctionUrlConfigsOutput, error) {
	return func() (*lambda.ListFunctionUrlConfigsOutput, error) { return nil, apiError(code, "") }
}

func apiError(code, message string) error {
	return &smithy.GenericAPIError{Code: code, Message: message}
}

func there(auth types.FunctionUrlAuthType) types.FunctionUrlConfig {
	return types.FunctionUrlConfig{AuthType: auth, FunctionArn: ptr.To(cartARN), FunctionUrl: ptr.To("https://abc.lambda-url.eu-central-1.on.aws/"), InvokeMode: types.InvokeModeBuffered}
}

// newURL is of the function cart, for those whom IAM allows it.
func newURL(edit ...func(*v1beta1.FunctionURL)) *v1beta1.FunctionURL {
	u := &v1beta1.FunctionURL{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1", Generation: 2}}
	u.Spec.ForProvider.FunctionName, u.Spec.ForProvider.AuthType = ptr.To("cart"), ptr.To("AWS_IAM")
	for _, f := range edit {
		f(u)
	}
	return u
}

func named(u *v1beta1.FunctionURL) { meta.AddAnnotations(u, ownership.Name(u, "cart")) }

func pending(u *v1beta1.FunctionURL) { meta.SetExternalCreatePending(u, time.Unix(1, 0)) }

func deleted(u *v1beta1.FunctionURL) { u.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }

func TestObserve(t *testing.T) {
	type want struct {
		exists, upToDate bool
		ready            xpv2.ConditionReason
		reserved         []string
		err              string
	}
	ours := there(types.FunctionUrlAuthTypeAwsIam)
	of := func(qualifier string) types.FunctionUrlConfig {
		u := ours
		u.FunctionArn = ptr.To(cartARN + ":" + qualifier)
		return u
	}
	cases := map[string]struct {
		reason string
		list   func() (*lambda.ListFunctionUrlConfigsOutput, error)
		mg     *v1beta1.FunctionURL
		want   want
	}{
		"Absent":      {"It is to be made.", listed(), newURL(), want{ready: xpv2.ReasonCreating, reserved: []string{callCreate}}},
		"OfAlias":     {"That of an alias is another one.", listed(of("live")), newURL(), want{ready: xpv2.ReasonCreating, reserved: []string{callCreate}}},
		"NoFunction":  {"A function that is not there has none.", failing("ResourceNotFoundException"), newURL(), want{ready: xpv2.ReasonCreating, reserved: []string{callGet, callCreate}}},
		"Denied":      {"What AWS says is passed on.", failing("AccessDeniedException"), newURL(), want{err: "cannot list the URLs of function cart"}},
		"InOrder":     {"Nothing is due.", listed(of("live"), ours), newURL(named), want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable}},
		"Drifted":     {"It is put right.", listed(there(types.FunctionUrlAuthTypeNone)), newURL(named), want{exists: true, ready: "Updating", reserved: []string{callUpdate}}},
		"Foreign":     {"What someone else made stays as it is.", listed(ours), newURL(), want{ready: xpv2.ReasonUnavailable, err: `the URL of function cart exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "cart"`}},
		"LostAnswer":  {"What was made without an answer is ours.", listed(ours), newURL(pending), want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable}},
		"LostToOther": {"What is not what we asked for is not.", listed(there(types.FunctionUrlAuthTypeNone)), newURL(pending), want{ready: xpv2.ReasonUnavailable, err: "was not created by this resource"}},
		"Imported": {"The user says that it is meant.", listed(of("live")), newURL(func(u *v1beta1.FunctionURL) {
			u.Spec.ForProvider.Qualifier = ptr.To("live")
			meta.SetExternalName(u, "cart:live")
		}), want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable}},
		"Moved": {"What was made for one function would be left behind.", listed(ours), newURL(named, func(u *v1beta1.FunctionURL) {
			u.Spec.ForProvider.FunctionName = ptr.To("basket")
		}), want{err: "but the annotation crossplane.io/external-name names cart"}},
		"ObserveOnly": {"Whatever is there is shown.", listed(ours), newURL(func(u *v1beta1.FunctionURL) {
			u.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			u.Spec.ForProvider = v1beta1.FunctionURLParameters{}
			meta.SetExternalName(u, "cart")
		}), want{exists: true, upToDate: true, ready: xpv2.ReasonAvailable}},
		"Deleted":       {"It is to be removed.", listed(ours), newURL(named, deleted), want{exists: true, reserved: []string{callDelete}}},
		"DeletedGone":   {"It is gone.", listed(), newURL(named, deleted), want{}},
		"DeletedUnmade": {"Nothing was made, and nothing is asked.", nil, newURL(deleted), want{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			ctx := managed.WithAttempt(t.Context(), &managed.Attempt{ReserveFn: func(ops ...string) time.Duration {
				got.reserved = append(got.reserved, ops...)
				return 0
			}})
			o, err := newExternal(&fakeLambda{list: tc.list}, &inventory.Cache{}).Observe(ctx, tc.mg)
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
	boom := apiError("InvalidParameterValueException", "boom")
	api := &fakeLambda{
		list: listed(there(types.FunctionUrlAuthTypeNone)),
		create: func(*lambda.CreateFunctionUrlConfigInput) (*lambda.CreateFunctionUrlConfigOutput, error) {
			return nil, boom
		},
		update: func(*lambda.UpdateFunctionUrlConfigInput) (*lambda.UpdateFunctionUrlConfigOutput, error) {
			return nil, boom
		},
		remove: func(*lambda.DeleteFunctionUrlConfigInput) (*lambda.DeleteFunctionUrlConfigOutput, error) {
			return nil, boom
		},
	}
	e, mg := newExternal(api, &inventory.Cache{}), newURL(named)
	if _, err := e.Observe(t.Context(), mg); err != nil {
		t.Fatal(err)
	}
	_, create := e.Create(t.Context(), mg)
	_, update := e.Update(t.Context(), mg)
	_, remove := e.Delete(t.Context(), mg)
	for verb, err := range map[string]error{"create": create, "update": update, "delete": remove} {
		if want := "cannot " + verb + " the URL of function cart"; !errors.Is(err, boom) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestReferences(t *testing.T) {
	u := newURL()
	u.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "fn"}
	u.Spec.ForProvider.QualifierSelector = &xpv2.NamespacedSelector{MatchLabels: map[string]string{"a": "b"}}
	got := references(u)
	if len(got) != 2 || got[0].Field != "functionName" || got[0].Ref.Name != "fn" || got[1].Field != "qualifier" || got[1].To.Kind != "Alias" || got[1].Selector == nil {
		t.Errorf("got %+v, want both references", got)
	}
}

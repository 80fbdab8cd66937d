package runtimemanagementconfig

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
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// fakeLambda answers with its fields. A call that a test does not expect finds a nil
// field and panics, which names it.
type fakeLambda struct {
	get func() (*answer, error)
	put func(*lambda.PutRuntimeManagementConfigInput) (*lambda.PutRuntimeManagementConfigOutput, error)
}

func (f *fakeLambda) GetRuntimeManagementConfig(context.Context, *lambda.GetRuntimeManagementConfigInput, ...func(*lambda.Options)) (*lambda.GetRuntimeManagementConfigOutput, error) {
	return f.get()
}

func (f *fakeLambda) PutRuntimeManagementConfig(_ context.Context, in *lambda.PutRuntimeManagementConfigInput, _ ...func(*lambda.Options)) (*lambda.PutRuntimeManagementConfigOutput, error) {
	return f.put(in)
}

func answering(mode types.UpdateRuntimeOn) func() (*answer, error) {
	return func() (*answer, error) { return &answer{UpdateRuntimeOn: mode}, nil }
}

func failing(code string) func() (*answer, error) {
	return func() (*answer, error) { return nil, apiError(code) }
}

func apiError(code string) error { return &smithy.GenericAPIError{Code: code, Message: "boom"} }

// newConfig has the runtime of the function cart updated with the function.
func newConfig(edit ...func(*v1beta1.RuntimeManagementConfig)) *v1beta1.RuntimeManagementConfig {
	c := &v1beta1.RuntimeManagementConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "runtime", UID: "u1", Generation: 2}}
	c.Spec.ForProvider.FunctionName, c.Spec.ForProvider.UpdateRuntimeOn = ptr.To("cart"), ptr.To("FunctionUpdate")
	for _, f := range edit {
		f(c)
	}
	return c
}

func named(c *v1beta1.RuntimeManagementConfig) {
	meta.AddAnnotations(c, ownership.Name(c, "cart:$LATEST"))
}

func deleted(c *v1beta1.RuntimeManagementConfig) {
	c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
}

func policies(p ...xpv2.ManagementAction) func(*v1beta1.RuntimeManagementConfig) {
	return func(c *v1beta1.RuntimeManagementConfig) { c.Spec.ManagementPolicies = p }
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
	drifted := want{exists: true, ready: "Updating", reserved: []string{callPut}}
	cases := map[string]struct {
		reason string
		get    func() (*answer, error)
		mg     *v1beta1.RuntimeManagementConfig
		want   want
	}{
		"Default":         {"Nobody has set it.", answering(types.UpdateRuntimeOnAuto), newConfig(), create},
		"CreateOnly":      {"It is set once.", answering(types.UpdateRuntimeOnAuto), newConfig(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)), create},
		"SetByHand":       {"It is nobody's, and set anew.", answering(types.UpdateRuntimeOnManual), newConfig(), drifted},
		"AsWanted":        {"Nothing is due.", answering(types.UpdateRuntimeOnFunctionUpdate), newConfig(), inOrder},
		"Reset":           {"It was ours, and is put right.", answering(types.UpdateRuntimeOnAuto), newConfig(named), drifted},
		"NoFunction":      {"It is to be set once there is one.", failing("ResourceNotFoundException"), newConfig(), create},
		"Denied":          {"What AWS says is passed on.", failing("AccessDeniedException"), newConfig(), want{err: "cannot read the runtime management configuration of function cart:$LATEST"}},
		"Deleted":         {"It is to be set back.", answering(types.UpdateRuntimeOnFunctionUpdate), newConfig(named, deleted), want{exists: true, reserved: []string{callPut}}},
		"DeletedReset":    {"It is set back.", answering(types.UpdateRuntimeOnAuto), newConfig(named, deleted), want{}},
		"DeletedUnset":    {"It was never set, and stays as it is.", nil, newConfig(deleted), want{}},
		"DeletedFunction": {"It went with its function.", failing("ResourceNotFoundException"), newConfig(named, deleted), want{}},
		"ObserveOnly":     {"AWS's default is shown too.", answering(types.UpdateRuntimeOnAuto), newConfig(policies(xpv2.ManagementActionObserve)), inOrder},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			ctx := managed.WithAttempt(t.Context(), &managed.Attempt{ReserveFn: func(ops ...string) time.Duration {
				got.reserved = append(got.reserved, ops...)
				return 0
			}})
			o, err := newExternal(&fakeLambda{get: tc.get}).Observe(ctx, tc.mg)
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

func TestCalls(t *testing.T) {
	var sent []string
	boom := apiError("InvalidParameterValueException")
	fail := false
	api := &fakeLambda{
		get: answering(types.UpdateRuntimeOnManual),
		put: func(in *lambda.PutRuntimeManagementConfigInput) (*lambda.PutRuntimeManagementConfigOutput, error) {
			sent = append(sent, string(in.UpdateRuntimeOn))
			if fail {
				return nil, boom
			}
			return &lambda.PutRuntimeManagementConfigOutput{}, nil
		},
	}
	e, mg := newExternal(api), newConfig(named)
	if _, err := e.Observe(t.Context(), mg); err != nil {
		t.Fatal(err)
	}
	for _, fail = range []bool{false, true} {
		_, create := e.Create(t.Context(), mg)
		_, update := e.Update(t.Context(), mg)
		_, remove := e.Delete(t.Context(), mg)
		for verb, err := range map[string]error{"set": create, "update": update, "reset": remove} {
			want := "cannot " + verb + " the runtime management configuration of function cart:$LATEST"
			if fail && (!errors.Is(err, boom) || !strings.Contains(err.Error(), want)) || !fail && err != nil {
				t.Errorf("got %v, want %q: %t", err, want, fail)
			}
		}
	}
	if diff := cmp.Diff([]string{"FunctionUpdate", "FunctionUpdate", "Auto"}, sent[:3]); diff != "" {
		t.Errorf("a deletion sets it back, -want +got:\n%s", diff)
	}
}

func TestReferences(t *testing.T) {
	c := newConfig(func(c *v1beta1.RuntimeManagementConfig) {
		c.Spec.ForProvider.QualifierRef = &xpv2.NamespacedReference{Name: "v3"}
	})
	if got := references(c); len(got) != 2 || got[1].Field != "qualifier" || got[1].To.Kind != "Version" || got[1].Ref.Name != "v3" {
		t.Errorf("got %+v, want both references", got)
	}
}

package runtimemanagementconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// has returns a function that puts the settings of the function cart.
func has(s settings) func(env) {
	return func(e env) {
		_, err := e.Lambda.PutRuntimeManagementConfig(e.Context(), &lambda.PutRuntimeManagementConfigInput{
			FunctionName: ptr.To(
				functionconfigtest.Function,
			),
			UpdateRuntimeOn:   types.UpdateRuntimeOn(*s.UpdateRuntimeOn),
			RuntimeVersionArn: s.RuntimeVersionArn,
		})
		e.Must(err)
		e.Double.ResetCalls()
	}
}

// newConfig returns a configuration that updates the runtime of the function cart with the
// function.
func newConfig(edit ...func(*v1beta1.RuntimeManagementConfig)) *v1beta1.RuntimeManagementConfig {
	c := &v1beta1.RuntimeManagementConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "runtime", UID: "u1", Generation: 2},
	}
	c.Spec.ForProvider.FunctionName, c.Spec.ForProvider.UpdateRuntimeOn = ptr.To("cart"), ptr.To("FunctionUpdate")
	return testenv.Build(c, edit...)
}

var named = testenv.Named[*v1beta1.RuntimeManagementConfig]("cart:$LATEST")

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.RuntimeManagementConfig
	)
	create := observation{Ready: xpv2.ReasonCreating, Reserved: []string{opPut}}
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable, Reserved: testenv.None}
	drifted := observation{Exists: true, Ready: "Updating", Reserved: []string{opPut}}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"Default": {Reason: "The configuration is AWS's default.", Resource: newConfig(), Want: create},
		"CreateOnly": {
			Reason:   "Without the policy Update, the configuration is set once.",
			Resource: newConfig(testenv.May[mg](xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)),
			Want:     create,
		},
		"SetByHand": {
			Reason:   "A configuration that someone else has set is replaced.",
			Resource: newConfig(),
			AWS:      has(on(manual, runtimeA)),
			Want:     drifted,
		},
		"AsWanted": {
			Reason:   "Nothing is due.",
			Resource: newConfig(),
			AWS:      has(on("FunctionUpdate", "")),
			Want:     inOrder,
		},
		"Reset": {
			Reason:   "A configuration that was reset manually is corrected.",
			Resource: newConfig(named),
			Want:     drifted,
		},
		"NoFunction": {
			Reason:   "The configuration is set once the function exists.",
			Resource: newConfig(),
			AWS:      func(e env) { e.Refuse(opGet, 400, "ResourceNotFoundException", "boom") },
			Want:     create,
		},
		"Denied": {
			Reason:   "AWS's error is returned.",
			Resource: newConfig(),
			AWS:      func(e env) { e.Refuse(opGet, 400, "AccessDeniedException", "boom") },
			Want: observation{
				Err:      "cannot read the runtime management configuration of function cart:$LATEST",
				Reserved: testenv.None,
			},
		},
		"Deleted": {
			Reason:   "A resource that is being deleted resets the configuration.",
			Resource: newConfig(named, testenv.BeingDeleted),
			AWS:      has(on("FunctionUpdate", "")),
			Want:     observation{Exists: true, Reserved: []string{opPut}},
		},
		"DeletedReset": {
			Reason:   "The configuration is reset already.",
			Resource: newConfig(named, testenv.BeingDeleted),
			Want:     observation{Reserved: testenv.None},
		},
		"DeletedUnset": {
			Reason:   "A configuration that was never set is not reset.",
			Resource: newConfig(testenv.BeingDeleted),
			Want:     observation{Calls: testenv.None, Reserved: testenv.None},
		},
		"DeletedFunction": {
			Reason:   "The configuration was deleted with its function.",
			Resource: newConfig(named, testenv.BeingDeleted),
			AWS:      func(e env) { e.Refuse(opGet, 400, "ResourceNotFoundException", "boom") },
			Want:     observation{Reserved: testenv.None},
		},
		"ObserveOnly": {Reason: "AWS's default is shown too.", Resource: newConfig(testenv.ObserveOnly), Want: inOrder},
	})
}

func TestCallsThatFail(t *testing.T) {
	const config = " the runtime management configuration of function cart:$LATEST"
	e := newEnv(t)
	has(on(manual, runtimeA))(e)
	testenv.CallsFail(
		e.Env,
		newExternal(e.Lambda),
		newConfig(named),
		"cannot set"+config,
		"cannot set"+config,
		"cannot set"+config,
		opPut,
	)
}

// TestCalls checks that a creation sets what spec says, and that a deletion sets AWS's default.
func TestCalls(t *testing.T) {
	r := newEnv(t)
	has(on(manual, runtimeA))(r)
	var sent []string
	r.OnCall = func(in any) {
		if in, ok := in.(*lambda.PutRuntimeManagementConfigInput); ok {
			sent = append(sent, string(in.UpdateRuntimeOn))
		}
	}
	e, mg := newExternal(r.Lambda), newConfig(named)
	o, err := e.Read(r.Context(), reconcile.Facts{}, mg)
	r.Must(err)
	want, _, _ := desired(t.Context(), mg)
	_, err = e.Create(r.Context(), mg, want)
	r.Must(err)
	_, err = e.Delete(r.Context(), mg, o)
	r.Must(err)
	if diff := cmp.Diff([]string{"FunctionUpdate", "Auto"}, sent); diff != "" {
		t.Errorf("a deletion sets it back, -want +got:\n%s", diff)
	}
}

func TestReferences(t *testing.T) {
	c := newConfig(func(c *v1beta1.RuntimeManagementConfig) {
		c.Spec.ForProvider.QualifierRef = &xpv2.NamespacedReference{Name: "v3"}
	})
	if got := reconcile.References(
		c,
	); len(got) != 2 || got[1].Field != "qualifier" || got[1].To.Kind != "Version" ||
		got[1].Ref.Name != "v3" {
		t.Errorf("got %+v, want both references", got)
	}
}

package provisionedconcurrencyconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// provision requests provisioned concurrency for a qualifier of the function cart.
func (e env) provision(qualifier string, n int32) {
	_, err := e.Lambda.PutProvisionedConcurrencyConfig(
		e.Context(),
		&lambda.PutProvisionedConcurrencyConfigInput{
			FunctionName:                    ptr.To(functionconfigtest.Function),
			Qualifier:                       &qualifier,
			ProvisionedConcurrentExecutions: &n,
		},
	)
	e.Must(err)
	e.Double.ResetCalls()
}

// has returns a function that provides concurrency for a qualifier of the function cart.
func has(qualifier string, n int32) func(env) {
	return func(e env) {
		e.provision(qualifier, n)
		e.Advance(takes)
	}
}

// newConfig returns a configuration with five environments of cart:live.
func newConfig(edit ...func(*v1beta1.ProvisionedConcurrencyConfig)) *v1beta1.ProvisionedConcurrencyConfig {
	c := &v1beta1.ProvisionedConcurrencyConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "warm", UID: "u1", Generation: 2},
	}
	p := &c.Spec.ForProvider
	p.FunctionName, p.Qualifier, p.ProvisionedConcurrentExecutions = ptr.To("cart"), ptr.To("live"), ptr.To[int32](5)
	return testenv.Build(c, edit...)
}

var named = testenv.Named[*v1beta1.ProvisionedConcurrencyConfig]("cart:live")

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.ProvisionedConcurrencyConfig
	)
	create := observation{Ready: xpv2.ReasonCreating, Reserved: []string{opPut}}
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable, Reserved: testenv.None}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"Absent": {Reason: "A configuration that does not exist is created.", Resource: newConfig(), Want: create},
		"OfVersion": {
			Reason:   "The configuration of a version does not count as that of the alias.",
			Resource: newConfig(),
			AWS:      has("1", 5),
			Want:     create,
		},
		"Denied": {
			Reason:   "AWS's error is returned.",
			Resource: newConfig(),
			AWS:      func(e env) { e.Refuse(opGet, 403, "AccessDeniedException", "boom") },
			Want: observation{
				Err:      "cannot get the provisioned concurrency of function cart",
				Reserved: testenv.None,
			},
		},
		"InOrder": {Reason: "Nothing is due.", Resource: newConfig(named), AWS: has("live", 5), Want: inOrder},
		"InMotion": {
			Reason:   "An allocation in progress is awaited.",
			Resource: newConfig(named),
			AWS:      func(e env) { e.provision("live", 5) },
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonCreating,
				Message:  "IN_PROGRESS",
				Reserved: testenv.None,
			},
		},
		"Drifted": {
			Reason:   "A manual change is corrected.",
			Resource: newConfig(named),
			AWS:      has("live", 9),
			Want:     observation{Exists: true, Ready: "Updating", Reserved: []string{opPut}},
		},
		"Foreign": {
			Reason:   "What someone else made stays as it is.",
			Resource: newConfig(),
			AWS:      has("live", 5),
			Want: observation{
				Ready:    xpv2.ReasonUnavailable,
				Err:      `set the annotation crossplane.io/external-name to "cart:live"`,
				Reserved: testenv.None,
			},
		},
		"LostAnswer": {
			Reason:   "The result of an unanswered create is owned.",
			Resource: newConfig(testenv.Pending),
			AWS:      has("live", 5),
			Want:     inOrder,
		},
		"NoQualifier": {
			Reason:   "A function has none.",
			Resource: newConfig(func(c mg) { c.Spec.ForProvider.Qualifier = nil }),
			Want: observation{
				Calls:    testenv.None,
				Err:      "no alias or version of function cart is named",
				Reserved: testenv.None,
			},
		},
		"DeletedNoNumber": {
			Reason: "The deletion needs no more than the name.", Resource: newConfig(named, testenv.BeingDeleted),
			AWS: func(e env) {
				has("live", 5)(e)
				e.Responses = testenv.Answers{opGet: testenv.Without("RequestedProvisionedConcurrentExecutions")}
			},
			Want: observation{Exists: true, Reserved: []string{opDelete}},
		},
		"Deleted": {
			Reason:   "A resource that is being deleted deletes its configuration.",
			Resource: newConfig(named, testenv.BeingDeleted),
			AWS:      has("live", 5),
			Want:     observation{Exists: true, Reserved: []string{opDelete}},
		},
		"DeletedGone": {
			Reason:   "The configuration no longer exists, so the deletion is done.",
			Resource: newConfig(named, testenv.BeingDeleted),
			Want:     observation{Reserved: testenv.None},
		},
		"ObserveOnly": {
			Reason: "Whatever is there is shown.",
			Resource: newConfig(func(c mg) {
				testenv.ObserveOnly(c)
				c.Spec.ForProvider = v1beta1.ProvisionedConcurrencyConfigParameters{}
				meta.SetExternalName(c, "cart:live")
			}),
			AWS:  has("live", 5),
			Want: inOrder,
		},
	})
}

func TestCallsThatFail(t *testing.T) {
	const concurrency = " the provisioned concurrency of function cart:live"
	e := newEnv(t)
	has("live", 9)(e)
	testenv.CallsFail(
		e.Env,
		newExternal(e.Lambda),
		newConfig(named),
		"cannot set"+concurrency,
		"cannot set"+concurrency,
		"cannot delete"+concurrency,
		opPut,
		opDelete,
	)
}

func TestReferences(t *testing.T) {
	c := newConfig(func(c *v1beta1.ProvisionedConcurrencyConfig) {
		c.Spec.ForProvider.QualifierRef = &xpv2.NamespacedReference{Name: "live"}
	})
	if got := reconcile.References(
		c,
	); len(got) != 2 || got[1].Field != "qualifier" || got[1].To.Kind != "Alias" ||
		got[1].Ref.Name != "live" {
		t.Errorf("got %+v, want both references", got)
	}
}

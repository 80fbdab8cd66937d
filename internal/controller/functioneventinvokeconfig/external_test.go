package functioneventinvokeconfig

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

// there returns a configuration of a qualifier of the function cart.
func there(qualifier string, retries int32) lambda.PutFunctionEventInvokeConfigInput {
	return lambda.PutFunctionEventInvokeConfigInput{
		FunctionName:         ptr.To(functionconfigtest.Function),
		Qualifier:            &qualifier,
		MaximumRetryAttempts: &retries,
	}
}

// has returns a function that adds configurations to AWS.
func has(all ...lambda.PutFunctionEventInvokeConfigInput) func(env) {
	return func(e env) {
		for _, in := range all {
			_, err := e.Lambda.PutFunctionEventInvokeConfig(e.Context(), &in)
			e.Must(err)
		}
		e.Double.ResetCalls()
	}
}

// newConfig returns a configuration of the function cart with one retry.
func newConfig(edit ...func(*v1beta1.FunctionEventInvokeConfig)) *v1beta1.FunctionEventInvokeConfig {
	c := &v1beta1.FunctionEventInvokeConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "async", UID: "u1", Generation: 2},
	}
	c.Spec.ForProvider.FunctionName, c.Spec.ForProvider.MaximumRetryAttempts = ptr.To("cart"), ptr.To[int32](1)
	return testenv.Build(c, edit...)
}

var named = testenv.Named[*v1beta1.FunctionEventInvokeConfig]("cart:$LATEST")

func toQueue(name string) func(*v1beta1.FunctionEventInvokeConfig) {
	return func(c *v1beta1.FunctionEventInvokeConfig) {
		c.Spec.ForProvider.DestinationConfig = &v1beta1.EventDestinationConfig{
			OnFailure: &v1beta1.EventDestination{DestinationFrom: &v1beta1.FieldSelector{Kind: "Queue", Name: name}},
		}
	}
}

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.FunctionEventInvokeConfig
	)
	create := observation{Ready: xpv2.ReasonCreating, Reserved: []string{opPut}}
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable, Reserved: testenv.None}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"Absent": {Reason: "A configuration that does not exist is created.", Resource: newConfig(), Want: create},
		"OfAlias": {
			Reason:   "The configuration of an alias does not count as that of the function.",
			Resource: newConfig(),
			AWS:      has(there("live", 1)),
			Want:     create,
		},
		"Denied": {
			Reason:   "AWS's error is returned.",
			Resource: newConfig(),
			AWS:      func(e env) { e.Refuse(opGet, 403, "AccessDeniedException", "boom") },
			Want: observation{
				Err:      "cannot get the asynchronous invocation configuration of function cart",
				Reserved: testenv.None,
			},
		},
		"InOrder": {
			Reason:   "Nothing is due.",
			Resource: newConfig(named),
			AWS:      has(there("live", 0), there("$LATEST", 1)),
			Want:     inOrder,
		},
		"Drifted": {
			Reason:   "A manual change is corrected.",
			Resource: newConfig(named),
			AWS:      has(there("$LATEST", 2)),
			Want:     observation{Exists: true, Ready: "Updating", Reserved: []string{opPut}},
		},
		"Foreign": {
			Reason:   "What someone else made stays as it is.",
			Resource: newConfig(),
			AWS:      has(there("$LATEST", 1)),
			Want: observation{
				Ready:    xpv2.ReasonUnavailable,
				Err:      `set the annotation crossplane.io/external-name to "cart:$LATEST"`,
				Reserved: testenv.None,
			},
		},
		"LostAnswer": {
			Reason:   "The result of an unanswered create is owned.",
			Resource: newConfig(testenv.Pending),
			AWS:      has(there("$LATEST", 1)),
			Want:     inOrder,
		},
		"LostAnswerWithQueue": {
			Reason:   "After a lost response, the configuration is compared with the resolved spec.",
			Resource: newConfig(testenv.Pending, toQueue("q")),
			AWS:      has(there("$LATEST", 1)),
			Want: observation{
				Ready:    xpv2.ReasonUnavailable,
				Err:      "was not created by this resource",
				Reserved: testenv.None,
			},
		},
		"QueueUnknown": {
			Reason:   "What is missing is named.",
			Resource: newConfig(toQueue("other")),
			Want: observation{
				Err:      "cannot resolve spec.forProvider.destinationConfig.onFailure.destinationFrom: Queue shop/other does not exist",
				Reserved: testenv.None,
			},
		},
		"QueueLost": {
			Reason:   "What is missing is named, and what is there stays.",
			Resource: newConfig(named, toQueue("other")),
			AWS:      has(there("$LATEST", 1)),
			Want:     observation{Err: "Queue shop/other does not exist", Reserved: testenv.None},
		},
		"QueueAdded": {
			Reason:   "A destination that spec adds is a difference.",
			Resource: newConfig(named, toQueue("q")),
			AWS:      has(there("$LATEST", 1)),
			Want:     observation{Exists: true, Ready: "Updating", Reserved: []string{opPut}},
		},
		"Deleted": {
			Reason:   "A resource that is being deleted deletes the configuration, whatever spec refers to.",
			Resource: newConfig(named, testenv.BeingDeleted, toQueue("other")),
			AWS:      has(there("$LATEST", 1)),
			Want:     observation{Exists: true, Reserved: []string{opDelete}},
		},
		"DeletedNoARN": {
			Reason: "The deletion needs no more than the name.", Resource: newConfig(named, testenv.BeingDeleted),
			AWS: func(e env) {
				has(there("$LATEST", 1))(e)
				e.Responses = testenv.Answers{opGet: testenv.Without("FunctionArn")}
			},
			Want: observation{Exists: true, Reserved: []string{opDelete}},
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
				c.Spec.ForProvider = v1beta1.FunctionEventInvokeConfigParameters{}
				meta.SetExternalName(c, "cart")
			}),
			AWS: has(there("$LATEST", 1)),
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonAvailable,
				Message:  "an update would change maximumRetryAttempts, which spec does not set",
				Reserved: testenv.None,
			},
		},
	})
}

func TestCallsThatFail(t *testing.T) {
	const config = " the asynchronous invocation configuration of function cart:$LATEST"
	e := newEnv(t)
	has(there("$LATEST", 2))(e)
	testenv.CallsFail(
		e.Env,
		newExternal(e.Lambda, testenv.Fields{"q": queueARN}),
		newConfig(named),
		"cannot set"+config,
		"cannot set"+config,
		"cannot delete"+config,
		opPut,
		opDelete,
	)
}

func TestReferences(t *testing.T) {
	c := newConfig(func(c *v1beta1.FunctionEventInvokeConfig) {
		c.Spec.ForProvider.DestinationConfig = &v1beta1.EventDestinationConfig{
			OnSuccess: &v1beta1.EventDestination{DestinationRef: &xpv2.NamespacedReference{Name: "next"}},
		}
		c.Spec.InitProvider = &v1beta1.FunctionEventInvokeConfigSettings{
			DestinationConfig: &v1beta1.EventDestinationConfig{
				OnFailure: &v1beta1.EventDestination{DestinationSelector: &xpv2.NamespacedSelector{}},
			},
		}
	})
	got := map[string]reconcile.Reference{}
	for _, r := range reconcile.References(c) {
		got[r.SetIn()] = r
	}
	next := got["spec.forProvider.destinationConfig.onSuccess.destinationRef"]
	if next.Ref == nil || next.Ref.Name != "next" || next.To.Kind != "Function" {
		t.Errorf("got %+v, want the destination on success among them", got)
	}
	if got["spec.initProvider.destinationConfig.onFailure.destinationSelector"].Selector == nil {
		t.Errorf("got %+v, want the initial destination on failure among them", got)
	}
}

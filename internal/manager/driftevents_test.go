package manager

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestDriftEvents has someone edit functions in AWS. Polls are an hour apart, so only events can tell of it.
func TestDriftEvents(t *testing.T) {
	t.Parallel()
	const queue = "arn:aws:sqs:" + region + ":" + awsdouble.DefaultAccount + ":drift"
	const alice = "arn:aws:sts::123456789012:assumed-role/ops/alice"
	e := newEnv(t, slow)
	e.double.AddQueue(queue)
	e.double.Trail(queue, 0)
	e.double.AddCaller("AKIAALICE", awsdouble.DefaultAccount, alice)
	byHand := lambda.NewFromConfig(e.double.ConfigFor(region, "AKIAALICE"))

	config := &v1beta1.ProviderConfig{}
	key := client.ObjectKey{Namespace: e.ns, Name: "default"}
	if err := e.kube.Get(t.Context(), key, config); err != nil {
		t.Fatal(err)
	}
	before := config.DeepCopy()
	config.Spec.DriftEvents = &v1beta1.DriftEvents{QueueARN: queue, ShowSourceIP: true}
	if err := e.kube.Patch(t.Context(), config, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.until("the config says that events are received", func() bool {
		return e.kube.Get(t.Context(), key, config) == nil &&
			config.GetCondition(v1beta1.TypeReceivesDriftEvents).Status == corev1.ConditionTrue
	})

	f := e.function("managed", func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"TOKEN": "hunter2-spec"}}
	})
	e.create(f)
	e.ready(f)
	theirs := &lambda.CreateFunctionInput{
		FunctionName: ptr.To("theirs"), Role: f.Spec.ForProvider.Role,
		Runtime: types.RuntimePython313, Handler: ptr.To("index.handler"),
		Code: &types.FunctionCode{ZipFile: []byte("PK\x05\x06" + strings.Repeat("\x00", 18))},
	}
	if _, err := byHand.CreateFunction(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	observed := e.function("theirs", func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
		f.Spec.ForProvider.FunctionSettings = v1beta1.FunctionSettings{MemorySize: ptr.To[int32](128)}
	})
	e.create(observed)
	e.ready(observed)

	update := &lambda.UpdateFunctionConfigurationInput{
		FunctionName: ptr.To("managed"), MemorySize: ptr.To[int32](1024),
		Environment: &types.Environment{Variables: map[string]string{"TOKEN": "hunter2-hand"}},
	}
	if _, err := byHand.UpdateFunctionConfiguration(t.Context(), update); err != nil {
		t.Fatal(err)
	}
	e.until("the change by hand is corrected", func() bool {
		return e.config("managed").Configuration.Environment.Variables["TOKEN"] == "hunter2-spec"
	})
	e.until("an event names who made the change", func() bool {
		return strings.Contains(e.events("managed"), "changed in AWS by "+alice+" with aws-sdk-go-v2/") &&
			strings.Contains(e.events("managed"), " from 192.0.2.1 (UpdateFunctionConfiguration) at ")
	})

	// Whoever only observes sees in Ready who made the change.
	if _, err := byHand.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{
			FunctionName: ptr.To("theirs"),
			MemorySize:   ptr.To[int32](512),
		}); err != nil {
		t.Fatal(err)
	}
	e.until("Ready names who made the change", func() bool {
		e.get(observed)
		ready := observed.GetCondition(xpv2.TypeReady)
		return ready.Status == corev1.ConditionFalse && strings.Contains(ready.Message, "memorySize") &&
			strings.Contains(ready.Message, "changed by "+alice+" with aws-sdk-go-v2/")
	})

	e.until("all messages are deleted", func() bool { return len(e.double.QueuedMessages(queue)) == 0 })
	all := e.events("managed") + e.events("theirs") + e.logs.String()
	if strings.Contains(all, "hunter2") {
		t.Errorf("a secret is shown:\n%s", all)
	}

	// The provider's own calls are recognised: they cause no reconcile.
	n := len(e.calls())
	e.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) })
	e.ready(f)
	e.until("the events of the provider's own calls are received", func() bool {
		return slices.ContainsFunc(e.calls()[n:],
			func(c awsdouble.Call) bool { return c.Operation == "DeleteMessageBatch" }) &&
			len(e.double.QueuedMessages(queue)) == 0
	})
	if strings.Contains(e.events("managed"), "user/double") {
		t.Errorf("a call of the provider is one of someone else:\n%s", e.events("managed"))
	}
}

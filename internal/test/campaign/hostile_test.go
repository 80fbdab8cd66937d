package campaign

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// hostile is a namespace that shares the ClusterProviderConfig, whose users attack the other namespaces.
const hostile = "hostile"

// tenantResource returns a resource in a namespace.
func tenantResource(kind, namespace, name string, forProvider map[string]any, policies ...any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(v1beta1.SchemeGroupVersion.String())
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	forProvider = runtime.DeepCopyJSON(forProvider)
	if forProvider["region"] == nil {
		forProvider["region"] = Region
	}
	spec := map[string]any{"forProvider": forProvider}
	if len(policies) > 0 {
		spec["managementPolicies"] = policies
	}
	u.Object["spec"] = spec
	return u
}

// functionFields returns the fields of a Function, with others.
func functionFields(others map[string]any) map[string]any {
	fields := map[string]any{"runtime": "python3.13", "handler": "index.handler", "role": "arn:aws:iam::123456789012:role/r", "code": map[string]any{"inline": map[string]any{"index.py": "x"}}}
	for k, v := range others {
		fields[k] = v
	}
	return fields
}

// keepTouching changes resources again and again, so that the provider tries them at once, until the returned
// function is called.
func (s *Simulation) keepTouching(every time.Duration, all ...*unstructured.Unstructured) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			case <-time.After(every):
			}
			for _, u := range all {
				policies := []string{`"*"`, `"Observe","Create","Update","Delete"`}[i%2]
				patch := fmt.Appendf(nil, `{"spec":{"managementPolicies":[%s]}}`, policies)
				_ = s.Kube.Patch(s.Context(), u.DeepCopy(), client.RawPatch("application/merge-patch+json", patch))
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// TestAmbush checks that what another namespace has prepared for a function, a layer version or a capacity provider
// that does not exist yet never reaches AWS, however often it is tried while the owner creates it.
func TestAmbush(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		var all []*unstructured.Unstructured
		for _, o := range []struct {
			kind   string
			fields map[string]any
		}{
			{"Permission", map[string]any{"functionName": "checkout", "action": "lambda:InvokeFunction", "principal": "111122223333"}},
			{"FunctionURL", map[string]any{"functionName": "checkout", "authType": "NONE"}},
			{"Invocation", map[string]any{"functionName": "checkout", "payload": "{}"}},
			{"Invocation", map[string]any{"functionName": "arn:aws:lambda:eu-central-1:123456789012:function:checkout", "payload": "{}"}},
			{"FunctionEventInvokeConfig", map[string]any{"functionName": "checkout", "maximumRetryAttempts": int64(0)}},
			{"EventSourceMapping", map[string]any{"functionName": "checkout", "eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:mine"}},
			{"Version", map[string]any{"functionName": "checkout"}},
			{"LayerVersionPermission", map[string]any{"layerVersionArn": "arn:aws:lambda:eu-central-1:123456789012:layer:lib:1", "action": "lambda:GetLayerVersion", "principal": "*"}},
		} {
			all = append(all, tenantResource(o.kind, hostile, fmt.Sprint("waits", len(all)), o.fields))
		}
		for _, u := range all {
			s.Create(u)
		}
		time.Sleep(time.Minute)
		stop := s.keepTouching(150*time.Millisecond, all...)
		s.Double.ResetCalls()
		for range 2 {
			victim := tenantResource("Function", Namespace, "checkout", functionFields(nil))
			s.Create(victim)
			time.Sleep(20 * time.Second)
			if got := conditionOf(s.stored(victim), "Ready")["status"]; got != "True" {
				t.Errorf("the owner's Function has Ready %v", got)
			}
			if err := s.Kube.Delete(s.Context(), victim); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Second)
		}
		s.Create(tenantResource("LayerVersion", Namespace, "lib", map[string]any{"compatibleRuntimes": []any{"python3.13"}, "content": map[string]any{"s3Bucket": "code", "s3Key": "one.zip"}}))
		time.Sleep(20 * time.Second)
		stop()
		for _, operation := range []string{"AddPermission", "CreateFunctionUrlConfig", "Invoke", "PutFunctionEventInvokeConfig", "CreateEventSourceMapping", "PublishVersion", "AddLayerVersionPermission"} {
			if n := s.accepted(operation); n > 0 {
				t.Errorf("AWS has accepted %s of another namespace %d times", operation, n)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

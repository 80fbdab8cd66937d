package campaign

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
func tenantResource(
	kind, namespace, name string,
	forProvider map[string]any,
	policies ...any,
) *unstructured.Unstructured {
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
	fields := map[string]any{
		"runtime": "python3.13",
		"handler": "index.handler",
		"role":    "arn:aws:iam::123456789012:role/r",
		"code":    map[string]any{"inline": map[string]any{"index.py": "x"}},
	}
	maps.Copy(fields, others)
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
				if own, _, _ := unstructured.NestedSlice(u.Object, "spec", "managementPolicies"); own != nil {
					policies = []string{`"Observe","Delete"`, `"Observe","Delete","LateInitialize"`}[i%2]
				}
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
		s.Create(
			tenantResource(
				"LayerVersion",
				Namespace,
				"lib",
				map[string]any{
					"compatibleRuntimes": []any{"python3.13"},
					"content":            map[string]any{"s3Bucket": "code", "s3Key": "one.zip"},
				},
			),
		)
		time.Sleep(20 * time.Second)
		stop()
		for _, operation := range []string{
			"AddPermission", "CreateFunctionUrlConfig", "Invoke", "PutFunctionEventInvokeConfig",
			"CreateEventSourceMapping", "PublishVersion", "AddLayerVersionPermission",
		} {
			if n := s.accepted(operation); n > 0 {
				t.Errorf("AWS has accepted %s of another namespace %d times", operation, n)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAmbushByImport checks that a resource of another namespace never imports what its owner creates, although AWS
// shows the tags later than what they are on.
func TestAmbushByImport(t *testing.T) {
	for kind, fields := range map[string]map[string]any{
		"Function": functionFields(nil), "CapacityProvider": capacityFields("operator"),
	} {
		t.Run(kind, func(t *testing.T) {
			late := awsdouble.Options{Consistency: awsdouble.Consistency{Tags: 5 * time.Second}}
			Run(t, late, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				s.Prepare()
				s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
				p := s.Start(&Network{})
				takes := tenantResource(kind, hostile, "takes", map[string]any{}, "Observe", "Delete")
				s.Create(named(takes, "checkout"))
				time.Sleep(time.Minute)
				stop := s.keepTouching(150*time.Millisecond, takes)
				victim := tenantResource(kind, Namespace, "checkout", fields)
				s.Create(victim)
				time.Sleep(time.Minute)
				stop()
				if err := s.Kube.Delete(s.Context(), takes); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if got := conditionOf(s.stored(victim), "Ready"); got["status"] != "True" {
					t.Errorf("the owner has Ready %v: %v", got["status"], got["message"])
				}
				if n := s.accepted("Delete" + kind); n > 0 {
					t.Errorf("another namespace has deleted it %d times", n)
				}
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestByARN checks that what another namespace owns can be used neither by reference nor by ARN, that it cannot be
// observed, and that its owner can delete it.
func TestByARN(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		owned := map[string]*unstructured.Unstructured{
			"layerVersionArn": tenantResource(
				"LayerVersion",
				Namespace,
				"lib",
				map[string]any{
					"compatibleRuntimes": []any{"python3.13"},
					"content":            map[string]any{"s3Bucket": "code", "s3Key": "one.zip"},
				},
			),
			"capacityProviderArn": tenantResource(
				"CapacityProvider",
				Namespace,
				"cp",
				map[string]any{
					"permissionsConfig": map[string]any{
						"capacityProviderOperatorRoleArn": "arn:aws:iam::123456789012:role/operator",
					},
					"vpcConfig": map[string]any{
						"subnetIds":        []any{"subnet-0123456789abcdef0"},
						"securityGroupIds": []any{"sg-0123456789abcdef0"},
					},
				},
			),
			"codeSigningConfigArn": tenantResource(
				"CodeSigningConfig",
				Namespace,
				"signed",
				map[string]any{
					"allowedPublishers": map[string]any{
						"signingProfileVersionArns": []any{
							"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/0123456789",
						},
					},
				},
			),
			"functionArn": tenantResource("Function", Namespace, "checkout", functionFields(nil)),
		}
		arns := map[string]string{}
		for _, u := range owned {
			s.Create(u)
		}
		time.Sleep(5 * time.Minute)
		for field, u := range owned {
			if arns[field], _, _ = unstructured.NestedString(
				s.stored(u).Object,
				"status",
				"atProvider",
				field,
			); arns[field] == "" {
				t.Fatalf("%s is not created: %v", u.GetKind(), conditionOf(u, "Synced"))
			}
		}
		s.Patch(
			owned["layerVersionArn"],
			map[string]any{"spec": map[string]any{"forProvider": map[string]any{"description": "the next version"}}},
		)
		time.Sleep(5 * time.Minute)
		if got, _, _ := unstructured.NestedInt64(
			s.stored(owned["layerVersionArn"]).Object,
			"status",
			"atProvider",
			"version",
		); got != 2 {
			t.Fatalf("the layer has version %d", got)
		}
		next := strings.TrimSuffix(arns["layerVersionArn"], "1") + "2"
		instances := func(field string, value any) map[string]any {
			return functionFields(
				map[string]any{
					"memorySize": int64(2048),
					"capacityProviderConfig": map[string]any{
						"lambdaManagedInstancesCapacityProviderConfig": map[string]any{field: value},
					},
				},
			)
		}
		ref := func(name string) map[string]any { return map[string]any{"name": name, "namespace": Namespace} }
		attempts := []*unstructured.Unstructured{
			tenantResource(
				"Function",
				hostile,
				"layer-by-ref",
				functionFields(map[string]any{"layerRefs": []any{ref("lib")}}),
			),
			tenantResource("Function", hostile, "layer-by-arn", functionFields(map[string]any{"layers": []any{next}})),
			tenantResource(
				"Function",
				hostile,
				"replaced-layer-by-arn",
				functionFields(map[string]any{"layers": []any{arns["layerVersionArn"]}}),
			),
			tenantResource("Function", hostile, "provider-by-ref", instances("capacityProviderArnRef", ref("cp"))),
			tenantResource(
				"Function",
				hostile,
				"provider-by-arn",
				instances("capacityProviderArn", arns["capacityProviderArn"]),
			),
			tenantResource(
				"Function",
				hostile,
				"signing-by-arn",
				functionFields(map[string]any{"codeSigningConfigArn": arns["codeSigningConfigArn"]}),
			),
			tenantResource(
				"FunctionEventInvokeConfig",
				hostile,
				"destination-by-arn",
				map[string]any{
					"functionName": "base",
					"destinationConfig": map[string]any{
						"onSuccess": map[string]any{"destination": arns["functionArn"]},
					},
				},
			),
			named(tenantResource("LayerVersion", hostile, "observed-layer", map[string]any{}, "Observe"), next),
			named(
				tenantResource("LayerVersion", hostile, "observed-replaced-layer", map[string]any{}, "Observe"),
				arns["layerVersionArn"],
			),
			named(tenantResource("CapacityProvider", hostile, "observed-provider", map[string]any{}, "Observe"), "cp"),
			named(
				tenantResource("CapacityProvider", hostile, "observed-provider-by-arn", map[string]any{}, "Observe"),
				arns["capacityProviderArn"],
			),
			named(
				tenantResource("CodeSigningConfig", hostile, "observed-signing", map[string]any{}, "Observe"),
				arns["codeSigningConfigArn"],
			),
		}
		for _, u := range attempts {
			s.Create(u)
		}
		time.Sleep(5 * time.Minute)
		for _, u := range attempts {
			synced := conditionOf(s.stored(u), "Synced")
			if message := fmt.Sprint(
				synced["message"],
			); synced["status"] != "False" ||
				!strings.Contains(message, "allowed-namespaces") {
				t.Errorf("%s has Synced %v: %v", u.GetName(), synced["status"], message)
			}
		}
		takes := named(
			tenantResource("LayerVersion", hostile, "lib", map[string]any{}, "Observe", "Delete"),
			arns["layerVersionArn"],
		)
		pins := named(
			tenantResource("LayerVersion", Namespace, "pins", map[string]any{"layerName": "lib"}, "Observe", "Delete"),
			arns["layerVersionArn"],
		)
		s.Create(takes, pins)
		time.Sleep(5 * time.Minute)
		if got := conditionOf(s.stored(takes), "Ready"); got["status"] == "True" {
			t.Error("another namespace imports a version that was replaced")
		}
		if got := conditionOf(s.stored(pins), "Ready"); got["status"] != "True" {
			t.Errorf(
				"another LayerVersion of the namespace cannot import a version that was replaced: %v",
				got["message"],
			)
		}
		for _, field := range []string{"capacityProviderArn", "codeSigningConfigArn"} {
			if err := s.Kube.Delete(s.Context(), owned[field]); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Minute)
		for _, field := range []string{"capacityProviderArn", "codeSigningConfigArn"} {
			if !s.gone(owned[field]) {
				t.Errorf(
					"the owner cannot delete its %s: %v",
					owned[field].GetKind(),
					conditionOf(s.stored(owned[field]), "Synced")["message"],
				)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestGivenName checks that a code signing configuration belongs to its resource as soon as AWS has given its name:
// before the name is in the cluster, a Function of another namespace names it by its ARN, which would keep its owner
// from deleting it.
func TestGivenName(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		made := func() string {
			for _, r := range s.Double.Resources(awsdouble.DefaultAccount, Region) {
				if r.Kind == "CodeSigningConfig" {
					return r.ID
				}
			}
			return ""
		}
		p := s.Start(&Network{Do: func(_ context.Context, c Call, side Side) error {
			if side == Before && c.Method == http.MethodPatch && strings.Contains(c.Path, "/codesigningconfigs/") &&
				made() != "" {
				time.Sleep(5 * time.Second)
			}
			return nil
		}})
		signed := tenantResource(
			"CodeSigningConfig",
			Namespace,
			"signed",
			map[string]any{
				"allowedPublishers": map[string]any{
					"signingProfileVersionArns": []any{
						"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/0123456789",
					},
				},
			},
		)
		s.Create(signed)
		if !s.Until(time.Minute, func() bool { return made() != "" }) {
			t.Fatalf("it is not created: %v", s.stored(signed).Object["status"])
		}
		uses := tenantResource(
			"Function",
			hostile,
			"uses",
			functionFields(map[string]any{"codeSigningConfigArn": made()}),
		)
		s.Create(uses)
		time.Sleep(time.Second)
		if message := fmt.Sprint(
			conditionOf(s.stored(uses), "Synced")["message"],
		); !strings.Contains(message, "belongs to CodeSigningConfig shop/signed") ||
			s.accepted("CreateFunction") > 0 {
			t.Errorf("another namespace may use it before its owner is in the cluster: %s", message)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// named sets the external name of a resource.
func named(u *unstructured.Unstructured, name string) *unstructured.Unstructured {
	u.SetAnnotations(map[string]string{"crossplane.io/external-name": name})
	return u
}

// forge creates a resource whose annotations say that it has made something with an external name.
func (s *Simulation) forge(u *unstructured.Unstructured, name string) {
	s.Helper()
	u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"}) // Before its creation, its UID is unknown.
	s.Create(u)
	s.Patch(u, map[string]any{"metadata": map[string]any{"annotations": map[string]any{
		"crossplane.io/external-name": name, v1beta1.AnnotationNamedBy: string(s.stored(u).GetUID()) + "/" + name,
	}}})
}

// TestForgedNames checks that a resource of another namespace whose annotations say that it has what a younger one has
// keeps the owner of the function or of the layer's version from nothing.
func TestForgedNames(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		all := map[string]*unstructured.Unstructured{
			"granted": tenantResource(
				"Permission",
				Namespace,
				"granted",
				map[string]any{
					"functionName": "checkout",
					"action":       "lambda:InvokeFunction",
					"principal":    "111122223333",
				},
			),
			"live": tenantResource(
				"Alias",
				Namespace,
				"live",
				map[string]any{"functionName": "checkout", "functionVersion": "$LATEST"},
			),
			"arn:aws:lambda:eu-central-1:123456789012:layer:lib:1": tenantResource(
				"LayerVersion",
				Namespace,
				"lib",
				map[string]any{
					"compatibleRuntimes": []any{"python3.13"},
					"content":            map[string]any{"s3Bucket": "code", "s3Key": "one.zip"},
				},
			),
		}
		for name, u := range all {
			forged := u.DeepCopy()
			forged.SetNamespace(hostile)
			s.forge(forged, name)
		}
		time.Sleep(time.Minute)
		s.Create(tenantResource("Function", Namespace, "checkout", functionFields(nil)))
		for _, u := range all {
			s.Create(u)
		}
		time.Sleep(5 * time.Minute)
		s.Patch(
			all["live"],
			map[string]any{"spec": map[string]any{"forProvider": map[string]any{"description": "changed"}}},
		)
		time.Sleep(5 * time.Minute)
		for _, u := range all {
			if ready := conditionOf(s.stored(u), "Ready"); ready["status"] != "True" {
				t.Errorf("the owner's %s has Ready %v: %v", u.GetKind(), ready["status"], ready["message"])
			}
			if err := s.Kube.Delete(s.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(15 * time.Minute)
		for _, r := range s.Resources() {
			if strings.Contains(r, "checkout:") || strings.Contains(r, "checkout/") ||
				strings.Contains(r, "layer:lib") {
				t.Errorf("after the deletion, AWS still has %s", r)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestLostAnswerToPublication checks that a LayerVersion finds what it has published by a call without an answer,
// although resources of another namespace know the ARN that AWS is about to give: one says that it has published it,
// one is to import it, and one says that it has published something of the kind without an answer.
func TestLostAnswerToPublication(t *testing.T) {
	for name, prepare := range map[string]func(s *Simulation, u *unstructured.Unstructured, arn string) (stop func()){
		"Forged": func(s *Simulation, u *unstructured.Unstructured, arn string) func() {
			s.forge(u, arn)
			return func() {}
		},
		"Imported": func(s *Simulation, u *unstructured.Unstructured, arn string) func() {
			unstructured.RemoveNestedField(u.Object, "spec", "forProvider", "content")
			_ = unstructured.SetNestedSlice(u.Object, []any{"Observe", "Delete"}, "spec", "managementPolicies")
			s.Create(named(u, arn))
			time.Sleep(time.Minute)
			return s.keepTouching(150*time.Millisecond, u)
		},
		"Intended": func(s *Simulation, u *unstructured.Unstructured, _ string) func() {
			touched := u.DeepCopy() // Without defaults.
			settings := sha256.Sum256([]byte(`;"python3.13";"";"";`))
			u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
			s.Create(u)
			intent := fmt.Sprintf(`{"uid":%q,"at":9999999999,"settings":"%x"}`, s.stored(u).GetUID(), settings[:8])
			stop := s.keepTouching(150*time.Millisecond, touched)
			s.Patch(u, map[string]any{"metadata": map[string]any{"annotations": map[string]any{
				"crossplane.io/paused": nil, v1beta1.AnnotationIntent: intent,
			}}})
			return stop
		},
	} {
		t.Run(name, func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				s.Prepare()
				s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
				p := s.Start(&Network{})
				const first = "arn:aws:lambda:eu-central-1:123456789012:layer:lib:1"
				lib := tenantResource(
					"LayerVersion",
					Namespace,
					"lib",
					map[string]any{
						"compatibleRuntimes": []any{"python3.13"},
						"content":            map[string]any{"s3Bucket": "code", "s3Key": "one.zip"},
					},
				)
				theirs := lib.DeepCopy()
				theirs.SetNamespace(hostile)
				stop := prepare(s, theirs, first)
				s.Double.Fail(awsdouble.Fault{Operation: "PublishLayerVersion", Drop: awsdouble.DropAfter})
				s.Create(lib)
				time.Sleep(5 * time.Minute)
				stop()
				if got, ready := s.stored(lib).GetAnnotations()["crossplane.io/external-name"], conditionOf(
					s.stored(lib),
					"Ready",
				); got != first ||
					ready["status"] != "True" {
					t.Errorf("its owner has %q, and Ready %v: %v", got, ready["status"], ready["message"])
				}
				if ready := conditionOf(s.stored(theirs), "Ready"); ready["status"] == "True" {
					t.Error("another namespace has taken over the version")
				}
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestAllowedBefore checks that a resource that was allowed to act on a function, and whose annotations say that it has
// the owner's alias, cannot delete that after the owner does not allow it any more.
func TestAllowedBefore(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		alias := map[string]any{"functionName": "checkout", "functionVersion": "$LATEST"}
		was := tenantResource("Alias", hostile, "was", alias)
		s.forge(was, "live")
		owner, live := tenantResource(
			"Function",
			Namespace,
			"checkout",
			functionFields(nil),
		), tenantResource(
			"Alias",
			Namespace,
			"live",
			alias,
		)
		s.Create(owner)
		s.Create(live)
		time.Sleep(time.Minute)
		annotate := func(u *unstructured.Unstructured, key string, value any) {
			s.Patch(u, map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
			time.Sleep(time.Minute)
		}
		annotate(owner, v1beta1.AnnotationAllowedNamespaces, hostile)
		annotate(was, "crossplane.io/paused", nil)
		if got := conditionOf(s.stored(was), "Ready")["status"]; got != "True" {
			t.Fatalf("while it is allowed, Ready is %v: %v", got, s.stored(was).Object["status"])
		}
		annotate(owner, v1beta1.AnnotationAllowedNamespaces, nil)
		s.Double.ResetCalls()
		if err := s.Kube.Delete(s.Context(), was); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Minute)
		if n := s.accepted("DeleteAlias"); n > 0 || !s.gone(was) {
			t.Errorf("it has deleted the owner's alias %d times, and is gone: %t", n, s.gone(was))
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusedIsRemoved checks that what another namespace has created while it was allowed to, or while nobody owned
// the function, is deleted once the owner of the function is confirmed, and that nothing else is. An Invocation has
// created nothing, and its deletion does not invoke the function.
func TestRefusedIsRemoved(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		on := func(kind, name string, fields map[string]any, policies ...any) *unstructured.Unstructured {
			fields["functionName"] = "base"
			return tenantResource(kind, hostile, name, fields, policies...)
		}
		permission := func() map[string]any {
			return map[string]any{"action": "lambda:InvokeFunction", "principal": "s3.amazonaws.com"}
		}
		for _, u := range []*unstructured.Unstructured{
			on("Permission", "removed", permission()),
			on("Permission", "left", permission(), "Observe", "Create", "Update"),
			on("FunctionURL", "url", map[string]any{"authType": "NONE"}),
			on("FunctionEventInvokeConfig", "invoke", map[string]any{"maximumRetryAttempts": int64(0)}),
			on("EventSourceMapping", "mapping", map[string]any{"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:orders"}),
			named(on("Alias", "adopted", map[string]any{"functionVersion": "1"}), "stable"),
		} {
			s.Create(u)
		}
		claims := on("Permission", "claims", permission())
		s.forge(claims, "claims")
		invokes := on("Invocation", "invokes", map[string]any{"payload": "{}", "lifecycleScope": "CRUD"})
		s.forge(invokes, "invokes")
		s.Patch(
			invokes,
			map[string]any{"metadata": map[string]any{"annotations": map[string]any{"crossplane.io/paused": nil}}},
		)
		time.Sleep(time.Minute)
		owner := named(tenantResource("Function", Namespace, "imported", functionFields(nil)), "base")
		s.Create(owner)
		time.Sleep(15 * time.Minute)
		if got := conditionOf(s.stored(owner), "Ready")["status"]; got != "True" {
			t.Errorf("the owner's Function has Ready %v", got)
		}
		s.Patch(
			claims,
			map[string]any{"metadata": map[string]any{"annotations": map[string]any{"crossplane.io/paused": nil}}},
		)
		time.Sleep(time.Minute)
		want := []string{
			"Alias arn:aws:lambda:eu-central-1:123456789012:function:base:stable",
			"Permission arn:aws:lambda:eu-central-1:123456789012:function:base/left",
		}
		var got []string
		for _, r := range s.Resources() {
			if strings.HasPrefix(r, "Alias") || strings.HasPrefix(r, "Permission") ||
				strings.HasPrefix(r, "FunctionURL") ||
				strings.HasPrefix(r, "EventSource") ||
				strings.Contains(r, "Invoke") {
				got = append(got, r)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in AWS (-want +got):\n%s", diff)
		}
		events := strings.Join(s.eventsAbout(owner), "\n")
		for name, reason := range map[string]string{
			"Permission hostile/removed": "Removed", "Permission hostile/left": "Left",
			"FunctionURL hostile/url": "Removed", "FunctionEventInvokeConfig hostile/invoke": "Removed",
			"EventSourceMapping hostile/mapping": "Removed", "Alias hostile/adopted": "Left",
		} {
			if !regexp.MustCompile(`(?m)^` + reason + `RejectedResource: .*` + name + ` `).MatchString(events) {
				t.Errorf("the owner has no event %sRejectedResource about %s:\n%s", reason, name, events)
			}
		}
		if n := strings.Count(events, "LeftRejectedResource"); n != 2 {
			t.Errorf("%d resources are said to be left, want 2:\n%s", n, events)
		}
		if err := s.Kube.Delete(s.Context(), invokes); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := s.accepted("Invoke"); n != 1 || !s.gone(invokes) {
			t.Errorf(
				"the function was invoked %d times, want once, before it had an owner; the Invocation is gone: %t",
				n,
				s.gone(invokes),
			)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusedReferenceIsRemoved checks that what a resource has created on a function of another namespace, which it
// refers to, is deleted once the owner does not allow that any more, as if it had named the function.
func TestRefusedReferenceIsRemoved(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		owner := tenantResource("Function", Namespace, "checkout", functionFields(nil))
		owner.SetAnnotations(map[string]string{v1beta1.AnnotationAllowedNamespaces: hostile})
		refers := tenantResource("Permission", hostile, "refers", map[string]any{
			"functionNameRef": map[string]any{"name": "checkout", "namespace": Namespace},
			"action":          "lambda:InvokeFunction", "principal": "s3.amazonaws.com",
		})
		s.Create(owner)
		s.Create(refers)
		time.Sleep(time.Minute)
		if got := conditionOf(s.stored(refers), "Ready")["status"]; got != "True" {
			t.Fatalf("while it is allowed, Ready is %v: %v", got, s.stored(refers).Object["status"])
		}
		s.Patch(
			owner,
			map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{v1beta1.AnnotationAllowedNamespaces: nil}},
			},
		)
		time.Sleep(15 * time.Minute)
		for _, r := range s.Resources() {
			if strings.HasPrefix(r, "Permission") {
				t.Errorf("AWS still has %s", r)
			}
		}
		if events := strings.Join(s.eventsAbout(owner), "\n"); strings.Count(events, "RemovedRejectedResource: ") != 1 {
			t.Errorf("want one event RemovedRejectedResource on the owner:\n%s", events)
		}
		if message := fmt.Sprint(
			conditionOf(s.stored(refers), "Synced")["message"],
		); !strings.Contains(
			message,
			"may not refer to Function shop/checkout",
		) {
			t.Errorf("Synced says %q", message)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// eventsAbout returns the events about an object.
func (s *Simulation) eventsAbout(u *unstructured.Unstructured) []string {
	s.Helper()
	var out []string
	for _, o := range s.Cluster.Objects() {
		about, _, _ := unstructured.NestedStringMap(o.Object, "involvedObject")
		if o.GetKind() == "Event" && about["kind"] == u.GetKind() && about["namespace"] == u.GetNamespace() &&
			about["name"] == u.GetName() {
			reason, _, _ := unstructured.NestedString(o.Object, "reason")
			message, _, _ := unstructured.NestedString(o.Object, "message")
			out = append(out, reason+": "+message)
		}
	}
	return out
}

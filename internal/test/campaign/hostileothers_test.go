package campaign

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestFunctionCreatedAnew checks that what a namespace has created in its function is no reason to delete what has the
// same name in the function that another namespace has created since, under the same name. Its resources are paused
// meanwhile, so that they do not see that theirs are gone.
func TestFunctionCreatedAnew(t *testing.T) {
	for name, deleted := range map[string]bool{"Rejected": false, "Deleted": true} {
		t.Run(name, func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				s.Prepare()
				s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
				p := s.Start(&Network{})
				theirs := tenantResource("Function", hostile, "checkout", functionFields(nil))
				url := tenantResource("FunctionURL", hostile, "url",
					map[string]any{"functionName": "checkout", "authType": "NONE"})
				s.Create(theirs, url)
				time.Sleep(time.Minute)
				paused := func(value any) {
					s.Patch(url, map[string]any{"metadata": map[string]any{"annotations": map[string]any{
						meta.AnnotationKeyReconciliationPaused: value,
					}}})
				}
				paused("true")
				if err := s.Kube.Delete(s.Context(), theirs); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				s.Create(tenantResource("Function", Namespace, "checkout", functionFields(nil)))
				time.Sleep(time.Minute)
				if _, err := s.Lambda.CreateFunctionUrlConfig(s.Context(), &lambda.CreateFunctionUrlConfigInput{
					FunctionName: aws.String("checkout"), AuthType: lambdatypes.FunctionUrlAuthTypeAwsIam,
				}); err != nil {
					t.Fatal(err)
				}
				if deleted {
					if err := s.Kube.Delete(s.Context(), url); err != nil {
						t.Fatal(err)
					}
				}
				s.Double.ResetCalls()
				paused(nil)
				time.Sleep(15 * time.Minute)
				if diff := cmp.Diff([]string(nil), s.writes()); diff != "" {
					t.Errorf("calls that change something (-want +got):\n%s", diff)
				}
				if s.gone(url) != deleted {
					t.Errorf("the FunctionURL is gone: %t, want %t", s.gone(url), deleted)
				}
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestUntaggedMappingOfAnotherFunction checks that a resource of another namespace does not adopt a mapping while AWS
// does not show its tags, also if its spec names a function of its own, to which it would move the mapping.
func TestUntaggedMappingOfAnotherFunction(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		mapping := func(function string) map[string]any {
			return map[string]any{
				"functionName": function, "eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:orders",
			}
		}
		mine := tenantResource("EventSourceMapping", Namespace, "mine", mapping("base"))
		s.Create(mine, tenantResource("Function", hostile, "own", functionFields(nil)))
		time.Sleep(time.Minute)
		uuid := meta.GetExternalName(s.stored(mine))
		arn := "arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:" + uuid
		if _, err := s.Lambda.UntagResource(s.Context(), &lambda.UntagResourceInput{
			Resource: &arn, TagKeys: []string{"crossplane-uid", "crossplane-cluster"},
		}); err != nil {
			t.Fatal(err)
		}
		theirs := named(tenantResource("EventSourceMapping", hostile, "theirs", mapping("own")), uuid)
		s.Double.ResetCalls()
		s.Create(theirs)
		time.Sleep(15 * time.Minute)
		if n := s.accepted("UpdateEventSourceMapping"); n > 0 {
			t.Errorf("the mapping was changed %d times", n)
		}
		if message, _ := conditionOf(s.stored(theirs), "Synced")["message"].(string); !strings.Contains(message,
			"EventSourceMapping "+Namespace+"/mine") {
			t.Errorf("the message does not name the owner: %s", message)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestMappingOfAPartialARN checks that a mapping whose function and qualifier AWS reads together as the partial ARN of
// another function is rejected as one that names that function.
func TestMappingOfAPartialARN(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}},
			tenantResource("Function", Namespace, "checkout", functionFields(nil)),
		)
		p := s.Start(&Network{})
		time.Sleep(time.Minute)
		for i, before := range []string{"function", awsdouble.DefaultAccount, Region} {
			theirs := tenantResource("EventSourceMapping", hostile, fmt.Sprint("theirs-", i), map[string]any{
				"functionName": before, "qualifier": "checkout",
				"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:theirs",
			})
			s.Create(theirs)
			time.Sleep(time.Minute)
			if n := s.accepted("CreateEventSourceMapping"); n > 0 {
				t.Errorf("%s: AWS has accepted %d mappings of another namespace's function", before, n)
			}
			if message, _ := conditionOf(s.stored(theirs), "Synced")["message"].(string); !strings.Contains(message,
				"Function "+Namespace+"/checkout") {
				t.Errorf("%s: the message does not name the owner: %s", before, message)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestCreatedElsewhere checks that what a resource has created in a function of its namespace is no reason to delete
// what has the same name in another namespace's function, which the resource is made to name afterwards.
func TestCreatedElsewhere(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}},
			tenantResource("Function", Namespace, "checkout", functionFields(nil)),
			tenantResource("Function", hostile, "own", functionFields(nil)),
		)
		p := s.Start(&Network{})
		alias := tenantResource("Alias", hostile, "live", map[string]any{
			"functionNameRef": map[string]any{"name": "own"}, "functionVersion": "$LATEST",
		})
		s.Create(alias)
		time.Sleep(time.Minute)
		if _, err := s.Lambda.CreateAlias(s.Context(), &lambda.CreateAliasInput{
			FunctionName: aws.String("checkout"), Name: aws.String("live"), FunctionVersion: aws.String("$LATEST"),
		}); err != nil {
			t.Fatal(err)
		}
		s.Double.ResetCalls()
		status := client.RawPatch(types.MergePatchType, []byte(`{"status": {"atProvider": {"functionName": "checkout"}}}`))
		if err := s.Kube.Status().Patch(s.Context(), alias.DeepCopy(), status); err != nil {
			t.Fatal(err)
		}
		s.Patch(alias, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{v1beta1.AnnotationParent: "checkout"}},
			"spec": map[string]any{"forProvider": map[string]any{
				"functionName": "checkout", "functionNameRef": nil,
			}},
		})
		time.Sleep(15 * time.Minute)
		if diff := cmp.Diff([]string(nil), s.writes()); diff != "" {
			t.Errorf("calls that change something (-want +got):\n%s", diff)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAdoptedWithOtherTags checks that what a resource has adopted, whose tags still name a resource that is gone, is
// neither changed nor deleted by a resource of another namespace, also if that is deleted before it was allowed
// anything.
func TestAdoptedWithOtherTags(t *testing.T) {
	mapping := map[string]any{"functionName": "base", "eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:mine"}
	for kind, fields := range map[string]map[string]any{"Function": functionFields(nil), "EventSourceMapping": mapping} {
		t.Run(kind, func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				s.Prepare()
				s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
				name, arn := "base", "arn:aws:lambda:eu-central-1:123456789012:function:base"
				if kind == "EventSourceMapping" {
					m, err := s.Lambda.CreateEventSourceMapping(s.Context(), &lambda.CreateEventSourceMappingInput{
						FunctionName: aws.String("base"), EventSourceArn: aws.String("arn:aws:sqs:eu-central-1:123456789012:mine"),
					})
					if err != nil {
						t.Fatal(err)
					}
					name, arn = *m.UUID, *m.EventSourceMappingArn
				}
				gone := &metav1.ObjectMeta{Namespace: Namespace, Name: "gone", UID: "gone"}
				if _, err := s.Lambda.TagResource(s.Context(), &lambda.TagResourceInput{
					Resource: &arn, Tags: ownership.Tags(gone, "another", "shared", "function.lambda.aws.m.crossplane.io"),
				}); err != nil {
					t.Fatal(err)
				}
				adopts := func(namespace string, policies ...any) *unstructured.Unstructured {
					u := tenantResource(kind, namespace, "adopts", fields, policies...)
					u.SetAnnotations(map[string]string{
						meta.AnnotationKeyExternalName: name, v1beta1.AnnotationAdopt: "true",
					})
					return u
				}
				p := s.Start(&Network{})
				s.Create(adopts(Namespace, "Observe", "Create", "Delete"))
				time.Sleep(time.Minute)
				theirs := adopts(hostile)
				theirs.SetFinalizers([]string{managed.FinalizerName})
				s.Double.ResetCalls()
				s.Create(theirs)
				time.Sleep(time.Minute)
				if err := s.Kube.Delete(s.Context(), theirs); err != nil {
					t.Fatal(err)
				}
				time.Sleep(15 * time.Minute)
				if diff := cmp.Diff([]string(nil), s.writes()); diff != "" {
					t.Errorf("calls that change something (-want +got):\n%s", diff)
				}
				if !s.gone(theirs) {
					t.Error("the deletion does not end")
				}
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

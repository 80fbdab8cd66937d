package campaign

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestPlansOfOthers checks that the plan of a resource of another namespace, whose annotations are forged, shows
// nothing of what the owner does not allow that namespace to use.
func TestPlansOfOthers(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
		p := s.Start(&Network{})
		layer := func(namespace, key string) *unstructured.Unstructured {
			return tenantResource("LayerVersion", namespace, "lib", map[string]any{
				"compatibleRuntimes": []any{"python3.13"}, "content": map[string]any{"s3Bucket": "code", "s3Key": key},
			})
		}
		s.Create(tenantResource("Function", Namespace, "checkout", functionFields(nil)))
		s.Create(tenantResource("Alias", Namespace, "live",
			map[string]any{"functionName": "checkout", "functionVersion": "$LATEST"}))
		s.Create(layer(Namespace, "one.zip"))
		time.Sleep(5 * time.Minute)

		theirs := layer(hostile, "two.zip")
		s.plan(theirs, func() map[string]any {
			settings := sha256.Sum256([]byte(`;"python3.13";"";"";`))
			return map[string]any{v1beta1.AnnotationIntent: fmt.Sprintf(
				`{"uid":%q,"at":1,"settings":"%x"}`, s.stored(theirs).GetUID(), settings[:8])}
		})
		alias := tenantResource("Alias", hostile, "live", map[string]any{
			"functionNameRef": map[string]any{"name": "checkout", "namespace": Namespace}, "functionVersion": "$LATEST",
		})
		alias.SetFinalizers([]string{"finalizer.managedresource.crossplane.io"})
		s.plan(alias, func() map[string]any {
			return map[string]any{
				"crossplane.io/external-name": "live",
				v1beta1.AnnotationNamedBy:     string(s.stored(alias).GetUID()) + "/live",
			}
		})
		free := tenantResource("Function", hostile, "free", functionFields(nil))
		s.plan(free, func() map[string]any { return map[string]any{} })
		time.Sleep(time.Minute)
		if err := s.Kube.Delete(s.Context(), alias); err != nil {
			t.Fatal(err)
		}
		mine := tenantResource("Function", Namespace, "free", functionFields(nil))
		s.Create(mine)
		time.Sleep(time.Minute)
		if ready := conditionOf(s.stored(mine), "Ready"); ready["status"] != "True" {
			t.Errorf("a Function that another namespace has planned has Ready %v: %v", ready["status"], ready["message"])
		}
		for u, want := range map[*unstructured.Unstructured]string{
			theirs: "create: PublishLayerVersion", alias: "", free: "create: CreateFunction",
		} {
			got := fmt.Sprint(conditionOf(s.stored(u), "Planned")["message"])
			if !strings.HasPrefix(got, want) || strings.Contains(got, "->") || strings.Contains(got, "checkout") {
				t.Errorf("the plan of another namespace's %s: %s", u.GetKind(), got)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// plan creates a resource that is only planned, with annotations that can name its UID.
func (s *Simulation) plan(u *unstructured.Unstructured, annotations func() map[string]any) {
	s.Helper()
	u.SetAnnotations(map[string]string{"crossplane.io/paused": "true", v1beta1.AnnotationPlan: "true"})
	s.Create(u)
	all := annotations()
	all["crossplane.io/paused"] = nil
	s.Patch(u, map[string]any{"metadata": map[string]any{"annotations": all}})
}

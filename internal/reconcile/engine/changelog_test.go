package engine

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestChangeLogIsRedacted(t *testing.T) {
	mg := samples.New()
	mg.Spec.Value = "hunter2"
	mg.SetAnnotations(
		map[string]string{
			corev1.LastAppliedConfigAnnotation: `{"spec":{"value":"hunter2"}}`,
			v1beta1.AnnotationAsked:            `{"value":"hunter2"}`,
		},
	)
	e := newEnv(t, mg, func(_ *Options, k *reconcile.Kind[*sample]) {
		k.Redact = func(mg *sample) { mg.Spec.Value = "(redacted)" }
	})
	e.reconcile()
	if len(e.changes.ops) != 1 || e.changes.ops[0] != v1alpha1.OperationType_OPERATION_TYPE_CREATE {
		t.Fatalf("want the create in the change log, got %v", e.changes.ops)
	}
	s, err := resource.AsProtobufStruct(e.changes.last)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.String(), "hunter2") {
		t.Errorf("the change log shows a value: %s", s)
	}
	if e.cloud.value != "hunter2" || e.stored().Spec.Value != "hunter2" {
		t.Error("redaction must not reach AWS or the cluster")
	}
}

package engine

import (
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestPlanOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		values map[string]string
		want   bool
	}{
		"Unset": {reason: "A resource without the annotation is changed."},
		"True":  {reason: "One with it is only planned.", values: map[string]string{v1beta1.AnnotationPlan: "true"}, want: true},
		"False": {reason: "It can be switched off.", values: map[string]string{v1beta1.AnnotationPlan: "false"}},
		"Typo": {
			reason: "Nobody who sets it to something else expects a change.",
			values: map[string]string{v1beta1.AnnotationPlan: "True"}, want: true,
		},
		"Empty": {
			reason: "Nor does who sets it without a value.",
			values: map[string]string{v1beta1.AnnotationPlan: ""}, want: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			meta.AddAnnotations(mg, tc.values)
			if got := planOnly(mg); got != tc.want {
				t.Errorf("%s: planOnly() = %t", tc.reason, got)
			}
		})
	}
}

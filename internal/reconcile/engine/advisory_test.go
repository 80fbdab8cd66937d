package engine

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// measuring returns the env of a sample whose size is observed. A negative one is not.
func measuring(t *testing.T, mg *sample, size *int) *env {
	t.Helper()
	var e *env
	e = newEnv(t, mg, func(_ *Options, k *reconcile.Kind[*sample]) {
		k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] {
			return reconcile.ObserverFunc[*sample](
				func(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
					out, err := e.cloud.Observe(ctx, f, mg)
					if *size >= 0 {
						out.Add(reconcile.Effects{Sizes: advice.Sizes{advice.EnvironmentNearLimit: *size}})
					}
					return out, err
				},
			)
		}
	})
	return e
}

func TestAdvisory(t *testing.T) {
	const near, far, unknown = 4000, 10, -1
	type want struct {
		status corev1.ConditionStatus
		reason xpv2.ConditionReason
	}
	none := want{status: corev1.ConditionUnknown}
	advised := want{status: corev1.ConditionTrue, reason: "EnvironmentNearLimit"}
	cases := map[string]struct {
		reason string
		ignore string
		sizes  []int
		want   want
	}{
		"Nothing": {reason: "Most resources do not have the condition.", sizes: []int{far}, want: none},
		"Found":   {reason: "The reason has the code.", sizes: []int{near}, want: advised},
		"Remembered": {
			reason: "A reconcile that does not measure keeps what an earlier one has found.",
			sizes:  []int{near, unknown},
			want:   advised,
		},
		"Gone": {
			reason: "Nothing is found any more.",
			sizes:  []int{near, far},
			want:   want{status: corev1.ConditionFalse, reason: "NoFindings"},
		},
		"Ignored": {
			reason: "The annotation silences it.",
			ignore: "EnvironmentNearLimit",
			sizes:  []int{near},
			want:   none,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.SetAnnotations(map[string]string{v1beta1.AnnotationIgnoreAdvice: tc.ignore})
			size := 0
			e := measuring(t, mg, &size)
			for _, size = range tc.sizes {
				e.converge()
			}
			c := e.stored().GetCondition(v1beta1.TypeAdvisory)
			if diff := cmp.Diff(
				tc.want,
				want{status: c.Status, reason: c.Reason},
				cmp.AllowUnexported(want{}),
			); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if ready := e.stored().
				GetCondition(xpv2.TypeReady); ready.Status != corev1.ConditionTrue ||
				ready.Message != "" {
				t.Errorf("%s: it does not affect Ready, got %v", tc.reason, ready)
			}
			before := e.stored()
			e.reconcile()
			if diff := cmp.Diff(before.GetResourceVersion(), e.stored().GetResourceVersion()); diff != "" {
				t.Errorf("%s: another reconcile writes nothing, -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAdvisoryCausesNoWrite compares the writes of a creation with findings with those of one without.
func TestAdvisoryCausesNoWrite(t *testing.T) {
	versions := map[int]string{}
	for _, size := range []int{10, 4000} {
		e := measuring(t, samples.New(), &size)
		e.converge()
		versions[size] = e.stored().GetResourceVersion() // The fake client counts writes.
	}
	if versions[10] != versions[4000] {
		t.Errorf("want as many writes as without findings: %v", versions)
	}
}

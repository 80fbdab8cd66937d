package campaign

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

func TestFunction(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		p := s.Start(&Network{})
		f := &v1beta1.Function{
			ObjectMeta: metav1.ObjectMeta{Name: "f", Namespace: Namespace},
			Spec: v1beta1.FunctionSpec{
				ForProvider: v1beta1.FunctionParameters{
					Regional: v1beta1.Regional{Region: Region},
					FunctionSettings: v1beta1.FunctionSettings{
						Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"),
						Role: ptr.To("arn:aws:iam::123456789012:role/r"),
						Code: &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}},
					},
				},
			},
		}
		s.Create(f)
		began := time.Now()
		if !s.Until(time.Minute, func() bool {
			if err := s.Kube.Get(t.Context(), client.ObjectKeyFromObject(f), f); err != nil {
				t.Fatal(err)
			}
			return f.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
		}) {
			t.Fatalf("not ready: %+v\n%s", f.Status, s.Logs)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("ready after %s", took)
		}
		s.Double.ResetCalls()
		s.checkNoWrites(24 * time.Hour)
		if n := s.accepted("GetFunction"); n < 120 || n > 160 {
			t.Errorf("%d looks in a day, one in ten minutes was expected: %s", n, s.history())
		}
		if err := s.Kube.Delete(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		if !s.Until(time.Minute,
			func() bool { return kerrors.IsNotFound(s.Kube.Get(t.Context(), client.ObjectKeyFromObject(f), f)) }) {
			t.Fatalf("not gone: %+v\n%s", f.Status, s.Logs)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

package function

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestSourceKeyIsKept checks that the key of the archive, which spec no longer sets, keeps its value when the code
// changes: AWS takes a key of its own for an update without one.
func TestSourceKeyIsKept(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
			S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip"), SourceKMSKeyArn: ptr.To(oldKey),
		}
	})
	e.Converge(f)
	f.Spec.ForProvider.Code.SourceKMSKeyArn = nil
	f.Generation++
	if calls := e.Converge(f); len(calls) > 0 {
		t.Errorf("a key that is not set stays, got %v", calls)
	}
	f.Spec.ForProvider.Code.S3Key = ptr.To("k2.zip")
	f.Generation++
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := ptr.Deref(f.Status.AtProvider.SourceKMSKeyArn, "none"); got != oldKey {
		t.Errorf("new code has the same key, got %s", got)
	}
}

// TestSourceKeyOfArtifact checks that a key that spec does not set is not removed because another artifact has the
// same code.
func TestSourceKeyOfArtifact(t *testing.T) {
	e := newOCIEnv(t)
	e.push("v1", "1")
	e.f.Spec.ForProvider.Code.SourceKMSKeyArn = ptr.To(oldKey)
	e.Converge(e.f)
	e.push("v2", "1")
	e.f.Spec.ForProvider.Code.SourceKMSKeyArn = nil
	e.spec().Reference = e.registry.Host + "/shop:v2"
	e.f.Generation++
	if calls := e.Converge(e.f); len(calls) > 0 {
		t.Errorf("the same code is not deployed again, got %v", calls)
	}
}

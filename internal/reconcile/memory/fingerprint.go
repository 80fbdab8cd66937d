package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// fingerprint returns a hash of what the user has written: errors are cleared when it changes.
// Annotations written by the provider are not included.
func fingerprint(mg metav1.Object) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %d %t %q", mg.GetUID(), mg.GetGeneration(), meta.WasDeleted(mg),
		DesiredAnnotations(mg)) // A hash cannot fail, and the format sorts the map.
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// DesiredAnnotations returns the annotations that the provider has not written itself.
func DesiredAnnotations(mg metav1.Object) map[string]string {
	a := maps.Clone(mg.GetAnnotations())
	delete(a, corev1.LastAppliedConfigAnnotation) // The cache does not have it, a live read does.
	delete(a, meta.AnnotationKeyExternalCreatePending)
	delete(a, meta.AnnotationKeyExternalCreateSucceeded)
	delete(a, meta.AnnotationKeyExternalCreateFailed)
	if ownership.WroteName(mg) || meta.GetExternalName(mg) == "" {
		delete(a, meta.AnnotationKeyExternalName)
	}
	delete(a, v1beta1.AnnotationNamedBy)
	delete(a, v1beta1.AnnotationLastInvocation)
	delete(a, v1beta1.AnnotationParent)
	delete(a, v1beta1.AnnotationAsked)
	delete(a, v1beta1.AnnotationIntent)
	delete(a, v1beta1.AnnotationUnanswered)
	return a
}

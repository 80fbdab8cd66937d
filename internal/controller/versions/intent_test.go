package versions

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestIntent(t *testing.T) {
	v := &v1beta1.Version{ObjectMeta: metav1.ObjectMeta{UID: types.UID("uid-1")}}
	want := Intent{Before: 3, Fingerprint: "abc"}
	v.SetAnnotations(want.Annotation(v))
	if got, ok := IntentOf(v); !ok || got != want {
		t.Errorf("got %v, %t, want %v", got, ok, want)
	}
	other := &v1beta1.Version{ObjectMeta: metav1.ObjectMeta{UID: types.UID("uid-2"), Annotations: v.GetAnnotations()}}
	if _, ok := IntentOf(other); ok {
		t.Error("what another object noted, of which this one is a copy, is not its own")
	}
}

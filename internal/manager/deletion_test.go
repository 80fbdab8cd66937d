package manager

import (
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestDeletionLimit deletes two Functions of which the limit allows one, on a real API server: the deletions are
// recorded by patches that must conflict with other changes of the config.
func TestDeletionLimit(t *testing.T) {
	t.Parallel()
	limit := protection.Limit{Max: 1, Window: time.Hour}
	e := newEnv(t, awsdouble.Options{}, func(o *Options) { o.DeletionPolicy.Limit = limit })
	functions := []*v1beta1.Function{e.function("cart"), e.function("pay")}
	for _, f := range functions {
		e.create(f)
		e.ready(f)
	}
	left := func() (held *v1beta1.Function, n int) {
		for _, f := range functions {
			switch err := e.kube.Get(t.Context(), client.ObjectKeyFromObject(f), f); {
			case kerrors.IsNotFound(err):
				continue
			case err != nil:
				t.Fatal(err)
			}
			n++
			if reconcile.PendingReason(f) != "" {
				held = f
			}
		}
		return held, n
	}
	for _, f := range functions {
		if err := e.kube.Delete(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	e.until("one is gone, and the deletion of the other one waits", func() bool {
		held, n := left()
		return n == 1 &&
			held != nil
	})

	config := &v1beta1.ProviderConfig{}
	if err := e.kube.Get(t.Context(), client.ObjectKey{Namespace: e.ns, Name: "default"}, config); err != nil {
		t.Fatal(err)
	}
	ref := session.Ref{Kind: v1beta1.ProviderConfigKind, Namespace: e.ns, Name: "default", UID: config.GetUID()}
	other := engine.NewDeletionLimiter(e.kube, e.kube, limit)
	if ok, err := other.Admit(t.Context(), ref, e.ns, "another", time.Now()); ok || err != nil {
		t.Errorf("another process does not keep to the limit: %t, %v", ok, err)
	}
	wide := engine.NewDeletionLimiter(e.kube, e.kube, protection.Limit{Max: 3, Window: time.Hour})
	if ok, err := wide.Admit(t.Context(), ref, e.ns, "second", time.Now()); !ok || err != nil {
		t.Errorf("a larger limit: %t, %v", ok, err)
	}
	before := config.DeepCopy()
	metav1.SetMetaDataAnnotation(&config.ObjectMeta, "example.org/changed", "true")
	if err := e.kube.Patch(t.Context(), config, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	if ok, err := wide.Admit(t.Context(), ref, e.ns, "third", time.Now()); !ok || err != nil {
		t.Errorf("the config has changed meanwhile: %t, %v", ok, err)
	}
	ref.UID = "11111111-1111-1111-1111-111111111111"
	if ok, err := wide.Admit(t.Context(), ref, e.ns, "fourth", time.Now()); ok {
		t.Errorf("another config of the same name was written: %v", err)
	}

	held, _ := left()
	was := held.DeepCopy()
	metav1.SetMetaDataAnnotation(&held.ObjectMeta, v1beta1.AnnotationConfirmDeletion,
		held.GetDeletionTimestamp().UTC().Format(time.RFC3339))
	if err := e.kube.Patch(t.Context(), held, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	e.until("the other one is gone, too", func() bool { _, n := left(); return n == 0 })
}

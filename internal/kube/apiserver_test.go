package kube

import (
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{samples.CRD()}}}

func TestMain(m *testing.M) { suite.Main(m) }

// TestAgainstAPIServer checks behaviour of a real API server: a patch with another UID is
// refused, a metadata patch does not increase the generation, and the status is kept.
func TestAgainstAPIServer(t *testing.T) {
	cluster := suite.Cluster(t)
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	server, err := client.New(cluster.Config, client.Options{Scheme: s})
	if err != nil {
		t.Fatal(err)
	}
	c := New(server, server, &samples.Sample{})
	ns := cluster.Namespace(t)

	th := &samples.Sample{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "cart"},
		Spec:       samples.SampleSpec{Value: "a"},
	}
	if err := server.Create(t.Context(), th); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(th)
	outdated := th.DeepCopyObject().(*samples.Sample)

	t.Run("StatusSurvivesFinalizerAndAnnotations", func(t *testing.T) {
		th.SetConditions(xpv2.Available().WithObservedGeneration(1))
		if err := c.View(outdated, nil).AddFinalizer(t.Context(), th); err != nil {
			t.Fatal(err)
		}
		if err := c.Annotate(t.Context(), th, map[string]string{"a": "b"}); err != nil {
			t.Fatal(err)
		}
		if err := c.View(outdated, nil).Status().Update(t.Context(), th); err != nil {
			t.Fatal(err)
		}
		got := &samples.Sample{}
		if err := server.Get(t.Context(), key, got); err != nil {
			t.Fatal(err)
		}
		if !got.GetCondition(xpv2.TypeReady).Equal(xpv2.Available()) ||
			!meta.FinalizerExists(got, managed.FinalizerName) ||
			got.GetAnnotations()["a"] != "b" {
			t.Errorf("something was lost: %+v", got)
		}
		if got.GetGeneration() != 1 || th.GetResourceVersion() != got.GetResourceVersion() {
			t.Errorf("generation %d, version %s, in memory %s", got.GetGeneration(), got.GetResourceVersion(),
				th.GetResourceVersion())
		}
	})

	t.Run("OutdatedDecision", func(t *testing.T) {
		old := outdated.DeepCopyObject().(*samples.Sample)
		if err := c.View(outdated, nil).AddFinalizer(t.Context(), old); !kerrors.IsConflict(err) {
			t.Errorf("want a conflict for the finalizer, got %v", err)
		}
		if err := c.View(outdated, nil).AnnotateIfUnchanged(t.Context(), old, map[string]string{"a": "c"}); !kerrors.IsConflict(err) {
			t.Errorf("want a conflict for an intent, got %v", err)
		}
		now := &samples.Sample{}
		if err := c.Get(t.Context(), key, now); err != nil {
			t.Fatal(err)
		}
		if err := c.View(now.DeepCopyObject().(*samples.Sample), nil).AnnotateIfUnchanged(t.Context(), now, map[string]string{"a": "c"}); err != nil ||
			now.GetAnnotations()["a"] != "c" {
			t.Errorf("what was read anew may be acted on, got %v, %v", now.GetAnnotations(), err)
		}
	})
	t.Run("AnotherObjectOfTheSameName", func(t *testing.T) {
		old := outdated.DeepCopyObject().(*samples.Sample)
		old.UID = "11111111-1111-1111-1111-111111111111"
		err := c.Annotate(t.Context(), old, map[string]string{"mine": "no"})
		if err == nil {
			t.Fatal("another object of the same name was annotated")
		}
		if !kerrors.IsConflict(err) && !kerrors.IsInvalid(err) {
			t.Errorf("want the API server to refuse, got %v", err)
		}
	})
}

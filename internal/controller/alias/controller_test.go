package alias

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// replica is a manager that may be the leader.
type replica struct {
	ctrl.Manager

	kube    client.Client
	elected chan struct{}
}

func (r *replica) GetClient() client.Client { return r.kube }
func (r *replica) Elected() <-chan struct{} { return r.elected }

func TestCountRollouts(t *testing.T) {
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	b := fake.NewClientBuilder().WithScheme(s)
	for i, phase := range []string{"", v1beta1.RolloutReady, v1beta1.RolloutFailed, v1beta1.RolloutReady} {
		a := testAlias(
			func(a *v1beta1.Alias) { a.ObjectMeta = metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprintf("a%d", i)} },
		)
		if phase != "" {
			a.Status.Rollout = &v1beta1.AliasRolloutStatus{Phase: phase}
		}
		b.WithObjects(a)
	}
	r := &replica{kube: b.Build(), elected: make(chan struct{})}
	if got := countRollouts(r); got != nil {
		t.Errorf("a replica that is not the leader counts none, got %v", got)
	}
	close(r.elected)
	if diff := cmp.Diff(
		map[string]int{v1beta1.RolloutReady: 2, v1beta1.RolloutFailed: 1},
		countRollouts(r),
	); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestReferences(t *testing.T) {
	if references(testAlias())[0].Follows {
		t.Error("an alias of a version that spec names does not follow its Function")
	}
	if !references(testAlias(following))[0].Follows {
		t.Error("an alias without a version follows its Function")
	}
	initial := references(testAlias(func(a *v1beta1.Alias) {
		a.Spec.InitProvider = &v1beta1.AliasSettings{FunctionVersionRef: &xpv2.NamespacedReference{Name: "v"}}
	}))[2]
	if got := initial.SetIn(); got != "spec.initProvider.functionVersionRef" {
		t.Errorf("the initial version is set in %s", got)
	}
}

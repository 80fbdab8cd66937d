package manager

import (
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

const crds = "../../package/crds/lambda.aws.m.crossplane.io_"

// TestKindsThatAreActivatedLater checks that a cluster that has activated only some kinds serves those, and that a
// resource that references a missing kind reports it and continues as soon as the kind is activated.
func TestKindsThatAreActivatedLater(t *testing.T) {
	t.Parallel()
	c := newCluster(t, devcluster.Options{CRDs: []string{
		crds + "aliases.yaml",
		crds + "providerconfigs.yaml",
		crds + "clusterproviderconfigs.yaml",
		crds + "providerconfigusages.yaml",
	}})
	e := newEnvOn(t, c, awsdouble.Options{}, func(o *Options) { o.SafeStart = true })
	a := e.alias("live")
	e.create(a)
	e.until("the alias says what is missing", func() bool {
		e.get(a)
		return strings.Contains(a.GetCondition(xpv2.TypeSynced).Message,
			"the cluster has no kind Function: activate its ManagedResourceDefinition")
	})

	e.activate("functions")
	f := e.function("f", func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	e.until("Functions are served", func() bool { return e.kube.Create(t.Context(), f) == nil })
	e.ready(f)
	e.ready(a)

	// The kind is deactivated with all of its resources, and activated again.
	e.remove(a)
	e.gone(a)
	e.deactivate("functions")
	if _, ok := e.double.Function("f"); ok {
		t.Error("the function of a kind that is gone is left in AWS")
	}
	e.activate("functions")
	f = e.function("f", func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	e.until("Functions are served again", func() bool { return e.kube.Create(t.Context(), f) == nil })
	e.ready(f)
	a = e.alias("live")
	e.create(a)
	e.ready(a)

	// Definitions are deleted while no provider runs, as with a Provider whose pod ends first.
	e.stop()
	for _, plural := range definitions {
		e.withdraw(plural)
	}
	e.start(func(o *Options) { o.SafeStart = true })
	for _, plural := range definitions {
		e.withdrawn(plural)
	}
	if _, ok := e.double.Function("f"); ok {
		t.Error("the function of a kind that was deleted while no provider ran is left in AWS")
	}
}

// definitions are the plurals of the kinds that have resources in TestKindsThatAreActivatedLater.
var definitions = []string{"aliases", "functions", "providerconfigs", "providerconfigusages"}

// newCluster starts a control plane for one test, if the test affects the whole cluster.
func newCluster(t *testing.T, o devcluster.Options) *devcluster.Cluster {
	t.Helper()
	c, err := devcluster.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// deactivate deletes a kind, by the plural of its name, and waits until it is gone.
func (e *env) deactivate(plural string) {
	e.Helper()
	e.withdraw(plural)
	e.withdrawn(plural)
}

// withdraw deletes the definition of a kind, by the plural of its name.
func (e *env) withdraw(plural string) {
	e.Helper()
	if err := e.kube.Delete(e.Context(), crd(plural)); err != nil {
		e.Fatal(err)
	}
}

// withdrawn waits until the definition of a kind is gone.
func (e *env) withdrawn(plural string) {
	e.Helper()
	d := crd(plural)
	e.until(plural+" are gone", func() bool {
		return kerrors.IsNotFound(e.kube.Get(e.Context(), client.ObjectKeyFromObject(d), d))
	})
}

func crd(plural string) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: plural + "." + v1beta1.Group}}
}

// activate activates a kind, by the plural of its name.
func (e *env) activate(plural string) {
	e.Helper()
	b, err := os.ReadFile(crds + plural + ".yaml")
	if err != nil {
		e.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(b, crd); err != nil {
		e.Fatal(err)
	}
	e.create(crd)
}

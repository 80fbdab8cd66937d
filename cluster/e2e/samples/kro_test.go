package samples

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	krov1alpha1 "github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	kroruntime "github.com/kubernetes-sigs/kro/pkg/runtime"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// limits are the limits of collections, which the example has none of.
var limits = graph.RGDConfig{MaxCollectionSize: 10, MaxCollectionDimensionSize: 10}

// definition returns the ResourceGraphDefinition of the example, in which old texts are replaced by new ones.
func definition(t *testing.T, oldnew ...string) *unstructured.Unstructured {
	t.Helper()
	u := examples(t, "kro", "worker.yaml")[0]
	b, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, strings.NewReplacer(oldnew...).Replace(string(b)))[0]
}

// build has kro itself read a ResourceGraphDefinition against the kinds of the API server.
func build(t *testing.T, u *unstructured.Unstructured) (*graph.Graph, error) {
	t.Helper()
	config := suite.Cluster(t).Config
	h, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.NewBuilder(config, h)
	if err != nil {
		t.Fatal(err)
	}
	rgd := &krov1alpha1.ResourceGraphDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, rgd); err != nil {
		t.Fatal(err)
	}
	return b.NewResourceGraphDefinition(rgd, limits)
}

// TestKro checks that kro accepts the ResourceGraphDefinition of a worker, and that the API server accepts what kro
// makes of an instance.
func TestKro(t *testing.T) {
	c := strict(t)
	if err := c.Create(t.Context(), definition(t), client.DryRunAll); err != nil {
		t.Fatalf("kro's CustomResourceDefinition refuses it: %v", err)
	}
	g, err := build(t, definition(t))
	if err != nil {
		t.Fatalf("kro refuses it: %v", err)
	}
	if diff := cmp.Diff([]string{"worker", "mapping"}, g.TopologicalOrder); diff != "" {
		t.Errorf("the order of the resources: -want +got:\n%s", diff)
	}
	instance := withDefaults(t, c, g, examples(t, "kro", "invoices.yaml")[0])
	rt, err := kroruntime.FromGraph(g, instance, limits)
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string]string{
		"worker":  `{conditions: [{type: Ready, status: "True"}], atProvider: {functionArn: "arn:f"}}`,
		"mapping": `{conditions: [{type: Ready, status: "True"}], atProvider: {state: Enabled}}`,
	}
	var kinds []string
	for _, n := range rt.Nodes() {
		desired, err := n.GetDesired()
		if err != nil || len(desired) != 1 {
			t.Fatalf("kro makes %d resources of %s: %v", len(desired), n.Spec.Meta.ID, err)
		}
		u := desired[0].DeepCopy()
		if err := c.Create(t.Context(), u.DeepCopy(), client.DryRunAll); err != nil {
			t.Errorf("%s %s is refused: %v", u.GetKind(), u.GetName(), err)
		}
		kinds = append(kinds, u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName())
		if err := n.CheckReadiness(); err == nil {
			t.Errorf("%s is ready before it exists", u.GetKind())
		}
		var status map[string]any
		if err := yaml.Unmarshal([]byte(statuses[n.Spec.Meta.ID]), &status); err != nil {
			t.Fatal(err)
		}
		u.Object["status"] = status
		n.SetObserved([]*unstructured.Unstructured{u})
		if err := n.CheckReadiness(); err != nil {
			t.Errorf("%s is not ready when its condition Ready is True: %v", u.GetKind(), err)
		}
	}
	if diff := cmp.Diff([]string{"Function default/kro-invoices", "EventSourceMapping default/kro-invoices"},
		kinds); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// withDefaults serves the kind that kro derives from the definition, and returns an instance as the API server stores
// it.
func withDefaults(
	t *testing.T, c client.Client, g *graph.Graph, instance *unstructured.Unstructured,
) *unstructured.Unstructured {
	t.Helper()
	if _, err := envtest.InstallCRDs(suite.Cluster(t).Config, envtest.CRDInstallOptions{
		CRDs: []*apiextensionsv1.CustomResourceDefinition{g.CRD}, MaxTime: enforced, PollInterval: interval,
	}); err != nil {
		t.Fatalf("the API server does not serve the kind that kro derives: %v", err)
	}
	if err := eventually(t, func(ctx context.Context) error {
		return c.Create(ctx, instance, client.DryRunAll)
	}); err != nil {
		t.Fatalf("the instance is refused: %v", err)
	}
	return instance
}

// TestKroRefuses checks that kro compares the templates with the schemas of this provider's kinds.
func TestKroRefuses(t *testing.T) {
	cases := map[string]struct {
		reason   string
		from, to string
		want     string
	}{
		"UnknownField": {
			reason: "A Function has no such field.", from: `"s3Bucket"`, to: `"s3Bukket"`, want: "s3Bukket",
		},
		"UnknownStatus": {
			reason: "The status has no such field.", from: "atProvider.functionArn", to: "atProvider.functionURN",
			want: "functionURN",
		},
		"WrongType": {
			reason: "A batch size is a number.", from: "${schema.spec.batchSize}", to: "${schema.spec.key}",
			want: "type",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := build(t, definition(t, tc.from, tc.to))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nkro answers %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

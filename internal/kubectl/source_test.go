package kubectl

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestRead checks which objects of files get the namespace of the command.
func TestRead(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	f := NewFactory(genericiooptions.IOStreams{In: strings.NewReader(`
{apiVersion: v1, kind: List, items: [
  {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, metadata: {name: a}},
  {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, metadata: {name: b, namespace: other}},
  {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, metadata: {name: r}},
  {apiVersion: v1, kind: Namespace, metadata: {name: shop}},
  {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: ClusterProviderConfig, metadata: {name: default}}]}
`), Out: &bytes.Buffer{}, ErrOut: &bytes.Buffer{}}, time.Now, "test")
	*f.Config.Namespace = "shop"
	s := Source{filenames: []string{"-"}}
	objects, err := s.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range objects {
		got = append(got, u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName())
	}
	want := []string{"Function shop/a", "Function other/b", "Role shop/r", "Namespace /shop", "ClusterProviderConfig /default"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

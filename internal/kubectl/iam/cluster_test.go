package iam

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// TestInactiveKind checks that a kind that a ManagedResourceActivationPolicy keeps inactive is left out.
func TestInactiveKind(t *testing.T) {
	crds := t.TempDir()
	if err := os.CopyFS(crds, os.DirFS("../../../package/crds")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(crds, "lambda.aws.m.crossplane.io_invocations.yaml")); err != nil {
		t.Fatal(err)
	}
	cluster, err := kubedouble.New(crds, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	plugintest.Create(t, client, "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---"+function)
	t.Setenv("KUBECACHEDIR", t.TempDir()) // Other tests cache what all kinds are, for the same host.
	var out, errOut bytes.Buffer
	f := kubectl.NewFactory(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}, time.Now, "test")
	f.Config.WrapConfigFn = func(*rest.Config) *rest.Config { return cluster.Config() }
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	root := kubectl.NewCommand(f, NewCommand(f))
	root.SetArgs([]string{"iam", "-A"})
	if code := kubectl.Run(t.Context(), f, root); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	if want := "lambda:GetFunction arn:aws:lambda:eu-central-1:*:function:checkout"; !slices.Contains(lines(t, out.String()), want) {
		t.Errorf("the policy lacks %q: %s", want, out.String())
	}
}

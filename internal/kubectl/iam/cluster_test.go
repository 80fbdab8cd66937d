package iam

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	out, _ := runOn(t, crds, function, "-A")
	if want := "lambda:GetFunction arn:aws:lambda:eu-central-1:*:function:checkout"; !slices.Contains(
		lines(t, out),
		want,
	) {
		t.Errorf("the policy lacks %q: %s", want, out)
	}
}

// TestReads checks that each object of the cluster is read once, however often the resources are reconciled in memory:
// for a namespace of a hundred resources, it would be thousands of requests.
func TestReads(t *testing.T) {
	const environment = "environment: {envFrom: [{secretRef: {name: db}}]}\n    code:"
	_, reads := runOn(t, "../../../package/crds", strings.ReplaceAll(function, "code:", environment)+
		"---\n{apiVersion: v1, kind: Secret, metadata: {namespace: shop, name: db}, stringData: {PASSWORD: a}}\n", "-n", "shop")
	if reads["http://kubernetes/api/v1/namespaces/shop/secrets/db application/json"] == 0 {
		t.Errorf("the Secret was not read: %v", reads)
	}
	for request, n := range reads {
		if n > 1 {
			t.Errorf("%s was requested %d times", request, n)
		}
	}
}

// runOn runs the command on a cluster with the namespace shop and objects. It returns what the command prints, and how
// many requests it has made, by URL and form of the answer.
func runOn(t *testing.T, crds, objects string, args ...string) (string, map[string]int) {
	t.Helper()
	cluster, err := kubedouble.New(crds, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	plugintest.Create(t, client, "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---"+objects)
	t.Setenv("KUBECACHEDIR", t.TempDir()) // Other tests cache what all kinds are, for the same host.
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out, errOut bytes.Buffer
	f := kubectl.NewFactory(
		genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut},
		time.Now,
		"test",
	)
	made := &requests{to: cluster, count: map[string]int{}}
	f.Config.WrapConfigFn = func(*rest.Config) *rest.Config {
		c := cluster.Config()
		c.Transport = made
		return c
	}
	root := kubectl.NewCommand(f, NewCommand(f))
	root.SetArgs(append([]string{"iam"}, args...))
	if code := kubectl.Run(t.Context(), f, root); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	return out.String(), made.count
}

// requests counts the requests to the API of the cluster. Discovery sends some at the same time.
type requests struct {
	to    http.RoundTripper
	mu    sync.Mutex
	count map[string]int
}

// RoundTrip sends a request.
func (r *requests) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.count[req.URL.String()+" "+req.Header.Get("Accept")]++
	r.mu.Unlock()
	return r.to.RoundTrip(req)
}

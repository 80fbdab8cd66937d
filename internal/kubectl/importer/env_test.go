package importer

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/accounts"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

const (
	testRegion = "eu-central-1"
	canary     = "hunter2"
)

const testKubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://kubernetes"}}]
contexts: [{name: c, context: {cluster: c, user: u, namespace: shop}}]
users: [{name: u}]
current-context: c
`

// An env is an account in a double of AWS, and the plugin.
type env struct {
	aws    *awsdouble.Server
	lambda *lambda.Client

	// cluster is the cluster that the plugin is connected to. Nil is none.
	cluster *kubedouble.Server

	// forbidden are the types of the cluster that may not be read.
	forbidden []string
}

func newEnv(t *testing.T) *env {
	t.Helper()
	d := awsdouble.New(awsdouble.Options{})
	d.Start()
	t.Cleanup(d.Close)
	plugintest.SetMachine(t, d.URL(), "s3cr3tkey")
	return &env{aws: d, lambda: lambda.NewFromConfig(d.Config(testRegion))}
}

// connect connects the plugin to an empty cluster, and returns a client of it.
func (e *env) connect(t *testing.T) dynamic.Interface {
	t.Helper()
	var err error
	if e.cluster, err = kubedouble.New("../../../package/crds", time.Now); err != nil {
		t.Fatal(err)
	}
	c, err := dynamic.NewForConfig(e.cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(testKubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	return c
}

// random makes a random account.
func (e *env) random(t *testing.T, seed uint64, n int) {
	t.Helper()
	a := accounts.Account{
		Rand:   rand.New(rand.NewPCG(seed, 1)),
		Lambda: e.lambda,
		Double: e.aws,
		Secret: canary,
	} //nolint:gosec // It is a test.
	if err := a.Make(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	e.aws.ResetCalls()
}

// run runs the command, without waiting for quotas, and returns the exit code and what it prints.
func (e *env) run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	began, reads := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC), atomic.Int64{} // Functions are read at the same time.
	now := func() time.Time { return began.Add(time.Duration(reads.Add(1)) * time.Second) }
	f := kubectl.NewFactory(genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}, now, "test")
	if e.cluster != nil {
		config := e.cluster.Config()
		if len(e.forbidden) > 0 {
			config.Transport = &plugintest.Network{To: e.cluster, Forbidden: e.forbidden}
		}
		f.Config.WrapConfigFn = func(*rest.Config) *rest.Config { return config }
	}
	cmd := NewCommand(f)
	root := kubectl.NewCommand(f, cmd)
	root.SetArgs(append([]string{"import"}, args...))
	return kubectl.Run(context.WithoutCancel(t.Context()), f, root), stdout.String(), stderr.String()
}

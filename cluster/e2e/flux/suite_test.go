//go:build flux

package flux

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	region = "eu-central-1"

	// script provides source-controller.
	script = "cluster/flux/ensure.sh"

	// timeout is how long a test waits before it fails. No result depends on how long it takes.
	timeout = 2 * time.Minute

	// pause is the time between two checks of what a test waits for.
	pause = 50 * time.Millisecond
)

var suite devcluster.Suite

// programs is the folder with source-controller.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = process.Programs(context.Background(), script, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	suite.Options.CRDs = []string{filepath.Join("..", "..", "..", "package", "crds"), filepath.Join(programs, "crds")}
	suite.Main(m)
}

// env is a namespace with the provider, source-controller, and a double of AWS.
type env struct {
	*testing.T

	ns     string
	kube   client.Client
	double *awsdouble.Server
}

func newEnv(t *testing.T) *env {
	t.Helper()
	c := suite.Cluster(t)
	scheme := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(scheme))
	must(t, v1beta1.AddToScheme(scheme))
	kube, err := client.New(c.Config, client.Options{Scheme: scheme})
	must(t, err)
	e := &env{T: t, ns: c.Namespace(t), kube: kube, double: awsdouble.New(awsdouble.Options{})}
	e.double.Start()
	t.Cleanup(e.double.Close)
	e.startFlux(c)
	e.startProvider(c)
	return e
}

// startFlux starts source-controller, which serves its artifacts on loopback.
func (e *env) startFlux(c *devcluster.Cluster) {
	e.Helper()
	folder, err := process.NewFolder()
	must(e.T, err)
	must(e.T, c.WriteKubeconfig(folder.File("kubeconfig")))
	must(e.T, os.Mkdir(folder.File("artifacts"), 0o700))
	served, err := process.FreeAddress()
	must(e.T, err)
	health, err := process.FreeAddress()
	must(e.T, err)
	p, err := process.Start(folder, process.Command{
		Path: filepath.Join(programs, "source-controller"),
		Args: []string{
			"--storage-path=" + folder.File("artifacts"), "--storage-addr=" + served, "--storage-adv-addr=" + served,
			"--health-addr=" + health, "--metrics-addr=0", "--watch-all-namespaces=false",
		},
		Env: append(os.Environ(), "KUBECONFIG="+folder.File("kubeconfig"), "RUNTIME_NAMESPACE="+e.ns,
			"HOME="+folder.Path, "TUF_ROOT="+folder.File("tuf")),
	})
	must(e.T, err)
	e.Cleanup(func() {
		p.Kill()
		if e.Failed() {
			e.Logf("source-controller:\n%s", p.Tail())
		}
		must(e.T, folder.Remove())
	})
	must(e.T, p.WaitReady(e.Context(), func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", served)
		if err != nil {
			return err
		}
		return conn.Close()
	}))
}

// startProvider starts the provider, which polls once an hour: what it does sooner, it does because of a watch.
func (e *env) startProvider(c *devcluster.Cluster) {
	e.Helper()
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	ctx, cancel := context.WithCancel(context.WithoutCancel(e.Context()))
	mgr, err := manager.New(ctx, c.Config, manager.Options{
		Options:         controller.Options{PollInterval: time.Hour, MaxConcurrentReconciles: 10, Features: features},
		MinPollInterval: time.Second, ClusterID: "test-cluster", Namespaces: []string{e.ns},
		Config: session.Options{
			AllowNamespacedEndpoints: true, AllowLoopbackEndpoints: true,
			NamespacedEndpointHosts: []string{"*", "127.0.0.1"},
		},
		SourceHosts: []string{"127.0.0.1"}, SourceLoopback: true,
	})
	if err != nil {
		cancel()
		e.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	e.Cleanup(sync.OnceFunc(func() {
		cancel()
		must(e.T, <-done)
	}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits until a condition holds.
func (e *env) until(what string, so func() error) {
	e.Helper()
	for began := time.Now(); ; time.Sleep(pause) {
		err := so()
		if err == nil {
			return
		}
		if time.Since(began) > timeout {
			e.Fatalf("gave up waiting until %s: %v", what, err)
		}
	}
}

// Package e2e tests the provider's package on Crossplane itself: its installation, its rights, its upgrade, and
// compositions of its kinds.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/packages"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	region = "eu-central-1"

	// version of the package that is installed.
	version = "v0.1.0"

	// timeout is how long a test waits before it fails. No result depends on how long it takes.
	timeout = 5 * time.Minute

	// group of the provider's kinds.
	group = "lambda.aws.m.crossplane.io"
)

// atFirst are the definitions that are active from the beginning. Tests that need more activate them.
const atFirst = "functions." + group

// env is the platform that all tests of the package share, and one test.
type env struct {
	*testing.T
	*platform.Platform
}

// shared is the platform. image is the package that was installed on it.
var shared struct {
	once     sync.Once
	platform *platform.Platform
	image    string
	err      error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.platform != nil {
		if err := shared.platform.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// newEnv returns the platform, with the provider and the function installed on it.
func newEnv(t *testing.T) *env {
	t.Helper()
	shared.once.Do(func() {
		// The platform outlives the test that starts it.
		shared.err = install(context.WithoutCancel(t.Context()), t.TempDir())
	})
	e := &env{T: t, Platform: shared.platform}
	t.Cleanup(e.explain)
	if shared.err != nil {
		t.Fatalf("no platform: %v", shared.err)
	}
	return e
}

func install(ctx context.Context, folder string) (err error) {
	// The tests deploy within a second what people deploy within minutes, so the circuit breaker's tokens return
	// faster.
	p, err := platform.Start(ctx, platform.Options{Activations: []string{atFirst}, WatchRefill: 20})
	if err != nil {
		return err
	}
	shared.platform = p
	if shared.image, err = packages.PushProvider(ctx, p.Registry.Host, p.Root, folder, version); err != nil {
		return err
	}
	return errors.Join(p.InstallFunction(ctx), p.InstallProvider(ctx, shared.image), p.Configure(ctx))
}

// restarting is held by the test that restarts the provider.
var restarting sync.Mutex

// restarts begins a test that restarts the provider. No two of them run at once, but others go on beside them, as
// users' resources do.
func (e *env) restarts() {
	restarting.Lock()
	e.Cleanup(restarting.Unlock)
}

// explain logs the output of the processes if a test failed.
func (e *env) explain() {
	if !e.Failed() || e.Platform == nil {
		return
	}
	for name, log := range e.Logs() {
		e.Logf("%s:\n%s", name, log)
	}
}

// namespace creates a namespace for a test.
func (e *env) namespace() string {
	e.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: strings.ToLower(e.Name()) + "-"}}
	if err := e.Kube.Create(e.Context(), ns); err != nil {
		e.Fatal(err)
	}
	return ns.GetName()
}

// apply applies a manifest, as soon as its kinds are served.
func (e *env) apply(namespace, manifest string) {
	e.Helper()
	e.until("the manifest is accepted", func(ctx context.Context) error {
		return platform.Apply(ctx, e.Kube, namespace, []byte(manifest))
	})
}

func (e *env) until(what string, so func(context.Context) error) {
	e.Helper()
	if err := e.Until(e.Context(), what, timeout, so); err != nil {
		e.Fatal(err)
	}
}

// get returns an object.
func (e *env) get(apiVersion, kind, namespace, name string) (*unstructured.Unstructured, error) {
	u := object(apiVersion, kind)
	err := e.Kube.Get(e.Context(), client.ObjectKey{Namespace: namespace, Name: name}, u)
	return u, err
}

// ready waits until one of the provider's resources is Ready and Synced.
func (e *env) ready(kind, namespace, name string) *unstructured.Unstructured {
	e.Helper()
	var u *unstructured.Unstructured
	e.until(kind+" "+name+" is ready", func(context.Context) (err error) {
		if u, err = e.get(group+"/v1beta1", kind, namespace, name); err != nil {
			return err
		}
		return errors.Join(platform.ConditionTrue(u, "Synced"), platform.ConditionTrue(u, "Ready"))
	})
	return u
}

// list returns objects of a kind.
func (e *env) list(apiVersion, kind string, o ...client.ListOption) []unstructured.Unstructured {
	e.Helper()
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion(apiVersion)
	l.SetKind(kind + "List")
	if err := e.Kube.List(e.Context(), l, o...); err != nil {
		e.Fatal(err)
	}
	return l.Items
}

// provider returns the ID of the provider's only process.
func (e *env) provider() int {
	e.Helper()
	pid := 0
	e.until("one process of the provider runs", func(context.Context) error {
		p := e.Providers()
		if len(p) != 1 {
			return fmt.Errorf("there are %d", len(p))
		}
		pid = p[0].PID()
		return nil
	})
	return pid
}

// function returns the manifest of a Function with inline code.
func function(name string) string {
	return fmt.Sprintf(`
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata:
  name: %s
spec:
  forProvider:
    region: %s
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::%s:role/functions
    code:
      inline:
        index.py: "def handler(event, context): return 'hello'"
`, name, region, awsdouble.DefaultAccount)
}

func object(apiVersion, kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	return u
}

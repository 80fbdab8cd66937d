// Package e2e tests the provider's package on Crossplane itself: how it installs, what it may do there, how it is
// upgraded, and what people compose of it.
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

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
)

const (
	region = "eu-central-1"

	// version of the package that is installed.
	version = "v0.1.0"

	// patience is how long anything may take before a test gives it up. Nothing depends on how long it does take.
	patience = 2 * time.Minute

	// group of the provider's kinds.
	group = "lambda.aws.m.crossplane.io"
)

// atFirst are the definitions that are active from the beginning. Tests that need more activate them.
const atFirst = "functions." + group

// rig is the platform that all tests of the package run on, and one test.
type rig struct {
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

// newRig returns the platform, with the provider and the function installed on it.
func newRig(t *testing.T) *rig {
	t.Helper()
	shared.once.Do(func() {
		// The platform outlives the test that happens to be the first.
		shared.err = install(context.WithoutCancel(t.Context()), t.TempDir())
	})
	r := &rig{T: t, Platform: shared.platform}
	t.Cleanup(r.explain)
	if shared.err != nil {
		t.Fatalf("no platform: %v", shared.err)
	}
	return r
}

func install(ctx context.Context, folder string) (err error) {
	p, err := platform.Start(ctx, platform.Options{Activations: []string{atFirst}})
	if err != nil {
		return err
	}
	shared.platform = p
	if shared.image, err = p.Registry.PushProvider(ctx, p.Root, folder, version); err != nil {
		return err
	}
	return errors.Join(p.InstallFunction(ctx), p.InstallProvider(ctx, shared.image), p.Configure(ctx))
}

// explain shows what the processes logged, where a test failed.
func (r *rig) explain() {
	if !r.Failed() || r.Platform == nil {
		return
	}
	for name, log := range r.Logs() {
		r.Logf("%s:\n%s", name, log)
	}
}

// namespace makes one for a test.
func (r *rig) namespace() string {
	r.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: strings.ToLower(r.Name()) + "-"}}
	if err := r.Kube.Create(r.Context(), ns); err != nil {
		r.Fatal(err)
	}
	return ns.GetName()
}

// apply a manifest, as soon as the kinds in it are served.
func (r *rig) apply(namespace, manifest string) {
	r.Helper()
	r.until("the manifest is accepted", func(ctx context.Context) error {
		return platform.Apply(ctx, r.Kube, namespace, []byte(manifest))
	})
}

func (r *rig) until(what string, so func(context.Context) error) {
	r.Helper()
	if err := r.Until(r.Context(), what, patience, so); err != nil {
		r.Fatal(err)
	}
}

// get an object.
func (r *rig) get(apiVersion, kind, namespace, name string) (*unstructured.Unstructured, error) {
	u := object(apiVersion, kind)
	err := r.Kube.Get(r.Context(), client.ObjectKey{Namespace: namespace, Name: name}, u)
	return u, err
}

// ready waits until one of the provider's resources is Ready and Synced.
func (r *rig) ready(kind, namespace, name string) *unstructured.Unstructured {
	r.Helper()
	var u *unstructured.Unstructured
	r.until(kind+" "+name+" is ready", func(context.Context) (err error) {
		if u, err = r.get(group+"/v1beta1", kind, namespace, name); err != nil {
			return err
		}
		return errors.Join(platform.ConditionTrue(u, "Synced"), platform.ConditionTrue(u, "Ready"))
	})
	return u
}

// list objects.
func (r *rig) list(apiVersion, kind string, o ...client.ListOption) []unstructured.Unstructured {
	r.Helper()
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion(apiVersion)
	l.SetKind(kind + "List")
	if err := r.Kube.List(r.Context(), l, o...); err != nil {
		r.Fatal(err)
	}
	return l.Items
}

// provider returns the id of the provider's only process.
func (r *rig) provider() int {
	r.Helper()
	pid := 0
	r.until("one process of the provider runs", func(context.Context) error {
		p := r.Providers()
		if len(p) != 1 {
			return fmt.Errorf("there are %d", len(p))
		}
		pid = p[0].PID()
		return nil
	})
	return pid
}

// function is the manifest of one with inline code.
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

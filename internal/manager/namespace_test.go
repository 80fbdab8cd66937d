package manager

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// shop returns one resource of each kind, all in the env's namespace.
func (e *env) shop() []reconcile.Managed { return e.manifests("testdata/shop.yaml") }

// manifests returns the resources in a file, all in the env's namespace.
func (e *env) manifests(file string) []reconcile.Managed {
	e.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		e.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(e.kube.Scheme(), serializer.EnableStrict).UniversalDeserializer()
	var out []reconcile.Managed
	for doc := range strings.SplitSeq(string(b), "\n---\n") {
		obj, _, err := decoder.Decode([]byte(doc), nil, nil)
		if err != nil {
			e.Fatalf("%v in\n%s", err, doc)
		}
		mg, ok := obj.(reconcile.Managed)
		if !ok {
			e.Fatalf("%T is no managed resource", obj)
		}
		mg.SetNamespace(e.ns)
		out = append(out, mg)
	}
	return out
}

// left returns how many resources AWS still has, by kind.
func (e *env) left() map[string]int {
	e.Helper()
	ctx, out := e.Context(), map[string]int{}
	count := func(what string, list func(context.Context) (int, error)) {
		n, err := list(ctx)
		if err != nil {
			e.Fatalf("cannot list %s: %v", what, err)
		}
		if n > 0 {
			out[what] = n
		}
	}
	count("functions", func(ctx context.Context) (int, error) {
		l, err := e.aws.ListFunctions(ctx, &lambda.ListFunctionsInput{})
		return len(l.Functions), err
	})
	count("event source mappings", func(ctx context.Context) (int, error) {
		l, err := e.aws.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{})
		return len(l.EventSourceMappings), err
	})
	count("layers", func(ctx context.Context) (int, error) {
		l, err := e.aws.ListLayers(ctx, &lambda.ListLayersInput{})
		return len(l.Layers), err
	})
	count("code signing configurations", func(ctx context.Context) (int, error) {
		l, err := e.aws.ListCodeSigningConfigs(ctx, &lambda.ListCodeSigningConfigsInput{})
		return len(l.CodeSigningConfigs), err
	})
	count("capacity providers", func(ctx context.Context) (int, error) {
		l, err := e.aws.ListCapacityProviders(ctx, &lambda.ListCapacityProvidersInput{})
		return len(l.CapacityProviders), err
	})
	return out
}

// removeNamespace deletes the env's namespace, and waits until it is gone. Meanwhile no kind is added or removed: the
// namespace controller stops at a kind that it discovers but cannot list.
func (e *env) removeNamespace() {
	e.Helper()
	otherKinds.RLock()
	defer otherKinds.RUnlock()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.ns}}
	if err := e.kube.Delete(e.Context(), ns); err != nil {
		e.Fatal(err)
	}
	defer func() {
		if e.Failed() {
			e.Logf("%+v\n%s", ns.Status.Conditions, e.logs)
		}
	}()
	e.until("the namespace is gone", func() bool {
		return kerrors.IsNotFound(e.kube.Get(e.Context(), client.ObjectKey{Name: e.ns}, ns))
	})
}

// TestNamespaceOfEveryKind applies everything that a team has at once, in the worst order, and deletes it with its
// namespace: functions, what configures them, what they reference, and the config. The provider has only the rights
// that Crossplane grants it, and waits for its kinds.
func TestNamespaceOfEveryKind(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{
		CreateDuration: 300 * time.Millisecond, UpdateDuration: 300 * time.Millisecond,
		ProvisionDuration: 300 * time.Millisecond,
	})
	e.stop()
	e.cfg = e.as("every-kind", crossplanesRules(true))
	e.start(func(o *Options) { o.SafeStart = true })
	shop := e.shop()
	var kinds []string
	for _, mg := range slices.Backward(shop) {
		kinds = append(kinds, mg.GetObjectKind().GroupVersionKind().Kind)
		e.create(mg)
	}
	if diff := cmp.Diff(managedKinds(e), slices.Sorted(slices.Values(kinds))); diff != "" {
		t.Errorf("testdata/shop.yaml is to have one of every kind: %s", diff)
	}
	for _, mg := range shop {
		e.ready(mg)
	}
	if got := e.left(); len(got) < 5 {
		t.Errorf("all of it is to be in AWS, got %v", got)
	}
	e.removeNamespace()
	if got := e.left(); len(got) > 0 {
		t.Errorf("nothing is to be left in AWS, got %v", got)
	}
}

// TestDeletedInTheForeground checks that a resource that is deleted in the foreground, as Argo CD deletes, exists
// until AWS has deleted its external resource, and no longer.
func TestDeletedInTheForeground(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: "f"}
	})
	e.create(f)
	e.ready(f)
	if err := e.kube.Delete(t.Context(), f, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	e.gone(f)
	if n := e.count(); n != 0 {
		t.Errorf("%d functions are left in AWS", n)
	}
}

// managedKinds returns all kinds of managed resources that the provider has.
func managedKinds(e *env) []string {
	var out []string
	for kind := range e.kube.Scheme().KnownTypes(v1beta1.SchemeGroupVersion) {
		obj, err := e.kube.Scheme().New(v1beta1.SchemeGroupVersion.WithKind(kind))
		if err != nil {
			e.Fatal(err)
		}
		if _, ok := obj.(reconcile.Managed); ok {
			out = append(out, kind)
		}
	}
	slices.Sort(out)
	return out
}

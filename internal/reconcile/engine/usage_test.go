package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// refusal returns the error of a config that allows no namespace.
func refusal(t *testing.T) error {
	t.Helper()
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	c := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	c.Spec.AllowedNamespaces = &v1beta1.AllowedNamespaces{}
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop"}}
	f.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{
		Kind: v1beta1.ClusterProviderConfigKind,
		Name: "default",
	}
	kube := fake.NewClientBuilder().WithScheme(s).WithObjects(c).Build()
	_, err := session.New(kube, nil, nil, time.Now, session.Options{}).Resolve(t.Context(), f, "eu-west-1")
	if !session.IsRefused(err) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return err
}

func TestRefusedResourceUsesNothing(t *testing.T) {
	owned := func(_ *Options, k *reconcile.Kind[*sample]) {
		k.ActsOn = func(*sample) []tenancy.Target { return tenancy.Functions(ptr.To("pay")) }
	}
	rules := session.Tenancy{
		FunctionNames: []v1beta1.FunctionNameRule{{Prefixes: []v1beta1.FunctionNamePrefix{"shop_"}}},
	}
	cases := map[string]struct {
		reason  string
		err     error
		tenancy session.Tenancy
		made    bool
		want    bool
	}{
		"Refused": {reason: "The config does not allow the namespace.", err: refusal(t)},
		"RefusedMade": {
			reason: "The config does not allow the namespace, although the resource was created before.",
			err:    refusal(t),
			made:   true,
		},
		"Broken": {
			reason: "A config that does not work at present is used.",
			err:    errors.New("no answer of STS"),
			want:   true,
		},
		"Name": {reason: "The config does not allow the function's name.", tenancy: rules},
		"NameMade": {
			reason:  "What was made while it was allowed is deleted with this config.",
			tenancy: rules,
			made:    true,
			want:    true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			if tc.made {
				meta.AddAnnotations(mg, ownership.Name(mg, "pay"))
			}
			e := newEnv(t, mg, owned)
			e.tracker.users["u1"] = true // From the time when it was allowed.
			e.resolver.err, e.resolver.tenancy = tc.err, tc.tenancy
			for range 2 {
				e.reconcile()
			}
			if got := e.tracker.users["u1"]; got != tc.want {
				t.Errorf("%s\nuses its configuration: %t, want %t", tc.reason, got, tc.want)
			}
			if len(e.cloud.calls) > 0 {
				t.Errorf("%s\nAWS was called: %v", tc.reason, e.cloud.calls)
			}
			e.resolver.err, e.resolver.tenancy = nil, session.Tenancy{}
			e.reconcile()
			if !e.tracker.users["u1"] {
				t.Errorf("%s\na resource that is allowed uses its configuration", tc.reason)
			}
		})
	}
}

// TestFinalizerRemovalFails checks that a resource whose finalizer cannot be removed still uses its config: if its
// namespace is being deleted, nothing else keeps the config, without which the resource could not be reconciled again.
func TestFinalizerRemovalFails(t *testing.T) {
	mg := samples.New()
	mg.Finalizers = []string{managed.FinalizerName}
	e := newEnv(t, mg)
	e.tracker.users["u1"] = true
	if err := e.server.Delete(t.Context(), mg); err != nil {
		t.Fatal(err)
	}
	fails := true
	e.reconciler = newReconciler(&manager{c: interceptor.NewClient(e.server.(client.WithWatch), interceptor.Funcs{
		Patch: func(
			ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
		) error {
			if fails {
				return errors.New("the API server does not answer")
			}
			return c.Patch(ctx, o, p, opts...)
		},
	})}, e.options, e.kind.Untyped(), e.events)
	e.reconcile()
	if !e.tracker.users["u1"] {
		t.Error("the resource exists, and does not use its config")
	}
	fails = false
	e.reconcile()
	if err := e.server.Get(t.Context(), client.ObjectKeyFromObject(mg), mg); !kerrors.IsNotFound(err) {
		t.Errorf("the resource still exists: %v", err)
	}
	if e.tracker.users["u1"] {
		t.Error("the resource is gone, and uses its config")
	}
}

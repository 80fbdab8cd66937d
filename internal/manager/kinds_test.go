package manager

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/gate"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// replaced has one kind whose controller is added by a function.
func replaced(t *testing.T, add func() error) {
	t.Helper()
	beforeKinds, beforeControl := kinds, control
	kinds = map[schema.GroupVersionKind]func(ctrl.Manager, engine.Options) reconcile.UntypedKind{
		v1beta1.FunctionGroupVersionKind: func(ctrl.Manager, engine.Options) reconcile.UntypedKind {
			return reconcile.UntypedKind{}
		},
	}
	control = func(ctrl.Manager, engine.Options, reconcile.UntypedKind) error { return add() }
	t.Cleanup(func() { kinds, control = beforeKinds, beforeControl })
}

func TestSetupKinds(t *testing.T) {
	boom := errors.New("boom")
	replaced(t, func() error { return boom })
	if err := setupKinds(nil, engine.Options{}); !errors.Is(err, boom) {
		t.Errorf("want the error of the kind, got %v", err)
	}
}

func TestSetupGatedWaitsForEveryKindThatItNeeds(t *testing.T) {
	done := make(chan struct{})
	replaced(t, func() error { close(done); return nil })
	g := new(gate.Gate[schema.GroupVersionKind])
	if err := setupKinds(nil, engine.Options{Options: controller.Options{Gate: g}}); err != nil {
		t.Fatal(err)
	}
	needed := []schema.GroupVersionKind{
		v1beta1.FunctionGroupVersionKind, v1beta1.ProviderConfigGroupVersionKind,
		v1beta1.ClusterProviderConfigGroupVersionKind, v1beta1.ProviderConfigUsageGroupVersionKind,
	}
	for _, gvk := range needed {
		select {
		case <-done:
			t.Fatalf("set up without %s", gvk.Kind)
		default:
		}
		g.Set(gvk, true)
	}
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("not set up once everything is there")
	}
}

func TestFailedGatedSetupStopsTheManager(t *testing.T) {
	boom := errors.New("boom")
	replaced(t, func() error { return boom })
	mgr, err := ctrl.NewManager(&rest.Config{Host: "127.0.0.1:1"},
		ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	g := new(gate.Gate[schema.GroupVersionKind])
	if err := setupKinds(mgr, engine.Options{Options: controller.Options{Gate: g}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, gvk := range []schema.GroupVersionKind{
		v1beta1.FunctionGroupVersionKind, v1beta1.ProviderConfigGroupVersionKind,
		v1beta1.ClusterProviderConfigGroupVersionKind, v1beta1.ProviderConfigUsageGroupVersionKind,
	} {
		g.Set(gvk, true)
	}
	if err := mgr.Start(ctx); !errors.Is(err, boom) {
		t.Errorf("want the manager to end with the error, got %v", err)
	}
}

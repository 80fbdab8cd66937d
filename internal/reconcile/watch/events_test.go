package watch

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// indexedManager is a manager with a cache and its indexes.
type indexedManager struct {
	ctrl.Manager

	cache indexedCache
}

func (m indexedManager) GetFieldIndexer() client.FieldIndexer { return m.cache }
func (m indexedManager) GetCache() cache.Cache                { return m.cache }

type indexedCache struct {
	*informertest.FakeInformers

	reader client.Reader
}

func (c indexedCache) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return c.reader.List(ctx, list, opts...)
}

// subscribers are those of a hub.
type subscribers map[string]driftevents.Subscriber

func (s subscribers) Subscribe(kind string, to driftevents.Subscriber) { s[kind] = to }

// TestEventBeforeStart receives an event while the controller waits for its cache: the hub deletes the message, so that
// the first reconcile has to know of it.
func TestEventBeforeStart(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := samples.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mg := samples.New()
	mg.Spec.Value = "cart"
	mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"})
	k := reconcile.Kind[*samples.Sample]{
		GVK: samples.GVK, New: func() *samples.Sample { return &samples.Sample{} },
		NewList: func() resource.ManagedList { return &samples.SampleList{} },
		Region:  func(*samples.Sample) string { return "eu-west-1" },
		Owns:    func(mg *samples.Sample) []tenancy.Target { return tenancy.Functions(&mg.Spec.Value) },
	}.Untyped()
	c := fake.NewClientBuilder().
		WithScheme(scheme).
		WithObjects(mg).
		WithIndex(mg, EventIndex, func(o client.Object) []string {
			return EventKeys(k, o.(*samples.Sample)) //nolint:forcetypeassert // There is no other.
		}).
		Build()
	m := indexedManager{cache: indexedCache{FakeInformers: &informertest.FakeInformers{Scheme: scheme}, reader: c}}
	hub, states := subscribers{}, memory.New()
	if err := Events(m, hub, reconcile.Poll{}, time.Now, k, &WorkQueue{}, states); err != nil {
		t.Fatal(err)
	}
	to := hub[samples.GVK.Kind]
	if to == nil {
		t.Fatal("an event that arrives before the controller starts is lost")
	}
	out, err := to.Notify(t.Context(), driftevents.Notice{
		Event: cloudtrail.Event{Kind: cloudtrail.Call, Time: time.Now(), Subject: cloudtrail.Subject{
			Region: "eu-west-1", Function: functionname.Name{Function: "cart"},
		}},
		Configs: map[driftevents.Config]bool{
			{Kind: "ProviderConfig", Namespace: mg.GetNamespace(), Name: "default"}: false,
		},
	})
	known, _ := states.Get(client.ObjectKeyFromObject(mg))
	if err != nil || out != driftevents.Matched || known.Events.Received.IsZero() {
		t.Errorf("the first reconcile does not know of an event before it: %v, %v", out, err)
	}
}

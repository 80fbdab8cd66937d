package managed

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// configIndex is the field index from a resource to the configuration it refers to.
const configIndex = "spec.providerConfigRef"

// watchConfigs has every resource looked at whose ProviderConfig or
// ClusterProviderConfig has come or changed: what failed for want of it works at
// once, and new default tags are set. These looks are polls, however many they are.
func watchConfigs[T Managed](mgr ctrl.Manager, k Kind[T], b *builder.TypedBuilder[reconcile.Request], renew func(client.ObjectKey)) error {
	err := mgr.GetFieldIndexer().IndexField(context.Background(), k.New(), configIndex, func(obj client.Object) []string {
		mg, ok := obj.(T)
		if !ok || mg.GetProviderConfigReference() == nil {
			return nil
		}
		ref := mg.GetProviderConfigReference()
		return []string{configKey(ref.Kind, mg.GetNamespace(), ref.Name)}
	})
	if err != nil {
		return err
	}
	for kind, obj := range map[string]client.Object{
		v1beta1.ProviderConfigKind:        &v1beta1.ProviderConfig{},
		v1beta1.ClusterProviderConfigKind: &v1beta1.ClusterProviderConfig{},
	} {
		h := &configHandler{kind: kind, resources: mgr.GetCache(), newList: func() client.ObjectList { return k.NewList() }, renew: renew}
		b.Watches(obj, h, builder.WithPredicates(predicate.GenerationChangedPredicate{}))
	}
	return nil
}

// configKey is the index key of a configuration.
func configKey(kind, namespace, name string) string {
	if kind == v1beta1.ClusterProviderConfigKind {
		namespace = ""
	}
	return strings.Join([]string{kind, namespace, name}, "/")
}

// configHandler enqueues the resources that refer to a configuration.
type configHandler struct {
	kind      string
	resources client.Reader
	newList   func() client.ObjectList
	renew     func(types.NamespacedName)
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

var _ handler.EventHandler = &configHandler{}

// Create handles a new configuration. Those that are there at the start are not new.
func (h *configHandler) Create(ctx context.Context, e event.CreateEvent, q queue) {
	if !e.IsInInitialList {
		h.enqueue(ctx, e.Object, q)
	}
}

// Update handles a changed configuration.
func (h *configHandler) Update(ctx context.Context, e event.UpdateEvent, q queue) {
	h.enqueue(ctx, e.ObjectNew, q)
}

// Delete changes nothing: a configuration goes only when no resource needs it.
func (h *configHandler) Delete(context.Context, event.DeleteEvent, queue) {}

// Generic events do not occur.
func (h *configHandler) Generic(context.Context, event.GenericEvent, queue) {}

func (h *configHandler) enqueue(ctx context.Context, o client.Object, q queue) {
	r := objects.Referrers{Resources: h.resources, NewList: h.newList, Index: configIndex, Changed: h.renew}
	objects.EnqueueReferrers(ctx, q, r, configKey(h.kind, o.GetNamespace(), o.GetName()))
}

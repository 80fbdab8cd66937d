package providerconfig

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
)

// countAfter is how long changes of usages are gathered before they are counted:
// thousands of resources that begin to use a config cost a few counts.
const countAfter = time.Second

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// A usageHandler has the config that a usage is of counted anew.
type usageHandler struct{ kind string }

var _ handler.EventHandler = usageHandler{}

// Create handles a new usage.
func (h usageHandler) Create(_ context.Context, e event.CreateEvent, q queue) {
	h.enqueue(e.Object, q)
}

// Update handles a usage that is now of another config or of none, or is going.
func (h usageHandler) Update(_ context.Context, e event.UpdateEvent, q queue) {
	if before, ok := e.ObjectOld.(*v1beta1.ProviderConfigUsage); ok {
		if after, ok := e.ObjectNew.(*v1beta1.ProviderConfigUsage); ok && before.ProviderConfigReference == after.ProviderConfigReference &&
			maps.Equal(before.GetLabels(), after.GetLabels()) && meta.WasDeleted(before) == meta.WasDeleted(after) {
			return
		}
	}
	h.enqueue(e.ObjectOld, q)
	h.enqueue(e.ObjectNew, q)
}

// Delete handles a usage that is gone.
func (h usageHandler) Delete(_ context.Context, e event.DeleteEvent, q queue) {
	h.enqueue(e.Object, q)
}

// Generic events do not occur.
func (h usageHandler) Generic(context.Context, event.GenericEvent, queue) {}

func (h usageHandler) enqueue(obj client.Object, q queue) {
	u, ok := obj.(*v1beta1.ProviderConfigUsage)
	if !ok || u.ProviderConfigReference.Kind != h.kind {
		return
	}
	name := types.NamespacedName{Name: u.ProviderConfigReference.Name}
	if h.kind == v1beta1.ProviderConfigKind {
		name.Namespace = u.GetNamespace()
	}
	q.AddAfter(reconcile.Request{NamespacedName: name}, countAfter)
}

// usersOfSecret are the configs whose credentials are in a Secret.
func (r *Reconciler) usersOfSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	l := r.kind.newList()
	opts := []client.ListOption{client.UnsafeDisableDeepCopy}
	if r.kind.gvk.Kind == v1beta1.ProviderConfigKind {
		opts = append(opts, client.InNamespace(secret.GetNamespace()))
	}
	if err := r.kube.List(ctx, l, opts...); err != nil {
		r.log.Info("Cannot list the configs that use a Secret", "namespace", secret.GetNamespace(), "name", secret.GetName(), "error", err)
		return nil
	}
	requests := []reconcile.Request{}
	for _, c := range r.kind.items(l) {
		if name, ok := config.SecretOf(c); ok && name == client.ObjectKeyFromObject(secret) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(c)})
		}
	}
	return requests
}

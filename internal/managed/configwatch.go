package managed

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// configIndex is the field index from a resource to the configuration it refers to.
const configIndex = "spec.providerConfigRef"

// watchConfigs has every resource looked at whose ProviderConfig or
// ClusterProviderConfig has come or changed: what failed for want of it works at
// once, and new default tags are set. Where it has only begun to work, or its
// credentials have changed, those that are in order are left alone. These looks are
// polls, however many they are.
func watchConfigs[T Managed](mgr ctrl.Manager, k Kind[T], b *builder.TypedBuilder[reconcile.Request], resetBackoff func(client.ObjectKey)) error {
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
	users := configUsers{resources: mgr.GetCache(), newList: func() client.ObjectList { return k.NewList() }, resetBackoff: resetBackoff}
	b.Watches(&v1beta1.ProviderConfig{}, &configHandler{kind: v1beta1.ProviderConfigKind, users: users})
	b.Watches(&v1beta1.ClusterProviderConfig{}, &configHandler{kind: v1beta1.ClusterProviderConfigKind, users: users})
	b.WatchesMetadata(objects.Metadata(objects.Secret), &credentialsHandler{configs: mgr.GetCache(), users: users})
	return nil
}

// configKey is the index key of a configuration.
func configKey(kind, namespace, name string) string {
	if kind == v1beta1.ClusterProviderConfigKind {
		namespace = ""
	}
	return strings.Join([]string{kind, namespace, name}, "/")
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// configUsers are the resources that refer to configurations.
type configUsers struct {
	resources    client.Reader
	newList      func() client.ObjectList
	resetBackoff func(types.NamespacedName)
}

// enqueue those of a configuration that only selects, or all if it is nil.
func (u configUsers) enqueue(ctx context.Context, q queue, key string, only func(client.Object) bool) {
	r := objects.Referrers{Resources: u.resources, NewList: u.newList, Index: configIndex, Only: only, Changed: u.resetBackoff}
	objects.EnqueueReferrers(ctx, q, r, key)
}

// unsettled tells whether a resource is not in order, as far as its status tells.
func unsettled(o client.Object) bool {
	mg, ok := o.(Managed)
	return !ok || !settled(mg)
}

// configHandler enqueues the resources that refer to a configuration.
type configHandler struct {
	kind  string
	users configUsers
}

var _ handler.EventHandler = &configHandler{}

// Create handles a new configuration. Those that are there at the start are not new.
func (h *configHandler) Create(ctx context.Context, e event.CreateEvent, q queue) {
	if !e.IsInInitialList {
		h.users.enqueue(ctx, q, h.key(e.Object), nil)
	}
}

// Update handles a configuration whose spec has changed, or that has become Ready.
func (h *configHandler) Update(ctx context.Context, e event.UpdateEvent, q queue) {
	switch {
	case e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration():
		h.users.enqueue(ctx, q, h.key(e.ObjectNew), nil)
	case !isReady(e.ObjectOld) && isReady(e.ObjectNew):
		h.users.enqueue(ctx, q, h.key(e.ObjectNew), unsettled)
	}
}

// Delete changes nothing: a configuration goes only when no resource needs it.
func (h *configHandler) Delete(context.Context, event.DeleteEvent, queue) {}

// Generic events do not occur.
func (h *configHandler) Generic(context.Context, event.GenericEvent, queue) {}

func (h *configHandler) key(o client.Object) string {
	return configKey(h.kind, o.GetNamespace(), o.GetName())
}

func isReady(o client.Object) bool {
	c, ok := o.(resource.Conditioned)
	return ok && c.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
}

// credentialsHandler enqueues the resources whose configuration has its credentials in a
// Secret that has come or changed, unless they are in order: the configuration may have
// been Ready all the time, as one is whose temporary keys expired since it was looked at.
type credentialsHandler struct {
	configs client.Reader
	users   configUsers
}

var _ handler.EventHandler = &credentialsHandler{}

// Create handles a new Secret. Those that are there at the start are not new.
func (h *credentialsHandler) Create(ctx context.Context, e event.CreateEvent, q queue) {
	if !e.IsInInitialList {
		h.enqueue(ctx, e.Object, q)
	}
}

// Update handles a changed Secret. A resync changes nothing.
func (h *credentialsHandler) Update(ctx context.Context, e event.UpdateEvent, q queue) {
	if e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion() {
		h.enqueue(ctx, e.ObjectNew, q)
	}
}

// Delete has nothing work that did not.
func (h *credentialsHandler) Delete(context.Context, event.DeleteEvent, queue) {}

// Generic events do not occur.
func (h *credentialsHandler) Generic(context.Context, event.GenericEvent, queue) {}

func (h *credentialsHandler) enqueue(ctx context.Context, secret client.Object, q queue) {
	users, err := config.UsersOf(ctx, h.configs, secret)
	if err != nil {
		log.FromContext(ctx).Error(err, "cannot list the configurations whose credentials a Secret has", "namespace", secret.GetNamespace(), "name", secret.GetName())
		return
	}
	for _, c := range users {
		h.users.enqueue(ctx, q, configKey(c.Kind, c.Namespace, c.Name), unsettled)
	}
}

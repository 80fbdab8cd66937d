package watch

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// ConfigIndex is the field index from a resource to its ProviderConfig or ClusterProviderConfig.
const ConfigIndex = "spec.providerConfigRef"

// Configs enqueues every resource when its ProviderConfig or ClusterProviderConfig is
// created or its spec changes: what failed for lack of it works at once, and new default tags
// are set. If the config only becomes Ready, or its credentials change, steady resources are
// not enqueued. These reconciles have the priority of polls, because there may be many.
func Configs(
	mgr ctrl.Manager, k reconcile.UntypedKind, b *builder.TypedBuilder[ctrl.Request],
	resetBackoff func(client.ObjectKey),
) error {
	if err := index(mgr, k, ConfigIndex, func(mg reconcile.Managed) []string {
		return []string{ConfigKey(ConfigOf(mg))}
	}); err != nil {
		return err
	}
	users := dependents(mgr.GetCache(), k, ConfigIndex, func(name client.ObjectKey, _ string) { resetBackoff(name) })
	for kind, obj := range map[string]client.Object{
		v1beta1.ProviderConfigKind:        &v1beta1.ProviderConfig{},
		v1beta1.ClusterProviderConfigKind: &v1beta1.ClusterProviderConfig{},
	} {
		b.Watches(obj, configHandler(users, kind))
	}
	b.WatchesMetadata(refs.Metadata(refs.Secret), handler.EnqueueRequestsFromMapFunc(credentialsRequests(mgr.GetCache(),
		users)), builder.WithPredicates(objectChanged(), notDeleted()))
	return nil
}

// ConfigKey returns the index key of a config.
func ConfigKey(c session.Ref) string { return strings.Join([]string{c.Kind, c.Namespace, c.Name}, "/") }

// configHandler enqueues the resources that refer to a config of a kind.
func configHandler(users Dependents, kind string) handler.EventHandler {
	return joined{
		{specChanged(), handler.EnqueueRequestsFromMapFunc(configRequests(users, kind, nil))},
		{becameReady(), handler.EnqueueRequestsFromMapFunc(configRequests(users, kind, unsteady))},
	}
}

// unsteady reports whether a resource is not up to date and Ready, according to its status.
func unsteady(o client.Object) bool {
	return !reconcile.Steady(o.(reconcile.Managed)) //nolint:forcetypeassert // It is called for resources alone.
}

// configRequests maps a config of a kind to the resources that refer to it and for which only
// returns true. A nil only selects all.
func configRequests(users Dependents, kind string, only func(client.Object) bool) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []ctrl.Request {
		config := session.Ref{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		return users.requests(ctx, "", only, ConfigKey(config))
	}
}

// specChanged selects configs that are new or have a new spec. A deleted config has no
// resources, because its finalizer remains while one refers to it.
func specChanged() predicate.Predicate {
	return predicate.And(notInitial(), notDeleted(), predicate.GenerationChangedPredicate{})
}

func becameReady() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return !isReady(e.ObjectOld) && isReady(e.ObjectNew) },
	}
}

func notDeleted() predicate.Predicate {
	return predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }}
}

func isReady(o client.Object) bool {
	c, ok := o.(resource.Conditioned)
	return ok && c.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
}

// credentialsRequests maps a Secret to the resources that use a config with credentials from
// it, unless they are steady. It ignores the Ready condition of the config, which may have
// been True all the time: for example, if temporary keys have expired since they were checked.
func credentialsRequests(configs client.Reader, users Dependents) handler.MapFunc {
	return func(ctx context.Context, secret client.Object) []ctrl.Request {
		refs, err := session.UsersOf(ctx, configs, secret)
		if err != nil {
			log.FromContext(ctx).Error(err, "cannot list the configurations that use a Secret", "namespace",
				secret.GetNamespace(), "name", secret.GetName())
			return nil
		}
		keys := make([]string, 0, len(refs))
		for _, r := range refs {
			keys = append(keys, ConfigKey(r))
		}
		return users.requests(ctx, "", unsteady, keys...)
	}
}

// ConfigOf returns the config of a resource. It is empty if the resource refers to none.
func ConfigOf(mg reconcile.Managed) driftevents.Config {
	ref := mg.GetProviderConfigReference()
	switch {
	case ref == nil:
		return driftevents.Config{}
	case ref.Kind == v1beta1.ClusterProviderConfigKind:
		return driftevents.Config{Kind: ref.Kind, Name: ref.Name}
	}
	return driftevents.Config{Kind: ref.Kind, Namespace: mg.GetNamespace(), Name: ref.Name}
}

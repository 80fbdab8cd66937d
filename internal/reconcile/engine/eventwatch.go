package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
)

// eventIndex is the field index from what a call to Lambda may name to the resources that it may change.
const eventIndex = "driftEvents"

// watchEvents enqueues resources when a call to Lambda by someone else may have changed them.
func watchEvents[T reconcile.Managed](mgr ctrl.Manager, o Options, k reconcile.Kind[T], b *builder.TypedBuilder[ctrl.Request], s *memory.Store) error {
	if o.Events == nil || k.GVK.Kind == v1beta1.InvocationKind {
		return nil
	}
	err := mgr.GetFieldIndexer().IndexField(context.Background(), k.New(), eventIndex, func(obj client.Object) []string {
		mg, ok := obj.(T)
		if !ok {
			return nil
		}
		return eventKeys(k, mg)
	})
	if err != nil {
		return err
	}
	b.WatchesRawSource(source.Func(func(_ context.Context, q queue) error {
		o.Events.Subscribe(k.GVK.Kind, &eventSubscriber[T]{kind: k, resources: mgr.GetCache(), states: s, queue: q, poll: o.poll(), now: o.Now})
		return nil
	}))
	return nil
}

// eventKeys returns the index keys of a resource: of what it owns or acts on, and of its own name in AWS.
func eventKeys[T reconcile.Managed](k reconcile.Kind[T], mg T) []string {
	var targets []tenancy.Target
	if k.Owns != nil {
		targets = k.Owns(mg)
	}
	if k.ActsOn != nil {
		targets = append(slices.Clone(targets), k.ActsOn(mg)...)
	}
	keys := targetKeys(targets, k.Region(mg))
	switch k.GVK.Kind {
	case v1beta1.EventSourceMappingKind, v1beta1.CodeSigningConfigKind, v1beta1.CapacityProviderKind:
		if name := reconcile.ExternalName(mg); name != "" {
			keys = append(keys, nameKey(k.Region(mg), name))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// nameKey returns the index key of a name in AWS that is neither a function nor a layer.
func nameKey(region, name string) string { return strings.Join([]string{"name", region, name}, "/") }

// subjectKeys returns the index keys of what a call names.
func subjectKeys(s cloudtrail.Subject) []string {
	var keys []string
	if s.Function.Function != "" {
		keys = append(keys, tenancy.Target{Kind: v1beta1.FunctionKind, Region: s.Region, Name: s.Function.Function}.Key())
	}
	if s.Layer != "" && s.LayerVersion != "" {
		keys = append(keys, tenancy.Target{Kind: v1beta1.LayerVersionKind, Region: s.Region, Name: s.Layer + ":" + s.LayerVersion}.Key())
	}
	if s.Name != "" {
		keys = append(keys, nameKey(s.Region, s.Name))
	}
	return keys
}

// An eventSubscriber enqueues the resources of a kind that an event is about.
type eventSubscriber[T reconcile.Managed] struct {
	kind      reconcile.Kind[T]
	resources client.Reader
	states    *memory.Store
	queue     queue
	poll      reconcile.Poll
	now       func() time.Time
}

// Notify enqueues the resources that an event is about, unless the provider made the call or has observed them since.
func (s *eventSubscriber[T]) Notify(ctx context.Context, n driftevents.Notice) (driftevents.Outcome, error) {
	out := driftevents.Unmatched
	for _, key := range subjectKeys(n.Subject) {
		err := s.each(ctx, eventIndex, key, func(mg T) {
			showSourceIP, ok := n.Configs[configOf(mg)]
			if !ok || !hasQualifier(mg, n.Subject.Function.Qualifier, s.kind.GVK.Kind) {
				return
			}
			name := client.ObjectKeyFromObject(mg)
			o, after := s.states.RecordEvent(name, n.Event, showSourceIP, s.now())
			out = max(out, o)
			if o == driftevents.Matched {
				s.queue.AddAfter(ctrl.Request{NamespacedName: name}, after)
			}
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Resume enqueues the resources of configs over one poll interval.
func (s *eventSubscriber[T]) Resume(ctx context.Context, configs []driftevents.Config) {
	for _, c := range configs {
		// An error means that the cache is being stopped.
		_ = s.each(ctx, configIndex, configKey(c.Kind, c.Namespace, c.Name), func(mg T) {
			s.queue.AddAfter(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mg)}, delay.Spread(string(mg.GetUID()), s.poll.Effective(0)))
		})
	}
}

// each calls a function with each resource that has a key in an index. The function must not change it.
func (s *eventSubscriber[T]) each(ctx context.Context, index, key string, do func(T)) error {
	list := s.kind.NewList()
	if err := s.resources.List(ctx, list, client.MatchingFields{index: key}, client.UnsafeDisableDeepCopy); err != nil {
		return errors.Wrapf(err, "cannot list the resources of kind %s with %s", s.kind.GVK.Kind, key)
	}
	return kmeta.EachListItem(list, func(o runtime.Object) error {
		if mg, ok := o.(T); ok {
			do(mg)
		}
		return nil
	})
}

// configOf returns the config of a resource.
func configOf(mg reconcile.Managed) driftevents.Config {
	ref := mg.GetProviderConfigReference()
	switch {
	case ref == nil:
		return driftevents.Config{}
	case ref.Kind == v1beta1.ClusterProviderConfigKind:
		return driftevents.Config{Kind: ref.Kind, Name: ref.Name}
	}
	return driftevents.Config{Kind: ref.Kind, Namespace: mg.GetNamespace(), Name: ref.Name}
}

// hasQualifier returns whether a call that names a version or an alias may be about a resource of a kind. One that
// names none may be about all of a function.
func hasQualifier(mg reconcile.Managed, qualifier, kind string) bool {
	name := reconcile.ExternalName(mg)
	if qualifier == "" || name == "" {
		return true
	}
	if n, ok := functionname.Parse(name); ok && n.Qualifier != "" {
		return n.Qualifier == qualifier
	}
	return kind != v1beta1.AliasKind && kind != v1beta1.VersionKind || name == qualifier
}

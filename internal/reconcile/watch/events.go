package watch

import (
	"context"
	"slices"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// EventIndex is the field index from what a call to Lambda may name to the resources that it may change.
const EventIndex = "driftEvents"

// An eventSource passes events about calls to Lambda to the controller of a kind. *driftevents.Hub does.
type eventSource interface {
	Subscribe(kind string, s driftevents.Subscriber)
}

// Events enqueues resources when a call to Lambda by someone else may have changed them. It subscribes at once: an
// event that arrives before the controller starts, while its cache is filled, is recorded for the first reconcile.
func Events(
	mgr ctrl.Manager, events eventSource, poll reconcile.Poll, now func() time.Time, k reconcile.UntypedKind,
	q *WorkQueue, s *memory.Store,
) error {
	if events == nil || k.GVK.Kind == v1beta1.InvocationKind {
		return nil
	}
	if err := index(mgr, k, EventIndex, func(mg reconcile.Managed) []string { return EventKeys(k, mg) }); err != nil {
		return err
	}
	events.Subscribe(k.GVK.Kind, &EventSubscriber{
		Kind: k, Resources: mgr.GetCache(), States: s, Poll: poll, Now: now, Queue: q,
	})
	return nil
}

// EventKeys returns the index keys of a resource: of what it owns or acts on, and of its own name in AWS.
func EventKeys(k reconcile.UntypedKind, mg reconcile.Managed) []string {
	keys := targetKeys(slices.Concat(reconcile.Values(k.Owns, mg), reconcile.Values(k.ActsOn, mg)), k.Region(mg))
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
		keys = append(keys, tenancy.Target{
			Kind: v1beta1.FunctionKind, Region: s.Region,
			Name: s.Function.Function,
		}.Key())
	}
	if s.Layer != "" && s.LayerVersion != "" {
		keys = append(keys, tenancy.Target{
			Kind: v1beta1.LayerVersionKind, Region: s.Region,
			Name: s.Layer + ":" + s.LayerVersion,
		}.Key())
	}
	if s.Name != "" {
		keys = append(keys, nameKey(s.Region, s.Name))
	}
	return keys
}

// An EventSubscriber enqueues the resources of a kind that an event is about.
type EventSubscriber struct {
	Kind      reconcile.UntypedKind
	Resources client.Reader
	States    *memory.Store
	Poll      reconcile.Poll
	Now       func() time.Time
	Queue     *WorkQueue
}

// Notify enqueues the resources that an event is about, unless the provider made the call or has observed them since.
func (s *EventSubscriber) Notify(ctx context.Context, n driftevents.Notice) (driftevents.Outcome, error) {
	out := driftevents.Unmatched
	for _, key := range subjectKeys(n.Subject) {
		err := s.each(ctx, EventIndex, key, func(mg reconcile.Managed) {
			showSourceIP, ok := n.Configs[ConfigOf(mg)]
			if !ok || !HasQualifier(mg, n.Subject.Function.Qualifier, s.Kind.GVK.Kind) {
				return
			}
			name := client.ObjectKeyFromObject(mg)
			o, after := s.States.RecordEvent(name, n.Event, showSourceIP, s.Now())
			out = max(out, o)
			if o == driftevents.Matched {
				s.Queue.Add(name, after)
			}
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Resume enqueues the resources of configs over one poll interval.
func (s *EventSubscriber) Resume(ctx context.Context, configs []driftevents.Config) {
	for _, c := range configs {
		// An error means that the cache is being stopped.
		_ = s.each(ctx, ConfigIndex, ConfigKey(c), func(mg reconcile.Managed) {
			s.Queue.Add(client.ObjectKeyFromObject(mg), delay.Spread(string(mg.GetUID()), s.Poll.Effective(0)))
		})
	}
}

// each calls a function with each resource that has a key in an index. The function must not change it.
func (s *EventSubscriber) each(ctx context.Context, index, key string, do func(reconcile.Managed)) error {
	err := each(ctx, s.Resources, s.Kind.NewList(), index, key, func(o client.Object) {
		do(o.(reconcile.Managed)) //nolint:forcetypeassert // A list has items of its kind alone.
	})
	return errors.Wrapf(err, "cannot list the resources of kind %s with %s", s.Kind.GVK.Kind, key)
}

// HasQualifier reports whether a call that names a version or an alias may be about a resource of a kind. One that
// names none may be about all of a function.
func HasQualifier(mg reconcile.Managed, qualifier, kind string) bool {
	name := reconcile.ExternalName(mg)
	if qualifier == "" || name == "" {
		return true
	}
	if n, ok := functionname.Parse(name); ok && n.Qualifier != "" {
		return n.Qualifier == qualifier
	}
	return kind != v1beta1.AliasKind && kind != v1beta1.VersionKind || name == qualifier
}

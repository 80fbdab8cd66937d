package reporting

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// minStateMetricInterval is the shortest interval between two counts of resources.
const minStateMetricInterval = 30 * time.Second

// AddStateMetrics adds the metrics of a kind's resources by condition, by finding and by the reason why a deletion
// waits to the manager, if they are enabled. A failed count is repeated at the next interval, whereas the runtime's own
// recorder returns the error, which stops the manager.
func AddStateMetrics(
	mgr ctrl.Manager, o controller.Options, m *Metrics, now func() time.Time, k reconcile.UntypedKind,
) error {
	if o.MetricOptions == nil || o.MetricOptions.MRStateMetrics == nil {
		return nil
	}
	c := &stateCounter{
		kind: k, cache: mgr.GetCache(), states: o.MetricOptions.MRStateMetrics, metrics: m, now: now, log: o.Logger,
	}
	return mgr.Add(ctrlmanager.RunnableFunc(func(ctx context.Context) error {
		wait.UntilWithContext(ctx, c.count, max(o.MetricOptions.PollStateMetricInterval, minStateMetricInterval))
		return nil
	}))
}

// A stateCounter counts the resources of a kind that a cache has.
type stateCounter struct {
	kind    reconcile.UntypedKind
	cache   cache.Cache
	states  *statemetrics.MRStateMetrics
	metrics *Metrics
	now     func() time.Time
	log     logging.Logger
}

// list returns the resources, which must not be changed. It copies none of them, unless the cache is of several
// namespaces. A list of the cache would copy the first level of each resource: 1.5 kB of a Function.
func (s *stateCounter) list(ctx context.Context) ([]resource.Managed, error) {
	i, err := s.cache.GetInformer(ctx, s.kind.New())
	if err != nil {
		return nil, err
	}
	indexed, ok := i.(interface{ GetStore() toolscache.Store })
	if !ok {
		list := s.kind.NewList()
		err := s.cache.List(ctx, list, client.UnsafeDisableDeepCopy)
		return list.GetItems(), err
	}
	objects := indexed.GetStore().List()
	all := make([]resource.Managed, 0, len(objects))
	for _, o := range objects {
		all = append(all, o.(resource.Managed)) //nolint:forcetypeassert // An informer has objects of its kind alone.
	}
	return all, nil
}

func (s *stateCounter) count(ctx context.Context) {
	all, err := s.list(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Info("Cannot count managed resources for the state metrics, will try again", "error", err, "kind",
				s.kind.GVK.Kind)
		}
		return
	}
	var ready, synced float64
	for _, mg := range all {
		if mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
			ready++
		}
		if mg.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue {
			synced++
		}
	}
	gvk := s.kind.GVK.String()
	s.states.Exists.WithLabelValues(gvk).Set(float64(len(all)))
	s.states.Ready.WithLabelValues(gvk).Set(ready)
	s.states.Synced.WithLabelValues(gvk).Set(synced)
	s.metrics.recordFindings(s.kind.GVK.Kind, reconcile.CountFindings(all, s.now()))
	s.metrics.recordHeld(s.kind.GVK.Kind, CountHeld(all))
}

// CountHeld returns how many deletions wait for a confirmation, by reason. It only reads the resources.
func CountHeld(all []resource.Managed) map[xpv2.ConditionReason]int {
	counts := map[xpv2.ConditionReason]int{}
	for _, mg := range all {
		if reason := reconcile.PendingReason(mg); reason != "" {
			counts[reason]++
		}
	}
	return counts
}

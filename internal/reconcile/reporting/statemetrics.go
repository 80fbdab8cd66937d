package reporting

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// MinStateMetricInterval is the shortest interval between two counts of resources.
const MinStateMetricInterval = 30 * time.Second

// AddStateMetrics adds the metrics of a kind's resources by condition, by finding and by the reason why a deletion
// waits to the manager, if they are enabled.
func AddStateMetrics[T reconcile.Managed](
	mgr ctrl.Manager, o controller.Options, m *Metrics, now func() time.Time, k reconcile.Kind[T],
) error {
	if o.MetricOptions == nil || o.MetricOptions.MRStateMetrics == nil {
		return nil
	}
	return mgr.Add(newStateCounter(mgr.GetCache(), o, m, now, k))
}

// newStateCounter returns a counter of the resources of a kind that are in a cache.
func newStateCounter[T reconcile.Managed](
	c cache.Cache, o controller.Options, m *Metrics, now func() time.Time, k reconcile.Kind[T],
) *StateCounter {
	s := &StateCounter{
		metrics: o.MetricOptions.MRStateMetrics, gvk: k.GVK.String(),
		Interval: max(o.MetricOptions.PollStateMetricInterval, MinStateMetricInterval), Log: o.Logger,
	}
	s.List = func(ctx context.Context) ([]resource.Managed, error) { return cached(ctx, c, k) }
	s.record = func(all []resource.Managed) {
		m.recordFindings(k.GVK.Kind, reconcile.CountFindings(all, now()))
		m.recordHeld(k.GVK.Kind, CountHeld(all))
	}
	return s
}

// cached returns the resources of a kind that a cache has, which must not be changed. It copies none of them, unless
// the cache is of several namespaces. A list would copy the first level of each resource: 1.5 kB of a Function.
func cached[T reconcile.Managed](ctx context.Context, c cache.Cache, k reconcile.Kind[T]) ([]resource.Managed, error) {
	i, err := c.GetInformer(ctx, k.New())
	if err != nil {
		return nil, err
	}
	indexed, ok := i.(interface{ GetStore() toolscache.Store })
	if !ok {
		list := k.NewList()
		err := c.List(ctx, list, client.UnsafeDisableDeepCopy)
		return list.GetItems(), err
	}
	objects := indexed.GetStore().List()
	all := make([]resource.Managed, 0, len(objects))
	for _, o := range objects {
		all = append(all, o.(resource.Managed)) //nolint:forcetypeassert // An informer has objects of its kind alone.
	}
	return all, nil
}

// A StateCounter counts resources at an interval. It retries a failed count at the next
// interval, whereas the runtime's own recorder returns the error, which stops the manager.
type StateCounter struct {
	List     func(context.Context) ([]resource.Managed, error)
	record   func([]resource.Managed)
	metrics  *statemetrics.MRStateMetrics
	gvk      string
	Interval time.Duration
	Log      logging.Logger
}

// Start counts until the context is done.
func (s *StateCounter) Start(ctx context.Context) error {
	t := time.NewTicker(s.Interval) //nolint:forbidigo // This is no reconcile.
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			s.count(ctx)
		}
	}
}

func (s *StateCounter) count(ctx context.Context) {
	all, err := s.List(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.Info("Cannot count managed resources for the state metrics, will try again", "error", err, "after",
				s.Interval)
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
	s.metrics.Exists.WithLabelValues(s.gvk).Set(float64(len(all)))
	s.metrics.Ready.WithLabelValues(s.gvk).Set(ready)
	s.metrics.Synced.WithLabelValues(s.gvk).Set(synced)
	s.record(all)
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

package managed

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"
)

// MinStateMetricInterval is the shortest time between two counts of resources.
const MinStateMetricInterval = 30 * time.Second

// addStateMetrics counts the resources of a kind by their conditions, if asked to.
func addStateMetrics(mgr ctrl.Manager, o Options, list resource.ManagedList) error {
	if o.MetricOptions == nil || o.MetricOptions.MRStateMetrics == nil {
		return nil
	}
	interval := max(o.MetricOptions.PollStateMetricInterval, MinStateMetricInterval)
	r := statemetrics.NewMRStateRecorder(&shared{Client: mgr.GetClient()}, o.Logger, o.MetricOptions.MRStateMetrics, list, interval)
	return mgr.Add(&stateCounter{record: r.Record, interval: interval, log: o.Logger})
}

// stateCounter counts in intervals. A count that fails is tried again next time; the
// runtime's own loop would return the error, which stops the manager.
type stateCounter struct {
	record   func(context.Context) error
	interval time.Duration
	log      logging.Logger
}

// Start counting, until the context is done.
func (s *stateCounter) Start(ctx context.Context) error {
	t := time.NewTicker(s.interval) //nolint:forbidigo // This is no reconcile.
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

func (s *stateCounter) count(ctx context.Context) {
	if err := s.record(ctx); err != nil && ctx.Err() == nil {
		s.log.Info("Cannot count managed resources for the state metrics, will try again", "error", err, "after", s.interval)
	}
}

// shared lists without copying each resource: the counter only reads them.
type shared struct{ client.Client }

// List from the cache.
func (s *shared) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return s.Client.List(ctx, list, append(opts, client.UnsafeDisableDeepCopy)...)
}

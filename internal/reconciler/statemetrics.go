package reconciler

import (
	"context"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"
)

// MinStateMetricInterval is the shortest interval between two counts of resources.
const MinStateMetricInterval = 30 * time.Second

// addStateMetrics adds the metrics of a kind's resources by condition and by finding to the
// manager, if they are enabled.
func addStateMetrics(mgr ctrl.Manager, o Options, kind string, list resource.ManagedList) error {
	if o.MetricOptions == nil || o.MetricOptions.MRStateMetrics == nil {
		return nil
	}
	return mgr.Add(newStateCounter(mgr.GetClient(), o, kind, list))
}

// newStateCounter returns a counter of the resources that are listed into an empty list.
func newStateCounter(c client.Client, o Options, kind string, list resource.ManagedList) *stateCounter {
	interval := max(o.MetricOptions.PollStateMetricInterval, MinStateMetricInterval)
	r := statemetrics.NewMRStateRecorder(&shared{Client: c}, o.Logger, o.MetricOptions.MRStateMetrics, list, interval)
	record := func(ctx context.Context) error {
		err := r.Record(ctx)
		if err == nil {
			o.Metrics.recordFindings(kind, countFindings(list, o.Now()))
		}
		// The recorder keeps the list, which would hold a copy of each resource until the next count.
		return errors.Join(err, kmeta.SetList(list, nil))
	}
	return &stateCounter{record: record, interval: interval, log: o.Logger}
}

// A stateCounter counts resources at an interval. It retries a failed count at the next
// interval, whereas the runtime's own loop returns the error, which stops the manager.
type stateCounter struct {
	record   func(context.Context) error
	interval time.Duration
	log      logging.Logger
}

// Start counts until the context is done.
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

// shared lists without copying each resource, because the counter only reads them.
type shared struct{ client.Client }

// List lists from the cache, without deep copies.
func (s *shared) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return s.Client.List(ctx, list, append(opts, client.UnsafeDisableDeepCopy)...)
}

package reporting

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

const (
	defaultQueue = 1000
	sendTimeout  = 10 * time.Second
	flushTimeout = 5 * time.Second
)

var errFull = errors.New("the change log queue is full, so this entry is lost: check that the service at " +
	"--changelogs-socket-path is running")

// ChangeLogOptions are the options of a Logger.
type ChangeLogOptions struct {
	// ProviderVersion is the provider's version in each entry.
	ProviderVersion string

	// Queue is the number of entries that can wait to be sent. 0 means 1,000.
	Queue int

	// Now is the clock.
	Now func() time.Time

	// Log logs entries that cannot be sent.
	Log logging.Logger
}

// A ChangeLog queues entries, and sends them one after the other once it is started.
type ChangeLog struct {
	client v1alpha1.ChangeLogServiceClient
	o      ChangeLogOptions
	queue  chan *v1alpha1.ChangeLogEntry
	lost   prometheus.Counter
}

// NewChangeLog returns a Logger that sends to a service.
func NewChangeLog(client v1alpha1.ChangeLogServiceClient, o ChangeLogOptions) *ChangeLog {
	if o.Queue <= 0 {
		o.Queue = defaultQueue
	}
	return &ChangeLog{
		client: client,
		o:      o,
		queue:  make(chan *v1alpha1.ChangeLogEntry, o.Queue),
		lost:   metrics.ChangeLogLostEntries().WithLabelValues(),
	}
}

// Log queues an entry. It never waits: it returns an error if the queue is full.
func (l *ChangeLog) Log(
	_ context.Context, mg resource.Managed, op v1alpha1.OperationType, changeErr error,
	ad managed.AdditionalDetails,
) error {
	snapshot, err := resource.AsProtobufStruct(mg)
	if err != nil {
		return errors.Wrap(err, "cannot take a snapshot of the managed resource")
	}
	gvk := mg.GetObjectKind().GroupVersionKind()
	e := &v1alpha1.ChangeLogEntry{
		Timestamp:         timestamppb.New(l.o.Now()),
		Provider:          l.o.ProviderVersion,
		ApiVersion:        gvk.GroupVersion().String(),
		Kind:              gvk.Kind,
		Name:              mg.GetName(),
		ExternalName:      meta.GetExternalName(mg),
		Operation:         op,
		Snapshot:          snapshot,
		AdditionalDetails: ad,
	}
	if changeErr != nil {
		message := changeErr.Error()
		e.ErrorMessage = &message
	}
	select {
	case l.queue <- e:
		return nil
	default:
		l.lost.Inc()
		return errFull
	}
}

// Start sends queued entries until the context is done, and then the remaining ones for a few seconds.
func (l *ChangeLog) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			l.flush(context.WithoutCancel(ctx))
			return nil
		case e := <-l.queue:
			// An entry that is being sent when the provider stops is not lost.
			l.send(context.WithoutCancel(ctx), e)
		}
	}
}

// NeedLeaderElection returns false, because a replica that has lost the lease may still have entries.
func (l *ChangeLog) NeedLeaderElection() bool { return false }

// Describe sends the description of the metric of lost entries.
func (l *ChangeLog) Describe(ch chan<- *prometheus.Desc) { l.lost.Describe(ch) }

// Collect sends the metric of lost entries.
func (l *ChangeLog) Collect(ch chan<- prometheus.Metric) { l.lost.Collect(ch) }

func (l *ChangeLog) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	for {
		select {
		case e := <-l.queue:
			l.send(ctx, e)
		default:
			return
		}
	}
}

func (l *ChangeLog) send(ctx context.Context, e *v1alpha1.ChangeLogEntry) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	_, err := l.client.SendChangeLog(ctx, &v1alpha1.SendChangeLogRequest{Entry: e}, grpc.WaitForReady(true))
	if err == nil {
		return
	}
	l.lost.Inc()
	l.o.Log.Info("Cannot send an entry of the change log", "error", err, "kind", e.GetKind(), "name", e.GetName())
}

package reporting

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

const (
	// queueLength is the number of entries that can wait to be sent.
	queueLength = 1000

	sendTimeout  = 10 * time.Second
	flushTimeout = 5 * time.Second
)

var errFull = errors.New("the change log queue is full, so this entry is lost: check that the service at " +
	"--changelogs-socket-path is running")

// A ChangeLog is the client of a change log service that queues entries, and sends them one after the other once it is
// started. The runtime's change logger waits for the client that it is given.
type ChangeLog struct {
	// Lost counts the entries that could not be sent.
	Lost prometheus.Counter

	client v1alpha1.ChangeLogServiceClient
	log    logging.Logger
	queue  chan *v1alpha1.SendChangeLogRequest
}

// NewChangeLog returns a ChangeLog that sends to a service, and logs entries that cannot be sent.
func NewChangeLog(client v1alpha1.ChangeLogServiceClient, log logging.Logger) *ChangeLog {
	return &ChangeLog{
		Lost:   metrics.ChangeLogLostEntries().WithLabelValues(),
		client: client, log: log, queue: make(chan *v1alpha1.SendChangeLogRequest, queueLength),
	}
}

// SendChangeLog queues an entry. It never waits: it returns an error if the queue is full.
func (l *ChangeLog) SendChangeLog(
	_ context.Context, r *v1alpha1.SendChangeLogRequest, _ ...grpc.CallOption,
) (*v1alpha1.SendChangeLogResponse, error) {
	select {
	case l.queue <- r:
		return &v1alpha1.SendChangeLogResponse{}, nil
	default:
		l.Lost.Inc()
		return nil, errFull
	}
}

// Start sends queued entries until the context is done, and then the remaining ones for a few seconds.
func (l *ChangeLog) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			l.flush(context.WithoutCancel(ctx))
			return nil
		case r := <-l.queue:
			// An entry that is being sent when the provider stops is not lost.
			l.send(context.WithoutCancel(ctx), r)
		}
	}
}

// NeedLeaderElection returns false, because a replica that has lost the lease may still have entries.
func (l *ChangeLog) NeedLeaderElection() bool { return false }

func (l *ChangeLog) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	for {
		select {
		case r := <-l.queue:
			l.send(ctx, r)
		default:
			return
		}
	}
}

func (l *ChangeLog) send(ctx context.Context, r *v1alpha1.SendChangeLogRequest) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if _, err := l.client.SendChangeLog(ctx, r, grpc.WaitForReady(true)); err != nil {
		l.Lost.Inc()
		l.log.Info("Cannot send an entry of the change log", "error", err, "kind", r.GetEntry().GetKind(), "name",
			r.GetEntry().GetName())
	}
}

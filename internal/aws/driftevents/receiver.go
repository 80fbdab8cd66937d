package driftevents

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

const (
	// longPoll is the time for which SQS waits for a message, in seconds: the maximum of SQS.
	longPoll = 20

	// shortPoll is the same for the first call, whose result shows whether the queue can be used.
	shortPoll = 1

	// batch is the maximum number of messages that a call receives.
	batch = 10

	// visibility is the time for which a received message stays invisible to other receivers, in seconds. It is longer
	// than it takes to handle and delete a batch.
	visibility = 60

	// timeout is the maximum duration of a call.
	timeout = time.Minute

	// minEmpty is the least time between two calls of which the first has received nothing, and minFull that of
	// others. A long poll takes longer: they only bound what an endpoint can cause that does not wait.
	minEmpty = time.Second
	minFull  = 20 * time.Millisecond

	// maxReading is the number of queues of a namespace that are read at a time, which share minFull. A namespace may
	// have any number of endpoints, and the answer of each may be long.
	maxReading = 4

	// minBackoff and maxBackoff are the shortest and longest average delay after an error.
	minBackoff = 5 * time.Second
	maxBackoff = 5 * time.Minute
)

// receive receives messages until the context is done. It never ends by itself, and never calls without a pause.
func (r *receiver) receive(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.taken(ctx); err != nil {
			r.failures++
			r.wait(ctx, delay.Jittered(delay.Doubling(minBackoff, r.failures, maxBackoff), r.hub.o.Random()))
		}
	}
}

// taken takes the turn of the queue, which lasts as long as a call at least. It returns an error of the call.
func (r *receiver) taken(ctx context.Context) error {
	defer r.hub.turn(ctx, r.key.namespace)()
	began := r.hub.o.Clock.Now()
	n, err := r.once(ctx)
	if err == nil {
		r.failures = 0
		r.wait(ctx, r.least(n)-r.hub.o.Clock.Since(began))
	}
	return err
}

// turn waits until fewer than maxReading queues of a namespace are read, and returns a function that ends the turn.
// Those of administrators do not wait.
func (h *Hub) turn(ctx context.Context, namespace string) (end func()) {
	turns := h.turnsOf(ctx, namespace)
	if turns == nil {
		return func() {}
	}
	select {
	case turns <- struct{}{}:
		return func() { <-turns }
	case <-ctx.Done():
		return func() {}
	}
}

// turnsOf returns a channel that has an element for each queue of a namespace that is read. It is nil for those of
// administrators, and for a receiver that was stopped, so that nothing is kept of a namespace without queues.
func (h *Hub) turnsOf(ctx context.Context, namespace string) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if namespace == "" || ctx.Err() != nil {
		return nil
	}
	if h.turns[namespace] == nil {
		h.turns[namespace] = make(chan struct{}, maxReading)
	}
	return h.turns[namespace]
}

// least returns the least time between a call that has received a number of messages and the next one.
func (r *receiver) least(received int) time.Duration {
	switch {
	case received == 0:
		return minEmpty
	case r.key.namespace != "":
		return maxReading * minFull
	}
	return minFull
}

// wait waits for a time, or until the context is done.
func (r *receiver) wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := r.hub.o.Clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C():
	}
}

// once receives and handles a batch, and returns its size. After an error, the next call is made with the next of the
// queue's configs.
func (r *receiver) once(ctx context.Context) (int, error) {
	refs, show := r.configs()
	if len(refs) == 0 {
		return 0, nil
	}
	ref := refs[r.turn%len(refs)]
	n, err := panics.Guard(func() (int, error) { return r.batch(ctx, ref, show) })
	if ctx.Err() != nil {
		return n, err
	}
	var paused *session.PausedError
	if errors.As(err, &paused) && paused.Region == "" { // Nothing is known of the queue yet.
		r.wait(ctx, paused.After)
		return 0, nil
	}
	if err != nil {
		r.queueURL = ""
		r.turn++
	}
	r.report(ctx, ref, n, err)
	return n, err
}

// batch receives, handles and deletes messages as one of the configs.
func (r *receiver) batch(ctx context.Context, ref Config, show map[Config]bool) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	api, err := r.connect(ctx, ref)
	if err != nil {
		return 0, err
	}
	if err := r.locate(ctx, api); err != nil {
		return 0, errors.Wrap(err, "cannot find the queue (GetQueueUrl)")
	}
	wait := int32(longPoll)
	if s := r.stateNow().Reason; s != Receiving && s != EventsMissing {
		wait = shortPoll
	}
	out, err := api.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &r.queueURL, MaxNumberOfMessages: batch, WaitTimeSeconds: wait, VisibilityTimeout: visibility,
	})
	if err != nil {
		return 0, errors.Wrap(err, "cannot receive from the queue (ReceiveMessage)")
	}
	r.received()
	var done []sqstypes.DeleteMessageBatchRequestEntry
	for i, m := range out.Messages {
		if !r.handled(ctx, m, show) {
			continue
		}
		done = append(done, sqstypes.DeleteMessageBatchRequestEntry{
			Id:            aws.String(strconv.Itoa(i)),
			ReceiptHandle: m.ReceiptHandle,
		})
	}
	return len(out.Messages), errors.Wrap(r.remove(ctx, api, done), "cannot delete from the queue (DeleteMessage)")
}

func (r *receiver) connect(ctx context.Context, ref Config) (API, error) {
	var config client.Object = &v1beta1.ClusterProviderConfig{}
	if ref.Kind == v1beta1.ProviderConfigKind {
		config = &v1beta1.ProviderConfig{}
	}
	err := r.hub.o.Configs.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, config)
	if client.IgnoreNotFound(err) == nil {
		r.hub.forgetDeleted(r, ref, config.GetUID())
	}
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s", ref)
	}
	s, err := r.hub.o.Sessions.ResolveConfig(ctx, config, r.queue.Region)
	if err != nil {
		return nil, err
	}
	return r.hub.o.Connect(s), nil
}

// locate sets the URL of the queue. It is a name for SQS: no call is sent to its host.
func (r *receiver) locate(ctx context.Context, api API) error {
	if r.queueURL != "" {
		return nil
	}
	out, err := api.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{
		QueueName:              &r.queue.Resource,
		QueueOwnerAWSAccountId: &r.queue.AccountID,
	})
	if err != nil {
		return err
	}
	if r.queueURL = aws.ToString(out.QueueUrl); r.queueURL == "" {
		return fmt.Errorf("SQS returns no URL of the queue")
	}
	return nil
}

// handled handles a message, and reports whether to delete it. A message that makes the provider panic is deleted as
// one that cannot be read is.
func (r *receiver) handled(ctx context.Context, m sqstypes.Message, show map[Config]bool) bool {
	done, err := panics.Guard(func() (bool, error) { return r.handle(ctx, []byte(aws.ToString(m.Body)), show), nil })
	if err != nil {
		r.hub.o.Log.Info("Deleting a message that cannot be handled", "queue", r.key.arn, "error", err)
		r.hub.o.Metrics.count(resultInvalid)
		return true
	}
	return done
}

// handle handles a message, and reports whether to delete it. What cannot be read is deleted, because it would be
// received again and again. A message that could not be handled for now is received again.
func (r *receiver) handle(ctx context.Context, body []byte, show map[Config]bool) bool {
	e, err := cloudtrail.Parse(body)
	if err != nil {
		r.hub.o.Metrics.count(resultInvalid)
		r.hub.o.Log.Debug("Deleting a message that is not an event of EventBridge", "queue", r.key.arn, "bytes",
			len(body))
		return true
	}
	if e.Kind != cloudtrail.Unrelated {
		r.arrived(e)
	}
	if e.Kind != cloudtrail.Call || e.ReadOnly || e.Failed || e.Subject.IsZero() {
		r.hub.o.Metrics.count(resultIgnored)
		return true
	}
	r.hub.o.Metrics.observe(r.hub.o.Clock.Since(e.Time))
	out, err := r.hub.notify(ctx, Notice{Event: e, Configs: show})
	if err != nil {
		r.hub.o.Log.Info("Cannot find the resources that an event is about: it is received again", "queue", r.key.arn,
			"error", err)
		r.hub.o.Metrics.count(resultRetried)
		return false
	}
	r.hub.o.Metrics.count(results[out])
	return true
}

// remove deletes messages. Those that SQS does not delete are received again, which does no harm.
func (r *receiver) remove(ctx context.Context, api API, done []sqstypes.DeleteMessageBatchRequestEntry) error {
	if len(done) == 0 {
		return nil
	}
	out, err := api.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &r.queueURL, Entries: done})
	if err != nil {
		r.hub.o.Metrics.countDeletions(0, len(done))
		return err
	}
	r.hub.o.Metrics.countDeletions(len(done)-len(out.Failed), len(out.Failed))
	return nil
}

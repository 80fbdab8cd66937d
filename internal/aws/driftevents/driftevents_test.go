package driftevents

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

const (
	queueARN = "arn:aws:sqs:eu-central-1:123456789012:drift"
	account  = "123456789012"
	region   = "eu-central-1"
)

// event returns a message about a call to a function.
func event(operation, function string, at time.Time) string {
	return fmt.Sprintf(
		`{"detail-type":"AWS API Call via CloudTrail","source":"aws.lambda","account":%q,"region":%q,"time":"2000-01-01T00:00:00Z",
"detail":{"eventSource":"lambda.amazonaws.com","eventName":%q,"eventTime":%q,"awsRegion":%q,"requestParameters":{"functionName":%q}}}`,
		account,
		region,
		operation,
		at.UTC().Format(time.RFC3339),
		region,
		function,
	)
}

// queue is SQS with one queue. Received messages that are not deleted are received again after the others.
type queue struct {
	mu       sync.Mutex
	messages []string
	errs     map[string]error
	failed   int
	busy     bool
	calls    map[string]int

	// reading is the number of calls that receive, and mostReading the most there were at a time.
	reading, mostReading int
	by                   []string
}

func (q *queue) call(ctx context.Context, name string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls[name]++
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.errs[name]
}

func (q *queue) GetQueueUrl(ctx context.Context, //nolint:revive,staticcheck // The SDK's name.
	in *sqs.GetQueueUrlInput, _ ...func(*sqs.Options),
) (*sqs.GetQueueUrlOutput, error) {
	return &sqs.GetQueueUrlOutput{QueueUrl: aws.String(
		"https://sqs/" + *in.QueueOwnerAWSAccountId + "/" + *in.QueueName)}, q.call(ctx, "GetQueueUrl")
}

func (q *queue) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput,
	_ ...func(*sqs.Options),
) (*sqs.ReceiveMessageOutput, error) {
	if err := q.call(ctx, "ReceiveMessage"); err != nil {
		return nil, err
	}
	q.mu.Lock()
	n := min(len(q.messages), int(in.MaxNumberOfMessages))
	out := &sqs.ReceiveMessageOutput{}
	for _, b := range q.messages[:n] {
		out.Messages = append(out.Messages, sqstypes.Message{Body: aws.String(b), ReceiptHandle: aws.String(b)})
	}
	q.messages = append(q.messages[n:], q.messages[:n]...)
	busy := q.busy
	q.reading++
	q.mostReading = max(q.mostReading, q.reading)
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.reading--
	}()
	if n > 0 || busy {
		return out, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Duration(in.WaitTimeSeconds) * time.Second):
		return out, nil
	}
}

func (q *queue) DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput,
	_ ...func(*sqs.Options),
) (*sqs.DeleteMessageBatchOutput, error) {
	if err := q.call(ctx, "DeleteMessageBatch"); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	out := &sqs.DeleteMessageBatchOutput{}
	for _, e := range in.Entries {
		if q.failed > 0 {
			q.failed--
			out.Failed = append(out.Failed, sqstypes.BatchResultErrorEntry{Id: e.Id})
			continue
		}
		for i, m := range q.messages {
			if m == *e.ReceiptHandle {
				q.messages = append(q.messages[:i:i], q.messages[i+1:]...)
				break
			}
		}
	}
	return out, nil
}

func (q *queue) fail(name string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.errs[name] = err
}

func (q *queue) send(bodies ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = append(q.messages, bodies...)
}

func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.messages)
}

func (q *queue) count(name string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.calls[name]
}

// ResolveConfig records which config makes the calls.
func (q *queue) ResolveConfig(_ context.Context, config client.Object, region string) (*session.Session, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.by = append(q.by, config.GetName()+" "+region)
	return &session.Session{}, q.errs[config.GetName()]
}

// controller is the controller of Functions.
type controller struct {
	mu      sync.Mutex
	notices []Notice
	resumed [][]Config
	outcome Outcome
	err     error
}

func (c *controller) Notify(_ context.Context, n Notice) (Outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.Subject.Function.Function == "panic" {
		panic("x")
	}
	c.notices = append(c.notices, n)
	return c.outcome, c.err
}

func (c *controller) Resume(_ context.Context, configs []Config) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resumed = append(c.resumed, configs)
}

func (c *controller) resumedNow() [][]Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.resumed)
}

func (c *controller) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.notices)
}

func cluster(name string) *v1beta1.ClusterProviderConfig {
	return &v1beta1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Spec: v1beta1.ClusterProviderConfigSpec{
			ConnectionSpec: v1beta1.ConnectionSpec{DriftEvents: &v1beta1.DriftEvents{QueueARN: queueARN}},
		},
	}
}

func namespaced(namespace string) *v1beta1.ProviderConfig {
	return &v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "default", UID: types.UID(namespace)},
		Spec: v1beta1.ProviderConfigSpec{ConnectionSpec: v1beta1.ConnectionSpec{
			DriftEvents: &v1beta1.DriftEvents{QueueARN: queueARN, ShowSourceIP: true},
		}},
	}
}

// env is a hub that runs, with a controller of Functions.
type env struct {
	*Hub
	queue      *queue
	controller *controller
	metrics    *Metrics
	stop       func()
}

func newEnv(t *testing.T, configs ...client.Object) *env {
	t.Helper()
	e := newIdleEnv(t, configs...)
	e.start(t)
	return e
}

// newIdleEnv returns a hub that does not run yet.
func newIdleEnv(t *testing.T, configs ...client.Object) *env {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	q := &queue{errs: map[string]error{}, calls: map[string]int{}}
	e := &env{queue: q, controller: &controller{outcome: Matched}, metrics: NewMetrics()}
	e.Hub = New(Options{
		Configs: fake.NewClientBuilder().WithScheme(scheme).WithObjects(
			configs...).Build(), Sessions: q, Clock: clock.RealClock{},
		Random: func() float64 { return 0.5 }, Log: logging.NewNopLogger(), Metrics: e.metrics, Connect: func(
			*session.Session,
		) API {
			return q
		},
	})
	e.Subscribe(v1beta1.FunctionKind, e.controller)
	for _, c := range configs {
		e.Set(c)
	}
	return e
}

// start runs the hub until it is stopped.
func (e *env) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- e.Start(ctx) }()
	e.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// results returns the counted messages that are not 0.
func (e *env) results(t *testing.T) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(e.metrics); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if v := m.GetCounter().GetValue(); v > 0 && strings.HasSuffix(f.GetName(), "messages_total") {
				got[m.GetLabel()[0].GetValue()] = v
			}
		}
	}
	return got
}

func apiError(code string) error { return &smithy.GenericAPIError{Code: code, Message: "no"} }

func TestMessages(t *testing.T) {
	cases := map[string]struct {
		reason  string
		bodies  []string
		outcome Outcome
		err     error
		results map[string]float64
		left    int
		notices int
	}{
		"Event": {
			reason:  "an event is passed on and deleted",
			bodies:  []string{event("UpdateFunctionCode20150331v2", "cart", time.Now())},
			outcome: Matched, notices: 1, results: map[string]float64{"matched": 1},
		},
		"Poison": {
			reason: "messages that cannot be read are deleted: a queue may have no dead-letter queue",
			bodies: []string{"{", "", strings.Repeat("[", 100000), event("UpdateFunctionCode20150331v2", "panic",
				time.Now())},
			outcome: Matched, results: map[string]float64{"invalid": 4},
		},
		"Irrelevant": {
			reason: "reads and other services are deleted",
			bodies: []string{
				event("GetFunction20150331v2", "cart", time.Now()),
				`{"detail-type":"x","source":"aws.ec2","account":"123456789012","region":"us-east-1"}`,
			},
			results: map[string]float64{"ignored": 2},
		},
		"OtherKind": {
			reason:  "a kind is only notified of operations that concern it",
			bodies:  []string{event("UpdateAlias20150331", "cart", time.Now())},
			outcome: Matched, results: map[string]float64{"unmatched": 1},
		},
		"Duplicates": {
			reason: "SQS delivers at least once",
			bodies: []string{
				event("DeleteFunction20150331", "cart", time.Unix(0, 0)),
				event("DeleteFunction20150331", "cart", time.Unix(0, 0)),
			},
			outcome: Outdated, notices: 2, results: map[string]float64{"outdated": 2},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newIdleEnv(t, cluster("a"))
				e.controller.outcome, e.controller.err = tc.outcome, tc.err
				e.queue.send(tc.bodies...)
				e.start(t)
				defer e.stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				if diff := cmp.Diff(tc.results, e.results(t)); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
				}
				if n := e.queue.left(); n != tc.left {
					t.Errorf("%s: %d messages are left", tc.reason, n)
				}
				if n := e.controller.count(); n != tc.notices {
					t.Errorf("%s: %d notices", tc.reason, n)
				}
			})
		})
	}
}

// An event whose resources cannot be found for now is received again.
func TestRetriedMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newIdleEnv(t, cluster("a"))
		e.controller.err = errors.New("the cache is not filled")
		e.queue.send(event("DeleteFunction20150331", "cart", time.Now()))
		e.start(t)
		defer e.stop()
		time.Sleep(time.Second)
		synctest.Wait()
		if e.queue.left() != 1 {
			t.Error("the message was deleted")
		}
		e.controller.mu.Lock()
		e.controller.err = nil
		e.controller.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		if e.queue.left() != 0 || e.results(t)["matched"] != 1 {
			t.Error("the message was not handled again")
		}
	})
}

// Deletions that fail make messages appear again, and nothing else.
func TestFailedDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newIdleEnv(t, cluster("a"))
		e.queue.failed = 3
		e.queue.send(event("DeleteFunction20150331", "a", time.Now()), event("DeleteFunction20150331", "b", time.Now()))
		e.start(t)
		defer e.stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if e.queue.left() != 0 || e.controller.count() != 5 {
			t.Errorf("%d messages are left, %d notices", e.queue.left(), e.controller.count())
		}
	})
}

// A queue that cannot be used is asked less and less often, and its state says why.
func TestErrors(t *testing.T) {
	cases := map[string]struct {
		call string
		err  error
		want Reason
	}{
		"NoQueue":        {"GetQueueUrl", apiError("QueueDoesNotExist"), NoQueue},
		"LegacyCode":     {"GetQueueUrl", apiError("AWS.SimpleQueueService.NonExistentQueue"), NoQueue},
		"DeletedLater":   {"ReceiveMessage", apiError("QueueDoesNotExist"), NoQueue},
		"Denied":         {"ReceiveMessage", apiError("AccessDenied"), Denied},
		"DeletionDenied": {"DeleteMessageBatch", apiError("AccessDeniedException"), Denied},
		"Credentials":    {"a", errors.New("no credentials"), Failing},
		"Network":        {"ReceiveMessage", errors.New("connection refused"), Failing},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newIdleEnv(t, cluster("a"))
				var changes int
				e.Watch(func(types.UID) { changes++ })
				e.queue.fail(tc.call, tc.err)
				e.queue.send(event("DeleteFunction20150331", "cart", time.Now()))
				e.start(t)
				defer e.stop()
				time.Sleep(time.Hour)
				synctest.Wait()
				s, ok := e.State("a")
				if !ok || s.Reason != tc.want || s.Error == "" || s.QueueARN != queueARN {
					t.Errorf("state %+v", s)
				}
				if n := len(e.queue.by); n < 12 || n > 25 {
					t.Errorf("%d attempts in an hour", n)
				}
				if changes != 1 {
					t.Errorf("the change was reported %d times", changes)
				}
				e.queue.fail(tc.call, nil)
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if s, _ := e.State("a"); s.Reason != Receiving || s.Error != "" || e.queue.left() != 0 {
					t.Errorf("after recovery: %+v, %d messages left", s, e.queue.left())
				}
			})
		})
	}
}

// A queue whose config waits for others to find out whether STS answers, as at a start, does not fail.
func TestCrowdedSTS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newIdleEnv(t, cluster("a"))
		var changes int
		e.Watch(func(types.UID) { changes++ })
		e.queue.fail("a", fmt.Errorf("cannot use it: %w", &session.PausedError{After: time.Second}))
		e.start(t)
		defer e.stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if s, _ := e.State("a"); s.Reason != Starting || changes != 0 {
			t.Errorf("while it waits: %+v after %d changes", s, changes)
		}
		if n := len(e.queue.by); n < 20 || n > 62 {
			t.Errorf("%d attempts in a minute", n)
		}
		e.queue.fail("a", nil)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if s, _ := e.State("a"); s.Reason != Receiving {
			t.Errorf("after the wait: %+v", s)
		}
	})
}

// An endpoint that answers at once, without a message, is not asked without a pause.
func TestNoBusyLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newIdleEnv(t, cluster("a"))
		e.queue.busy = true
		e.start(t)
		defer e.stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := e.queue.count("ReceiveMessage"); n > 62 {
			t.Errorf("%d calls in a minute", n)
		}
	})
}

// A flood is received as fast as the bound allows, and nothing of it is kept.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnv(t, cluster("a"))
		defer e.stop()
		for i := range 10000 {
			e.queue.send(event("UpdateFunctionCode20150331v2", fmt.Sprintf("f%d", i), time.Now()))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if e.queue.left() != 0 || e.controller.count() != 10000 {
			t.Errorf("%d messages are left, %d notices", e.queue.left(), e.controller.count())
		}
		if n := len(e.receivers[queueKey{arn: queueARN}].places); n != 1 {
			t.Errorf("%d accounts and regions are remembered", n)
		}
	})
}

// TestFloodOfManyQueues checks that a namespace gets no more received with many queues, whether they are full or answer
// at once without a message, that few answers are read at a time, each of which may be long, and that each queue is
// read.
func TestFloodOfManyQueues(t *testing.T) {
	const queues = 100
	for name, tc := range map[string]struct{ full, slow bool }{"Full": {full: true}, "Empty": {}, "Slow": {slow: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newIdleEnv(t)
				e.queue.busy, e.queue.failed = !tc.slow, math.MaxInt // What is received is not deleted.
				if tc.full {
					e.queue.send(event("UpdateFunctionCode20150331v2", "cart", time.Now()))
				}
				for i := range queues {
					c := namespaced("a")
					c.Name = fmt.Sprint("config", i)
					c.UID = types.UID(c.Name)
					if err := e.o.Configs.(client.Client).Create(
						t.Context(),
						c,
					); err != nil { //nolint:forcetypeassert // It is one.
						t.Fatal(err)
					}
					e.Set(c)
				}
				e.start(t)
				defer e.stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := e.queue.count("ReceiveMessage"); n > int(time.Minute/minFull)+queues {
					t.Errorf("%d calls in a minute", n)
				}
				if n := e.queue.mostReading; n > 4 {
					t.Errorf("%d calls at a time", n)
				}
				for i := range queues {
					uid := types.UID(fmt.Sprint("config", i))
					if s, ok := e.State(uid); !ok || s.Reason != Receiving {
						t.Errorf("queue %d is not read: %v", i, s)
					}
					e.Forget(uid)
				}
				synctest.Wait()
				if len(e.turns) != 0 {
					t.Error("something is kept of a namespace without queues")
				}
			})
		})
	}
}

// A sender that invents accounts does not fill the memory.
func TestPlacesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnv(t, cluster("a"))
		r := e.receivers[queueKey{arn: queueARN}]
		for i := range 2 * maxPlaces {
			r.arrived(cloudtrail.Event{Kind: cloudtrail.Heartbeat, Account: fmt.Sprint(i), Region: region})
		}
		if n := len(r.places); n != maxPlaces {
			t.Errorf("%d are remembered", n)
		}
		e.stop()
	})
}

// Events prove an account and a region for a day, as long as the queue is alive. After that, polls resume.
func TestProven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnv(t, cluster("a"))
		defer e.stop()
		time.Sleep(time.Minute)
		if e.Proven("a", account, region) {
			t.Error("a queue from which nothing has arrived proves nothing")
		}
		e.queue.send(heartbeat)
		time.Sleep(time.Minute)
		synctest.Wait()
		if e.Proven("a", account, region) {
			t.Error("a heartbeat does not prove that there is a trail")
		}
		e.queue.send(event("UpdateAlias", "cart", time.Now()))
		time.Sleep(time.Minute)
		synctest.Wait()
		if !e.Proven("a", account, region) || e.Proven("a", account, "us-east-1") || e.Proven("b", account, region) {
			t.Error("an event of CloudTrail proves its account and region")
		}

		e.queue.fail("ReceiveMessage", apiError("AccessDenied"))
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		want := [][]Config{{{Kind: v1beta1.ClusterProviderConfigKind, Name: "a"}}}
		if diff := cmp.Diff(want, e.controller.resumedNow()); diff != "" || e.Proven("a", account, region) {
			t.Errorf("a queue that cannot be read proves nothing, and polls resume once: -want, +got:\n%s", diff)
		}

		e.queue.fail("ReceiveMessage", nil)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if !e.Proven("a", account, region) {
			t.Error("the queue is alive again")
		}
		time.Sleep(20 * time.Hour)
		e.queue.send(heartbeat)
		time.Sleep(20 * time.Hour)
		synctest.Wait()
		if !e.Proven("a", account, region) {
			t.Error("a heartbeat prolongs the proof")
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if e.Proven("a", account, region) || len(e.controller.resumedNow()) != 2 {
			t.Errorf("nothing has arrived for a day: resumed %d times", len(e.controller.resumedNow()))
		}
	})
}

// heartbeat is a message of EventBridge's scheduler.
const heartbeat = `{"detail-type":"Scheduled Event","source":"aws.events","account":"` + account + `","region":"` + region + `"}`

// TestMissingEvent checks when the proof is withdrawn because the event about a call of the provider does not arrive,
// and what is said about that.
func TestMissingEvent(t *testing.T) {
	type step struct {
		message string
		call    bool
		after   time.Duration
	}
	trail := func(at time.Time) step { return step{message: event("UpdateAlias", "cart", at)} }
	proof := func() step { return trail(time.Now()) }
	call, wait := step{call: true}, func(d time.Duration) step { return step{after: d} }
	cases := map[string]struct {
		reason  string
		steps   func() []step
		proven  bool
		missing []string
		resumed int
	}{
		"Arrived": {
			reason: "The event arrives ten minutes after the call.",
			steps: func() []step {
				at := time.Now()
				return []step{proof(), call, wait(10 * time.Minute), trail(at), wait(time.Hour)}
			},
			proven: true,
		},
		"Missing": {
			reason:  "The trail was deleted: polls are due again, and the state says why.",
			steps:   func() []step { return []step{proof(), call, wait(20 * time.Minute)} },
			missing: []string{"account " + account + " in " + region}, resumed: 1,
		},
		"Early": {
			reason: "CloudTrail may take a quarter of an hour.",
			steps:  func() []step { return []step{proof(), call, wait(14 * time.Minute)} },
			proven: true,
		},
		"Heartbeat": {
			reason: "A heartbeat neither replaces the event nor restores the proof.",
			steps: func() []step {
				return []step{
					proof(),
					call,
					wait(10 * time.Minute),
					{message: heartbeat},
					wait(10 * time.Minute),
					{message: heartbeat},
					wait(time.Minute),
				}
			},
			missing: []string{"account " + account + " in " + region}, resumed: 1,
		},
		"HeartbeatAlone": {
			reason:  "The queue and its rules work, and there is no trail.",
			steps:   func() []step { return []step{{message: heartbeat}, call, wait(20 * time.Minute)} },
			missing: []string{"account " + account + " in " + region},
		},
		"OtherRegion": {
			reason: "Nothing feeds the queue from where the call was made, on purpose.",
			steps:  func() []step { return []step{call, wait(20 * time.Minute)} },
		},
		"EarlierEvent": {
			reason: "The event of an earlier call does not replace that of a later one.",
			steps: func() []step {
				at := time.Now()
				return []step{proof(), wait(5 * time.Minute), call, trail(at), wait(20 * time.Minute)}
			},
			missing: []string{"account " + account + " in " + region}, resumed: 1,
		},
		"SecondCall": {
			reason: "The event of the first of two calls does not replace that of the second one.",
			steps: func() []step {
				at := time.Now()
				return []step{proof(), call, wait(5 * time.Minute), call, trail(at), wait(20 * time.Minute)}
			},
			missing: []string{"account " + account + " in " + region}, resumed: 1,
		},
		"Invocations": {
			reason: "A trail of data events alone proves nothing.",
			steps: func() []step {
				return []step{{message: event("Invoke", "cart", time.Now())}, wait(time.Minute)}
			},
		},
		"Again": {
			reason: "The first event after that restores the proof.",
			steps: func() []step {
				return []step{
					proof(),
					call,
					wait(20 * time.Minute),
					{message: event("UpdateAlias", "cart", time.Now())},
					wait(time.Minute),
				}
			},
			proven: true, resumed: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEnv(t, cluster("a"))
				defer e.stop()
				time.Sleep(time.Second)
				for _, s := range tc.steps() {
					switch {
					case s.message != "":
						e.queue.send(s.message)
						time.Sleep(30 * time.Second)
					case s.call:
						e.Called("a", account, region)
					}
					time.Sleep(s.after)
					synctest.Wait()
				}
				s, _ := e.State("a")
				reason := Receiving
				if len(tc.missing) > 0 {
					reason = EventsMissing
				}
				if diff := cmp.Diff(State{Reason: reason, QueueARN: queueARN, Missing: tc.missing}, s); diff != "" {
					t.Errorf("%s\nstate: -want, +got:\n%s", tc.reason, diff)
				}
				if got := e.Proven(
					"a",
					account,
					region,
				); got != tc.proven ||
					len(e.controller.resumedNow()) != tc.resumed {
					t.Errorf("%s\nproven: %t, resumed %v", tc.reason, got, e.controller.resumedNow())
				}
			})
		})
	}
}

// ClusterProviderConfigs share a receiver. A ProviderConfig has its own.
func TestConfigs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, shop := cluster("a"), cluster("b"), namespaced("shop")
		e := newEnv(t, a, b, shop)
		defer e.stop()
		time.Sleep(time.Second)
		synctest.Wait()
		if diff := cmp.Diff(2, len(e.receivers)); diff != "" {
			t.Errorf("receivers: -want, +got:\n%s", diff)
		}
		_, show := e.receivers[queueKey{arn: queueARN, owner: "shop", namespace: "shop"}].configs()
		if diff := cmp.Diff(map[Config]bool{{
			Kind: v1beta1.ProviderConfigKind, Namespace: "shop",
			Name: "default",
		}: true}, show); diff != "" {
			t.Errorf("configs: -want, +got:\n%s", diff)
		}

		// The first config cannot be used any more: the second one takes over, and stays.
		e.queue.fail("a", errors.New("no credentials"))
		e.queue.mu.Lock()
		e.queue.by = nil
		e.queue.mu.Unlock()
		e.Forget("shop")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		e.queue.mu.Lock()
		byA := strings.Count(strings.Join(e.queue.by, ","), "a eu-central-1")
		e.queue.mu.Unlock()
		if s, _ := e.State("a"); byA != 1 || s.Reason != Receiving {
			t.Errorf("%d calls were made by the config that does not work: %+v", byA, s)
		}

		e.Forget("a")
		b.Spec.DriftEvents = nil
		e.Set(b)
		e.Set(b)
		e.Forget("unknown")
		synctest.Wait()
		if n := len(e.receivers); n != 0 {
			t.Errorf("%d receivers are left", n)
		}
		before := e.queue.count("ReceiveMessage")
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := e.queue.count("ReceiveMessage"); n != before {
			t.Errorf("%d calls without a config", n-before)
		}
	})
}

// A config that was deleted in spite of its finalizer is not tried again and again, nor does one that was created under
// its name receive from its queue.
func TestDeletedConfig(t *testing.T) {
	const gone = "gone"
	cases := map[string]struct {
		deleted client.Object
		present []client.Object
	}{
		"Cluster":             {deleted: cluster(gone)},
		"Namespaced":          {deleted: namespaced(gone)},
		"ClusterRecreated":    {deleted: cluster(gone), present: []client.Object{recreated(cluster(gone))}},
		"NamespacedRecreated": {deleted: namespaced(gone), present: []client.Object{recreated(namespaced(gone))}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newIdleEnv(t, tc.present...)
				e.Set(tc.deleted)
				e.start(t)
				defer e.stop()
				time.Sleep(time.Hour)
				synctest.Wait()
				if _, ok := e.State(gone); ok {
					t.Error("it is still a member")
				}
				if n := len(e.receivers); n != len(tc.present) {
					t.Errorf("%d receivers are left for %d configs", n, len(tc.present))
				}
				for _, c := range tc.present {
					if s, _ := e.State(c.GetUID()); s.Reason != Receiving {
						t.Errorf("the present config does not receive: %+v", s)
					}
				}
			})
		})
	}
}

// recreated returns the config that was created under the name of another one.
func recreated(c client.Object) client.Object {
	c.SetUID("again")
	return c
}

package awsdouble

import (
	"cmp"
	"crypto/md5" //nolint:gosec // It is the checksum that SQS returns.
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	// maxReceived is the maximum number of messages that a call receives or deletes.
	maxReceived = 10

	// defaultVisibility is the time for which a received message is invisible.
	defaultVisibility = 30 * time.Second
)

// sqsTargets are SQS's operations (JSON 1.0), by the end of X-Amz-Target.
var sqsTargets = map[string]handler{
	"GetQueueUrl":        getQueueURL,
	"SendMessage":        sendMessage,
	"ReceiveMessage":     receiveMessage,
	"DeleteMessageBatch": deleteMessageBatch,
	"CreateQueue":        createQueue,
	"DeleteQueue":        deleteQueue,
	"ListQueues":         listQueues,
}

// A sqsQueue is a standard queue.
type sqsQueue struct {
	messages []*queueMessage

	// changed is closed when a message is sent.
	changed chan struct{}
}

// queueMessage is a message in a queue.
type queueMessage struct {
	id, body, receipt string
	sent, visible     time.Time
	received          int
}

// AddQueue creates a standard queue, given its ARN. An existing queue stays as it is.
func (s *Server) AddQueue(arn string) {
	defer s.lock()()
	s.addQueue(arn)
}

func (s *Server) addQueue(arn string) {
	if s.queues[arn] == nil {
		s.queues[arn] = &sqsQueue{changed: make(chan struct{})}
	}
}

// QueuedMessages returns the bodies of the messages that were not deleted, visible or not, oldest first.
func (s *Server) QueuedMessages(arn string) []string {
	defer s.lock()()
	bodies := []string{}
	if q := s.queues[arn]; q != nil {
		for _, m := range q.messages {
			bodies = append(bodies, m.body)
		}
	}
	return bodies
}

// send adds a message to a queue, and returns nil if the queue does not exist. The message is visible after a delay.
func (s *Server) send(arn, body string, delay time.Duration) *queueMessage {
	q := s.queues[arn]
	if q == nil {
		return nil
	}
	now := s.options.Now()
	m := &queueMessage{id: newUUID(), body: body, sent: now, visible: now.Add(delay)}
	q.messages = append(q.messages, m)
	close(q.changed)
	q.changed = make(chan struct{})
	return m
}

// awaitMessage waits as a long poll does: until a message is sent, the client leaves, or the wait of the call has
// passed in real time. It does not wait for a message that becomes visible by the clock.
func (s *Server) awaitMessage(r *request) {
	if r.service != serviceSQS || r.operation != "ReceiveMessage" {
		return
	}
	in := peeked[sqs.ReceiveMessageInput](r)
	if in.WaitTimeSeconds <= 0 {
		return
	}
	end := time.NewTimer(time.Duration(in.WaitTimeSeconds) * time.Second)
	defer end.Stop()
	for {
		changed := s.emptyQueue(r, aws.ToString(in.QueueUrl))
		if changed == nil {
			return
		}
		select {
		case <-changed:
		case <-end.C:
			return
		case <-r.http.Context().Done():
			return
		}
	}
}

// emptyQueue returns the channel that is closed when a message is sent to a queue. It is nil if the call is answered
// at once: it fails, or there is a message.
func (s *Server) emptyQueue(r *request, url string) <-chan struct{} {
	defer s.lock()()
	q := s.queues[queueARN(r.region, url)]
	if q == nil || slices.ContainsFunc(s.faults,
		func(f *Fault) bool { return f.Times != 0 && (f.Operation == "" || f.Operation == r.operation) }) {
		return nil
	}
	now := s.options.Now()
	if slices.ContainsFunc(q.messages, func(m *queueMessage) bool { return !m.visible.After(now) }) {
		return nil
	}
	return q.changed
}

// queueURL returns the URL of a queue.
func queueURL(arn string) string {
	p := strings.Split(arn, ":")
	return "https://sqs." + p[3] + ".amazonaws.com/" + p[4] + "/" + p[5]
}

// queueARN returns the ARN of a queue, given its URL. SQS ignores the host.
func queueARN(region, url string) string {
	p := strings.Split(url, "/")
	if len(p) < 2 { //nolint:mnd // Account and name.
		return ""
	}
	return "arn:" + partition(region) + ":sqs:" + region + ":" + p[len(p)-2] + ":" + p[len(p)-1]
}

// queue returns the queue that a call names by its URL.
func (s *Server) queue(r *request, url *string) *sqsQueue {
	q := s.queues[queueARN(r.region, aws.ToString(url))]
	if q == nil {
		panic(noQueue())
	}
	return q
}

func noQueue() *Error {
	return apiError(http.StatusBadRequest, "QueueDoesNotExist", "The specified queue does not exist.")
}

func getQueueURL(s *Server, r *request) any {
	arn := r.queueArn()
	if s.queues[arn] == nil {
		panic(noQueue())
	}
	return map[string]any{"QueueUrl": queueURL(arn)}
}

func sendMessage(s *Server, r *request) any {
	in := decoded[sqs.SendMessageInput](r)
	m := s.send(queueARN(r.region, aws.ToString(in.QueueUrl)), aws.ToString(in.MessageBody), 0)
	if m == nil {
		panic(noQueue())
	}
	sent := m.answer()
	return map[string]any{"MessageId": sent.MessageId, "MD5OfMessageBody": sent.MD5OfBody}
}

func receiveMessage(s *Server, r *request) any {
	in := struct {
		sqs.ReceiveMessageInput

		VisibilityTimeout *int
	}{ReceiveMessageInput: sqs.ReceiveMessageInput{MaxNumberOfMessages: 1}}
	r.decode(&in)
	q := s.queue(r, in.QueueUrl)
	if in.MaxNumberOfMessages < 1 || in.MaxNumberOfMessages > maxReceived {
		panic(apiError(http.StatusBadRequest, "InvalidParameterValue", "Value %d for parameter MaxNumberOfMessages is "+
			"invalid. Reason: Must be between 1 and 10, if provided.", in.MaxNumberOfMessages))
	}
	invisible := defaultVisibility
	if in.VisibilityTimeout != nil {
		invisible = time.Duration(*in.VisibilityTimeout) * time.Second
	}
	now, found := s.options.Now(), []types.Message{}
	for _, m := range q.messages {
		if len(found) == int(in.MaxNumberOfMessages) {
			break
		}
		if m.visible.After(now) {
			continue
		}
		m.visible, m.receipt = now.Add(invisible), newUUID()
		m.received++
		found = append(found, m.answer())
	}
	r.items = len(found)
	return map[string]any{"Messages": found}
}

// answer returns a message as ReceiveMessage does.
func (m *queueMessage) answer() types.Message {
	sum := md5.Sum([]byte(m.body)) //nolint:gosec // It is the checksum that SQS returns.
	return types.Message{
		MessageId: &m.id, ReceiptHandle: aws.String(m.receipt), Body: &m.body,
		MD5OfBody: aws.String(hex.EncodeToString(sum[:])),
		Attributes: map[string]string{
			"ApproximateReceiveCount": strconv.Itoa(m.received),
			"SentTimestamp":           strconv.FormatInt(m.sent.UnixMilli(), 10),
		},
	}
}

func deleteMessageBatch(s *Server, r *request) any {
	in := decoded[sqs.DeleteMessageBatchInput](r)
	q := s.queue(r, in.QueueUrl)
	switch {
	case len(in.Entries) == 0:
		panic(apiError(http.StatusBadRequest, "EmptyBatchRequest",
			"There should be at least one DeleteMessageBatchRequestEntry in the request."))
	case len(in.Entries) > maxReceived:
		panic(apiError(http.StatusBadRequest, "TooManyEntriesInBatchRequest",
			"Maximum number of entries per request are 10. You have sent %d.", len(in.Entries)))
	}
	deleted := []types.DeleteMessageBatchResultEntry{}
	for _, e := range in.Entries {
		// SQS accepts the receipt of a message that was deleted.
		q.messages = slices.DeleteFunc(q.messages,
			func(m *queueMessage) bool { return m.receipt == aws.ToString(e.ReceiptHandle) })
		deleted = append(deleted, types.DeleteMessageBatchResultEntry{Id: e.Id})
	}
	r.items = len(deleted)
	return map[string]any{"Successful": deleted, "Failed": []any{}}
}

// legacyCodes are the codes of the query protocol that differ from those of JSON.
var legacyCodes = map[string]string{"QueueDoesNotExist": "AWS.SimpleQueueService.NonExistentQueue"}

// writeSQSError writes an error in JSON 1.0, with the code of the query protocol in a header.
func writeSQSError(w http.ResponseWriter, e *Error) {
	setQueryError(w, cmp.Or(legacyCodes[e.Code], e.Code), e.Status)
	writeJSON(w, serviceSQS, e.Status, map[string]string{"__type": "com.amazonaws.sqs#" + e.Code, "message": e.Message})
}

// ownQueue returns the ARN of a queue of the caller's account and region, by its name.
func (r *request) ownQueue(name string) string {
	return "arn:" + partition(r.region) + ":sqs:" + r.region + ":" + r.account + ":" + name
}

// queueArn returns the ARN of the queue that a call names, empty if it names none.
func (r *request) queueArn() string {
	in := peeked[struct{ QueueURL, QueueName, QueueOwnerAWSAccountID string }](r)
	if in.QueueName != "" {
		in.QueueURL = cmp.Or(in.QueueOwnerAWSAccountID, r.account) + "/" + in.QueueName
	}
	return queueARN(r.region, in.QueueURL)
}

func createQueue(s *Server, r *request) any {
	arn := r.queueArn()
	s.addQueue(arn)
	return map[string]any{"QueueUrl": queueURL(arn)}
}

func deleteQueue(s *Server, r *request) any {
	in := decoded[sqs.DeleteQueueInput](r)
	s.queue(r, in.QueueUrl)
	delete(s.queues, queueARN(r.region, aws.ToString(in.QueueUrl)))
	return map[string]any{}
}

func listQueues(s *Server, r *request) any {
	in := decoded[sqs.ListQueuesInput](r)
	urls := []string{}
	for _, arn := range slices.Sorted(maps.Keys(s.queues)) {
		if strings.HasPrefix(arn, r.ownQueue(aws.ToString(in.QueueNamePrefix))) {
			urls = append(urls, queueURL(arn))
		}
	}
	return map[string]any{"QueueUrls": urls}
}

// Queues returns the ARNs of all queues, sorted.
func (s *Server) Queues() []string {
	defer s.lock()()
	return slices.Sorted(maps.Keys(s.queues))
}

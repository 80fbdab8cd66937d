package awsdouble

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
)

const driftQueue = "arn:aws:sqs:" + testRegion + ":" + DefaultAccount + ":drift"

func receive(t *testing.T, c *sqs.Client, url *string, wait int32) []sqstypes.Message {
	t.Helper()
	out, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: wait,
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{
			sqstypes.MessageSystemAttributeNameApproximateReceiveCount,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Messages
}

func (s *Server) sendMessages(bodies ...string) {
	defer s.lock()()
	for _, b := range bodies {
		s.send(driftQueue, b, 0)
	}
}

func TestQueue(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := start(t, Options{Now: func() time.Time { return now }})
	s.AddQueue(driftQueue)
	c := sqs.NewFromConfig(s.Config(testRegion))
	at, err := c.GetQueueUrl(t.Context(),
		&sqs.GetQueueUrlInput{QueueName: aws.String("drift"), QueueOwnerAWSAccountId: aws.String(DefaultAccount)})
	if err != nil {
		t.Fatal(err)
	}
	s.sendMessages("a", "b")
	if _, err := c.SendMessage(t.Context(),
		&sqs.SendMessageInput{QueueUrl: at.QueueUrl, MessageBody: aws.String("c")}); err != nil {
		t.Fatal(err)
	}

	first := receive(t, c, at.QueueUrl, 0)
	if len(first) != 3 || *first[0].Body != "a" || first[0].Attributes["ApproximateReceiveCount"] != "1" {
		t.Fatalf("received %+v", first)
	}
	if again := receive(t, c, at.QueueUrl, 0); len(again) != 0 {
		t.Errorf("messages are visible while they are handled: %d", len(again))
	}
	del, err := c.DeleteMessageBatch(t.Context(),
		&sqs.DeleteMessageBatchInput{QueueUrl: at.QueueUrl, Entries: []sqstypes.DeleteMessageBatchRequestEntry{
			{Id: aws.String("1"), ReceiptHandle: first[1].ReceiptHandle},
		}})
	if err != nil || len(del.Failed) != 0 || len(del.Successful) != 1 {
		t.Errorf("deleted %+v, %v", del, err)
	}
	now = now.Add(31 * time.Second)
	second := receive(t, c, at.QueueUrl, 0)
	if len(second) != 2 || *second[0].Body != "a" || second[0].Attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("received again %+v", second)
	}
	if diff := cmp.Diff([]string{"a", "c"}, s.QueuedMessages(driftQueue)); diff != "" {
		t.Errorf("left: -want, +got:\n%s", diff)
	}
}

// TestQueuePolicy checks that what receives from a queue needs no more than the policy of docs/drift-events.md.
func TestQueuePolicy(t *testing.T) {
	s := start(t, Options{})
	s.AddQueue(driftQueue)
	if err := s.SetPolicyDocument("AKIADOUBLE", []byte(`{"Statement": [{"Effect": "Allow", "Action": [
		"sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"], "Resource": "`+driftQueue+`"}]}`)); err != nil {
		t.Fatal(err)
	}
	c := sqs.NewFromConfig(s.Config(testRegion))
	of := func(name string) (*string, error) {
		out, err := c.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: &name})
		if err != nil {
			return nil, err
		}
		return out.QueueUrl, nil
	}
	at, err := of("drift")
	if err != nil {
		t.Fatal(err)
	}
	s.sendMessages("a")
	if _, err := c.DeleteMessageBatch(t.Context(),
		&sqs.DeleteMessageBatchInput{QueueUrl: at, Entries: []sqstypes.DeleteMessageBatchRequestEntry{
			{Id: aws.String("1"), ReceiptHandle: receive(t, c, at, 0)[0].ReceiptHandle},
		}}); err != nil {
		t.Error(err)
	}
	if _, err := of("other"); err == nil {
		t.Error("the policy allows another queue")
	}
}

func TestQueueErrors(t *testing.T) {
	s := start(t, Options{})
	c := sqs.NewFromConfig(s.Config(testRegion))
	_, err := c.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("drift")})
	if _, ok := errors.AsType[*sqstypes.QueueDoesNotExist](err); !ok {
		t.Errorf("GetQueueUrl of a missing queue: %v", err)
	}
	s.AddQueue(driftQueue)
	s.Fail(Fault{Operation: "ReceiveMessage", Error: AccessDenied("sqs:ReceiveMessage")})
	_, err = c.ReceiveMessage(t.Context(),
		&sqs.ReceiveMessageInput{QueueUrl: aws.String(queueURL(driftQueue)), WaitTimeSeconds: 20})
	if e, ok := errors.AsType[smithy.APIError](err); !ok || e.ErrorCode() != "AccessDeniedException" {
		t.Errorf("ReceiveMessage: %v", err)
	}
}

func TestLongPollEndsWithAMessage(t *testing.T) {
	s := start(t, Options{})
	s.AddQueue(driftQueue)
	c := sqs.NewFromConfig(s.Config(testRegion))
	got := make(chan int)
	go func() { got <- len(receive(t, c, aws.String(queueURL(driftQueue)), 20)) }()
	s.sendMessages("a")
	if n := <-got; n != 1 {
		t.Errorf("received %d messages", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := c.ReceiveMessage(ctx,
			&sqs.ReceiveMessageInput{QueueUrl: aws.String(queueURL(driftQueue)), WaitTimeSeconds: 20})
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that is cancelled: %v", err)
	}
}

func TestTrail(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := start(t, Options{Now: func() time.Time { return now }})
	s.AddQueue(driftQueue)
	s.Trail(driftQueue, time.Minute)
	s.AddCaller("AKIAALICE", DefaultAccount, "arn:aws:sts::123456789012:assumed-role/ops/alice")
	c := lambda.NewFromConfig(s.ConfigFor(testRegion, "AKIAALICE"))
	_, _ = c.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("cart")})
	_, _ = c.DeleteFunction(t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: aws.String("cart"), Qualifier: aws.String("3")})
	_, _ = c.UpdateEventSourceMapping(t.Context(),
		&lambda.UpdateEventSourceMappingInput{UUID: aws.String("91fceda8-0c4d-4a3d-b0b8-6cae1f5bd6ae")})

	type event struct {
		EventName, EventTime, ErrorCode string
		UserIdentity                    struct{ Type, ARN string }
		RequestParameters               map[string]string
	}
	var got []event
	for _, body := range s.QueuedMessages(driftQueue) {
		var e struct{ Detail event }
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Detail)
	}
	alice := struct{ Type, ARN string }{"AssumedRole", "arn:aws:sts::123456789012:assumed-role/ops/alice"}
	want := []event{
		{
			"DeleteFunction20150331", "2026-01-01T00:00:00Z", "ResourceNotFoundException", alice,
			map[string]string{"functionName": "cart", "qualifier": "3"},
		},
		{
			"UpdateEventSourceMapping20150331", "2026-01-01T00:00:00Z", "ResourceNotFoundException", alice,
			map[string]string{"uUID": "91fceda8-0c4d-4a3d-b0b8-6cae1f5bd6ae"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	q := sqs.NewFromConfig(s.Config(testRegion))
	if n := len(receive(t, q, aws.String(queueURL(driftQueue)), 0)); n != 0 {
		t.Errorf("%d events are delivered at once", n)
	}
	now = now.Add(time.Minute)
	if n := len(receive(t, q, aws.String(queueURL(driftQueue)), 0)); n != 2 {
		t.Errorf("%d events are delivered", n)
	}
}

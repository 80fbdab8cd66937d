package awsdouble

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// ownQueue returns the ARN of a queue of the caller's account and region, by its name.
func (r *request) ownQueue(name string) string {
	return "arn:" + partition(r.region) + ":sqs:" + r.region + ":" + r.account + ":" + name
}

// queueArn returns the ARN of the queue that a call makes or deletes, empty for other calls.
func (r *request) queueArn() string {
	switch r.operation {
	case "CreateQueue":
		return r.ownQueue(aws.ToString(peeked[sqs.CreateQueueInput](r).QueueName))
	case "DeleteQueue":
		return queueARN(r.region, aws.ToString(peeked[sqs.DeleteQueueInput](r).QueueUrl))
	}
	return ""
}

func createQueue(s *Server, r *request) any {
	arn := r.ownQueue(aws.ToString(decoded[sqs.CreateQueueInput](r).QueueName))
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

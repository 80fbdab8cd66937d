package awsdouble

import (
	"maps"
	"slices"
	"strings"
)

// ownQueue returns the ARN of a queue of the caller's account and region, by its name.
func (r *request) ownQueue(name string) string {
	return "arn:" + partition(r.region) + ":sqs:" + r.region + ":" + r.account + ":" + name
}

// queueArn returns the ARN of the queue that a call makes or deletes, empty for other calls.
func (r *request) queueArn() string {
	in := peeked[struct {
		QueueName string
		QueueURL  string `json:"QueueUrl"`
	}](r)
	switch r.operation {
	case "CreateQueue":
		return r.ownQueue(in.QueueName)
	case "DeleteQueue":
		return queueARN(r.region, in.QueueURL)
	}
	return ""
}

func createQueue(s *Server, r *request) any {
	in := decoded[struct{ QueueName string }](r)
	arn := r.ownQueue(in.QueueName)
	s.addQueue(arn)
	return sqsAnswer(map[string]any{"QueueUrl": queueURL(arn)})
}

func deleteQueue(s *Server, r *request) any {
	in := decoded[struct {
		QueueURL string `json:"QueueUrl"`
	}](r)
	s.queue(r, in.QueueURL)
	delete(s.queues, queueARN(r.region, in.QueueURL))
	return sqsAnswer(map[string]any{})
}

func listQueues(s *Server, r *request) any {
	in := decoded[struct{ QueueNamePrefix string }](r)
	urls := []string{}
	for _, arn := range slices.Sorted(maps.Keys(s.queues)) {
		if strings.HasPrefix(arn, r.ownQueue(in.QueueNamePrefix)) {
			urls = append(urls, queueURL(arn))
		}
	}
	return sqsAnswer(map[string]any{"QueueUrls": urls})
}

// Queues returns the ARNs of all queues, sorted.
func (s *Server) Queues() []string {
	defer s.lock()()
	return slices.Sorted(maps.Keys(s.queues))
}

package driftevents

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

// API has the operations of SQS that a receiver calls. *sqs.Client has them.
type API interface {
	GetQueueUrl(ctx context.Context, in *sqs.GetQueueUrlInput,
		opts ...func(*sqs.Options)) (*sqs.GetQueueUrlOutput, error)
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput,
		opts ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput,
		opts ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Sessions resolves the session of a config in a region. *session.Resolver does.
type Sessions interface {
	ResolveConfig(ctx context.Context, config client.Object, region string) (*session.Session, error)
}

// A Config is a provider config, by kind, namespace and name. Its UID is empty.
type Config = session.Ref

// A Notice is an event for the resources of some configs.
type Notice struct {
	cloudtrail.Event

	// Configs are the configs whose resources the event may be about, and whether their users want to see the source
	// IP address.
	Configs map[Config]bool
}

// An Outcome is the significance of an event for the resources of a kind. The greatest of several is counted.
type Outcome int

const (
	// Unmatched means that the event is about no resource.
	Unmatched Outcome = iota

	// Outdated means that the resource was observed after the call.
	Outdated

	// Own means that the provider made the call.
	Own

	// Matched means that a resource is reconciled.
	Matched
)

// A Subscriber is the controller of a kind.
type Subscriber interface {
	// Notify handles an event. It makes no call to AWS.
	Notify(ctx context.Context, n Notice) (Outcome, error)

	// Resume makes resources of configs be polled as if there were no events.
	Resume(ctx context.Context, configs []Config)
}

// A Reason classifies the state of a receiver.
type Reason int

const (
	// Starting means that no call was made yet.
	Starting Reason = iota

	// Receiving means that the last call succeeded.
	Receiving

	// NoQueue means that the queue does not exist.
	NoQueue

	// Denied means that the identity of the config lacks a permission.
	Denied

	// Failing means that the last call failed for another reason.
	Failing

	// EventsMissing means that the last call succeeded, and that no event of CloudTrail has arrived about a call that
	// the provider has made.
	EventsMissing
)

// State is the state of a queue.
type State struct {
	Reason Reason

	// QueueARN is the ARN of the queue.
	QueueARN string

	// Error is the error of the last call, as AWS described it. It is empty if the call succeeded.
	Error string

	// Missing names the accounts and regions with a call whose event is missing, in order.
	Missing []string
}

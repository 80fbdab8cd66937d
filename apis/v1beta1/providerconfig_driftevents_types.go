package v1beta1

// DriftEvents names a queue of Amazon SQS to which EventBridge delivers CloudTrail's events about
// calls to Lambda. A message about a resource reconciles it at once, and names who made the call.
type DriftEvents struct {
	// QueueARN is the ARN of a standard queue. Its messages are deleted as they are read, so
	// the queue must have no other reader. The identity of the config needs sqs:GetQueueUrl,
	// sqs:ReceiveMessage and sqs:DeleteMessage. Several ClusterProviderConfigs may name the
	// same queue. An event is for the resources of all of them, by account and region.
	//
	// +kubebuilder:validation:MaxLength=170
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-z-]*:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,80}$')",message="queueARN must be the ARN of a standard queue, such as arn:aws:sqs:eu-central-1:123456789012:drift"
	QueueARN string `json:"queueARN"`

	// ShowSourceIP also names the IP address from which the call was made.
	// +optional
	ShowSourceIP bool `json:"showSourceIP,omitempty"`
}

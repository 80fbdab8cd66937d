package awserr

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go"
)

const (
	// spreading is the time after which Lambda sees a new role or policy of IAM. AWS's
	// support says up to 15 minutes (terraform-provider-aws issue 44517), which is how long
	// Terraform retries (lambda/consts.go, lambdaPropagationTimeout).
	spreading = 15 * time.Minute

	// creating is the time for which a resource that an input names may be missing, because it is created at
	// the same time, or because its service has not yet shown it to Lambda.
	creating = 5 * time.Minute

	// moving is the time that AWS may take to move an alias that has provisioned concurrency to
	// another version (terraform-provider-aws, alias.go and consts.go).
	moving = 15 * time.Minute

	// creatingCapacity is the time for which Terraform retries to create a capacity provider, whatever
	// parameters AWS rejects (capacity_provider.go, iamPropagationTimeout).
	creatingCapacity = 2 * time.Minute
)

// A passing message is one that AWS returns both for a mistake and for what does not exist yet.
type passing struct {
	// parts are the parts of the message, in lower case. All must be present.
	parts []string

	// within is the time in which the error passes, if it does.
	within time.Duration
}

// passingMessages has messages of InvalidParameterValueException. Comments name the source of each: the project that
// has seen it pass, or the place where it was recorded. There, tf is hashicorp/terraform-provider-aws,
// internal/service/lambda; ack is aws-controllers-k8s/lambda-controller; cdkd is go-to-k/cdkd,
// src/deployment/retryable-errors.ts; a number is an issue or a pull request.
var passingMessages = []passing{
	// Roles and policies that Lambda does not see yet.

	// tf function.go, event_source_mapping.go; the second one also function_event_invoke_config.go.
	{[]string{"cannot be assumed by lambda"}, spreading},
	{[]string{"role does not have permissions"}, spreading},
	// tf event_source_mapping.go; for secrets of MSK: aws-cdk 18571.
	{[]string{"ensure the role can perform"}, spreading},
	// hashicorp/terraform 4316.
	{[]string{"add lambda as a trusted entity"}, spreading},
	// tf function.go; tf 4633; aws/chalice 1069.
	{[]string{"kms key is invalid for creategrant"}, spreading},
	// cdkd, the last one for ec2:DescribeSecurityGroups.
	{[]string{"while reading from provided stream", "security token included in the request is invalid"}, spreading},
	{[]string{"operator role is invalid or doesn't have sufficient permissions"}, spreading},
	{[]string{"doesn't have permission to perform"}, spreading},

	// Resources that are named and not found.

	// tf 41617.
	{[]string{"provided principal was invalid"}, creating},
	// tf function_event_invoke_config.go.
	{[]string{"destination arn", "is invalid"}, creating},
	// ack function/hooks.go; ack community 1842.
	{[]string{"provide a valid source image"}, creating},
	// Recorded, but for NoSuchVersion, which is in analogy; that they pass: the object is uploaded at the same time.
	{[]string{"s3 error code: nosuchbucket"}, creating},
	{[]string{"s3 error code: nosuchkey"}, creating},
	{[]string{"s3 error code: nosuchversion"}, creating},
	// Recorded, and serverless 2973; that they pass: EC2's eventual consistency.
	{[]string{"ec2 error code: invalidsubnetid.notfound"}, creating},
	{[]string{"ec2 error code: invalidgroup.notfound"}, creating},
	// cdkd; subnets are in analogy to security groups.
	{[]string{"security group ids are invalid"}, creating},
	{[]string{"subnet ids are invalid"}, creating},
	// In analogy to mount targets that are not available yet.
	{[]string{"efs file system", "has no mount targets"}, creating},
	// tf 22373.
	{[]string{"function does not exist"}, creating},
	// Recorded; that it passes: the layer is published at the same time.
	{[]string{"layer version", "does not exist"}, creating},
	// amplify-cli 11625; that it passes: the stream is created at the same time.
	{[]string{"stream not found"}, creating},
	// SQS's error code; that it passes: the queue is created at the same time.
	{[]string{"sqs error code", "nonexistentqueue"}, creating},

	// AWS itself sets weights on an alias while it moves the alias from version to version: tf 48116,
	// hashicorp/terraform 24957.
	{[]string{"alias with weights can not be used with provisioned concurrency"}, moving},
}

// MayPass reports whether an error is either the user's mistake or passes by itself within the time
// that is returned: AWS returns the same error for what is wrong and for what does not exist yet.
func MayPass(err error) (within time.Duration, ok bool) {
	switch Code(err) {
	case "CodeSigningConfigNotFoundException":
		return creating, true
	case "InvalidParameterValueException":
	default:
		return 0, false
	}
	m := strings.ToLower(Message(err))
	has := func(part string) bool { return strings.Contains(m, part) }
	if has("key aliases are not supported") { // No alias becomes a key: hashicorp/terraform 20813.
		return 0, false
	}
	for _, p := range passingMessages {
		if !slices.ContainsFunc(p.parts, func(part string) bool { return !has(part) }) {
			return p.within, true
		}
	}
	if op, ok := errors.AsType[*smithy.OperationError](err); ok && op.Operation() == "CreateCapacityProvider" {
		return creatingCapacity, true
	}
	return 0, false
}

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

	// source is the project that has seen it pass, or the place where it was recorded.
	source string
}

// passingMessages has messages of InvalidParameterValueException. Sources: tf is hashicorp/terraform-provider-aws,
// internal/service/lambda; ack is aws-controllers-k8s/lambda-controller; cdkd is go-to-k/cdkd,
// src/deployment/retryable-errors.ts; a number is an issue or a pull request.
var passingMessages = []passing{
	// Roles and policies that Lambda does not see yet.
	{[]string{"cannot be assumed by lambda"}, spreading, "tf function.go, event_source_mapping.go"},
	{
		[]string{"role does not have permissions"},
		spreading,
		"tf function.go, event_source_mapping.go, function_event_invoke_config.go",
	},
	{
		[]string{"ensure the role can perform"},
		spreading,
		"tf event_source_mapping.go; for secrets of MSK: aws-cdk 18571",
	},
	{[]string{"add lambda as a trusted entity"}, spreading, "hashicorp/terraform 4316"},
	{
		[]string{"while reading from provided stream", "security token included in the request is invalid"},
		spreading,
		"cdkd",
	},
	{[]string{"kms key is invalid for creategrant"}, spreading, "tf function.go; aws/chalice 1069"},
	{[]string{"operator role is invalid or doesn't have sufficient permissions"}, spreading, "cdkd"},
	{[]string{"doesn't have permission to perform"}, spreading, "cdkd, for ec2:DescribeSecurityGroups"},

	// Resources that are named and not found.
	{[]string{"provided principal was invalid"}, creating, "tf 41617"},
	{[]string{"destination arn", "is invalid"}, creating, "tf function_event_invoke_config.go"},
	{[]string{"provide a valid source image"}, creating, "ack function/hooks.go; ack community 1842"},
	{
		[]string{"s3 error code: nosuchbucket"},
		creating,
		"recorded; that it passes: the object is uploaded at the same time",
	},
	{
		[]string{"s3 error code: nosuchkey"},
		creating,
		"recorded; that it passes: the object is uploaded at the same time",
	},
	{[]string{"s3 error code: nosuchversion"}, creating, "in analogy to NoSuchKey"},
	{
		[]string{"ec2 error code: invalidsubnetid.notfound"},
		creating,
		"recorded; that it passes: EC2's eventual consistency",
	},
	{
		[]string{"ec2 error code: invalidgroup.notfound"},
		creating,
		"serverless 2973; that it passes: EC2's eventual consistency",
	},
	{[]string{"security group ids are invalid"}, creating, "cdkd"},
	{[]string{"subnet ids are invalid"}, creating, "in analogy to security groups"},
	{
		[]string{"efs file system", "has no mount targets"},
		creating,
		"in analogy to mount targets that are not available yet",
	},
	{[]string{"function does not exist"}, creating, "tf 22373"},
	{
		[]string{"layer version", "does not exist"},
		creating,
		"recorded; that it passes: the layer is published at the same time",
	},
	{
		[]string{"stream not found"},
		creating,
		"amplify-cli 11625; that it passes: the stream is created at the same time",
	},
	{
		[]string{"sqs error code", "nonexistentqueue"},
		creating,
		"SQS's error code; that it passes: the queue is created at the same time",
	},

	// AWS itself sets weights on an alias while it moves the alias from version to version.
	{
		[]string{"alias with weights can not be used with provisioned concurrency"},
		moving,
		"tf 48116, hashicorp/terraform 24957",
	},
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

package iam

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
)

// Resources and further actions of operations are from the Service Authorization Reference of AWS:
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_lambda.html
// An action is named like its operation. The exceptions are in awserr.ActionOf.

// unscoped are actions that have no resource: a policy can only allow them on "*".
var unscoped = []string{
	"lambda:CreateCodeSigningConfig", "lambda:CreateEventSourceMapping", "lambda:GetAccountSettings",
	"lambda:ListCapacityProviders", "lambda:ListCodeSigningConfigs", "lambda:ListEventSourceMappings",
	"lambda:ListFunctions", "lambda:ListLayers", "lambda:ListLayerVersions",
	"cloudwatch:DescribeAlarmHistory", "cloudwatch:DescribeAlarms", "cloudwatch:GetMetricData",
}

// services are the names in awserr.ActionOf of the SDK's packages whose names differ.
var services = map[string]string{"lambda": "Lambda", "s3": "S3"}

// everything are the resources of a statement that allows actions on all.
var everything = []string{placeholder}

// allowed has the actions that a policy allows, by action and condition.
type allowed map[string]grant

// A grant is an action, and the patterns of the ARNs on which it is allowed under a condition.
type grant struct {
	action    string
	resources []string
	condition condition
}

// add allows actions on resources under a condition, which may be nil. Without resources, it allows nothing.
func (a allowed) add(on []string, c condition, actions ...string) {
	if len(on) == 0 {
		return
	}
	for _, action := range actions {
		key := action + " " + fmt.Sprint(c)
		a[key] = grant{action: action, resources: append(a[key].resources, on...), condition: c}
	}
}

// action returns the IAM action of a call.
func action(r dryrun.Request) string {
	service := r.Service
	if s, ok := services[service]; ok {
		service = s
	}
	if service == "S3" && r.Operation == "HeadObject" && member(r.Input, "VersionId") != "" {
		return "s3:GetObjectVersion" // https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
	}
	return awserr.ActionOf(service, r.Operation)
}

// call adds what AWS checks of a call: the action of its operation, and further ones by the members of the input.
func (a allowed) call(n names, r dryrun.Request) {
	function, publish := member(r.Input, "FunctionName"), value(r.Input, "Publish")
	switch own := action(r); {
	case own == "lambda:CreateEventSourceMapping": // It has no resource, but a condition key.
		a.add(everything, condition{"ArnLike": {"lambda:FunctionArn": n.function(function, "*")}}, own)
	case slices.Contains(unscoped, own):
		a.add(everything, nil, own)
	default:
		a.add(n.resources(r), nil, own)
	}
	if strings.HasPrefix(r.Operation, "Create") && hasItems(value(r.Input, "Tags")) {
		a.add(n.created(r), nil, "lambda:TagResource")
	}
	if r.Operation == "PublishVersion" || publish.Kind() == reflect.Bool && publish.Bool() {
		// A new version is Pending at first, and is read until it is Active. In memory, it is Active at once.
		a.add(n.function(function, "*"), nil, "lambda:GetFunction")
	}
	if r.Service != "lambda" {
		return
	}
	for _, c := range Checks {
		on := c.on(n, r)
		for i, arn := range on {
			on[i] = n.pattern(arn)
		}
		a.add(on, c.condition(), c.Actions...)
	}
}

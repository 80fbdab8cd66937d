package iam

import (
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

// A condition of a statement: values by operator and key.
type condition map[string]map[string][]string

// services are the names in awserr.ActionOf of the SDK's packages whose names differ.
var services = map[string]string{"lambda": "Lambda", "s3": "S3"}

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

// hasItems reports whether a map or slice is set and has items.
func hasItems(v reflect.Value) bool { return v.IsValid() && v.Len() > 0 }

// value returns a member of an input, by its path. It is not valid if it is not set.
func value(in any, path ...string) reflect.Value {
	v := reflect.Indirect(reflect.ValueOf(in))
	for _, name := range path {
		if v.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		v = reflect.Indirect(v.FieldByName(name))
	}
	return v
}

// member returns a text of an input, by its path, or an empty one.
func member(in any, path ...string) string {
	if v := value(in, path...); v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}

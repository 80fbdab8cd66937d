package conformance

import (
	"slices"
	"strings"
)

// A Statement of an IAM policy allows actions on resources.
type Statement struct {
	Effect    string                       `json:"Effect"`
	Action    []string                     `json:"Action"`
	Resource  []string                     `json:"Resource"`
	Condition map[string]map[string]string `json:"Condition,omitempty"`
}

// A Policy is a policy document of IAM.
type Policy struct {
	Version   string      `json:"Version"`
	Statement []Statement `json:"Statement"`
}

// The actions of a run, by what they can be limited to.
const (
	namedActions = "CreateFunction DeleteFunction GetFunction GetFunctionConfiguration UpdateFunctionCode " +
		"UpdateFunctionConfiguration InvokeFunction PublishVersion ListVersionsByFunction " +
		"CreateAlias DeleteAlias GetAlias UpdateAlias ListAliases AddPermission RemovePermission GetPolicy " +
		"PutResourcePolicy GetResourcePolicy DeleteResourcePolicy PutFunctionConcurrency GetFunctionConcurrency " +
		"DeleteFunctionConcurrency PutFunctionRecursionConfig GetFunctionRecursionConfig " +
		"GetFunctionCodeSigningConfig PutFunctionCodeSigningConfig DeleteFunctionCodeSigningConfig " +
		"CreateFunctionUrlConfig UpdateFunctionUrlConfig GetFunctionUrlConfig DeleteFunctionUrlConfig " +
		"PutFunctionEventInvokeConfig GetFunctionEventInvokeConfig DeleteFunctionEventInvokeConfig " +
		"PutProvisionedConcurrencyConfig GetProvisionedConcurrencyConfig " +
		"DeleteProvisionedConcurrencyConfig ListProvisionedConcurrencyConfigs PutRuntimeManagementConfig " +
		"GetRuntimeManagementConfig PublishLayerVersion GetLayerVersion DeleteLayerVersion AddLayerVersionPermission " +
		"RemoveLayerVersionPermission GetLayerVersionPolicy CreateCapacityProvider GetCapacityProvider " +
		"UpdateCapacityProvider DeleteCapacityProvider TagResource UntagResource ListTags"

	// unnamedActions are actions on what AWS names. ListTags of them finds those that carry the tag of the run.
	unnamedActions = "GetEventSourceMapping UpdateEventSourceMapping DeleteEventSourceMapping GetCodeSigningConfig " +
		"UpdateCodeSigningConfig DeleteCodeSigningConfig PutFunctionCodeSigningConfig TagResource UntagResource " +
		"ListTags"

	// unscopedActions are actions that IAM cannot limit to a resource.
	unscopedActions = "CreateEventSourceMapping CreateCodeSigningConfig GetAccountSettings ListFunctions ListLayers " +
		"ListLayerVersions ListEventSourceMappings ListCodeSigningConfigs ListCapacityProviders"
)

// PolicyOf returns the IAM policy that the caller of a run needs. It is the same for all runs in an account and region,
// and allows changes only of what runs make, as far as IAM can tell.
func PolicyOf(account, region string) Policy {
	lambda, own := "arn:aws:lambda:"+region+":"+account+":", "plc-*"
	role := "arn:aws:iam::" + account + ":role" + RolePath + own
	return Policy{Version: "2012-10-17", Statement: []Statement{
		allow(lambdaActions(namedActions), lambda+"function:"+own, lambda+"layer:"+own,
			lambda+"capacity-provider:"+own),
		allow(lambdaActions(unnamedActions), lambda+"event-source-mapping:*", lambda+"code-signing-config:*"),
		allow(append(lambdaActions(unscopedActions), "cloudwatch:GetMetricData", "sts:GetCallerIdentity",
			"ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs"), "*"),
		allow([]string{"sqs:CreateQueue", "sqs:DeleteQueue", "sqs:TagQueue"},
			"arn:aws:sqs:"+region+":"+account+":"+own),
		allow([]string{"sqs:ListQueues", "sqs:GetQueueUrl"}, "*"),
		allow([]string{"iam:CreateRole", "iam:DeleteRole", "iam:PutRolePolicy", "iam:DeleteRolePolicy", "iam:TagRole"},
			role),
		allow([]string{"iam:ListRoles"}, "*"),
		{
			Effect: "Allow", Action: []string{"iam:PassRole"}, Resource: []string{role},
			Condition: map[string]map[string]string{"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}},
		},
	}}
}

func allow(actions []string, resources ...string) Statement {
	slices.Sort(actions)
	return Statement{Effect: "Allow", Action: actions, Resource: resources}
}

func lambdaActions(names string) []string {
	var out []string
	for n := range strings.FieldsSeq(names) {
		out = append(out, "lambda:"+n)
	}
	return out
}

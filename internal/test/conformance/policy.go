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

// Planned returns the scenarios of a run that makes nothing.
func Planned(r Run, role string, given map[string]string) ([]Scenario, error) {
	if role == "" {
		role = "arn:aws:iam::" + r.Account + ":role" + RolePath + r.Prefix() + "role"
	}
	return Scenarios(valuesOf(r, role, given))
}

// Makes returns the kinds and names of what the scenario makes in AWS.
func (sc *Scenario) Makes() []string {
	var out []string
	for i := range sc.Steps {
		for _, o := range sc.Steps[i].Apply {
			if o.Data == nil {
				out = append(out, o.Kind+" "+o.Name)
			}
		}
		if c := sc.Steps[i].Expect; c != nil && c.Operation == "CreateFunction" {
			if name, ok := c.Input["FunctionName"].(string); ok {
				out = append(out, kindFunction+" "+name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A Price is the cost of a part of a run.
type Price struct {
	Of  string
	USD float64
}

// Costs are the costs of a run at most, at the list prices of most regions, without the free tier.
var Costs = []Price{
	{"Lambda: 400 requests of 128 MB for 100 ms", 0.0002},
	{"Lambda: 2 provisioned environments of 128 MB for 10 minutes", 0.0007},
	{"Lambda: 512 MB of further ephemeral storage, while it is invoked", 0.0001},
	{"CloudWatch: 300 metrics of GetMetricData", 0.0030},
	{"SQS: 200 requests of a poller", 0.0001},
}

// Cost returns the sum of Costs, in USD.
func Cost() float64 {
	sum := 0.0
	for _, c := range Costs {
		sum += c.USD
	}
	return sum
}

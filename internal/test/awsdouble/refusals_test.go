package awsdouble

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// refused is a call that AWS rejects, and its preconditions.
type refused struct {
	reason string
	// removed are resources of other services that do not exist.
	removed []string
	// before are calls that succeed, as "METHOD path body".
	before []string
	do     string
	status int
	// code is by default that of most rejections; no message means success.
	code, message string
}

const (
	testFunctionARN = "arn:aws:lambda:eu-west-1:123456789012:function:f"
	testEvents      = "/2019-09-25/functions/f/event-invoke-config"
	testProvisioned = "/2019-09-30/functions/f/provisioned-concurrency"
	testPermission  = `{"StatementId":"s","Action":"lambda:InvokeFunction","Principal":`
)

// TestRefusals calls operations on function f, its version 1 and its alias prod.
func TestRefusals(t *testing.T) {
	for _, cases := range []map[string]refused{
		networkRefusals, destinationRefusals, concurrencyRefusals,
		permissionRefusals, settingRefusals, orderRefusals,
	} {
		for name, tc := range cases {
			t.Run(name, func(t *testing.T) { tc.test(t) })
		}
	}
}

func (tc *refused) test(t *testing.T) {
	t.Helper()
	s := start(t, Options{})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	for _, do := range append([]string{
		"POST /2015-03-31/functions/f/versions {}",
		`POST /2015-03-31/functions/f/aliases {"Name":"prod","FunctionVersion":"1"}`,
	}, tc.before...) {
		if res, body := send(t, s, //nolint:bodyclose // call closes it.
			do); res.StatusCode >= http.StatusMultipleChoices {
			t.Fatalf("%s: %d %s", do, res.StatusCode, body)
		}
	}
	s.RemoveResources(tc.removed...)
	res, body := send(t, s, tc.do) //nolint:bodyclose // call closes it.
	if tc.message == "" {
		if res.StatusCode >= http.StatusMultipleChoices {
			t.Errorf("%s\n%s: %d %s", tc.reason, tc.do, res.StatusCode, body)
		}
		return
	}
	w := want{Status: tc.status, Code: tc.code, Message: tc.message}
	if w.Code == "" {
		w.Status, w.Code = http.StatusBadRequest, "InvalidParameterValueException"
	}
	w.compare(t, tc.reason, res, body, nil)
}

// send makes a call of the form "METHOD path body".
func send(t *testing.T, s *Server, do string) (*http.Response, []byte) {
	t.Helper()
	parts := strings.SplitN(do, " ", 3)
	st := step{Do: strings.Join(parts[:min(2, len(parts))], " ")}
	if len(parts) > 2 {
		st.Send = json.RawMessage(parts[2])
	}
	return call(t, s, &st, nil)
}

// newFunction returns the creation of a function g with further members.
func newFunction(more string) string {
	return `POST /2015-03-31/functions {"FunctionName":"g","Handler":"h","Runtime":"python3.12","Role":"` + testRole +
		`","Code":{"ZipFile":"zip:1"}` + more + `}`
}

func network(subnet, group string) string {
	return newFunction(`,"VpcConfig":{"SubnetIds":["` + subnet + `"],"SecurityGroupIds":["` + group + `"]}`)
}

var networkRefusals = map[string]refused{
	"AnyNetwork": {
		reason: "All resources of other services exist that were not removed.",
		do:     network("subnet-1", "sg-1"),
	},
	"NoSubnet": {
		reason: "A subnet that was removed does not exist.", removed: []string{"subnet-1"},
		do: network("subnet-1", "sg-1"),
		message: "Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 Error Message: " +
			"The subnet ID 'subnet-1' does not exist",
	},
	"NoSecurityGroup": {
		reason: "Security groups as subnets, in words that users quote.", removed: []string{"sg-1"},
		do: network("subnet-1", "sg-1"),
		message: "Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. EC2 Error " +
			"Message: The security group 'sg-1' does not exist",
	},
	"UpdateToNoSecurityGroup": {
		reason: "An update is held to it too.", removed: []string{"sg-1"},
		do: `PUT /2015-03-31/functions/f/configuration {"VpcConfig":{"SubnetIds":["subnet-1"],` +
			`"SecurityGroupIds":["sg-1"]}}`,
		message: "Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. EC2 Error " +
			"Message: The security group 'sg-1' does not exist",
	},
	"HalfANetwork": {
		reason:  "A network has both, in words that users quote.",
		do:      newFunction(`,"VpcConfig":{"SubnetIds":["subnet-1"]}`),
		message: "SubnetIds and SecurityIds must coexist or be both empty list.",
	},
	"NoRole": {
		reason:  "A role that is not there is like one that may not be assumed.",
		removed: []string{testRole},
		do:      newFunction(""),
		message: "The role defined for the function cannot be assumed by Lambda.",
	},
	"NoQueue": {
		reason: "A queue that was removed does not exist.", removed: []string{testQueue},
		do: `POST /2015-03-31/event-source-mappings {"FunctionName":"f","EventSourceArn":"` + testQueue + `"}`,
		message: "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS " +
			"Error Message: The specified queue does not exist.",
	},
	"NoSuccess": {
		reason: "Mappings tell of failures only.",
		do: `POST /2015-03-31/event-source-mappings {"FunctionName":"f","EventSourceArn":"` + testStream +
			`","StartingPosition":"LATEST","DestinationConfig":{"OnSuccess":{"Destination":"` + testQueue + `"}}}`,
		message: "Unsupported DestinationConfig parameter for given event source mapping type.",
	},
	"NoDestination": {
		reason: "A destination that is not named is no way to have none, in words that users quote.",
		do: `POST /2015-03-31/event-source-mappings {"FunctionName":"f","EventSourceArn":"` + testStream +
			`","StartingPosition":"LATEST","DestinationConfig":{"OnFailure":{}}}`,
		message: "The Destination field is required for an OnFailure configuration.",
	},
}

func destinations(failure, success string) string {
	return fmt.Sprintf(`PUT %s {"DestinationConfig":{"OnFailure":{"Destination":%q},"OnSuccess":{"Destination":%q}}}`,
		testEvents, failure, success)
}

var destinationRefusals = map[string]refused{
	"Destinations": {
		reason: "A bucket takes failures.", before: []string{newFunction("")},
		do: destinations("arn:aws:s3:::b", "arn:aws:lambda:eu-west-1:123456789012:function:g"),
	},
	"NoFunctionThere": {
		reason:  "Functions are known without being told.",
		do:      destinations("", "arn:aws:lambda:eu-west-1:123456789012:function:g"),
		message: "The destination ARN arn:aws:lambda:eu-west-1:123456789012:function:g is invalid.",
	},
	"NoQueueThere": {
		reason: "What is not there is in words that users quote.", removed: []string{testQueue},
		do:      destinations(testQueue, ""),
		message: "The destination ARN " + testQueue + " is invalid.",
	},
	"WrongService": {
		reason: "Tables take no records.",
		do:     destinations("arn:aws:dynamodb:eu-west-1:123456789012:table/t", ""),
		message: "The provided destination config DestinationConfig(onSuccess=null, " +
			"onFailure=OnFailure(destination=arn:aws:dynamodb:eu-west-1:123456789012:table/t)) is invalid.",
	},
	"BucketOfSuccesses": {
		reason: "Both are told of, whichever is wrong.",
		do:     destinations(testQueue, "arn:aws:s3:::b"),
		message: "The provided destination config DestinationConfig(onSuccess=OnSuccess(destination=arn:aws:s3:::b), " +
			"onFailure=OnFailure(destination=" + testQueue + ")) is invalid.",
	},
	"ToItself": {
		reason:  "Nor by another qualifier.",
		do:      destinations("", testFunctionARN+":prod"),
		message: "You can't specify the function as a destination for itself.",
	},
	"UpdateToWrongService": {
		reason: "An update is held to it too.", before: []string{destinations("", testQueue)},
		do: `POST ` + testEvents + ` {"DestinationConfig":{"OnSuccess":{"Destination":"arn:aws:s3:::b"}}}`,
		message: "The provided destination config DestinationConfig(onSuccess=OnSuccess(destination=arn:aws:s3:::b), " +
			"onFailure=null) is invalid.",
	},
}

var concurrencyRefusals = map[string]refused{
	"ReservedBelowProvisioned": {
		reason: "What is provisioned is part of what is reserved.",
		before: []string{`PUT ` + testProvisioned + `?Qualifier=1 {"ProvisionedConcurrentExecutions":5}`},
		do:     `PUT /2017-10-31/functions/f/concurrency {"ReservedConcurrentExecutions":4}`,
		message: " ReservedConcurrentExecutions  4 should not be lower than function's total provisioned concurrency " +
			"[5].",
	},
	"ReservedAsProvisioned": {
		reason: "As much will do.",
		before: []string{`PUT ` + testProvisioned + `?Qualifier=1 {"ProvisionedConcurrentExecutions":5}`},
		do:     `PUT /2017-10-31/functions/f/concurrency {"ReservedConcurrentExecutions":5}`,
	},
	"ReservedBelowNothing": {
		reason: "The model's bound is held to after the function is found.",
		do:     `PUT /2017-10-31/functions/f/concurrency {"ReservedConcurrentExecutions":-1}`,
		status: http.StatusBadRequest, code: "ValidationException",
		message: "1 validation error detected: Value '-1' at 'reservedConcurrentExecutions' failed to satisfy " +
			"constraint: Member must have value greater than or equal to 0",
	},
	"LatestIsNotProvisioned": {
		reason:  "There is nothing to read.",
		do:      `GET ` + testProvisioned + `?Qualifier=%24LATEST`,
		message: "The function resource provided must be an alias or a published version.",
	},
	"LatestIsNotDeprovisioned": {
		reason:  "There is nothing to delete.",
		do:      `DELETE ` + testProvisioned + `?Qualifier=%24LATEST`,
		message: "The function resource provided must be an alias or a published version.",
	},
	"AliasWithWeights": {
		reason: "An alias that moves, too, has weights; users quote the words.",
		before: []string{
			`PUT /2015-03-31/functions/f/configuration {"Description":"d"}`,
			"POST /2015-03-31/functions/f/versions {}",
			`PUT /2015-03-31/functions/f/aliases/prod {"RoutingConfig":{"AdditionalVersionWeights":{"2":0.5}}}`,
		},
		do:      `PUT ` + testProvisioned + `?Qualifier=prod {"ProvisionedConcurrentExecutions":1}`,
		message: "Alias with weights can not be used with Provisioned Concurrency",
	},
	"NoInstances": {
		reason: "Only functions on managed instances are scaled so, in words that users quote.",
		do: `PUT /2025-11-30/functions/f/function-scaling-config?Qualifier=1 {"FunctionScalingConfig":` +
			`{"MinExecutionEnvironments":1}}`,
		status: http.StatusForbidden, code: "AccessDeniedException",
		message: "The function provided by the arn does not contain a capacity provider configuration",
	},
}

const invalidPrincipalMessage = "The provided principal was invalid. Please check the principal and try again."

var permissionRefusals = map[string]refused{
	"ForeignService": {reason: "Services are Amazon's.", do: `POST /2015-03-31/functions/f/policy ` + testPermission +
		`"invalid.example.com"}`, message: invalidPrincipalMessage},
	"NoPrincipal": {reason: "Only entities of IAM are principals.", do: `POST /2015-03-31/functions/f/policy ` +
		testPermission + `"arn:aws:s3:::b"}`, message: invalidPrincipalMessage},
	"URLWithoutItsAlias": {
		reason: "A URL remains when its alias is deleted, but cannot be updated: as LocalStack has measured.",
		before: []string{
			`POST /2021-10-31/functions/f/url?Qualifier=prod {"AuthType":"AWS_IAM"}`,
			"DELETE /2015-03-31/functions/f/aliases/prod",
		},
		do:     `PUT /2021-10-31/functions/f/url?Qualifier=prod {"AuthType":"NONE"}`,
		status: http.StatusNotFound, code: "ResourceNotFoundException", message: "Function does not exist",
	},
	"PublicURL": {
		reason: "The words are those of simple-container-com/api 81.",
		do: `POST /2015-03-31/functions/f/policy {"StatementId":"s","Action":"lambda:InvokeFunctionUrl",` +
			`"Principal":"*"}`,
		message: "This policy could enable public access to your lambda function as it allows all Principals (*) to " +
			"perform lambda:InvokeFunctionUrl action. You must specify lambda:FunctionUrlAuthType condition",
	},
	"NoUser": {
		reason:  "Users that were removed are none.",
		removed: []string{"arn:aws:iam::123456789012:user/u"}, do: `POST /2015-03-31/functions/f/policy ` +
			testPermission + `"arn:aws:iam::123456789012:user/u"}`, message: invalidPrincipalMessage,
	},
	"NoAccount": {
		reason:  "An account that was removed does not exist.",
		removed: []string{"210987654321"},
		do:      `POST /2015-03-31/functions/f/policy ` + testPermission + `"210987654321"}`,
		message: invalidPrincipalMessage,
	},
	"AmazonsService": {reason: "Services have more than one domain.", do: `POST /2015-03-31/functions/f/policy ` +
		testPermission + `"alexa-appkit.amazon.com"}`},
	"NoAliasToPermit": {
		reason: "Aliases are told from versions.",
		do:     `POST /2015-03-31/functions/f/policy?Qualifier=gone ` + testPermission + `"*"}`,
		status: http.StatusNotFound, code: "ResourceNotFoundException", message: "Cannot find alias arn: " +
			testFunctionARN + ":gone",
	},
	"NoVersion": {
		reason: "Versions are functions.", do: `POST /2015-03-31/functions/f/policy?Qualifier=9 ` +
			testPermission + `"*"}`, status: http.StatusNotFound, code: "ResourceNotFoundException",
		message: "Function not found: " + testFunctionARN + ":9",
	},
	"NoAliasToRead": {
		reason: "A policy that is not there is read as such, whatever it would be of.",
		do:     `GET /2015-03-31/functions/f/policy?Qualifier=gone`, status: http.StatusNotFound,
		code: "ResourceNotFoundException", message: "The resource you requested does not exist.",
	},
}

var settingRefusals = map[string]refused{
	"NoSnapshots": {
		reason: "Of some runtimes there are no snapshots, in words that users quote.",
		do: strings.Replace(newFunction(`,"SnapStart":{"ApplyOn":"PublishedVersions"}`), "python3.12",
			"nodejs22.x", 1),
		message: "nodejs22.x is not supported for SnapStart enabled functions.",
	},
	"NoMoreSnapshots": {
		reason:  "An update to such a runtime is refused too.",
		before:  []string{newFunction(`,"SnapStart":{"ApplyOn":"PublishedVersions"}`)},
		do:      `PUT /2015-03-31/functions/g/configuration {"Runtime":"python3.10"}`,
		message: "python3.10 is not supported for SnapStart enabled functions.",
	},
	"LevelsOfText": {
		reason: "Levels go with JSON, in words that users quote.",
		do:     `PUT /2015-03-31/functions/f/configuration {"LoggingConfig":{"SystemLogLevel":"INFO"}}`,
		message: `LogLevel is not supported when LogFormat is set to "Text". Remove LogLevel from your request or ` +
			`change the LogFormat to "Json" and try again.`,
	},
	"HandlerOfAnImage": {
		reason: "An image has a handler of its own, in words that users quote.",
		do: strings.Replace(newFunction(`,"PackageType":"Image"`), `"ZipFile":"zip:1"`,
			`"ImageUri":"123456789012.dkr.ecr.eu-west-1.amazonaws.com/a:1"`, 1),
		message: "Please don't provide Handler or Runtime or Layer when the intended function PackageType is Image.",
	},
	"ImageOfAZip": {
		reason: "The words are those that were recorded of updates.",
		do: strings.Replace(newFunction(``), `"ZipFile":"zip:1"`,
			`"ImageUri":"123456789012.dkr.ecr.eu-west-1.amazonaws.com/a:1"`, 1),
		message: "Please don't provide ImageUri when creating a function with packageType Zip.",
	},
	"NoImage": {
		reason: "The words are those that were recorded of updates.",
		do: `POST /2015-03-31/functions {"FunctionName":"g","PackageType":"Image","Role":"` + testRole +
			`","Code":{"ZipFile":"zip:1"}}`,
		message: "Please provide ImageUri when creating a function with packageType Image.",
	},
	"SignedImage": {
		reason: "Images are signed in another way, in words that users quote.",
		before: []string{`POST /2015-03-31/functions {"FunctionName":"g","PackageType":"Image","Role":"` + testRole +
			`","Code":{"ImageUri":"123456789012.dkr.ecr.eu-west-1.amazonaws.com/a:1"}}`},
		do:      `GET /2020-06-30/functions/g/code-signing-config`,
		message: "Code signing is not supported for functions created with container images.",
	},
	"RuntimeOfAnImage": {
		reason: "The runtime of an image is not managed, in words that go-to-k/cdkd 1894 quotes.",
		before: []string{`POST /2015-03-31/functions {"FunctionName":"g","PackageType":"Image","Role":"` + testRole +
			`","Code":{"ImageUri":"123456789012.dkr.ecr.eu-west-1.amazonaws.com/a:1"}}`},
		do:      `GET /2021-07-20/functions/g/runtime-management-config`,
		message: "Lambda couldn't get a runtime management configuration because g is a container image function.",
	},
	"Weights": {
		reason: "Weights are printed as fractions.",
		do:     `PUT /2015-03-31/functions/f/aliases/prod {"RoutingConfig":{"AdditionalVersionWeights":{"2":2}}}`,
		status: http.StatusBadRequest, code: "ValidationException",
		message: "1 validation error detected: Value '{2=2.0}' at 'routingConfig.additionalVersionWeights' failed to " +
			"satisfy constraint: Map value must satisfy constraint: [Member must have value less than or equal to " +
			"1.0, Member must have value greater than or equal to 0.0, Member must not be null]",
	},
}

// orderRefusals are of calls with more than one mistake.
var orderRefusals = map[string]refused{
	"SigningConfigBeforeFunction": {
		reason: "The configuration is looked up first.",
		do: `PUT /2020-06-30/functions/gone/code-signing-config {"CodeSigningConfigArn":"arn:aws:lambda:` +
			`eu-west-1:123456789012:code-signing-config:csc-00000000000000000"}`,
		status: http.StatusNotFound, code: "CodeSigningConfigNotFoundException",
		message: "The code signing configuration cannot be found. Check that the provided configuration is not " +
			"deleted: arn:aws:lambda:eu-west-1:123456789012:code-signing-config:csc-00000000000000000.",
	},
	"SettingsBeforeFunction": {
		reason:  "No setting is told of first.",
		do:      `PUT /2019-09-25/functions/gone/event-invoke-config {}`,
		message: "You must specify at least one of error handling or destination setting.",
	},
	"SettingsBeforeConfiguration": {
		reason:  "No setting is told of first, of an update too.",
		do:      `POST ` + testEvents + ` {}`,
		message: "You must specify at least one of error handling or destination setting.",
	},
}

// TestTooManyTags checks that a resource has 50 tags at most, whatever its kind. AWS's own do not count.
func TestTooManyTags(t *testing.T) {
	many := map[string]string{"aws:cloudformation:stack-name": "s"}
	for i := range maxTags {
		many[fmt.Sprint("k", i)] = "v"
	}
	tags := func() string {
		b, err := json.Marshal(many)
		if err != nil {
			t.Fatal(err)
		}
		return `"Tags":` + string(b)
	}
	arn := strings.ReplaceAll(testFunctionARN, ":", "%3A")
	creations := map[string]string{
		"Function": strings.TrimSuffix(newFunction(","+tags()), "}"),
		"Mapping": `POST /2015-03-31/event-source-mappings {"FunctionName":"f","EventSourceArn":"` +
			testQueue + `",` + tags(),
		"CodeSigningConfig": `POST /2020-04-22/code-signing-configs {"AllowedPublishers":` +
			`{"SigningProfileVersionArns":["arn:aws:signer:eu-west-1:123456789012:/signing-profiles/p/v"]},` + tags(),
		"CapacityProvider": `POST /2025-11-30/capacity-providers {"CapacityProviderName":"c","VpcConfig":` +
			`{"SubnetIds":["subnet-1"],"SecurityGroupIds":["sg-1"]},"PermissionsConfig":` +
			`{"CapacityProviderOperatorRoleArn":"` + testRole + `"},` + tags(),
	}
	for name, do := range creations {
		t.Run(name, func(t *testing.T) {
			tooMany := refused{reason: "51 are too many.", do: strings.Replace(do, `"Tags":{`, `"Tags":{"one":"more",`,
				1) + "}", message: "Number of tags exceeds resource tag limit."}
			tooMany.test(t)
			enough := refused{reason: "50 are not.", do: do + "}"}
			enough.test(t)
		})
	}
	for name, tc := range map[string]refused{
		"TagResource": {reason: "With those that are there.", do: `POST /2017-03-31/tags/` + arn +
			` {"Tags":{"one":"more"}}`, message: "Number of tags exceeds resource tag limit."},
		"Again": {reason: "A value that changes is no more tags.", do: `POST /2017-03-31/tags/` + arn +
			` {"Tags":{"k0":"other"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			tc.before = []string{`POST /2017-03-31/tags/` + arn + ` {` + tags() + `}`}
			tc.test(t)
		})
	}
}

// TestProvisionedConcurrencyInProgress checks that the previous concurrency stays available during an update: at
// first none.
func TestProvisionedConcurrencyInProgress(t *testing.T) {
	tc := refused{do: `PUT ` + testProvisioned + `?Qualifier=1 {"ProvisionedConcurrentExecutions":5}`}
	tc.test(t)
	s := start(t, Options{ProvisionDuration: 1 << 40})
	create(t, client(s), zipFunction(t, "f"))
	send(t, s, "POST /2015-03-31/functions/f/versions {}") //nolint:bodyclose // call closes it.
	for _, do := range []string{tc.do, `GET ` + testProvisioned + `?Qualifier=1`} {
		_, body := send(t, s, do) //nolint:bodyclose // call closes it.
		got := Provisioned{}
		if err := json.Unmarshal(body, &got); err != nil || got.Status != "IN_PROGRESS" ||
			got.AvailableProvisionedConcurrentExecutions == nil || *got.AvailableProvisionedConcurrentExecutions != 0 {
			t.Errorf("%s: %s, %v", do, body, err)
		}
	}
}

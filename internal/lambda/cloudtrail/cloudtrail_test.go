package cloudtrail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// message returns an event of EventBridge about a call. fields replace those of the record.
func message(name, parameters string, fields ...string) string {
	extra := strings.Join(append([]string{""}, fields...), ",")
	return fmt.Sprintf(
		`{"version":"0","id":"6f87d04b-9f74-4f04-a780-7acf4b0a9b38","detail-type":"AWS API Call via CloudTrail","source":"aws.lambda",
"account":"111122223333","time":"2026-03-14T12:03:09Z","region":"eu-central-1","resources":[],
"detail":{"eventVersion":"1.10","userIdentity":{"type":"AssumedRole","principalId":"AROAEXAMPLE:alice","arn":"arn:aws:sts::111122223333:assumed-role/ops/alice","accountId":"111122223333","accessKeyId":"ASIAEXAMPLE","sessionContext":{"sessionIssuer":{"type":"Role","arn":"arn:aws:iam::111122223333:role/ops"}}},
"eventTime":"2026-03-14T12:03:04Z","eventSource":"lambda.amazonaws.com","eventName":%q,"awsRegion":"eu-central-1","sourceIPAddress":"198.51.100.7",
"userAgent":"aws-cli/2.15.30 md/awscrt#0.19.19 ua/2.0 os/linux","requestParameters":%s,"responseElements":null,"readOnly":false,
"eventType":"AwsApiCall","managementEvent":true,"recipientAccountId":"111122223333"%s}}`,
		name,
		parameters,
		extra,
	)
}

var at = time.Date(2026, 3, 14, 12, 3, 4, 0, time.UTC)

func TestParse(t *testing.T) {
	alice := Origin{
		Principal: "arn:aws:sts::111122223333:assumed-role/ops/alice", Agent: "aws-cli/2.15.30",
		SourceIP: "198.51.100.7", Time: at,
	}
	by := func(operation string) Origin {
		o := alice
		o.Operation = operation
		return o
	}
	home := Subject{Account: "111122223333", Region: "eu-central-1"}
	function := func(name, qualifier string) Subject {
		s := home
		s.Function = functionname.Name{Function: name, Qualifier: qualifier}
		return s
	}
	call := func(operation string, s Subject) Event {
		return Event{
			Kind: Call, Account: "111122223333", Region: "eu-central-1", Time: at, Subject: s,
			By: by(operation),
		}
	}
	named := func(name string) Subject {
		s := home
		s.Name = name
		return s
	}
	cases := map[string]struct {
		reason string
		body   string
		want   Event
		err    error
	}{
		"Configuration": {
			reason: "the version of the API is not part of the operation",
			body: message(
				"UpdateFunctionConfiguration20150331v2",
				`{"functionName":"cart","environment":{"variables":{"KEY":"secret"}}}`,
			),
			want: call("UpdateFunctionConfiguration", function("cart", "")),
		},
		"ARN": {
			reason: "the function may be an ARN with a qualifier, of another account",
			body: message(
				"AddPermission20150331v2",
				`{"functionName":"arn:aws:lambda:us-east-1:444455556666:function:cart:live"}`,
			),
			want: call("AddPermission", Subject{
				Account: "444455556666", Region: "us-east-1", Function: functionname.Name{
					Function:  "cart",
					Qualifier: "live",
				},
			}),
		},
		"PartialARN": {
			reason: "the function may be an ARN from the account on",
			body:   message("DeleteFunction20150331", `{"functionName":"444455556666:function:cart","qualifier":"3"}`),
			want: call("DeleteFunction", Subject{
				Account: "444455556666", Region: "eu-central-1", Function: functionname.Name{
					Function:  "cart",
					Qualifier: "3",
				},
			}),
		},
		"Alias": {
			reason: "the name of an alias qualifies its function",
			body:   message("UpdateAlias20150331", `{"functionName":"cart","name":"live","functionVersion":"4"}`),
			want:   call("UpdateAlias", function("cart", "live")),
		},
		"WithoutVersionOfTheAPI": {
			reason: "not every name has a version",
			body:   message("PutRuntimeManagementConfig", `{"functionName":"cart","qualifier":"$LATEST"}`),
			want:   call("PutRuntimeManagementConfig", function("cart", "$LATEST")),
		},
		"Mapping": {
			reason: "CloudTrail spells the first letter of a parameter in lower case",
			body: message(
				"UpdateEventSourceMapping20150331",
				`{"uUID":"91fceda8-0c4d-4a3d-b0b8-6cae1f5bd6ae","enabled":false}`,
			),
			want: call("UpdateEventSourceMapping", named("91fceda8-0c4d-4a3d-b0b8-6cae1f5bd6ae")),
		},
		"MappingInTheResponse": {
			reason: "the response to a creation has the UUID",
			body: message(
				"CreateEventSourceMapping20150331",
				`{"functionName":"cart"}`,
				`"responseElements":{"uuid":"91fceda8-0c4d-4a3d-b0b8-6cae1f5bd6ae"}`,
			),
			want: call("CreateEventSourceMapping", func() Subject {
				s := function("cart", "")
				s.Name = "91fceda8-0c4d-4a3d-b0b8-6cae1f5bd6ae"
				return s
			}()),
		},
		"Tags": {
			reason: "the resource of tags is an ARN",
			body: message(
				"TagResource20170331v2",
				`{"resource":"arn:aws:lambda:eu-central-1:111122223333:function:cart","tags":{"a":"b"}}`,
			),
			want: call("TagResource", function("cart", "")),
		},
		"Layer": {
			body: message("DeleteLayerVersion20181031", `{"layerName":"base","versionNumber":"3"}`),
			want: call("DeleteLayerVersion", Subject{
				Account: "111122223333", Region: "eu-central-1", Layer: "base",
				LayerVersion: "3",
			}),
		},
		"LayerVersionAsANumber": {
			reason: "the number of a version is one of JSON",
			body: message(
				"RemoveLayerVersionPermission20181031",
				`{"layerName":"base","versionNumber":3,"statementId":"org"}`,
			),
			want: call("RemoveLayerVersionPermission", Subject{
				Account: "111122223333", Region: "eu-central-1", Layer: "base",
				LayerVersion: "3",
			}),
		},
		"CodeSigning": {
			body: message(
				"UpdateCodeSigningConfig",
				`{"codeSigningConfigArn":"arn:aws:lambda:eu-central-1:111122223333:code-signing-config:csc-0a1b"}`,
			),
			want: call("UpdateCodeSigningConfig",
				named("arn:aws:lambda:eu-central-1:111122223333:code-signing-config:csc-0a1b")),
		},
		"CodeSigningWithVersionOfTheAPI": {
			body: message(
				"UpdateCodeSigningConfig20200422",
				`{"codeSigningConfigArn":"arn:aws:lambda:eu-central-1:111122223333:code-signing-config:csc-0a1b"}`,
			),
			want: call("UpdateCodeSigningConfig",
				named("arn:aws:lambda:eu-central-1:111122223333:code-signing-config:csc-0a1b")),
		},
		"CapacityProvider": {
			body: message("UpdateCapacityProvider20251130", `{"capacityProviderName":"batch"}`),
			want: call("UpdateCapacityProvider", named("batch")),
		},
		"Failed": {
			reason: "AWS has rejected the call",
			body:   message("DeleteFunction20150331", `null`, `"errorCode":"AccessDenied"`),
			want: func() Event {
				e := call("DeleteFunction", home)
				e.Failed = true
				return e
			}(),
		},
		"ReadOnly": {
			reason: "the call changes nothing",
			body:   message("GetFunction20150331v2", `{"functionName":"cart"}`, `"readOnly":true`),
			want: func() Event {
				e := call("GetFunction", function("cart", ""))
				e.ReadOnly = true
				return e
			}(),
		},
		"Heartbeat": {
			reason: "a scheduled event shows that events arrive",
			body:   `{"detail-type":"Scheduled Event","source":"aws.events","account":"111122223333","region":"eu-central-1","time":"2026-03-14T12:03:09Z","detail":{}}`,
			want:   Event{Kind: Heartbeat, Account: "111122223333", Region: "eu-central-1"},
		},
		"OtherService": {
			reason: "a rule that is too wide sends other events",
			body:   `{"detail-type":"AWS API Call via CloudTrail","source":"aws.s3","account":"111122223333","region":"eu-central-1","detail":{}}`,
		},
		"WrongTypes": {
			reason: "values of other types are ignored",
			body: message(
				"UpdateFunctionCode20150331v2",
				`[1,2]`,
				`"userAgent":{"a":1}`,
				`"sourceIPAddress":7`,
				`"userIdentity":"root"`,
			),
			want: Event{
				Kind: Call, Account: "111122223333", Region: "eu-central-1", Time: at, Subject: home,
				By: Origin{
					Agent: "aws-cli/2.15.30", SourceIP: "198.51.100.7", Operation: "UpdateFunctionCode",
					Principal: alice.Principal, Time: at,
				},
			},
		},
		"NoJSON":     {body: `<xml/>`, err: ErrInvalid},
		"Empty":      {body: ``, err: ErrInvalid},
		"Array":      {body: `[]`, err: ErrInvalid},
		"NoEnvelope": {body: `{"eventName":"DeleteFunction20150331"}`, err: ErrInvalid},
		"NoAccount": {
			body: strings.Replace(
				message("DeleteFunction20150331", `{}`),
				`"account":"111122223333"`,
				`"account":"me"`,
				1,
			),
			err: ErrInvalid,
		},
		"NoTime": {body: strings.NewReplacer("2026-03-14T12:03:04Z", "noon", "2026-03-14T12:03:09Z",
			"noon").Replace(message("DeleteFunction20150331", `{}`)), err: ErrInvalid},
		"NoName":      {body: message("", `{}`), err: ErrInvalid},
		"HostileName": {body: message("Delete\nFunction", `{}`), err: ErrInvalid},
		"DetailNoText": {
			body: `{"detail-type":"AWS API Call via CloudTrail","source":"aws.lambda","account":"111122223333","region":"eu-central-1","detail":"x"}`,
			err:  ErrInvalid,
		},
		"TooLong": {
			body: message("DeleteFunction20150331", `{"a":"`+strings.Repeat("x", MaxSize)+`"}`),
			err:  ErrInvalid,
		},
		"OtherInDetail": {body: strings.Replace(message("DeleteFunction20150331", `{}`), "lambda.amazonaws.com",
			"iam.amazonaws.com", 1), err: ErrInvalid},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(tc.body))
			if err != tc.err { //nolint:errorlint // It is never wrapped.
				t.Fatalf("%s: error %v, want %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	with := func(identity, agent string) string {
		return message(
			"UpdateFunctionCode20150331v2",
			`{"functionName":"cart"}`,
			`"userIdentity":`+identity,
			`"userAgent":"`+agent+`"`,
		)
	}
	cases := map[string]struct{ body, want string }{
		"User": {
			with(
				`{"type":"IAMUser","arn":"arn:aws:iam::111122223333:user/bob","userName":"bob"}`,
				"Boto3/1.34.69 md/Botocore#1.34.69",
			),
			"arn:aws:iam::111122223333:user/bob with Boto3/1.34.69 (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"Root": {
			with(`{"type":"Root","arn":"arn:aws:iam::111122223333:root"}`, "[console.amazonaws.com]"),
			"arn:aws:iam::111122223333:root with console.amazonaws.com (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"Service": {
			with(`{"type":"AWSService","invokedBy":"autoscaling.amazonaws.com"}`, "autoscaling.amazonaws.com"),
			"autoscaling.amazonaws.com (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"ThroughAService": {
			with(
				`{"type":"AssumedRole","arn":"arn:aws:sts::111122223333:assumed-role/ops/alice","invokedBy":"cloudformation.amazonaws.com"}`,
				"cloudformation.amazonaws.com",
			),
			"arn:aws:sts::111122223333:assumed-role/ops/alice through cloudformation.amazonaws.com " +
				"(UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"IdentityCenter": {
			with(
				`{"type":"IdentityCenterUser","accountId":"111122223333","onBehalfOf":{"userId":"544894e8-80c1"}}`,
				"Mozilla/5.0 (X11)",
			),
			"IdentityCenterUser 544894e8-80c1 with Mozilla/5.0 (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"Terraform": {
			with(
				`{"type":"IAMUser","arn":"arn:aws:iam::111122223333:user/ci"}`,
				"APN/1.0 HashiCorp/1.0 Terraform/1.9.5 (+https://www.terraform.io) terraform-provider-aws/5.70.0 aws-sdk-go-v2/1.31.0",
			),
			"arn:aws:iam::111122223333:user/ci with Terraform/1.9.5 (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"Unknown": {
			with(`null`, ""),
			"an unknown principal (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"Hostile": {
			with(`{"type":"AWSAccount","arn":"\u001b[31mred\u202e","principalId":"x"}`, "evil\u007f/1 \u202e"),
			"?[31mred??? with evil?/1 (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
		"Long": {
			with(`{"type":"IAMUser","arn":"`+strings.Repeat("a", 5000)+`"}`, strings.Repeat("b", 9000)),
			strings.Repeat("a", 253) + "... with " + strings.Repeat("b",
				61) + "... (UpdateFunctionCode) at 2026-03-14T12:03:04Z",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, err := Parse([]byte(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, e.By.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestSourceIPOnlyIfAsked(t *testing.T) {
	e, err := Parse([]byte(message("UpdateFunctionCode20150331v2", `{"functionName":"cart"}`)))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(e.By.String(), "198.51.100.7") || !strings.Contains(e.By.StringWithSourceIP(),
		" from 198.51.100.7 ") {
		t.Errorf("%s, %s", e.By, e.By.StringWithSourceIP())
	}
}

func TestMadeBy(t *testing.T) {
	const own = "aws-sdk-go-v2/1.47.7 ua/2.1 os/linux lang/go#1.26 api/lambda#1.114.2 app/provider-lambda"
	cases := map[string]struct {
		reason, principal, agent, identity string
		want                               bool
	}{
		"Own": {
			"the provider made it", "arn:aws:sts::111122223333:assumed-role/p/provider-lambda", own,
			"arn:aws:sts::111122223333:assumed-role/p/provider-lambda", true,
		},
		"OtherSession": {
			"EKS Pod Identity changes the name of the session",
			"arn:aws:sts::111122223333:assumed-role/p/eks-1", own, "arn:aws:sts::111122223333:assumed-role/p/eks-2",
			true,
		},
		"User": {"", "arn:aws:iam::111122223333:user/p", own, "arn:aws:iam::111122223333:user/p", true},
		"Forged": {
			"anyone can send the user agent", "arn:aws:sts::111122223333:assumed-role/ops/alice", own,
			"arn:aws:sts::111122223333:assumed-role/p/provider-lambda", false,
		},
		"ByHand": {
			"someone uses the provider's credentials", "arn:aws:iam::111122223333:user/p",
			"aws-cli/2.15.30", "arn:aws:iam::111122223333:user/p", false,
		},
		"Unknown": {"the identity is not known", "arn:aws:iam::111122223333:user/p", own, "", false},
		"Prefix": {
			"a longer name is another one", "arn:aws:iam::111122223333:user/p", "x app/provider-lambda2",
			"arn:aws:iam::111122223333:user/p", false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, err := Parse([]byte(message("UpdateFunctionCode20150331v2", `{}`,
				fmt.Sprintf(`"userIdentity":{"arn":%q},"userAgent":%q`, tc.principal, tc.agent))))
			if err != nil {
				t.Fatal(err)
			}
			if got := e.By.MadeBy(tc.identity); got != tc.want {
				t.Errorf("%s: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestConcerns(t *testing.T) {
	cases := map[string]struct {
		operation, kind string
		want            bool
	}{
		"Own":     {"UpdateAlias", v1beta1.AliasKind, true},
		"Other":   {"UpdateAlias", v1beta1.FunctionKind, false},
		"All":     {"DeleteFunction", v1beta1.PermissionKind, true},
		"Unknown": {"PutSomethingNew", v1beta1.FunctionKind, true},

		// What belongs to an alias or to a version of a layer is deleted with it.
		"Dependent":      {"DeleteAlias", v1beta1.ProvisionedConcurrencyConfigKind, true},
		"DependentLayer": {"DeleteLayerVersion", v1beta1.LayerVersionPermissionKind, true},
		"NoDependent":    {"DeleteFunctionUrlConfig", v1beta1.FunctionKind, false},

		// A Version publishes what someone has changed in AWS.
		"PublishesCode":          {"UpdateFunctionCode", v1beta1.VersionKind, true},
		"PublishesConfiguration": {"UpdateFunctionConfiguration", v1beta1.VersionKind, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Concerns(tc.operation, tc.kind); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}

func TestIsRead(t *testing.T) {
	for operation, want := range map[string]bool{
		"UpdateAlias": false, "TagResource": false, "GetFunction": true, "ListAliases": true, "Invoke": true,
	} {
		if IsRead(operation) != want {
			t.Errorf("%s changes nothing: want %t", operation, want)
		}
	}
}

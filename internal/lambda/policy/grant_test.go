package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrantOf(t *testing.T) {
	const resource = `"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f:live"`
	cases := map[string]struct {
		reason    string
		statement string
		want      Grant
	}{
		"Service": {
			reason: "A service for a bucket of an account.",
			statement: `{"Sid":"s","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction",` + resource + `,
				"Condition":{"StringEquals":{"AWS:SourceAccount":"123456789012"},"ArnLike":{"AWS:SourceArn":"arn:aws:s3:::b"}}}`,
			want: Grant{
				Action: "lambda:InvokeFunction", Principal: "s3.amazonaws.com", SourceArn: "arn:aws:s3:::b",
				SourceAccount: "123456789012",
			},
		},
		"Account": {
			reason:    "An account is its id.",
			statement: `{"Effect":"Allow","Principal":{"AWS":"arn:aws-us-gov:iam::111122223333:root"},"Action":"lambda:*",` + resource + `}`,
			want:      Grant{Action: "lambda:*", Principal: "111122223333"},
		},
		"Role": {
			reason:    "A role is its ARN.",
			statement: `{"Effect":"Allow","Principal":{"AWS":["arn:aws:iam::111122223333:role/r"]},"Action":["lambda:GetFunction"],` + resource + `}`,
			want:      Grant{Action: "lambda:GetFunction", Principal: "arn:aws:iam::111122223333:role/r"},
		},
		"Organization": {
			reason:    "Anyone of an organization.",
			statement: `{"Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction",` + resource + `,"Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-a1b2c3d4e5"}}}`,
			want:      Grant{Action: "lambda:InvokeFunction", Principal: "*", PrincipalOrgID: "o-a1b2c3d4e5"},
		},
		"URL": {
			reason:    "Anyone through a public URL.",
			statement: `{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"lambda:InvokeFunctionUrl",` + resource + `,"Condition":{"StringEquals":{"lambda:FunctionUrlAuthType":"NONE"}}}`,
			want:      Grant{Action: "lambda:InvokeFunctionUrl", Principal: "*", FunctionURLAuthType: "NONE"},
		},
		"ThroughURL": {
			reason:    "The other half of that.",
			statement: `{"Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction",` + resource + `,"Condition":{"Bool":{"lambda:InvokedViaFunctionUrl":"True"}}}`,
			want:      Grant{Action: "lambda:InvokeFunction", Principal: "*", InvokedViaFunctionURL: "true"},
		},
		"Token": {
			reason:    "An Alexa skill.",
			statement: `{"Effect":"Allow","Principal":{"Service":"alexa-connectedhome.amazon.com"},"Action":"lambda:InvokeFunction",` + resource + `,"Condition":{"StringEquals":{"lambda:EventSourceToken":"t"}}}`,
			want: Grant{
				Action: "lambda:InvokeFunction", Principal: "alexa-connectedhome.amazon.com",
				EventSourceToken: "t",
			},
		},
		"Deleted": {
			reason:    "AWS writes the id of a role that was deleted: it is no role any more.",
			statement: `{"Effect":"Allow","Principal":{"AWS":"AROAEXAMPLE"},"Action":"lambda:*",` + resource + `}`,
			want:      Grant{Action: "lambda:*", Rest: `{"Principal":{"AWS":"AROAEXAMPLE"}}`},
		},
		"Denied": {
			reason:    "AddPermission can only allow.",
			statement: `{"Effect":"Deny","Principal":"*","Action":"lambda:*",` + resource + `}`,
			want:      Grant{Action: "lambda:*", Principal: "*", Rest: `{"Effect":"Deny"}`},
		},
		"Several": {
			reason:    "AddPermission allows one principal, one action and one resource.",
			statement: `{"Effect":"Allow","Principal":{"AWS":"*","Service":"s3.amazonaws.com"},"Action":["a","b"],"Resource":["arn:x:function:f:live","arn:y:function:f:live"]}`,
			want: Grant{
				Rest: `{"Action":["a","b"],"Principal":{"AWS":"*","Service":"s3.amazonaws.com"},"Resource":["arn:x:function:f:live","arn:y:function:f:live"]}`,
			},
		},
		"OtherResource": {
			reason:    "A statement on more than the alias.",
			statement: `{"Effect":"Allow","Principal":"*","Action":"a","Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f:*"}`,
			want: Grant{
				Action:    "a",
				Principal: "*",
				Rest:      `{"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f:*"}`,
			},
		},
		"OtherCondition": {
			reason:    "A condition that AddPermission does not have.",
			statement: `{"Effect":"Allow","Principal":"*","Action":"a",` + resource + `,"Condition":{"StringEquals":{"aws:SourceVpc":"vpc-1","AWS:SourceAccount":["1","2"]},"StringLike":{"aws:sourcearn":"a"},"ArnLike":{"aws:sourcearn":"b"}}}`,
			want: Grant{
				Action:    "a",
				Principal: "*",
				SourceArn: "b",
				Rest:      `{"Condition":{"StringEquals":{"aws:sourceaccount":["1","2"],"aws:sourcevpc":"vpc-1"},"StringLike":{"aws:sourcearn":"a"}}}`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := read(t, `{"Statement":`+tc.statement+`}`)
			before := d.Statements[0].Text()
			if diff := cmp.Diff(tc.want, GrantOf(d.Statements[0], ":function:f:live")); diff != "" {
				t.Errorf("\n%s\nGrantOf(): -want, +got:\n%s", tc.reason, diff)
			}
			if after := d.Statements[0].Text(); after != before {
				t.Errorf("GrantOf() changed the statement from %s to %s", before, after)
			}
		})
	}
}

func TestLike(t *testing.T) {
	cases := map[string]struct {
		reason           string
		wanted, observed Grant
		same             bool
	}{
		"Account": {
			reason: "An account may be given by its id or the ARN of its root user.",
			wanted: Grant{Principal: "arn:aws:iam::111122223333:root"}, observed: Grant{
				Principal: "111122223333",
			}, same: true,
		},
		"OtherAccount": {
			reason: "Another account is another.",
			wanted: Grant{Principal: "111122223333"}, observed: Grant{Principal: "444455556666"},
		},
		"Action": {
			reason: "IAM reads actions without regard to case.",
			wanted: Grant{Action: "lambda:invokefunction"}, observed: Grant{
				Action: "lambda:InvokeFunction",
			}, same: true,
		},
		"NotThroughURL": {
			reason: "Whether AWS writes a condition for false is AWS's.",
			wanted: Grant{InvokedViaFunctionURL: "false"}, observed: Grant{}, same: true,
		},
		"NeverThroughURL": {
			reason: "A condition that spec does not have is a change.",
			wanted: Grant{}, observed: Grant{InvokedViaFunctionURL: "false"},
		},
		"Rest": {
			reason: "A statement with more fields is not equal.",
			wanted: Grant{}, observed: Grant{Rest: `{"Effect":"Deny"}`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.observed.Like(tc.wanted) == tc.wanted.Normal(); got != tc.same {
				t.Errorf("\n%s\nsame: %t, want %t", tc.reason, got, tc.same)
			}
		})
	}
}

package awsdouble

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

// parsed returns a policy's text as JSON.
func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// TestStatements covers what was not recorded and follows AWS's documentation.
func TestStatements(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     lambda.AddPermissionInput
		want   string
	}{
		"Account": {
			reason: "An account comes back as the ARN of its root user.",
			in: lambda.AddPermissionInput{
				Action:    aws.String("lambda:GetFunction"),
				Principal: aws.String("111122223333"),
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"lambda:GetFunction",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f"}`,
		},
		"Role": {
			reason: "An ARN stays as it is.",
			in: lambda.AddPermissionInput{
				Action:    aws.String("lambda:*"),
				Principal: aws.String("arn:aws:iam::111122223333:role/r"),
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:role/r"},"Action":"lambda:*",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f"}`,
		},
		"Organization": {
			reason: "Anyone, but of an organization.",
			in: lambda.AddPermissionInput{
				Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("*"),
				PrincipalOrgID: aws.String("o-a1b2c3d4e5"),
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f","Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-a1b2c3d4e5"}}}`,
		},
		"URL": {
			reason: "A public function URL.",
			in: lambda.AddPermissionInput{
				Action:    aws.String("lambda:InvokeFunctionUrl"),
				Principal: aws.String("*"), FunctionUrlAuthType: types.FunctionUrlAuthTypeNone,
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunctionUrl",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f","Condition":{"StringEquals":{"lambda:FunctionUrlAuthType":"NONE"}}}`,
		},
		"ThroughURL": {
			reason: "Its other half.",
			in: lambda.AddPermissionInput{
				Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("*"),
				InvokedViaFunctionUrl: aws.Bool(true),
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f","Condition":{"Bool":{"lambda:InvokedViaFunctionUrl":"true"}}}`,
		},
		"Source": {
			reason: "A service, for one resource of one account.",
			in: lambda.AddPermissionInput{
				Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("s3.amazonaws.com"),
				SourceArn: aws.String("arn:aws:s3:::b"), SourceAccount: aws.String("123456789012"),
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f",
				"Condition":{"ArnLike":{"AWS:SourceArn":"arn:aws:s3:::b"},"StringEquals":{"AWS:SourceAccount":"123456789012"}}}`,
		},
		"Token": {
			reason: "An Alexa skill.",
			in: lambda.AddPermissionInput{
				Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("alexa-appkit.amazon.com"),
				EventSourceToken: aws.String("amzn1.ask.skill.x"),
			},
			want: `{"Sid":"s","Effect":"Allow","Principal":{"Service":"alexa-appkit.amazon.com"},"Action":"lambda:InvokeFunction",
				"Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f","Condition":{"StringEquals":{"lambda:EventSourceToken":"amzn1.ask.skill.x"}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := client(start(t, Options{}))
			create(t, c, zipFunction(t, "f"))
			tc.in.FunctionName, tc.in.StatementId = aws.String("f"), aws.String("s")
			out, err := c.AddPermission(t.Context(), &tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed(t, tc.want), parsed(t, *out.Statement)); diff != "" {
				t.Errorf("\n%s\nAddPermission(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPermissionsRefused(t *testing.T) {
	c := client(start(t, Options{}))
	create(t, c, zipFunction(t, "f"))
	in := func(change func(*lambda.AddPermissionInput)) *lambda.AddPermissionInput {
		out := &lambda.AddPermissionInput{
			FunctionName: aws.String("f"), StatementId: aws.String("s"),
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("s3.amazonaws.com"),
		}
		change(out)
		return out
	}
	add := func(change func(*lambda.AddPermissionInput)) error {
		_, err := c.AddPermission(t.Context(), in(change))
		return err
	}
	if err := add(func(*lambda.AddPermissionInput) {}); err != nil {
		t.Fatal(err)
	}
	wantError(t, add(func(*lambda.AddPermissionInput) {}), "ResourceConflictException",
		"The statement id (s) provided already exists. Please provide a new statement id, or remove the existing "+
			"statement.")
	wantError(t, add(func(in *lambda.AddPermissionInput) { in.StatementId = aws.String("a.b") }), "ValidationException",
		"1 validation error detected: Value 'a.b' at 'statementId' failed to satisfy constraint: Member must satisfy "+
			"regular expression pattern: ([a-zA-Z0-9-_]+)")
	wantError(t, add(func(in *lambda.AddPermissionInput) { in.Principal = aws.String("nobody") }),
		"InvalidParameterValueException",
		"The provided principal was invalid. Please check the principal and try again.")
	wantError(t, add(func(in *lambda.AddPermissionInput) { in.Qualifier = aws.String("$LATEST") }),
		"InvalidParameterValueException",
		"We currently do not support adding policies for $LATEST.")
	wantError(t, add(func(in *lambda.AddPermissionInput) { in.FunctionUrlAuthType = types.FunctionUrlAuthTypeNone }),
		"InvalidParameterValueException",
		"FunctionUrlAuthType is only supported for lambda:InvokeFunctionUrl action")
	wantError(t, add(func(in *lambda.AddPermissionInput) { in.Qualifier = aws.String("7") }),
		"ResourceNotFoundException",
		"Function not found: arn:aws:lambda:eu-west-1:123456789012:function:f:7")
	for i := range 200 {
		err := add(func(in *lambda.AddPermissionInput) {
			in.StatementId = aws.String(fmt.Sprintf("s%d", i))
			in.SourceArn = aws.String("arn:aws:s3:::" + strings.Repeat("b", 60))
		})
		if err != nil {
			wantError(t, err, "PolicyLengthExceededException",
				"The final policy size (20587) is bigger than the limit (20480).")
			return
		}
	}
	t.Error("a policy has no limit")
}

func TestPermissionChangesTheRevision(t *testing.T) {
	c := client(start(t, Options{}))
	create(t, c, zipFunction(t, "f"))
	before := get(t, c, "f")
	_, err := c.AddPermission(t.Context(), &lambda.AddPermissionInput{
		FunctionName: aws.String("f"), StatementId: aws.String("s"), Action: aws.String("lambda:InvokeFunction"),
		Principal: aws.String("s3.amazonaws.com"), RevisionId: before.Configuration.RevisionId,
	})
	if err != nil {
		t.Fatal(err)
	}
	after := get(t, c, "f")
	p, err := c.GetPolicy(t.Context(), &lambda.GetPolicyInput{FunctionName: aws.String("f")})
	if err != nil || *after.Configuration.RevisionId == *before.Configuration.RevisionId ||
		*p.RevisionId != *after.Configuration.RevisionId {
		t.Errorf("revision %s became %s, that of the policy is %s (%v)", *before.Configuration.RevisionId,
			*after.Configuration.RevisionId, aws.ToString(p.RevisionId), err)
	}
}

func TestResourcePolicy(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	arn := create(t, c, zipFunction(t, "f")).FunctionArn
	_, err := c.GetResourcePolicy(ctx, &lambda.GetResourcePolicyInput{ResourceArn: arn})
	wantError(t, err, "ResourceNotFoundException", "The resource you requested does not exist.")
	_, err = c.DeleteResourcePolicy(ctx, &lambda.DeleteResourcePolicyInput{ResourceArn: arn})
	wantError(t, err, "ResourceNotFoundException", "The resource you requested does not exist.")
	put := func(policy, revision string) (*lambda.PutResourcePolicyOutput, error) {
		in := &lambda.PutResourcePolicyInput{ResourceArn: arn, Policy: &policy}
		if revision != "" {
			in.RevisionId = &revision
		}
		return c.PutResourcePolicy(ctx, in)
	}
	_, err = c.AddPermission(ctx, &lambda.AddPermissionInput{
		FunctionName: arn, StatementId: aws.String("s"),
		Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("s3.amazonaws.com"),
	})
	if err != nil {
		t.Fatal(err)
	}
	const deny = `{"Version":"2012-10-17","Statement":{"Sid":"d","Effect":"Deny","Principal":{"AWS":["111122223333",` +
		`"*"]},"Action":"lambda:*","Resource":"*"}}`
	first, err := put(deny, "")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Version":"2012-10-17","Statement":[{"Sid":"d","Effect":"Deny","Principal":{"AWS":["arn:aws:iam::` +
		`111122223333:root","*"]},"Action":"lambda:*","Resource":"*"}]}`
	if diff := cmp.Diff(parsed(t, want), parsed(t, *first.Policy)); diff != "" {
		t.Errorf("a policy replaces what was added before: -want, +got:\n%s", diff)
	}
	if got := s.Policy(*arn); got != *first.Policy {
		t.Errorf("the double's own view is %s", got)
	}
	_, err = put(deny, "stale")
	wantError(t, err, "PreconditionFailedException", "The Revision Id provided does not match the latest Revision "+
		"Id. Call the GetResourcePolicy API to retrieve the latest Revision Id")
	second, err := put(deny, *first.RevisionId)
	if err != nil || *second.RevisionId == *first.RevisionId {
		t.Errorf("revision %v after %s: %v", second, *first.RevisionId, err)
	}
	_, err = put(`{"Version"`, "")
	wantError(t, err, "InvalidParameterValueException", "The policy is not valid JSON.")
	_, err = put(`{"Version":"2012-10-17","Statement":[]}`, "")
	wantError(t, err, "InvalidParameterValueException", "The policy has no valid statement.")
	_, err = put(`{"Statement":[{"Effect":"Maybe"}]}`, "")
	wantError(t, err, "InvalidParameterValueException", "A statement of the policy has no valid effect.")
	_, err = put(strings.Repeat(" ", 20481), "")
	wantError(t, err, "PolicyLengthExceededException",
		"The final policy size (20481) is bigger than the limit (20480).")
	_, err = c.DeleteResourcePolicy(ctx,
		&lambda.DeleteResourcePolicyInput{ResourceArn: arn, RevisionId: first.RevisionId})
	wantError(t, err, "PreconditionFailedException", "The Revision Id provided does not match the latest Revision "+
		"Id. Call the GetResourcePolicy API to retrieve the latest Revision Id")
	if _, err := c.DeleteResourcePolicy(ctx,
		&lambda.DeleteResourcePolicyInput{ResourceArn: arn, RevisionId: second.RevisionId}); err != nil {
		t.Error(err)
	}
	if got := s.Policy(*arn); got != "" {
		t.Errorf("the policy is left: %s", got)
	}
}

// TestPolicyOfDeletedVersion checks that a policy is deleted with its version.
func TestPolicyOfDeletedVersion(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	create(t, c, zipFunction(t, "f"))
	v, err := c.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: aws.String("f")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.AddPermission(ctx, &lambda.AddPermissionInput{
		FunctionName: v.FunctionArn, StatementId: aws.String("s"),
		Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("s3.amazonaws.com"),
	})
	if err != nil || s.Policy(*v.FunctionArn) == "" {
		t.Fatalf("policy %q: %v", s.Policy(*v.FunctionArn), err)
	}
	if _, err := c.DeleteFunction(ctx,
		&lambda.DeleteFunctionInput{FunctionName: aws.String("f"), Qualifier: v.Version}); err != nil {
		t.Fatal(err)
	}
	if got := s.Policy(*v.FunctionArn); got != "" {
		t.Errorf("the policy is left: %s", got)
	}
	_, err = c.RemovePermission(ctx,
		&lambda.RemovePermissionInput{FunctionName: aws.String("f"), StatementId: aws.String("s")})
	wantError(t, err, "ResourceNotFoundException", "No policy is associated with the given resource.")
	_, err = c.RemovePermission(ctx,
		&lambda.RemovePermissionInput{FunctionName: aws.String("g"), StatementId: aws.String("s")})
	wantError(t, err, "ResourceNotFoundException",
		"No policy found for: arn:aws:lambda:eu-west-1:123456789012:function:g")
}

// TestPutPolicy replaces a policy out of band.
func TestPutPolicy(t *testing.T) {
	s := start(t, Options{})
	arn := *create(t, client(s), zipFunction(t, "f")).FunctionArn
	const allow = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"lambda:` +
		`InvokeFunction","Resource":"*"}]}`
	if !s.PutPolicy(arn, allow) || s.Policy(arn) == "" {
		t.Errorf("the policy is %q", s.Policy(arn))
	}
	if s.PutPolicy(arn+"g", allow) || rejection(func() { s.PutPolicy(arn, "{") }) == nil {
		t.Error("what is no policy, or no function's, was put")
	}
	if !s.PutPolicy(arn, "") || s.Policy(arn) != "" {
		t.Errorf("the policy is left: %q", s.Policy(arn))
	}
}

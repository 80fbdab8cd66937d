package permission

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// full returns parameters with every setting, more than a statement can have.
func full() v1beta1.PermissionParameters {
	return v1beta1.PermissionParameters{
		ConfiguredFunction: v1beta1.ConfiguredFunction{
			Regional:     v1beta1.Regional{Region: testenv.Region},
			FunctionName: ptr.To("cart"),
		},
		Qualifier:             ptr.To("live"),
		StatementID:           ptr.To("s"),
		Action:                ptr.To("lambda:InvokeFunction"),
		Principal:             ptr.To("111122223333"),
		SourceArn:             ptr.To("arn:aws:s3:::b"),
		SourceAccount:         ptr.To("123456789012"),
		EventSourceToken:      ptr.To("t"),
		FunctionURLAuthType:   ptr.To("NONE"),
		InvokedViaFunctionURL: ptr.To(true),
		PrincipalOrgID:        ptr.To("o-a1b2c3d4e5"),
	}
}

func TestAddInput(t *testing.T) {
	cases := map[string]struct {
		reason string
		target functionname.Name
		fp     v1beta1.PermissionParameters
		want   *lambda.AddPermissionInput
	}{
		"Least": {
			reason: "What is not set is not sent.",
			target: functionname.Name{Function: "cart"},
			fp:     testPermission().Spec.ForProvider,
			want: &lambda.AddPermissionInput{
				FunctionName: ptr.To(
					"cart",
				),
				StatementId: ptr.To("s"),
				Action:      ptr.To("lambda:InvokeFunction"),
				Principal:   ptr.To("s3.amazonaws.com"),
			},
		},
		"Full": {
			reason: "All is sent.",
			target: functionname.Name{Function: "cart", Qualifier: "live"},
			fp:     full(),
			want: &lambda.AddPermissionInput{
				FunctionName: ptr.To(
					"cart",
				),
				Qualifier:   ptr.To("live"),
				StatementId: ptr.To("s"),
				Action:      ptr.To("lambda:InvokeFunction"),
				Principal: ptr.To(
					"111122223333",
				),
				SourceArn:             ptr.To("arn:aws:s3:::b"),
				SourceAccount:         ptr.To("123456789012"),
				EventSourceToken:      ptr.To("t"),
				FunctionUrlAuthType:   "NONE",
				InvokedViaFunctionUrl: ptr.To(true),
				PrincipalOrgID:        ptr.To("o-a1b2c3d4e5"),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := addInput(tc.target, "s", tc.fp, ptr.Deref(tc.fp.SourceArn, ""))
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(lambda.AddPermissionInput{})); diff != "" {
				t.Errorf("\n%s\naddInput(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObservation(t *testing.T) {
	d, err := policy.Parse(
		`{"Statement":[{"Sid": "s", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}, "Action": "lambda:InvokeFunction",
		"Resource": "arn:aws:lambda:eu-central-1:123456789012:function:cart:live", "Condition": {"StringEquals": {"lambda:EventSourceToken": "secret"}}}]}`,
	)
	if err != nil {
		t.Fatal(err)
	}
	got := observation(
		observed{
			target:    functionname.Name{Function: "cart", Qualifier: "live"},
			statement: statements.Statement{Statement: d.Statements[0]},
			revision:  "r",
		},
	)
	want := v1beta1.PermissionObservation{
		FunctionName: ptr.To(
			"cart",
		),
		Qualifier:   ptr.To("live"),
		FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:cart:live"),
		StatementID: ptr.To(
			"s",
		),
		Action:     ptr.To("lambda:InvokeFunction"),
		Principal:  ptr.To("111122223333"),
		RevisionID: ptr.To("r"),
		Statement: ptr.To(
			`{"Sid":"s","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"lambda:InvokeFunction",` +
				`"Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart:live","Condition":{"StringEquals":{"lambda:EventSourceToken":"(redacted)"}}}`,
		),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("observation(): -want, +got:\n%s", diff)
	}
}

func TestObservationSource(t *testing.T) {
	d, err := policy.Parse(
		`{"Statement":[{"Sid": "s", "Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "lambda:InvokeFunction",
		"Resource": "arn:aws:lambda:eu-central-1:123456789012:function:cart", "Condition": {"ArnLike": {"AWS:SourceArn": "arn:aws:s3:::receipts"}}}]}`,
	)
	if err != nil {
		t.Fatal(err)
	}
	got := observation(
		observed{
			target:    functionname.Name{Function: "cart"},
			statement: statements.Statement{Statement: d.Statements[0]},
		},
	)
	if diff := cmp.Diff(ptr.To("arn:aws:s3:::receipts"), got.SourceArn); diff != "" {
		t.Errorf("sourceArn: -want, +got:\n%s", diff)
	}
}

func TestChanges(t *testing.T) {
	grant := func(change ...func(*policy.Grant)) policy.Grant {
		g := policy.Grant{Action: "lambda:InvokeFunction", Principal: "111122223333"}
		for _, c := range change {
			c(&g)
		}
		return g
	}
	cases := map[string]struct {
		reason           string
		wanted, observed policy.Grant
		want             diff.Changes
	}{
		"Same": {reason: "Nothing differs.", wanted: grant(), observed: grant()},
		"Root": {
			reason: "The ARN of an account's root user is the account.",
			wanted: grant(func(g *policy.Grant) { g.Principal = "arn:aws:iam::111122223333:root" }), observed: grant(),
		},
		"Unset": {
			reason:   "An observe-only resource needs no fields.",
			observed: grant(),
		},
		"Everything": {
			reason: "Each field is named; a token is not shown.",
			wanted: desired(full(), full().SourceArn),
			observed: policy.Grant{
				Action:                "lambda:*",
				Principal:             "*",
				SourceArn:             "arn:aws:s3:::c",
				SourceAccount:         "1",
				EventSourceToken:      "u",
				FunctionURLAuthType:   "AWS_IAM",
				PrincipalOrgID:        "o-2",
				InvokedViaFunctionURL: "false",
				Rest:                  `{"Effect":"Deny"}`,
			},
			want: diff.Changes{
				{Path: "action", Old: `"lambda:*"`, New: `"lambda:InvokeFunction"`},
				{Path: "eventSourceToken", Old: "(redacted)", New: "(redacted)"},
				{Path: "functionUrlAuthType", Old: `"AWS_IAM"`, New: `"NONE"`},
				{Path: "invokedViaFunctionUrl", Old: `"false"`, New: `"true"`},
				{Path: "principal", Old: `"*"`, New: `"111122223333"`},
				{Path: "principalOrgId", Old: `"o-2"`, New: `"o-a1b2c3d4e5"`},
				{Path: "sourceAccount", Old: `"1"`, New: `"123456789012"`},
				{Path: "sourceArn", Old: `"arn:aws:s3:::c"`, New: `"arn:aws:s3:::b"`},
				{Path: "statement", Old: `"{\"Effect\":\"Deny\"}"`, New: `""`},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, changes(tc.wanted, tc.observed)); diff != "" {
				t.Errorf("\n%s\nchanges(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	p := &v1beta1.Permission{}
	redact(p)
	if p.Spec.ForProvider.EventSourceToken != nil {
		t.Error("what is not there must not be shown as if it were")
	}
	p.Spec.ForProvider.EventSourceToken = ptr.To("hunter2")
	redact(p)
	if got := *p.Spec.ForProvider.EventSourceToken; got != diff.Redacted {
		t.Errorf("the token must not be logged, got %s", got)
	}
}

package layerversionpermission

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestParseStatementKey(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, name string
		want         statementKey
	}{
		"Whole":    {reason: "A complete name is parsed.", name: "base:12:partner", want: statementKey{layer: "base", version: 12, sid: "partner"}},
		"Empty":    {reason: "An empty name has no parts."},
		"Sid":      {reason: "A statement id alone does not name the version.", name: "partner"},
		"Arn":      {reason: "An ARN of a version alone does not name the statement.", name: layerArn + ":1"},
		"Zero":     {reason: "Versions are counted from 1.", name: "base:0:partner"},
		"Negative": {reason: "Versions are counted from 1.", name: "base:-1:partner"},
		"Word":     {reason: "A layer has no aliases.", name: "base:live:partner"},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseStatementKey(tc.name)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(statementKey{})); diff != "" {
				t.Errorf("\n%s\nparsePlace(): -want, +got:\n%s", tc.reason, diff)
			}
			if got.known() && got.String() != tc.name {
				t.Errorf("\n%s\nwritten as %s", tc.reason, got)
			}
		})
	}
}

func TestAddInput(t *testing.T) {
	at := statementKey{layer: "base", version: 3, sid: "s"}
	cases := map[string]struct {
		reason string
		fp     v1beta1.LayerVersionPermissionParameters
		want   *lambda.AddLayerVersionPermissionInput
	}{
		"Least": {
			reason: "What is not set is not sent, but for the only action.",
			fp:     testPermission().Spec.ForProvider,
			want: &lambda.AddLayerVersionPermissionInput{
				LayerName: ptr.To(
					"base",
				),
				VersionNumber: ptr.To[int64](3),
				StatementId:   ptr.To("s"),
				Action:        ptr.To("lambda:GetLayerVersion"),
				Principal:     ptr.To("111122223333"),
			},
		},
		"Full": {
			reason: "All fields are sent, and the ARN, which has the account.",
			fp: v1beta1.LayerVersionPermissionParameters{
				Regional: v1beta1.Regional{
					Region: testenv.Region,
				},
				LayerVersionArn: ptr.To(layerArn + ":3"),
				StatementID:     ptr.To("s"),
				Action:          ptr.To("lambda:GetLayerVersion"),
				Principal:       ptr.To("*"),
				OrganizationID:  ptr.To("o-a1b2c3d4e5"),
			},
			want: &lambda.AddLayerVersionPermissionInput{
				LayerName: ptr.To(
					layerArn,
				),
				VersionNumber:  ptr.To[int64](3),
				StatementId:    ptr.To("s"),
				Action:         ptr.To("lambda:GetLayerVersion"),
				Principal:      ptr.To("*"),
				OrganizationId: ptr.To("o-a1b2c3d4e5"),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(
				tc.want,
				addInput(at, "s", tc.fp),
				cmpopts.IgnoreUnexported(lambda.AddLayerVersionPermissionInput{}),
			); diff != "" {
				t.Errorf("\n%s\naddInput(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObservation(t *testing.T) {
	cases := map[string]struct {
		reason, statement string
		want              v1beta1.LayerVersionPermissionObservation
	}{
		"Account": {
			reason:    "An account is shown as its digits, the rest in AWS's words.",
			statement: partnerStatement,
			want: v1beta1.LayerVersionPermissionObservation{
				LayerVersionArn: ptr.To(
					layerArn + ":1",
				),
				Principal: ptr.To("111122223333"),
				Statement: ptr.To(partnerStatement),
			},
		},
		"Several": {
			reason:    "Fields with several values are only in the statement.",
			statement: `{"Sid":"partner","Effect":"Allow","Principal":{"AWS":["1","2"]},"Action":"*","Resource":["a","b"]}`,
			want: v1beta1.LayerVersionPermissionObservation{
				Statement: ptr.To(
					`{"Sid":"partner","Effect":"Allow","Principal":{"AWS":["1","2"]},"Action":"*","Resource":["a","b"]}`,
				),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.want.LayerName, tc.want.VersionNumber, tc.want.StatementID, tc.want.RevisionID = ptr.To(
				"base",
			), ptr.To[int64](
				1,
			), ptr.To(
				"partner",
			), ptr.To(
				"r",
			)
			got := observation(
				observed{
					at:        statementKey{layer: "base", version: 1, sid: "partner"},
					statement: statements.Statement{Statement: statement(t, tc.statement)},
					revision:  "r",
				},
			)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nobservation(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func statement(t *testing.T, text string) policy.Statement {
	t.Helper()
	d, err := policy.Parse(`{"Statement":[` + text + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	return d.Statements[0]
}

func TestChanges(t *testing.T) {
	at := statementKey{layer: "base", version: 1, sid: "partner"}
	account := policy.Grant{Action: action, Principal: "111122223333"}
	organization := policy.Grant{Action: action, Principal: "*", PrincipalOrgID: "o-a1b2c3d4e5"}
	cases := map[string]struct {
		reason   string
		at       statementKey
		wanted   policy.Grant
		observed string
		want     diff.Changes
	}{
		"Same": {reason: "Nothing differs.", at: at, wanted: account, observed: partnerStatement},
		"Root": {
			reason: "The ARN of an account's root user is the account.",
			at:     at,
			wanted: policy.Grant{
				Action:    action,
				Principal: "arn:aws:iam::111122223333:root",
			},
			observed: partnerStatement,
		},
		"Unset": {
			reason:   "An observe-only resource needs no principal.",
			at:       at,
			wanted:   policy.Grant{Action: action},
			observed: partnerStatement,
		},
		"Everything": {
			reason:   "Each field is named.",
			at:       statementKey{layer: "lib", version: 2, sid: "s"},
			wanted:   organization,
			observed: `{"Sid":"partner","Effect":"Deny","Principal":{"AWS":"444455556666"},"Action":"lambda:*","Resource":"` + layerArn + `:1","Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-0123456789"}}}`,
			want: diff.Changes{
				{Path: "action", Old: `"lambda:*"`, New: `"lambda:GetLayerVersion"`},
				{Path: "layerName", Old: `"base"`, New: `"lib"`},
				{Path: "organizationId", Old: `"o-0123456789"`, New: `"o-a1b2c3d4e5"`},
				{Path: "principal", Old: `"444455556666"`, New: `"*"`},
				{Path: "statement", Old: `"{\"Effect\":\"Deny\"}"`, New: `""`},
				{Path: "statementId", Old: `"partner"`, New: `"s"`},
				{Path: "versionNumber", Old: "1", New: "2"},
			},
		},
		"Condition": {
			reason:   "One that only functions' statements may have is not wanted.",
			at:       at,
			wanted:   account,
			observed: `{"Sid":"partner","Effect":"Allow","Principal":{"AWS":"111122223333"},"Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:1","Condition":{"StringEquals":{"aws:SourceAccount":"1"}}}`,
			want:     diff.Changes{{Path: "statement", Old: `"a condition of functions"`, New: `""`}},
		},
		"Resource": {
			reason:   "A statement about another version permits nothing here.",
			at:       at,
			wanted:   account,
			observed: partnerAtTwo,
			want:     diff.Changes{{Path: "statement", Old: `"{\"Resource\":\"` + layerArn + `:2\"}"`, New: `""`}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := changes(
				tc.at,
				tc.wanted,
				observed{at: at, statement: statements.Statement{Statement: statement(t, tc.observed)}},
			)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nchanges(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

package docs

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write iam-policy.json")

// mostCharacters is AWS's quota of a customer managed policy's size, white space left out.
const mostCharacters = 6144

type policyStatement struct {
	Sid       string
	Effect    string
	Action    []string
	Resource  string
	Condition map[string]map[string]string `json:",omitempty"`
}

type policyDocument struct {
	Version   string
	Statement []policyStatement
}

// TestIAMPolicy keeps iam-policy.json, the policy for all kinds, in step with the calls that
// the kinds make.
func TestIAMPolicy(t *testing.T) {
	want := policyDocument{Version: "2012-10-17", Statement: []policyStatement{
		{Sid: "Lambda", Effect: "Allow", Action: lambdaActions(t), Resource: "*"},
		{
			Sid: "ExecutionRoles", Effect: "Allow", Action: []string{"iam:PassRole"},
			Resource:  "arn:aws:iam::123456789012:role/*",
			Condition: map[string]map[string]string{"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}},
		},
		{
			Sid: "CodeInS3", Effect: "Allow", Action: []string{"s3:GetObject", "s3:GetObjectVersion"},
			Resource: "arn:aws:s3:::*/*",
		},
		{Sid: "BucketsOfCode", Effect: "Allow", Action: []string{"s3:ListBucket"}, Resource: "arn:aws:s3:::*"},
		{Sid: "CodeInECR", Effect: "Allow", Action: []string{
			"ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer",
			"ecr:GetRepositoryPolicy", "ecr:SetRepositoryPolicy",
		}, Resource: "arn:aws:ecr:*:123456789012:repository/*"},
		{
			Sid: "VPC", Effect: "Allow",
			Action: []string{"ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs"}, Resource: "*",
		},
		{
			Sid: "RolloutAnalysis", Effect: "Allow",
			Action: []string{"cloudwatch:DescribeAlarms", "cloudwatch:GetMetricData"}, Resource: "*",
		},
		{Sid: "DriftEvents", Effect: "Allow", Action: []string{
			"sqs:DeleteMessage", "sqs:GetQueueUrl",
			"sqs:ReceiveMessage",
		}, Resource: "arn:aws:sqs:*:123456789012:*"},
		{Sid: "Keys", Effect: "Allow", Action: []string{
			"kms:CreateGrant", "kms:Decrypt", "kms:Encrypt",
			"kms:GenerateDataKey",
		}, Resource: "arn:aws:kms:*:123456789012:key/*"},
	}}
	text, err := json.MarshalIndent(want, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile("iam-policy.json", text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(text), read(t, "iam-policy.json")); diff != "" {
		t.Errorf("iam-policy.json is out of date, run make generate: -want, +got:\n%s", diff)
	}
	dense := bytes.Buffer{}
	if err := json.Compact(&dense, text); err != nil {
		t.Fatal(err)
	}
	if dense.Len() > mostCharacters {
		t.Errorf("the policy has %d characters, AWS takes %d", dense.Len(), mostCharacters)
	}
	granted := map[string]bool{}
	for _, s := range want.Statement {
		for _, a := range s.Action {
			granted[a] = true
		}
	}
	for _, kind := range kinds(t) {
		for _, a := range grants(t, strings.ToLower(kind)+".md") {
			if !granted[a] {
				t.Errorf("iam-policy.json does not grant %s, which the page of %s does", a, kind)
			}
		}
	}
}

// lambdaActions are those of Lambda that any kind takes.
func lambdaActions(t *testing.T) []string {
	t.Helper()
	all := map[string]bool{}
	for _, a := range append(slices.Clone(besides), "lambda:GetAccountSettings") {
		all[a] = true
	}
	for _, kind := range kinds(t) {
		for _, call := range calls(t, filepath.Join("../internal/controller", strings.ToLower(kind))) {
			if action := actionOf(call); strings.HasPrefix(action, "lambda:") {
				all[action] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

package docs

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/iam"
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
			Sid: "RolloutAnalysis", Effect: "Allow",
			Action: []string{
				"cloudwatch:DescribeAlarmHistory", "cloudwatch:DescribeAlarms", "cloudwatch:GetMetricData",
			}, Resource: "*",
		},
		{Sid: "DriftEvents", Effect: "Allow", Action: []string{
			"sqs:DeleteMessage", "sqs:GetQueueUrl",
			"sqs:ReceiveMessage",
		}, Resource: "arn:aws:sqs:*:123456789012:*"},
		{Sid: "RegistriesOfECR", Effect: "Allow", Action: []string{"ecr:GetAuthorizationToken"}, Resource: "*"},
		{
			Sid: "StagedCode", Effect: "Allow", Action: []string{"s3:PutObject"},
			Resource: "arn:aws:s3:::example-lambda-staging/*", // That of examples/.
		},
	}}
	want.Statement = append(want.Statement, checked()...)
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
		page := strings.ToLower(kind) + ".md"
		for _, a := range append(grants(t, page), namedActions(t, page)...) {
			if !granted[a] {
				t.Errorf("iam-policy.json does not grant %s, which the page of %s names", a, kind)
			}
		}
	}
}

// namedActions returns the actions that the text of a page's section on the IAM policy names for some settings.
func namedActions(t *testing.T, page string) []string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, page), "\n## IAM policy\n")
	var out []string
	for _, m := range regexp.MustCompile("`([a-z0-9]+:[A-Z][A-Za-z]+)`").FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// statements are those for what AWS checks besides the action of a call, by the service of the actions. Actions of
// Lambda are part of the statement of its calls.
var statements = map[string]policyStatement{
	"iam":               {Sid: "ExecutionRoles", Resource: "arn:aws:iam::123456789012:role/*"},
	"s3":                {Sid: "CodeInS3", Resource: "arn:aws:s3:::*/*"},
	"ecr":               {Sid: "CodeInECR", Resource: "arn:aws:ecr:*:123456789012:repository/*"},
	"kms":               {Sid: "Keys", Resource: "arn:aws:kms:*:123456789012:key/*"},
	"ec2":               {Sid: "VPC", Resource: "*"},
	"elasticfilesystem": {Sid: "FileSystems", Resource: "arn:aws:elasticfilesystem:*:123456789012:*"},
	"kafka":             {Sid: "ClustersOfOtherAccounts", Resource: "*"},
}

// checked returns the statements for iam.Checks, in their order.
func checked() []policyStatement {
	var out []policyStatement
	for _, c := range iam.Checks {
		service, _, _ := strings.Cut(c.Actions[0], ":")
		st, own := statements[service]
		i := slices.IndexFunc(out, func(s policyStatement) bool { return s.Sid == st.Sid })
		switch {
		case !own:
			continue
		case i < 0:
			st.Effect = "Allow"
			i, out = len(out), append(out, st)
		}
		if c.PassedTo != "" {
			out[i].Condition = map[string]map[string]string{"StringEquals": {"iam:PassedToService": c.PassedTo}}
		}
		out[i].Action = append(out[i].Action, c.Actions...)
		slices.Sort(out[i].Action)
		out[i].Action = slices.Compact(out[i].Action)
	}
	return out
}

// TestChecksAreDocumented checks that the page of each kind names the permissions that a field needs.
func TestChecksAreDocumented(t *testing.T) {
	for _, c := range iam.Checks {
		if !strings.HasPrefix(c.Source, "https://docs.aws.amazon.com/") {
			t.Errorf("%s: the source of %v is %q", c.Field, c.Actions, c.Source)
		}
		for _, kind := range c.Kinds {
			page := strings.ToLower(kind) + ".md"
			_, policy, _ := strings.Cut(read(t, page), "\n## IAM policy\n")
			for _, a := range c.Actions {
				if !strings.Contains(policy, "`"+a+"`") && !strings.Contains(policy, `"`+a+`"`) {
					t.Errorf("%s does not name %s, which %s needs", page, a, c.Field)
				}
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

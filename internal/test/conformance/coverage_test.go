package conformance

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
)

// unexercised are the fields and the operations of docs/coverage.md that no scenario exercises, each with its reason.
var unexercised = []struct{ kind, what, reason string }{
	{
		"EventSourceMapping",
		`(?i)^(amazonManagedKafka|selfManaged|documentDB|topics|queues|sourceAccess|provisionedPoller|tumblingWindow|startingPosition|parallelization|maximumRecordAge|maximumRetryAttempts|bisectBatch|destinationConfig|loggingConfig)`,
		"they are of streams and brokers, which cost more than cents or take longer than a run",
	},
	{
		"EventSourceMapping",
		`^kmsKeyArn$`,
		"a key of KMS costs a dollar a month, and lives for a week after its deletion",
	},
	{"Function", `(?i)kmsKeyArn$`, "a key of KMS costs a dollar a month, and lives for a week after its deletion"},
	{"Function", `^code\.(imageUri)|^imageConfig`, "it needs an image in a repository"},
	{"Function", `^code\.s3|^s3:|^ecr:`, "it needs an object in a bucket, or an image in a repository"},
	{"Function", `^fileSystemConfigs`, "a file system takes minutes to make, in a VPC"},
	{
		"Function",
		`^(capacityProviderConfig|functionScalingConfig|publishTo)|FunctionScalingConfig$`,
		"it starts instances, which cost more than cents",
	},
	{"Function", `^runtimeConfig`, "customer-managed runtimes are made with another API, Lambda Core"},
	{"Function", `^durableConfig`, "its executions cannot be deleted before they end"},
	{"Function", `^snapStart`, "snapshots take minutes, and are paid by the hour"},
	{"Function", `^tenancyConfig`, "such a function takes no event source and no URL; it is not in all regions"},
	{"Function", `^vpcConfig.ipv6`, "it needs a subnet with IPv6"},
	{
		"Function",
		`^List(Aliases|EventSourceMappings|FunctionEventInvokeConfigs|ProvisionedConcurrencyConfigs|Functions|VersionsByFunction)$|^GetPolicy$`,
		"it is read only to protect deletions, or to poll 50 functions and more",
	},
	{
		"Version",
		`^List(Aliases|EventSourceMappings|FunctionEventInvokeConfigs|ProvisionedConcurrencyConfigs)$|^GetPolicy$`,
		"it is read only if other versions are pruned",
	},
	{
		"Version",
		`^(codeSha256|publishTo)$`,
		"the hash of code is known only after it was deployed; the other starts instances",
	},
	{"LayerVersion", `^content\.s3|^s3:|^ListFunctions$|^ListLayers$`, "it needs an object in a bucket, or 50 layers"},
	{"LayerVersionPermission", `^organizationId$`, "it needs an organization"},
	{"Permission", `^principalOrgId$`, "it needs an organization"},
	{"RuntimeManagementConfig", `^(runtimeVersionArn|qualifier)$`, "ARNs of runtimes are not listed anywhere"},
	{
		"CapacityProvider",
		`^(kmsKeyArn|propagateTags|telemetryConfig|instanceRequirements\.(allowed|excluded)|capacityProviderScalingConfig\.scalingPolicies)`,
		"it has an effect only on instances, which are not started",
	},
	{
		"Invocation",
		`^(clientContext|durableExecutionName|tenantId)$`,
		"it is of durable functions, of tenants, or of mobile clients",
	},
	{"FunctionURL", `^qualifier$`, "a URL of an alias differs only by its name"},
	{"CodeSigningConfig", `^ListCodeSigningConfigs$`, "it finds one whose creation was not answered"},
	{"EventSourceMapping", `^ListEventSourceMappings$`, "it finds one whose creation was not answered"},
}

// rows returns the rows of a table below a heading of docs/coverage.md.
func rows(text, heading string) (out [][]string) {
	_, text, _ = strings.Cut(text, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); strings.HasPrefix(line, "| ") && len(cells) > 1 {
			out = append(out, cells)
		}
	}
	return out
}

// fieldsOf adds the paths of fields below a value.
func fieldsOf(path string, v any, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			at := strings.TrimPrefix(path+"."+k, ".")
			found[at], found[strings.TrimSuffix(at, "Ref")] = true, true
			fieldsOf(at, inner, found)
		}
	case []any:
		for _, inner := range v {
			fieldsOf(path, inner, found)
		}
	}
}

// TestScenariosWithoutWhatTheyNeed checks that a scenario that needs what was not given is left out, whether or not its
// steps name it.
func TestScenariosWithoutWhatTheyNeed(t *testing.T) {
	all, err := Scenarios(valuesOf(theRun, "role", map[string]string{"driftQueue": ""}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if got, want := all[i].Missing(), strings.Join(all[i].Needs, ", "); got != want {
			t.Errorf("%s is left out for lack of %q, want %q", all[i].Name, got, want)
		}
	}
}

// TestScenariosCoverTheAPI checks that each operation and each field of docs/coverage.md is exercised by a scenario, or
// has a reason why not.
func TestScenariosCoverTheAPI(t *testing.T) {
	b, err := os.ReadFile("../../../docs/coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	fields, called := map[string]map[string]bool{}, fullRun(t).operations
	values := map[string]string{}
	for _, k := range []string{
		"p", "run", "account", "region", "role", "queue", "fn", "layer", "zip", "subnet", "securityGroup", "operatorRole", "vpcRole", "driftQueue",
	} {
		values[k] = "x"
	}
	all, err := Scenarios(values)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		exercise(all[i].Steps, fields)
	}
	used := map[int]bool{}
	explained := func(kind, what string) bool {
		for i, u := range unexercised {
			if u.kind == kind && regexp.MustCompile(u.what).MatchString(what) {
				used[i] = true
				return true
			}
		}
		return false
	}
	exercised, reasons := 0, 0
	count := func(kind, what string, done bool) {
		switch {
		case done:
			exercised++
		case explained(kind, what):
			reasons++
		default:
			t.Errorf("%s: no scenario exercises %s: add it to one, or say why not", kind, what)
		}
	}
	for _, row := range rows(string(b), "Operations")[2:] {
		kind, _, _ := strings.Cut(strings.Trim(row[0], "["), "]")
		for op := range strings.SplitSeq(row[1], ", ") {
			name := op
			if !strings.Contains(op, ":") {
				name = "lambda:" + op
			}
			count(kind, op, called[name] > 0)
		}
		for _, f := range rows(string(b), kind)[2:] {
			if path := strings.Trim(f[2], "`"); path != f[2] {
				count(kind, path, fields[kind][path])
			}
		}
	}
	for i, u := range unexercised {
		if !used[i] {
			t.Errorf("the reason for %s %s explains nothing any more", u.kind, u.what)
		}
	}
	t.Logf("%d are exercised, %d have a reason why not", exercised, reasons)
	if exercised < 190 {
		t.Errorf("only %d operations and fields are exercised", exercised)
	}
}

// exercise adds the fields that steps set, by kind.
func exercise(steps []Step, fields map[string]map[string]bool) {
	add := func(kind string, v any) {
		if fields[kind] == nil {
			fields[kind] = map[string]bool{}
		}
		fieldsOf("", v, fields[kind])
	}
	for _, st := range steps {
		for _, o := range st.Apply {
			add(o.Kind, o.ForProvider)
			for _, source := range []string{"inline", "variablesFrom"} {
				for f := range maps.Clone(fields[o.Kind]) {
					fields[o.Kind][strings.TrimSuffix(f, "."+source)] = true
				}
			}
		}
		if st.Patch != nil {
			kind, _, _ := strings.Cut(st.Patch.Object, "/")
			add(kind, member(st.Patch.Merge, "spec.forProvider"))
		}
	}
}

package v1beta1

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/test/sdkcalls"
)

var write = flag.Bool("update", false, "write docs/coverage.md")

const coverageFile = "../../docs/coverage.md"

// unused are operations of the SDK that no kind calls, by a pattern of their names, each with its reason. New
// operations of a newer SDK are not among them.
var unused = []struct{ pattern, reason string }{
	{`^List`, "things are read one by one, by their names"},
	{`^GetAccountSettings$`, "provider configs show it: it is about the account, not about a thing in it"},
	{`^(InvokeAsync|InvokeWithResponseStream)$`, "Invoke does the same"},
	{`^GetFunctionConcurrency$`, "GetFunction tells it"},
	{`^GetLayerVersionByArn$`, "GetLayerVersion tells the same"},
	{`DurableExecution`, "executions are an application's own, not infrastructure"},
	{`^UpdateFunctionEventInvokeConfig$`, "PutFunctionEventInvokeConfig says it all at once"},
}

// A coveredKind is a kind with its calls and the location of its fields.
type coveredKind struct {
	kind   string
	calls  []sdkcalls.Call
	fields []sdkField
}

// TestCoverageTable compares docs/coverage.md with the kinds, their calls and the SDK. With -update, as `make
// generate` runs it, it writes the file.
func TestCoverageTable(t *testing.T) {
	var kinds []coveredKind
	for _, k := range sdkKinds {
		folder := filepath.Join("../../internal/controller", strings.ToLower(k.kind))
		if _, err := os.Stat(folder); err != nil {
			t.Fatalf("%s has no controller: %v", k.kind, err)
		}
		calls, err := sdkcalls.Of("../..", folder)
		if err != nil {
			t.Error(err)
			continue
		}
		checkInputs(t, k, calls)
		kinds = append(kinds, coveredKind{kind: k.kind, calls: calls, fields: compareWithSDK(t, k)})
	}
	checkKinds(t)
	slices.SortFunc(kinds, func(a, b coveredKind) int { return cmp.Compare(a.kind, b.kind) })
	want := coverageDocument(sdkVersion(t), kinds, operationsBeside(t, kinds))
	if *write {
		if err := os.WriteFile(coverageFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(coverageFile)
	if err != nil || string(got) != want {
		t.Errorf("docs/coverage.md is not what the kinds and the SDK make of it: run `make generate` (%v)", err)
	}
}

// checkKinds checks that every kind of managed resource is compared with the SDK.
func checkKinds(t *testing.T) {
	t.Helper()
	for _, crd := range definitions(t) {
		kind := crd.Spec.Names.Kind
		_, managed := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["forProvider"]
		if managed && !slices.ContainsFunc(sdkKinds, func(k sdkKind) bool { return k.kind == kind }) {
			t.Errorf("%s is not compared with the SDK: call sdkCoverage for it", kind)
		}
	}
}

// setsNothing are calls that change nothing in AWS by themselves: the smoke tests of a rollout.
var setsNothing = map[string]bool{"Alias Invoke": true}

// checkInputs checks that the inputs of a kind's changing calls are compared with the SDK, and no others.
func checkInputs(t *testing.T, k sdkKind, calls []sdkcalls.Call) {
	t.Helper()
	compared := map[string]bool{}
	for _, in := range k.inputs {
		compared[strings.TrimSuffix(reflect.TypeOf(in).Name(), "Input")] = true
	}
	setting := regexp.MustCompile(`^(Create|Update|Put|Publish|Add|Invoke|TagResource)`)
	for _, c := range calls {
		if c.Service == "lambda" && setting.MatchString(c.Operation) && !compared[c.Operation] &&
			!setsNothing[k.kind+" "+c.Operation] {
			t.Errorf("%s calls %s, whose input is not compared", k.kind, c.Operation)
		}
		delete(compared, c.Operation)
	}
	for operation := range compared {
		t.Errorf("the input of %s is compared, which %s does not call", operation, k.kind)
	}
}

// operationsBeside returns the operations of the SDK that no kind calls, with reasons.
func operationsBeside(t *testing.T, kinds []coveredKind) [][2]string {
	t.Helper()
	called := map[string]bool{}
	for _, k := range kinds {
		for _, c := range k.calls {
			called[c.Operation] = true
		}
	}
	var rows [][2]string
	for m := range reflect.TypeFor[*lambda.Client]().Methods() {
		if m.Type.NumIn() != 4 || called[m.Name] {
			continue
		}
		reason := ""
		for _, u := range unused {
			if regexp.MustCompile(u.pattern).MatchString(m.Name) {
				reason = u.reason
			}
		}
		if reason == "" {
			t.Errorf("no kind calls %s, and there is no reason why", m.Name)
		}
		rows = append(rows, [2]string{m.Name, reason})
	}
	return rows
}

// sdkVersion returns the version of the SDK's Lambda client in go.mod.
func sdkVersion(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`aws-sdk-go-v2/service/lambda (v\S+)`).FindSubmatch(b)
	if found == nil {
		t.Fatal("go.mod does not name the SDK's Lambda client")
	}
	return string(found[1])
}

const coverageIntro = `# Coverage

What of AWS Lambda's API is where in this one, as of the SDK's service/lambda %s. This page is generated: the operations are
those whose inputs a kind's code names, and the fields those of the inputs with which it creates, updates, puts, publishes, adds
or invokes. A test holds the API to both, so that a newer SDK shows what is missing.

- [Operations](#operations)
- [Operations that no kind calls](#operations-that-no-kind-calls)
%s`

// coverageDocument returns docs/coverage.md.
func coverageDocument(version string, kinds []coveredKind, beside [][2]string) string {
	var b, contents strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&contents, "- [%s](#%s)\n", k.kind, strings.ToLower(k.kind))
	}
	fmt.Fprintf(&b, coverageIntro, version, contents.String())
	b.WriteString("\n## Operations\n\n| Kind | AWS operations |\n| --- | --- |\n")
	for _, k := range kinds {
		fmt.Fprintf(
			&b,
			"| [%s](#%s) | %s |\n",
			k.kind,
			strings.ToLower(k.kind),
			strings.Join(operationNames(k.calls), ", "),
		)
	}
	b.WriteString("\n## Operations that no kind calls\n\n| Operation | Why |\n| --- | --- |\n")
	for _, row := range beside {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	for _, k := range kinds {
		fmt.Fprintf(
			&b,
			"\n## %s\n\n| Field of the SDK | Input of | In spec.forProvider |\n| --- | --- | --- |\n",
			k.kind,
		)
		for _, row := range fieldRows(k.fields) {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", row.path, strings.Join(row.operations, ", "), row.place())
		}
	}
	return b.String()
}

// operationNames returns the operations' names in order, those of other services with the service.
func operationNames(calls []sdkcalls.Call) []string {
	names := map[string]bool{}
	for _, c := range calls {
		if c.Service == "lambda" {
			names[c.Operation] = true
			continue
		}
		names[c.Service+":"+c.Operation] = true
	}
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, ":"), strings.Count(b, ":")), cmp.Compare(a, b))
	})
}

// A fieldRow is a field that several inputs may have.
type fieldRow struct {
	sdkField

	operations []string
}

func (r fieldRow) place() string {
	if r.at == "" {
		return "not there: " + strings.ToLower(r.reason[:1]) + strings.TrimSuffix(r.reason[1:], ".")
	}
	return "`" + r.at + "`"
}

// fieldRows returns the fields by their paths, once if all inputs treat them alike.
func fieldRows(fields []sdkField) []fieldRow {
	var rows []fieldRow
	for _, f := range fields {
		i := slices.IndexFunc(
			rows,
			func(r fieldRow) bool { return r.path == f.path && r.at == f.at && r.reason == f.reason },
		)
		if i < 0 {
			rows = append(rows, fieldRow{sdkField: f})
			i = len(rows) - 1
		}
		rows[i].operations = append(rows[i].operations, f.operation)
	}
	slices.SortStableFunc(rows, func(a, b fieldRow) int { return cmp.Compare(a.path, b.path) })
	return rows
}

package docs

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// naming matches the last part of a field that can name something in AWS, and so something that another namespace owns.
// Fields ending in From, Ref or Selector, and those in them, name objects of the cluster.
var naming = regexp.MustCompile(`(?i)(arns?|uuid|uri|url)$|^(functionName|functionVersion|layers|layerName|qualifier|` +
	`destination|pollerGroupName|durableExecutionName|topics|queues|names|role|s3Bucket|s3Key|reference|logGroup|subnetIds|` +
	`(replacementS|s)ecurityGroupIds)$`)

// TestNamesInAWSHaveRules compares the fields that can name something in AWS with the table of tenants.md. A new field
// needs a rule about what of other namespaces it may name.
func TestNamesInAWSHaveRules(t *testing.T) {
	want := map[string]bool{}
	for _, crd := range definitions(t) {
		if !slices.Contains(crd.Spec.Names.Categories, "managed") {
			continue
		}
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		want[crd.Spec.Names.Kind+" `crossplane.io/external-name`"] = true
		for _, part := range []string{"forProvider", "rollout"} {
			prefix := map[string]string{"rollout": "rollout."}[part]
			addNaming(crd.Spec.Names.Kind+" `"+prefix, spec.Properties[part], want)
		}
	}
	got := map[string]bool{}
	for _, row := range tableRows(t, read(t, "tenants.md"), "Kind", "Field", "Rule") {
		kinds := quotes(row[0])
		if strings.TrimSpace(row[0]) == "every kind" {
			kinds = kindsOf(want)
		}
		for _, kind := range kinds {
			for _, field := range quotes(row[1]) {
				got[kind+" `"+field+"`"] = true
			}
		}
		if strings.TrimSpace(row[2]) == "" {
			t.Errorf("%v has no rule", row)
		}
	}
	for field := range maps.Keys(want) {
		if !got[field] {
			t.Errorf("tenants.md has no row about %s, which can name something that another namespace owns", field)
		}
	}
	for field := range maps.Keys(got) {
		if !want[field] {
			t.Errorf("tenants.md has a row about %s, which is not such a field", field)
		}
	}
}

// addNaming adds the fields of a schema that can name something in AWS.
func addNaming(path string, s apiextensionsv1.JSONSchemaProps, found map[string]bool) {
	if s.Items != nil {
		s = *s.Items.Schema
	}
	for name, p := range s.Properties {
		text := p.Type == "string" || p.Items != nil && p.Items.Schema.Type == "string"
		switch {
		case regexp.MustCompile(`(From|Refs?|Selector)$`).MatchString(name):
		case text && naming.MatchString(name):
			found[path+name+"`"] = true
		default:
			addNaming(path+name+".", p, found)
		}
	}
}

// kindsOf returns the kinds of fields.
func kindsOf(fields map[string]bool) []string {
	kinds := map[string]bool{}
	for field := range fields {
		kind, _, _ := strings.Cut(field, " ")
		kinds[kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

// tableRows returns the cells of the rows of the table with a header.
func tableRows(t *testing.T, text string, header ...string) [][]string {
	t.Helper()
	var out [][]string
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			in = false
		case strings.Join(cells, "|") == " "+strings.Join(header, "|")+" ":
			in = true
		case in && !strings.HasPrefix(line, "| ---") && len(cells) == len(header):
			out = append(out, cells)
		case in && !strings.HasPrefix(line, "| ---"):
			t.Errorf("%s has not %d cells", line, len(header))
		}
	}
	if len(out) == 0 {
		t.Fatalf("no table with the header %v", header)
	}
	return out
}

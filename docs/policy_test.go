package docs

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/sdkcalls"
)

// actions are the IAM actions of operations that are named otherwise.
var actions = map[string]string{
	"s3:HeadObject": "s3:GetObject",
	"lambda:Invoke": "lambda:InvokeFunction",
}

// besides are actions that AWS asks for although a kind makes no call that is named like
// them: it checks them when another call is made, or they are made elsewhere for all kinds.
var besides = []string{"lambda:PassCapacityProvider", "lambda:GetLayerVersion", "lambda:ListTags"}

// kinds of managed resources, as their CRDs name them.
func kinds(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, crd := range definitions(t) {
		if slices.Contains(crd.Spec.Names.Categories, "managed") {
			found = append(found, crd.Spec.Names.Kind)
		}
	}
	if len(found) < 10 {
		t.Fatalf("found only the kinds %v", found)
	}
	return found
}

// TestPolicyNamesEveryCall compares the IAM policy in a kind's page with the calls that
// the kind makes: it names them all, and Lambda's no others.
func TestPolicyNamesEveryCall(t *testing.T) {
	for _, kind := range kinds(t) {
		page := strings.ToLower(kind) + ".md"
		text := read(t, page)
		needed := slices.Clone(besides)
		for _, call := range calls(t, filepath.Join("../internal/controller", strings.ToLower(kind))) {
			action := actionOf(call)
			needed = append(needed, action)
			if !strings.Contains(text, `"`+action+`"`) && !strings.Contains(text, "`"+action+"`") {
				t.Errorf("%s does not name %s, which %s takes", page, action, call)
			}
		}
		for _, granted := range grants(t, page) {
			if strings.HasPrefix(granted, "lambda:") && !slices.Contains(needed, granted) {
				t.Errorf("%s grants %s, which no call takes", page, granted)
			}
		}
	}
}

// actionOf a call, such as lambda:InvokeFunction of lambda:Invoke.
func actionOf(call string) string {
	if other, ok := actions[call]; ok {
		return other
	}
	return call
}

// grants are the actions that the IAM policies of a page allow.
func grants(t *testing.T, page string) []string {
	t.Helper()
	_, text, found := strings.Cut(read(t, page), "\n## IAM policy\n")
	if !found {
		t.Errorf("%s has no section on the IAM policy", page)
	}
	var all []string
	for _, f := range fencesOf(page, text) {
		var policy struct {
			Statement []struct{ Action any }
		}
		if f.language != "json" {
			continue
		}
		if err := json.Unmarshal([]byte(f.text), &policy); err != nil {
			t.Errorf("%s: %v", page, err)
		}
		for _, s := range policy.Statement {
			switch a := s.Action.(type) {
			case string:
				all = append(all, a)
			case []any:
				for _, one := range a {
					text, _ := one.(string) // What is no text is no action, and granted to no one.
					all = append(all, text)
				}
			}
		}
	}
	if len(all) == 0 {
		t.Errorf("%s has no IAM policy", page)
	}
	return all
}

// TestKindsHaveExamples looks for a manifest in each kind's page, and for a folder of
// examples that the page links to.
func TestKindsHaveExamples(t *testing.T) {
	for _, kind := range kinds(t) {
		page := strings.ToLower(kind) + ".md"
		shown := slices.ContainsFunc(fencesOf(page, read(t, page)), func(f fence) bool {
			return f.language == "yaml" && strings.Contains("\n"+f.text, "\nkind: "+kind+"\n")
		})
		if !shown {
			t.Errorf("%s shows no %s", page, kind)
		}
		folder := filepath.Join("../examples", strings.ToLower(kind))
		if files, err := filepath.Glob(filepath.Join(folder, "*.yaml")); err != nil || len(files) == 0 {
			t.Errorf("there are no examples of %s: %v", kind, err)
		}
		if !slices.Contains(links(read(t, page)), folder) {
			t.Errorf("%s does not link to %s", page, folder)
		}
	}
}

// calls of a kind by its folder, such as lambda:GetFunction.
func calls(t *testing.T, folder string) []string {
	t.Helper()
	found, err := sdkcalls.Of("..", folder)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(found))
	for _, c := range found {
		names = append(names, c.Service+":"+c.Operation)
	}
	return names
}

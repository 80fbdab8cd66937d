package docs

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestFieldTables holds both sides of the tables of fields: each field of the other
// controller's kind is in the first column, and each field in the second column is one of
// ours.
func TestFieldTables(t *testing.T) {
	ours := fieldsHere(t)
	for _, page := range []string{"ack", "classic", "upjet"} {
		t.Run(page, func(t *testing.T) {
			missing := theirFields(t, filepath.Join("migrate", "testdata", page+".txt"))
			for _, row := range fieldRows(read(t, filepath.Join("migrate", page+".md"))) {
				for _, field := range row.theirs {
					if !missing[row.their+" "+field] {
						t.Errorf("%s has no field %s, or it is in two rows", row.their, field)
					}
					delete(missing, row.their+" "+field)
				}
				for _, field := range row.ours {
					if !ours[field] {
						t.Errorf("%s of %s becomes %s, which there is not", row.theirs, row.their, field)
					}
				}
			}
			for field := range missing {
				t.Errorf("no row is about %s", field)
			}
		})
	}
}

// A fieldRow says what becomes of fields of a kind.
type fieldRow struct {
	// their kind, and the fields of it that the row is about.
	their  string
	theirs []string
	// ours are the fields here, each with its kind, as in "Function code.s3Key".
	ours []string
}

// fieldRows of a page: those of tables whose header is There, Here and What changes, in
// the section of a kind.
func fieldRows(text string) []fieldRow {
	var rows []fieldRow
	their, here, about := "", "", false
	for line := range strings.SplitSeq(text, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			var renamed bool
			if their, here, renamed = strings.Cut(title, " is "); !renamed {
				here = their
			}
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			about = false
		case strings.Join(cells, "|") == " There|Here|What changes ":
			about = true
		case about && !strings.HasPrefix(line, "| ---"):
			rows = append(rows, fieldRow{their: their, theirs: quotes(cells[0]), ours: kinded(here, quotes(cells[1]))})
		}
	}
	return rows
}

// quotes are what a cell quotes.
func quotes(cell string) []string {
	var found []string
	for _, q := range quoted.FindAllStringSubmatch(cell, -1) {
		found = append(found, q[1])
	}
	return found
}

// kinded are fields with their kind, which is the given one unless a field begins with
// another.
func kinded(kind string, fields []string) []string {
	var out []string
	for _, f := range fields {
		if first, rest, _ := strings.Cut(f, "."); regexp.MustCompile(`^[A-Z]`).MatchString(first) {
			out = append(out, first+" "+rest)
			continue
		}
		out = append(out, kind+" "+f)
	}
	return out
}

// theirFields are those that a file lists, a kind and a field in a line.
func theirFields(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // It is only read.
	found := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "#") {
			found[lines.Text()] = true
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s lists no field", file)
	}
	return found
}

// fieldsHere are the fields of spec.forProvider of all kinds, each with its kind.
func fieldsHere(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, crd := range definitions(t) {
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		addFields(crd.Spec.Names.Kind, spec.Properties["forProvider"], found)
	}
	return found
}

func addFields(path string, s apiextensionsv1.JSONSchemaProps, found map[string]bool) {
	if s.Items != nil {
		s = *s.Items.Schema
	}
	for name, p := range s.Properties {
		separator := "."
		if !strings.Contains(path, " ") {
			separator = " "
		}
		found[path+separator+name] = true
		addFields(path+separator+name, p, found)
	}
}

// TestPatchesAreWellFormed reads the patches that pages have kubectl send.
func TestPatchesAreWellFormed(t *testing.T) {
	patch := regexp.MustCompile(`-p '([^']*)'`)
	seen := 0
	for _, f := range fences(t, "console") {
		for _, p := range patch.FindAllStringSubmatch(f.text, -1) {
			seen++
			var content map[string]map[string]any
			if err := yaml.UnmarshalStrict([]byte(p[1]), &content); err != nil {
				t.Errorf("%s:%d: %v", f.file, f.line, err)
			}
			if policies, ok := content["spec"]["managementPolicies"].([]any); ok &&
				!slices.Contains([]any{"*", "Observe"}, policies[0]) {
				t.Errorf("%s:%d: there is no policy %v", f.file, f.line, policies[0])
			}
		}
	}
	if seen == 0 {
		t.Error("no patch was read")
	}
}

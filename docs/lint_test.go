package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const module = "github.com/crossplane-contrib/provider-lambda/"

// lint is what .golangci.yml says of packages.
type lint struct {
	Linters struct {
		Settings struct {
			Depguard struct {
				Rules map[string]importRule `json:"rules"`
			} `json:"depguard"`
		} `json:"settings"`
		Exclusions struct {
			Rules []struct {
				Path string `json:"path"`
			} `json:"rules"`
		} `json:"exclusions"`
	} `json:"linters"`
}

// An importRule is a rule of depguard.
type importRule struct {
	Files []string `json:"files"`
	Allow []string `json:"allow"`
	Deny  []struct {
		Pkg string `json:"pkg"`
	} `json:"deny"`
}

// covers reports whether a rule is for a file, by its path from the root.
func (r *importRule) covers(file string) bool {
	return slices.ContainsFunc(r.Files,
		func(p string) bool { return !strings.HasPrefix(p, "!") && globbed(p).MatchString("/"+file) })
}

// globbed returns the expression of a pattern of depguard's.
func globbed(pattern string) *regexp.Regexp {
	p := regexp.QuoteMeta(strings.TrimPrefix(pattern, "!"))
	for _, r := range [][2]string{{`\*\*/`, `(?:.*/)?`}, {`\*\*`, `.*`}, {`\*`, `[^/]*`}} {
		p = strings.ReplaceAll(p, r[0], r[1])
	}
	return regexp.MustCompile("^/?" + p + "$")
}

func readLint(t *testing.T) *lint {
	t.Helper()
	l := &lint{}
	if err := yaml.Unmarshal([]byte(read(t, "../.golangci.yml")), l); err != nil {
		t.Fatal(err)
	}
	if len(l.Linters.Settings.Depguard.Rules) < 5 || len(l.Linters.Exclusions.Rules) < 5 {
		t.Fatalf("read only %+v", l)
	}
	return l
}

// goFiles returns the Go files of the repository that are neither tests nor generated, by their paths from its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, in := range []string{"apis", "cmd", "internal", "cluster"} {
		err := filepath.WalkDir(filepath.Join(root, in), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
				!strings.HasPrefix(filepath.Base(path), "zz_") {
				found = append(found, strings.TrimPrefix(filepath.ToSlash(path), root+"/"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestLintRulesAreOfTheTree checks that what the linters' rules name exists: a rule for a package that was moved holds
// nothing any more.
func TestLintRulesAreOfTheTree(t *testing.T) {
	l, files := readLint(t), goFiles(t)
	for name, rule := range l.Linters.Settings.Depguard.Rules {
		for _, p := range rule.Files {
			if p != "!$test" &&
				!slices.ContainsFunc(files, func(f string) bool { return globbed(p).MatchString("/" + f) }) {
				t.Errorf("the rule %s is for %s, where there is no file", name, p)
			}
		}
		packages := slices.Clone(rule.Allow)
		for _, d := range rule.Deny {
			packages = append(packages, d.Pkg)
		}
		for _, p := range packages {
			if folder, own := strings.CutPrefix(p, module); own && !exists(t, folder) {
				t.Errorf("the rule %s names %s, which does not exist", name, p)
			}
		}
	}
	for _, rule := range l.Linters.Exclusions.Rules {
		if rule.Path == "" || rule.Path == `_test\.go` {
			continue
		}
		p := regexp.MustCompile(rule.Path)
		if !slices.ContainsFunc(files, p.MatchString) {
			t.Errorf("an exclusion is for %s, where there is no file", rule.Path)
		}
	}
}

// TestPurePackagesAreHeld checks that a rule of depguard denies I/O to each package whose comment says that it is pure.
func TestPurePackagesAreHeld(t *testing.T) {
	rules := readLint(t).Linters.Settings.Depguard.Rules
	pure := 0
	for _, file := range goFiles(t) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		comment := strings.Join(strings.Fields(f.Doc.Text()), " ")
		if !strings.Contains(comment, "is pure") {
			continue
		}
		pure++
		held := false
		for name, rule := range rules {
			held = held || strings.HasPrefix(name, "pure") && rule.covers(file)
		}
		if !held {
			t.Errorf("%s says that its package is pure: no rule of depguard in .golangci.yml holds it to that", file)
		}
	}
	if pure < 5 {
		t.Errorf("found %d pure packages, this test may not read them any more", pure)
	}
}

package testenv

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// definitions is the folder of the CustomResourceDefinitions, relative to the folder of a kind.
const definitions = "../../../package/crds"

type schema = apiextensionsv1.JSONSchemaProps

// forProvider returns the schema of spec.forProvider of a kind, by its plural.
func forProvider(t testing.TB, plural string) schema {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(definitions, "lambda.aws.m.crossplane.io_"+plural+".yaml")) //nolint:gosec // Tests name it.
	if err != nil {
		t.Fatal(err)
	}
	crd := apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(b, &crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["forProvider"]
}

// respecified edits spec.forProvider of a resource by choice, within its schema. It returns false if the Go type does
// not accept the value.
func respecified[T reconcile.Managed](t testing.TB, mg T, s schema, d *Draws) bool {
	t.Helper()
	b, err := json.Marshal(mg)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	spec, _ := tree["spec"].(map[string]any)
	was, _ := spec["forProvider"].(map[string]any)
	spec["forProvider"] = d.overlay(s, was)
	if b, err = json.Marshal(tree); err != nil {
		return false
	}
	return json.Unmarshal(b, mg) == nil
}

// overlay edits an object: most of it is unchanged.
func (d *Draws) overlay(s schema, was map[string]any) map[string]any {
	out := maps.Clone(was)
	if out == nil {
		out = map[string]any{}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if d.Over() {
			return out
		}
		p := s.Properties[name]
		if refers(name) {
			continue
		}
		switch d.N(4) {
		case 1:
			if _, ok := out[name]; ok && !slices.Contains(s.Required, name) && !strings.HasSuffix(name, "Name") {
				delete(out, name)
			}
		case 2, 3: //nolint:mnd // Another one.
			if inner, ok := out[name].(map[string]any); ok && len(p.Properties) > 0 {
				out[name] = d.overlay(p, inner)
			} else if v, ok := d.value(p, name); ok {
				out[name] = v
			}
		}
	}
	return out
}

// refers reports whether a field is resolved before the reconcile, or cannot be resolved in tests.
func refers(field string) bool {
	return slices.ContainsFunc([]string{"Ref", "Refs", "Selector", "From"},
		func(end string) bool { return strings.HasSuffix(field, end) })
}

// value returns a value that a schema accepts.
func (d *Draws) value(s schema, name string) (any, bool) {
	if len(s.Enum) > 0 {
		var v any
		err := json.Unmarshal(s.Enum[d.N(len(s.Enum))].Raw, &v)
		return v, err == nil
	}
	switch s.Type {
	case "object":
		return d.object(s, name)
	case "array":
		return d.array(s, name)
	case "string":
		return d.string(s, name)
	case "boolean":
		return d.N(2) == 1, true
	case "integer":
		return d.integer(s), true
	}
	return nil, false
}

func (d *Draws) object(s schema, name string) (any, bool) {
	out := map[string]any{}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		for range d.N(4) { //nolint:mnd // None, or some.
			v, ok := d.value(*s.AdditionalProperties.Schema, name)
			if ok {
				out[d.Text()] = v
			}
		}
		return out, true
	}
	for _, p := range slices.Sorted(maps.Keys(s.Properties)) {
		required := slices.Contains(s.Required, p)
		if !required && (refers(p) || d.N(2) == 0) {
			continue
		}
		v, ok := d.value(s.Properties[p], p)
		if ok {
			out[p] = v
		} else if required {
			return nil, false
		}
	}
	return out, true
}

func (d *Draws) array(s schema, name string) (any, bool) {
	out := []any{}
	n := int(ptr.Deref(s.MinItems, 0)) + d.N(3)      //nolint:mnd // A few more.
	n = min(n, int(ptr.Deref(s.MaxItems, int64(n)))) //nolint:mnd // As above.
	for range n {
		v, ok := d.value(*s.Items.Schema, name)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func (d *Draws) integer(s schema) int64 {
	lo, hi := int64(ptr.Deref(s.Minimum, 0)), int64(ptr.Deref(s.Maximum, 1<<31-1))
	return []int64{lo, hi, min(lo+1, hi), max(hi-1, lo), lo + (hi-lo)/2}[d.N(5)]
}

// matches are the only CEL rules that are respected.
var matches = regexp.MustCompile(`^self\.matches\('([^']*)'\)$`)

// patternOf returns the pattern of a text, from OpenAPI or from CEL.
func patternOf(s schema) string {
	for _, rule := range s.XValidations {
		if m := matches.FindStringSubmatch(rule.Rule); m != nil {
			return strings.ReplaceAll(m[1], `\\`, `\`)
		}
	}
	return s.Pattern
}

func (d *Draws) string(s schema, name string) (any, bool) {
	var v string
	pattern := patternOf(s)
	switch {
	case pattern != "":
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return nil, false
		}
		v = d.matching(re.Simplify())
	case secretField(name):
		v = Canary + d.Text()
	default:
		v = d.Text()
	}
	n := int64(utf8.RuneCountInString(v))
	if s.MinLength != nil && n < *s.MinLength {
		v += strings.Repeat("a", int(*s.MinLength-n))
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		return nil, false
	}
	if pattern != "" && !regexp.MustCompile(pattern).MatchString(v) {
		return nil, false
	}
	return v, s.Format == ""
}

// matching returns a text that matches a pattern.
func (d *Draws) matching(re *syntax.Regexp) string {
	const more = 3 // Repetitions beyond the minimum.
	var b strings.Builder
	switch re.Op { //nolint:exhaustive // All else matches no text of its own.
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		i := 2 * d.N(len(re.Rune)/2) //nolint:mnd // Pairs.
		lo, hi := re.Rune[i], re.Rune[i+1]
		return string(lo + rune(d.N(int(min(hi-lo, 255))+1))) //nolint:gosec // It is less than 256.
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(d.matching(sub))
		}
	case syntax.OpAlternate:
		return d.matching(re.Sub[d.N(len(re.Sub))])
	case syntax.OpQuest:
		if d.N(2) == 1 {
			return d.matching(re.Sub[0])
		}
	case syntax.OpStar, syntax.OpPlus:
		n := d.N(more)
		if re.Op == syntax.OpPlus {
			n++
		}
		for range n {
			b.WriteString(d.matching(re.Sub[0]))
		}
	case syntax.OpRepeat:
		for range re.Min + d.N(more) {
			b.WriteString(d.matching(re.Sub[0]))
		}
	}
	return b.String()
}

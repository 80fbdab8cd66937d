package awsdouble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/traits"
)

// member is an input member of an operation with its constraints in the service's model. Lambda validates all members
// before it looks anything up, and reports each violation.
type member struct {
	// path is the member as messages spell it: vpcConfig.subnetIds. A segment that ends in [] is a list of structures
	// that contain the next segment.
	path string
	// rules apply to the value, but only notNull if there is none and its structure exists; each applies to a list's
	// elements, keys and values to those of a map.
	rules, each, keys, values []rule
	// secret values are left out of messages; fractions are printed as such: 2.0.
	secret, fractions bool
}

func of(path string, rules ...rule) member { return member{path: path, rules: rules} }

// withElements returns a list with rules for its elements.
func (m member) withElements(each ...rule) member {
	m.each = each
	return m
}

// rule is one constraint, in the words of AWS's messages.
type rule struct {
	text string
	ok   func(value any) bool
}

// notNull applies to members that are required, and to the elements of most lists.
var notNull = rule{text: "Member must not be null", ok: func(v any) bool { return v != nil }}

func longest(n int) rule {
	return rule{
		fmt.Sprintf("Member must have length less than or equal to %d", n),
		func(v any) bool { return length(v) <= n },
	}
}

func shortest(n int) rule {
	return rule{
		fmt.Sprintf("Member must have length greater than or equal to %d", n),
		func(v any) bool { return length(v) >= n },
	}
}

func highest(n float64) rule {
	return rule{
		fmt.Sprintf("Member must have value less than or equal to %v", n),
		func(v any) bool { return number(v, n) <= n },
	}
}

func lowest(n float64) rule {
	return rule{
		fmt.Sprintf("Member must have value greater than or equal to %v", n),
		func(v any) bool { return number(v, n) >= n },
	}
}

// weight is a share of calls. Lambda rejects a weight of 1, which leaves nothing to the alias's own version, although
// its message mentions only greater values.
var weight = rule{"Member must have value less than or equal to 1.0", func(v any) bool { return number(v, 0) < 1 }}

// lowestFraction returns the rule lowest for members that need not be whole numbers.
func lowestFraction(n float64) rule {
	return rule{fmt.Sprintf("Member must have value greater than or equal to %.1f", n), lowest(n).ok}
}

func pattern(p string) rule { return patternAs(p, p) }

// patternAs returns the rule for a pattern that Go's syntax cannot express as AWS does.
func patternAs(text, goes string) rule {
	re := whole(goes)
	return rule{"Member must satisfy regular expression pattern: " + text, func(v any) bool {
		s, isString := v.(string)
		return !isString || re.MatchString(s)
	}}
}

// whole returns a pattern that must match a whole string.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }

// oneOf returns the rule for an enum, with the values in the order of AWS's messages.
func oneOf(values ...string) rule {
	return rule{"Member must satisfy enum value set: [" + strings.Join(values, ", ") + "]", func(v any) bool {
		s, isString := v.(string)
		return !isString || slices.Contains(values, s)
	}}
}

func length(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	}
	return 0
}

// number returns the number in a body or a query, or the default if it is not a number: decoding reports that.
func number(v any, otherwise float64) float64 {
	n, err := strconv.ParseFloat(printed(v), 64)
	if err != nil {
		return otherwise
	}
	return n
}

// validate checks a request against its operation's model, which also says where the request has each member.
func (r *request) validate() {
	v, body := validation{}, map[string]any(nil)
	for _, m := range r.members {
		first, _, _ := strings.Cut(m.path, ".")
		name := wire(strings.TrimSuffix(first, "[]"))
		in := r.input.Member(name)
		query, inQuery := smithy.SchemaTrait[*traits.HTTPQuery](in)
		header, inHeader := smithy.SchemaTrait[*traits.HTTPHeader](in)
		switch _, inPath := smithy.SchemaTrait[*traits.HTTPLabel](in); {
		case inPath:
			m.check(&v, m.path, r.vars[name])
		case inQuery:
			m.check(&v, m.path, sent(r.query(query.Name), r.http.URL.Query().Has(query.Name)))
		case inHeader:
			m.check(&v, m.path, sent(r.http.Header.Get(header.Name), r.http.Header.Get(header.Name) != ""))
		default:
			if body == nil {
				body = r.object()
			}
			m.walk(&v, body, "", m.path)
		}
	}
	v.reject()
}

// sent returns a value, nil if it was not sent.
func sent(value string, has bool) any {
	if has {
		return value
	}
	return nil
}

// object returns the JSON body, with numbers as they were sent. It is empty without a body.
func (r *request) object() map[string]any {
	body := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.UseNumber()
	if err := dec.Decode(&body); err != nil {
		r.decode(&body)
	}
	return body
}

// walk follows the rest of a member's path below a structure at another path.
func (m member) walk(v *validation, in map[string]any, at, path string) {
	first, rest, more := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(first, "[]")
	value := in[wire(name)]
	if at != "" {
		name = at + "." + name
	}
	if !more {
		m.check(v, name, value)
		return
	}
	if !isList {
		if s, ok := value.(map[string]any); ok {
			m.walk(v, s, name, rest)
		}
		return
	}
	list, _ := value.([]any)
	for i, e := range list {
		if s, ok := e.(map[string]any); ok {
			m.walk(v, s, fmt.Sprintf("%s.%d.member", name, i+1), rest)
		}
	}
}

// check applies a member's rules to a value.
func (m member) check(v *validation, at string, value any) {
	if value == nil {
		if slices.ContainsFunc(m.rules, func(c rule) bool { return c.text == notNull.text }) {
			v.found = append(v.found, "Value null at '"+at+"' failed to satisfy constraint: "+notNull.text)
		}
		return
	}
	if m.fractions {
		value = fractions(value)
	}
	what := "Value '" + printed(value) + "' at '" + at + "'"
	if m.secret {
		what = "Value at '" + at + "'"
	}
	for _, c := range m.rules {
		if !c.ok(value) {
			v.found = append(v.found, what+" failed to satisfy constraint: "+c.text)
		}
	}
	elements, _ := value.([]any)
	if slices.ContainsFunc(elements, func(e any) bool { return breaks(m.each, e) }) {
		v.found = append(v.found, what+" failed to satisfy constraint: Member must satisfy constraint: "+texts(m.each))
	}
	entries, _ := value.(map[string]any)
	m.checkEntries(v, what, entries)
}

// checkEntries applies a member's rules to a map's keys and values.
func (m member) checkEntries(v *validation, what string, entries map[string]any) {
	for k, value := range entries {
		if breaks(m.keys, k) {
			v.found = append(v.found, what+" failed to satisfy constraint: Map keys must satisfy constraint: "+
				texts(m.keys))
			return
		}
		if breaks(m.values, value) {
			v.found = append(v.found, what+" failed to satisfy constraint: Map value must satisfy constraint: "+
				texts(m.values))
			return
		}
	}
}

func breaks(rules []rule, value any) bool {
	return slices.ContainsFunc(rules, func(c rule) bool { return !c.ok(value) })
}

func texts(rules []rule) string {
	all := make([]string, 0, len(rules))
	for _, c := range rules {
		all = append(all, c.text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// printed returns a value as AWS prints it in a message.
func printed(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case []any:
		all := make([]string, 0, len(value))
		for _, e := range value {
			all = append(all, printed(e))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case map[string]any:
		all := make([]string, 0, len(value))
		for _, k := range slices.Sorted(maps.Keys(value)) {
			all = append(all, k+"="+printed(value[k]))
		}
		return "{" + strings.Join(all, ", ") + "}"
	}
	return fmt.Sprint(value)
}

// fractions returns a map with its values as Java prints numbers that need not be whole.
func fractions(value any) any {
	entries, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for k, v := range entries {
		out[k] = v
		if text := printed(v); number(text, -1) != -1 && !strings.ContainsAny(text, ".eE") {
			out[k] = json.Number(text + ".0")
		}
	}
	return out
}

// wire returns a path's segment as requests spell it.
func wire(segment string) string { return strings.ToUpper(segment[:1]) + segment[1:] }

// validation collects the violations of a request's model, as AWS reports them.
type validation struct{ found []string }

// reject rejects a call with violations.
func (v *validation) reject() {
	if len(v.found) > 0 {
		panic(apiError(http.StatusBadRequest, "ValidationException", "%s", v.message()))
	}
}

func (v *validation) message() string {
	noun := "errors"
	if len(v.found) == 1 {
		noun = "error"
	}
	return fmt.Sprintf("%d validation %s detected: %s", len(v.found), noun, strings.Join(v.found, "; "))
}

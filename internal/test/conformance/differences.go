package conformance

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// ignored are members that differ in each run or account: identifiers, times, sizes of code, links, and limits.
var ignored = regexp.MustCompile(
	`(^|\.)(LastModified|LastModifiedTime|CreationTime|CreatedDate|RevisionId|Location|CodeSize|` +
		`RuntimeVersionArn|RuntimeVersionConfig|RequestId|LastProcessingResult|NextMarker|StateTransitionReason|FunctionUrl|` +
		`retryAfterSeconds|ResolvedImageUri|VpcId)$|(^|\.)(AccountLimit|AccountUsage)(\.|$)`)

// identifier matches what stands for an identifier that AWS gave.
var identifier = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|csc-[0-9a-z]{17}`)

// differences compares AWS's answer in an exchange with the double's.
func (c *comparison) differences(e *Exchange, got answer) []Difference {
	if e.Status != got.status || e.Error != got.err {
		return []Difference{{
			Member: "outcome", AWS: outcome(e.Status, e.Error, e.Answer),
			Double: outcome(got.status, got.err, got.body),
		}}
	}
	var found []Difference
	for _, h := range []string{"X-Amz-Executed-Version", "X-Amz-Function-Error"} {
		if want, got := cmp.Or(e.Headers[h], absent), cmp.Or(got.header.Get(h), absent); want != got {
			found = append(found, Difference{Member: h, AWS: want, Double: got})
		}
	}
	return append(found, c.compare("", e.Answer, got.body)...)
}

// outcome returns a status with the error, if it is one.
func outcome(status int, code string, body any) string {
	s := strconv.Itoa(status)
	if code == "" {
		return s
	}
	message := member(body, "Message")
	if message == nil {
		message = member(body, "message")
	}
	return fmt.Sprintf("%s %s %q", s, code, fmt.Sprint(message))
}

// compare compares two values of JSON. It learns the double's identifiers.
func (c *comparison) compare(path string, want, got any) []Difference {
	if ignored.MatchString(path) {
		c.learnAll(want, got)
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return c.compareMembers(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok && len(w) == len(g) {
			var found []Difference
			for i := range w {
				found = append(found, c.compare(path+"."+strconv.Itoa(i), w[i], g[i])...)
			}
			return found
		}
	case string:
		if g, ok := got.(string); ok {
			return c.compareTexts(path, w, g)
		}
	default:
		if fmt.Sprint(want) == fmt.Sprint(got) {
			return nil
		}
	}
	return []Difference{{Member: strings.TrimPrefix(path, "."), AWS: shownValue(want), Double: shownValue(got)}}
}

func (c *comparison) compareMembers(path string, want, got map[string]any) []Difference {
	names := map[string]bool{}
	for k := range want {
		names[k] = true
	}
	for k := range got {
		names[k] = true
	}
	var found []Difference
	for _, k := range slices.Sorted(maps.Keys(names)) {
		at := path + "." + k
		w, has := want[k]
		g, double := got[k]
		switch {
		case ignored.MatchString(at):
			c.learnAll(w, g)
		case !has:
			found = append(found, Difference{Member: at[1:], AWS: absent, Double: shownValue(g)})
		case !double:
			found = append(found, Difference{Member: at[1:], AWS: shownValue(w), Double: absent})
		default:
			found = append(found, c.compare(at, w, g)...)
		}
	}
	return found
}

// compareTexts compares two texts: those of JSON by their values, others but for identifiers and what was redacted.
func (c *comparison) compareTexts(path, want, got string) []Difference {
	var w, g any
	if strings.HasPrefix(want, "{") && decoded(want, &w) && decoded(got, &g) {
		return c.compare(path, w, g)
	}
	c.learn(want, got)
	if c.known(want) == got || redactedText(want, got) {
		return nil
	}
	return []Difference{{Member: strings.TrimPrefix(path, "."), AWS: strconv.Quote(want), Double: strconv.Quote(got)}}
}

func decoded(text string, v *any) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(v) == nil
}

// learn learns which identifiers of the double stand at the places of AWS's in a text.
func (c *comparison) learn(want, got string) {
	ws, gs := identifier.FindAllString(want, -1), identifier.FindAllString(got, -1)
	if redacted.MatchString(want) && len(ws) == 0 && !strings.Contains(want, " ") && digest.MatchString(want) {
		ws, gs = []string{want}, []string{got}
	}
	if len(ws) != len(gs) {
		return
	}
	for i := range ws {
		if ws[i] != gs[i] {
			c.ids[ws[i]] = gs[i]
		}
	}
}

func (c *comparison) learnAll(want, got any) {
	w, isText := want.(string)
	g, also := got.(string)
	if isText && also {
		c.learn(w, g)
	}
}

var redacted = regexp.MustCompile(`redacted\d+=?`)

// redactedText reports whether two texts are equal but for what is redacted in the first.
func redactedText(want, got string) bool {
	if !redacted.MatchString(want) {
		return false
	}
	parts := redacted.Split(identifier.ReplaceAllString(want, "redacted0"), -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`^` + strings.Join(parts, `.+`) + `$`).MatchString(got)
}

// shownValue returns a value as a difference shows it.
func shownValue(v any) string {
	const longest = 120
	b, err := json.Marshal(v)
	if err != nil || v == nil {
		return absent
	}
	if len(b) > longest {
		return string(b[:longest]) + "..."
	}
	return string(b)
}

// changesAnything reports whether an operation may change something.
func changesAnything(operation string) bool { return !reads.MatchString(operation) }

// subjectOf returns the name of what a call is about.
func subjectOf(e *Exchange) string {
	path, _, _ := strings.Cut(e.Path, "?")
	for part := range strings.SplitSeq(path, "/") {
		if plain, err := url.PathUnescape(part); err == nil && strings.Contains(plain, "plc-"+shownRun) {
			return baseName(plain)
		}
		if identifier.MatchString(part) {
			return identifier.FindString(part)
		}
	}
	for _, name := range []string{"FunctionName", "CapacityProviderName"} {
		if v, ok := member(e.Body, name).(string); ok {
			return baseName(v)
		}
	}
	return ""
}

// withArchives returns a body in which archives stand for those that were redacted: the same for the same one.
func withArchives(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for k, inner := range v {
			if text, ok := inner.(string); ok && k == "ZipFile" {
				out[k] = base64.StdEncoding.EncodeToString(awsdouble.Zip(map[string]string{"index.py": text}))
				continue
			}
			out[k] = withArchives(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withArchives(v[i])
		}
		return out
	}
	return v
}

// encoded returns a value that was read from JSON as JSON.
func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

package conformance

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed words.txt
var wordList string

// words returns the words that a recording may show: those of the SDK's model of Lambda, and of the double's messages.
var words = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(wordList) {
		set[w] = true
	}
	return set
})

// The account and the run that recordings show.
const (
	shownAccount = "123456789012"
	shownRun     = "00000000"
)

// A Redactor replaces in requests and answers all that it does not know to be harmless. It keeps words of Lambda's
// model, short numbers, and what the scenarios themselves say. All else, such as identifiers, tokens, hosts and values
// of variables, becomes a placeholder: the same for the same value. It is safe for concurrent use.
type Redactor struct {
	fixed *strings.Replacer
	said  map[string]bool

	mu    sync.Mutex
	count map[string]int
	as    map[string]string
}

// NewRedactor returns a Redactor of a run. said are texts of which each word may be shown; role is the name of the
// run's role.
func NewRedactor(r Run, role string, said ...string) *Redactor {
	pairs := []string{r.Account, shownAccount, r.ID, shownRun}
	if role != "" && !strings.HasPrefix(role, r.Prefix()) {
		pairs = append(pairs, ":role/"+strings.TrimPrefix(role, "/"), ":role/role")
	}
	d := &Redactor{
		fixed: strings.NewReplacer(pairs...), said: map[string]bool{shownAccount: true, shownRun: true},
		count: map[string]int{}, as: map[string]string{},
	}
	for _, text := range append(append(said, r.Region), shown...) {
		for _, w := range wordPattern.FindAllString(d.fixed.Replace(text), -1) {
			d.said[w] = true
		}
	}
	return d
}

// shown are words of AWS and of the provider beside those of Lambda's model.
var shown = []string{
	"lambda.aws.m.crossplane.io crossplane-kind crossplane-name crossplane-namespace crossplane-uid crossplane-cluster",
	"capacityprovider codesigningconfig eventsourcemapping layerversion crossplane-providerconfig " + TagKey,
	"$LATEST arn aws sqs iam sts kms sns s3 logs iam:: 2012-10-17 2008-10-17",
	"Condition StringEquals StringLike ArnEquals ArnLike Bool SourceArn SourceAccount PrincipalOrgID root signer",
	"2015 2016 2017 2018 2019 2020 2021 2023 2024 2025 2026 03 31 08 19 04 10 11 15 22 30 06 09 25 02 12 01 07",
}

var (
	wordPattern = regexp.MustCompile(`[A-Za-z0-9_$]+`)
	timestamp   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$`)
	id          = regexp.MustCompile(`\bcsc-[0-9a-z]{17}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	digest      = regexp.MustCompile(`^[A-Za-z0-9+/]{43}=$`)
	number      = regexp.MustCompile(`^[0-9]{1,5}$`)
)

// mostDigits is the largest number of digits in a text that are shown. More may be a card's or a phone's number.
const mostDigits = 8

// secret are members whose values are replaced, whatever they are.
var secret = []string{"ZipFile", "Variables", "Location", "LogResult", "SecretAccessKey", "SessionToken", "Token"}

// Value returns a decoded JSON value without what must not be shown.
func (d *Redactor) Value(v any) any { return d.value("", v) }

func (d *Redactor) value(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			switch {
			case key == "Variables":
				out[d.Text(k)] = d.placeholder("value", "redacted%d", fmt.Sprint(v[k]))
			case slices.Contains(secret, k) && k != "Variables":
				out[k] = d.placeholder(k, "redacted%d", fmt.Sprint(v[k]))
			default:
				out[d.Text(k)] = d.value(k, v[k])
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = d.value(key, v[i])
		}
		return out
	case string:
		return d.Text(v)
	case json.Number:
		if len(strings.Trim(v.String(), "-")) > len("000000") {
			return json.Number("0")
		}
	}
	return v
}

// Text returns a text without what must not be shown.
func (d *Redactor) Text(s string) string {
	s = d.fixed.Replace(s)
	var inner any
	switch {
	case s == "":
		return ""
	case timestamp.MatchString(s):
		return "2026-01-01T00:00:00.000+0000"
	case digest.MatchString(s):
		return d.placeholder("sha256", "redacted%035d=", s)
	case (s[0] == '{' || s[0] == '[') && json.Unmarshal([]byte(s), &inner) == nil:
		return string(encoded(d.Value(inner)))
	}
	b, end := strings.Builder{}, 0
	digits := d.digits(s)
	for _, at := range id.FindAllStringIndex(s, -1) {
		b.WriteString(d.words(s[end:at[0]], digits))
		if end = at[1]; strings.HasPrefix(s[at[0]:], "csc-") {
			b.WriteString(d.placeholder("id", "csc-%017d", s[at[0]:end]))
		} else {
			b.WriteString(d.placeholder("id", "00000000-0000-4000-8000-%012d", s[at[0]:end]))
		}
	}
	return b.String() + d.words(s[end:], digits)
}

// digits returns how many digits of a text would be shown.
func (d *Redactor) digits(s string) (n int) {
	for _, w := range wordPattern.FindAllString(id.ReplaceAllString(s, ""), -1) {
		if number.MatchString(w) && !d.said[w] {
			n += len(w)
		}
	}
	return n
}

// words replaces the words of a text that are not known, and all numbers if the text has too many digits.
func (d *Redactor) words(s string, digits int) string {
	s = wordPattern.ReplaceAllStringFunc(s, func(w string) string {
		switch {
		case d.said[w], words()[w], w == "a":
			return w
		case number.MatchString(w) && digits <= mostDigits:
			return w
		}
		return d.placeholder("word", "redacted%d", w)
	})
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// placeholder returns what stands for a value of a kind.
func (d *Redactor) placeholder(kind, format, value string) string {
	sum := sha256.Sum256([]byte(kind + " " + value))
	key := hex.EncodeToString(sum[:])
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, ok := d.as[key]; ok {
		return p
	}
	d.count[format]++
	d.as[key] = fmt.Sprintf(format, d.count[format])
	return d.as[key]
}

// roleName returns the path and the name in the ARN of a role.
func roleName(arn string) string {
	_, name, _ := strings.Cut(arn, ":role/")
	return name
}

// said returns the texts of a scenario that recordings may show: all but values of variables and payloads.
func said(sc *Scenario, values map[string]string) []string {
	out := slices.Collect(maps.Values(values))
	for i := range sc.Steps {
		b, err := json.Marshal(sc.Steps[i])
		var v any
		if err == nil && json.Unmarshal(b, &v) == nil {
			collectTexts(v, &out)
		}
	}
	return out
}

func collectTexts(v any, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			*out = append(*out, k)
			if !slices.Contains([]string{"variables", "Variables", "payload", "inline", "data", "about"}, k) {
				collectTexts(inner, out)
			}
		}
	case []any:
		for _, inner := range v {
			collectTexts(inner, out)
		}
	case string:
		*out = append(*out, v)
	}
}

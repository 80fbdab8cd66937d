package awserr

import (
	"regexp"
	"strconv"
	"strings"
)

// The ways in which a message quotes the value that it rejects. The value may be an environment
// variable or a policy, so it is removed. The name of the field says enough. Only the value of an enum is kept, if it
// is a word: no secret belongs there, and the values that AWS accepts do not say which one was wrong.
var (
	violation = regexp.MustCompile(`(?s)(?:; )?Value (.*?) at '([A-Za-z0-9_.\[\]]+)' failed to satisfy constraint: `)
	word      = regexp.MustCompile(`^'?\[?([A-Za-z0-9_.:-]{1,64})\]?'?$`)
	// A payload that AWS cannot read as JSON is quoted at its end, and what it begins with in the reason.
	measured = regexp.MustCompile(`(?s)\s*(?:String measured: |at \[Source: ).*`)
	token    = regexp.MustCompile(`(?s)(Unrecognized token) '.*'(: was expecting)`)
	counted  = regexp.MustCompile(`^\d+ validation errors? detected: `)
)

func redact(m string) string {
	m = measured.ReplaceAllString(m, "")
	m = token.ReplaceAllString(m, "$1$2")
	m = counted.ReplaceAllString(m, "")
	found := violation.FindAllStringSubmatchIndex(m, -1)
	if len(found) == 0 {
		return m
	}
	lines := make([]string, 0, len(found))
	for i, f := range found {
		end := len(m)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		rule := constraint(m[f[1]:end])
		lines = append(lines, fieldPath(m[f[4]:f[5]])+": "+quoted(m[f[2]:f[3]], rule)+rule)
	}
	return strings.Join(lines, "; ")
}

// quoted returns the value that violates the rule of an enum, and empty text for other rules.
func quoted(value, rule string) string {
	found := word.FindStringSubmatch(value)
	if found == nil || found[1] == "null" || !strings.Contains(rule, "satisfy enum value set") {
		return ""
	}
	return strconv.Quote(found[1]) + " "
}

// constraint returns the rule that a value violates, if it is in the words of AWS.
func constraint(s string) string {
	if rest, ok := strings.CutPrefix(s, "Member must "); ok {
		return "must " + strings.TrimPrefix(rest, "satisfy constraint: ")
	}
	return "invalid value"
}

package awserr

import (
	"regexp"
	"strings"
)

// The ways in which a message quotes the value that it rejects. The value may be an environment
// variable or a policy, so it is removed. The name of the field says enough.
var (
	violation = regexp.MustCompile(`(?s)(?:; )?Value (?:.*?) at '([A-Za-z0-9_.\[\]]+)' failed to satisfy constraint: `)
	measured  = regexp.MustCompile(`(?s)\s*String measured: .*`)
	counted   = regexp.MustCompile(`^\d+ validation errors? detected: `)
)

func redact(m string) string {
	m = measured.ReplaceAllString(m, "")
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
		lines = append(lines, fieldPath(m[f[2]:f[3]])+": "+constraint(m[f[1]:end]))
	}
	return strings.Join(lines, "; ")
}

// constraint returns the rule that a value violates, if it is in the words of AWS.
func constraint(s string) string {
	if rest, ok := strings.CutPrefix(s, "Member must "); ok {
		return "must " + strings.TrimPrefix(rest, "satisfy constraint: ")
	}
	return "invalid value"
}

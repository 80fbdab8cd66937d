package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

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

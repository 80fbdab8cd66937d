package permission

import (
	"strings"
	"testing"
)

// TestTokensOfOtherConditions checks that tokens are not shown that AddPermission can't write in this form: several, or
// with another operator.
func TestTokensOfOtherConditions(t *testing.T) {
	for name, condition := range map[string]string{
		"Several":  `{"StringEquals":{"lambda:EventSourceToken":["hunter1","hunter2"]}}`,
		"Operator": `{"StringLike":{"lambda:EventSourceToken":"hunter*"}}`,
		"Both":     `{"StringEquals":{"lambda:EventSourceToken":"hunter1"},"StringLike":{"Lambda:eventSourceToken":"hunter*"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			has(strings.TrimSuffix(bucketStatement, "}") + `,"Condition":` + condition + "}")(e)
			p := testPermission(named)
			got := e.Observe(p)
			if at := *p.Status.AtProvider.Statement; strings.Contains(at, "hunter") ||
				!strings.Contains(at, "EventSourceToken") && !strings.Contains(at, "eventSourceToken") {
				t.Errorf("status has %s", at)
			}
			if got.Diff == "" || strings.Contains(got.Diff, "hunter") {
				t.Errorf("differences are %s", got.Diff)
			}
		})
	}
}

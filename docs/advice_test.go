package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// TestFindingsAreDocumented compares the table of findings with the rules in the code.
func TestFindingsAreDocumented(t *testing.T) {
	text := read(t, "advice.md")
	var documented []string
	for _, m := range regexp.MustCompile(
		"(?m)^\\| `([A-Z]\\w+)` \\| (\\w+) \\| .* \\| (yes|no)[^|]*\\|$").FindAllStringSubmatch(text, -1) {
		documented = append(documented, fmt.Sprintf("%s %s %t", m[1], m[2], m[3] == "yes"))
	}
	var rules []string
	for _, f := range advice.All() {
		rules = append(rules, fmt.Sprintf("%s %s %t", f.Code, f.Severity, f.IsShown()))
	}
	slices.Sort(documented)
	if diff := cmp.Diff(rules, documented); diff != "" {
		t.Errorf("findings, their severity, and whether Advisory shows them: -code, +documented:\n%s", diff)
	}
	for _, want := range []string{
		advice.RuntimesAsOf, advice.RuntimesSource, v1beta1.AnnotationIgnoreAdvice,
		string(v1beta1.TypeAdvisory), string(v1beta1.ReasonNoFindings),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("advice.md does not name %s", want)
		}
	}
}

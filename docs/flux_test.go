package docs

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"sigs.k8s.io/yaml"
)

// healthChecks returns the expressions of Flux that a document has, by their names.
func healthChecks(t *testing.T, file string) map[string]string {
	t.Helper()
	for _, f := range fencesOf(file, read(t, file)) {
		if !strings.Contains(f.text, "healthCheckExprs:") {
			continue
		}
		spec := struct{ HealthCheckExprs []map[string]string }{}
		if err := yaml.Unmarshal([]byte(f.text), &spec); err != nil || len(spec.HealthCheckExprs) != 1 {
			t.Fatalf("%s:%d: %v, %+v", f.file, f.line, err, spec)
		}
		return spec.HealthCheckExprs[0]
	}
	t.Fatalf("%s has no healthCheckExprs", file)
	return nil
}

// TestFluxSeesReleases evaluates the expressions for Flux as Flux does: failed before current, and otherwise in
// progress.
func TestFluxSeesReleases(t *testing.T) {
	const ready, notReady = `conditions: [{type: Synced, status: "True"}, {type: Ready, status: "True"}]`,
		`conditions: [{type: Synced, status: "True"}, {type: Ready, status: "False"}]`
	cases := map[string]struct {
		reason, status, want string
	}{
		"New": {reason: "Crossplane has not seen it.", status: `{}`, want: "in progress"},
		"Pending": {
			reason: "Nothing has moved.", status: `{phase: Pending, ` + notReady + `}`,
			want: "in progress",
		},
		"Progressing": {
			reason: "A part has moved.", status: `{phase: Progressing, ` + notReady + `}`,
			want: "in progress",
		},
		"Behind": {
			reason: "Crossplane sees the Alias later.", status: `{phase: Ready, ` + notReady + `}`,
			want: "in progress",
		},
		"Ready":  {reason: "The target serves.", status: `{phase: Ready, ` + ready + `}`, want: "current"},
		"Failed": {reason: "The target was rejected.", status: `{phase: Failed, ` + notReady + `}`, want: "failed"},
	}
	checks := healthChecks(t, "compositions.md")
	env, err := cel.NewEnv(cel.Variable("status", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var status map[string]any
			if err := yaml.Unmarshal([]byte(tc.status), &status); err != nil {
				t.Fatal(err)
			}
			got := "in progress"
			for _, health := range []string{"failed", "current"} {
				if holds(t, env, checks[health], status) {
					got = health
					break
				}
			}
			if got != tc.want {
				t.Errorf("%s\ngot %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// holds reports whether an expression is true. One that reads a field that does not exist is not.
func holds(t *testing.T, env *cel.Env, expression string, status map[string]any) bool {
	t.Helper()
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		t.Fatalf("%q: %v", expression, issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatalf("%q: %v", expression, err)
	}
	out, _, err := program.Eval(map[string]any{"status": status})
	return err == nil && out.Value() == true
}

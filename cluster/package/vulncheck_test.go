package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVulncheck runs the check of the release with a Go command that answers as govulncheck does.
func TestVulncheck(t *testing.T) {
	cases := map[string]struct {
		reason, script string
		fails          bool
		want           string
	}{
		"Clean": {
			reason: "Nothing is known.", script: "echo No vulnerabilities found.",
			want: "No vulnerabilities found.",
		},
		"Found": {
			reason: "A release with a known vulnerability is none.", script: "echo GO-2026-0001; exit 3",
			fails: true, want: "GO-2026-0001",
		},
		"Unreachable": {
			reason: "Nothing is found where nothing could be asked.",
			script: "echo govulncheck: fetching vulnerabilities: Get https://vuln.go.dev: no such host; exit 1",
			fails:  true, want: "not checked, since their database cannot be reached: no such host",
		},
		"Broken": {
			reason: "A check that does not run has not passed.", script: "echo no such tool; exit 2",
			fails: true, want: "no such tool",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
			script := "#!/bin/sh\ncase \"$*\" in *govulncheck*) echo \"$*\" >> " + calls + "; " + tc.script +
				";; esac\n"
			if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", repository, "vulncheck")
			cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if (err != nil) != tc.fails || !strings.Contains(string(out), tc.want) {
				t.Errorf("%s\nerror %v, %s", tc.reason, err, out)
			}
			called, err := os.ReadFile(calls)
			if err != nil {
				t.Fatal(err)
			}
			for _, program := range []string{providerProgram, pluginProgram} {
				if !strings.Contains(string(called), "./cmd/"+program) {
					t.Errorf("it does not look at %s: %s", program, called)
				}
			}
		})
	}
}

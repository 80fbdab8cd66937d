package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/rebuild"
)

// TestRebuild breaks the provider's source and fixes it again, as a developer may during `make dev`.
func TestRebuild(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.restarts()
	e.provider()
	var output bytes.Buffer
	root := e.copySource(func(_ string, b []byte) []byte { return b })
	provider := &rebuild.Provider{Platform: e.Platform, Root: root, Folder: t.TempDir(), Image: shared.image}
	loop := &rebuild.Loop{Steps: provider, Out: &output, Now: time.Now}
	poll := func() string {
		t.Helper()
		output.Reset()
		for range 2 { // The sources are the same at the second check.
			now, err := rebuild.Take(root, loop.Last())
			if err != nil {
				t.Fatal(err)
			}
			if loop.Last() == nil {
				loop.Start(now)
			}
			loop.Poll(t.Context(), now)
		}
		return output.String()
	}
	if got := poll(); got != "" {
		t.Fatalf("before anything has changed, the loop said: %s", got)
	}

	source := filepath.Join(root, "cmd", "provider", "changed.go")
	pid := e.provider()
	write(t, source, "package main\n\nvar broken int = \"so\"\n")
	if got := poll(); !strings.Contains(got, "cannot build the provider") ||
		!strings.Contains(got, "cmd/provider/changed.go:3") {
		t.Errorf("the loop does not tell the compiler's message: %s", got)
	}
	if got := e.provider(); got != pid {
		t.Errorf("the provider was restarted, though nothing new was built: process %d, then %d", pid, got)
	}

	const greeting = "the changed provider starts"
	write(t, source, "package main\n\nimport \"os\"\n\nfunc init() { _, _ = os.Stderr.WriteString(\""+greeting+
		"\\n\") }\n")
	if got := poll(); !strings.Contains(got, "the provider runs with that") {
		t.Fatalf("the loop does not tell that the provider runs: %s", got)
	}
	if e.provider() == pid {
		t.Error("the old process still runs")
	}
	log, err := os.ReadFile(e.Providers()[0].Log())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), greeting) {
		t.Errorf("what runs is not what was built; its log:\n%s", log)
	}
	ns := e.namespace()
	e.apply(ns, function("after"))
	e.ready("Function", ns, "after")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

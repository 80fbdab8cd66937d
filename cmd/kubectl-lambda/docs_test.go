package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// pages returns the documentation of the plugin.
func pages(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../docs/kubectl-lambda*.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// others are flags in the pages that are not the plugin's, and flags of kubectl's -o, which the pages do not explain.
var others = []string{"manifest-url", "for", "allow-missing-template-keys", "show-managed-fields", "template"}

// TestFlagsAreDocumented compares the flags in the pages on the plugin with those of its commands.
func TestFlagsAreDocumented(t *testing.T) {
	text := pages(t)
	known := map[string]bool{}
	for _, name := range others {
		known[name] = true
	}
	named := regexp.MustCompile("(?:^|[^a-z-])--([a-z][a-z-]+)")
	var documented []string
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		documented = append(documented, m[1])
	}
	root := newRoot(kubectl.NewFactory(genericiooptions.NewTestIOStreamsDiscard(), time.Now, "v0.1.0"))
	every(root, func(c *cobra.Command) {
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			known[f.Name] = true
			short := f.Shorthand != "" && strings.Contains(text, "`-"+f.Shorthand+"`")
			if f.Hidden || f.Name == "help" || short || slices.Contains(slices.Concat(documented, others), f.Name) {
				return
			}
			t.Errorf("no page of docs/kubectl-lambda*.md names the flag --%s of %s", f.Name, c.CommandPath())
		})
	})
	for _, name := range documented {
		if !known[name] {
			t.Errorf("a page of docs/kubectl-lambda*.md names the flag --%s, which no command has", name)
		}
	}
}

// every calls a function with a command and all those below it.
func every(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		every(child, visit)
	}
}

package v1beta1

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReferences checks that the tags of references name the kinds of the markers from which their resolvers are
// generated.
func TestReferences(t *testing.T) {
	files, err := filepath.Glob("*_types.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kinds := func(pattern string) (found []string) {
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
				found = append(found, m[1])
			}
			slices.Sort(found)
			return found
		}
		markers, tags := kinds(`\+crossplane:generate:reference:type=(\w+)`), kinds(`refersTo:"(\w+)"`)
		if diff := cmp.Diff(markers, tags); diff != "" {
			t.Errorf("%s: -markers, +tags refersTo:\n%s", file, diff)
		}
		if n := strings.Count(string(text), "xpv2.NamespacedReference `"); n != len(tags) {
			t.Errorf("%s: %d references have %d tags refersTo", file, n, len(tags))
		}
	}
}

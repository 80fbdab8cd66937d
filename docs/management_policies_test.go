package docs

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// TestManagementPoliciesAreSupported checks each list of management policies that a document or an example names:
// Crossplane supports it, and it has no LateInitialize, since the provider never initializes fields late.
func TestManagementPoliciesAreSupported(t *testing.T) {
	files := documents(t)
	err := filepath.WalkDir("../examples", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	list := regexp.MustCompile(`\[("?(?:\*|Observe\b)[A-Za-z*", ]*)\]`)
	for _, file := range files {
		if strings.HasPrefix(file, "reference/") {
			continue // Generated: it has the values of the enum.
		}
		for _, m := range list.FindAllStringSubmatch(read(t, file), -1) {
			lists++
			var policies xpv2.ManagementPolicies
			for action := range strings.SplitSeq(m[1], ",") {
				policies = append(policies, xpv2.ManagementAction(strings.Trim(action, ` "`)))
			}
			if err := managed.NewManagementPoliciesResolver(true, policies).Validate(); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if slices.Contains(policies, xpv2.ManagementActionLateInitialize) {
				t.Errorf("%s names LateInitialize, which has no effect: %s", file, m[0])
			}
		}
	}
	if lists < 20 {
		t.Errorf("found only %d lists, this test may not read them any more", lists)
	}
}

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/sdkcalls"
)

// actions are the IAM actions of operations that are named otherwise.
var actions = map[string]string{"s3:HeadObject": "s3:GetObject", "lambda:Invoke": "lambda:InvokeFunction"}

// TestPolicyNamesEveryCall compares the IAM policy in a kind's page with the calls that
// the kind makes.
func TestPolicyNamesEveryCall(t *testing.T) {
	clients, err := filepath.Glob("../internal/controller/*/client.go")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, client := range clients {
		page := filepath.Base(filepath.Dir(client)) + ".md"
		if _, err := os.Stat(page); err != nil {
			continue
		}
		compared++
		text := read(t, page)
		for _, call := range calls(t, filepath.Dir(client)) {
			action := call
			if other, ok := actions[call]; ok {
				action = other
			}
			if !strings.Contains(text, `"`+action+`"`) && !strings.Contains(text, "`"+action+"`") {
				t.Errorf("%s does not name %s, which %s takes", page, action, call)
			}
		}
	}
	if compared == 0 {
		t.Error("no page was compared")
	}
}

// calls of a kind by its folder, such as lambda:GetFunction.
func calls(t *testing.T, folder string) []string {
	t.Helper()
	found, err := sdkcalls.Of("..", folder)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(found))
	for _, c := range found {
		names = append(names, c.Service+":"+c.Operation)
	}
	return names
}

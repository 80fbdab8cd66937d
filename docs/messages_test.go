package docs

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quoted is what a table's first cell quotes.
var quoted = regexp.MustCompile("`([^`]+)`")

// TestMessagesAreTheCodes looks up each message that a table explains in the source: a
// message that was reworded there is to be reworded here.
func TestMessagesAreTheCodes(t *testing.T) {
	code := source(t, "../internal") + source(t, "../apis")
	for _, file := range []string{
		"troubleshooting.md", "troubleshooting-authentication.md", "troubleshooting-ready.md",
		"troubleshooting-rollouts.md", "troubleshooting-synced.md",
	} {
		messages := explained(read(t, file))
		if len(messages) == 0 {
			t.Errorf("%s explains no message", file)
		}
		for _, m := range messages {
			for part := range strings.SplitSeq(m, "...") {
				if part = strings.TrimSpace(part); !strings.Contains(code, strings.ToLower(part)) {
					t.Errorf("%s explains %q, but no code says %q", file, m, part)
				}
			}
		}
	}
}

// explained are the messages in the first column of the tables that are about messages.
func explained(text string) []string {
	var found []string
	about := false
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			about = false
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), " | ")
		switch strings.TrimSpace(first) {
		case "Message", "The message says", "Reason and message", "Event":
			about = true
			continue
		}
		if !about {
			continue
		}
		for _, q := range quoted.FindAllStringSubmatch(first, -1) {
			found = append(found, q[1])
		}
	}
	return found
}

// source is the code under a folder in lower case, without tests.
func source(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			all.WriteString(strings.ToLower(read(t, path)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

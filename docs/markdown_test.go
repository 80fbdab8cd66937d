package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A fence is a block of code in a document.
type fence struct {
	file string
	line int
	// language is the first word after the opening backquotes, hint the second.
	language, hint string
	text           string
}

// documents are the paths of all that users and contributors read.
func documents(t *testing.T) []string {
	t.Helper()
	found := []string{"../README.md", "../CONTRIBUTING.md"}
	for _, pattern := range []string{"*.md", "design/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, files...)
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fences of a language in all documents.
func fences(t *testing.T, language string) []fence {
	t.Helper()
	var found []fence
	for _, file := range documents(t) {
		for _, f := range fencesOf(file, read(t, file)) {
			if f.language == language {
				found = append(found, f)
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("there is no %s in any document", language)
	}
	return found
}

func fencesOf(file, text string) []fence {
	var found []fence
	var open *fence
	for i, line := range strings.Split(text, "\n") {
		info, marks := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case marks && open == nil:
			words := append(strings.Fields(info), "", "")
			open = &fence{file: file, line: i + 1, language: words[0], hint: words[1]}
		case marks:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return found
}

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// anchors are the names by which the headings of a document are linked to.
func anchors(text string) []string {
	var found []string
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		name := unlinked.ReplaceAllString(strings.ToLower(h[1]), "")
		found = append(found, strings.ReplaceAll(name, " ", "-"))
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, file := range documents(t) {
		for _, l := range link.FindAllStringSubmatch(read(t, file), -1) {
			path, anchor, _ := strings.Cut(l[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, l[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s links to %s: no heading of %s has that name", file, l[1], target)
			}
		}
	}
}

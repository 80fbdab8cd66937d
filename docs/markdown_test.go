package docs

import (
	"fmt"
	"io/fs"
	"net/url"
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

// root of the repository.
const root = ".."

// documents are the paths of all that users and contributors read.
func documents(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			found = append(found, clean(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 20 {
		t.Fatalf("found only %v", found)
	}
	return found
}

// clean is a path from this folder, in its shortest form.
func clean(t *testing.T, path string) string {
	t.Helper()
	docs, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	short, err := filepath.Rel(docs, all)
	if err != nil {
		t.Fatal(err)
	}
	return short
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
	// reference is what [text][label] links to.
	reference = regexp.MustCompile(`(?m)^\[[^\]]+\]: (\S+)$`)
	labelled  = regexp.MustCompile(`\]\[([^\]]+)\]`)
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
)

// prose is a document without its blocks of code.
func prose(text string) string {
	var out strings.Builder
	within := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			within = !within
			continue
		}
		if !within {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// anchors are the names by which the headings of a document are linked to. Of headings
// that are alike, the second has -1 at its end.
func anchors(text string) []string {
	var found []string
	seen := map[string]int{}
	for _, h := range heading.FindAllStringSubmatch(prose(text), -1) {
		name := strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		n := seen[name]
		seen[name]++
		if n > 0 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		found = append(found, name)
	}
	return found
}

// links of a document.
func links(text string) []string {
	var found []string
	text = codeSpan.ReplaceAllString(prose(text), "")
	for _, l := range append(link.FindAllStringSubmatch(text, -1), reference.FindAllStringSubmatch(text, -1)...) {
		found = append(found, l[1])
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, file := range documents(t) {
		text := read(t, file)
		for _, l := range links(text) {
			if why := dead(t, file, l); why != "" {
				t.Errorf("%s links to %s: %s", file, l, why)
			}
		}
		for _, l := range labelled.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose(text), ""), -1) {
			if !strings.Contains(text, "\n["+l[1]+"]: ") {
				t.Errorf("%s links to the label %s, which it does not define", file, l[1])
			}
		}
	}
}

// dead tells why a link leads nowhere, if it does. What is elsewhere on the web is not asked.
func dead(t *testing.T, file, link string) string {
	t.Helper()
	path, anchor, _ := strings.Cut(link, "#")
	if strings.Contains(path, "://") {
		if u, err := url.Parse(link); err != nil || u.Scheme != "https" || u.Host == "" {
			return "it is no https address"
		}
		return ""
	}
	target := file
	if path != "" {
		target = filepath.Join(filepath.Dir(file), path)
	}
	if _, err := os.Stat(target); err != nil {
		return "there is no such file"
	}
	if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
		return "no heading there has that name"
	}
	return ""
}

// Every page is in the index, and what belongs to a page is in its own.
func TestIndexHasEveryPage(t *testing.T) {
	for _, index := range []string{"README.md", "design/README.md", "migrate/README.md"} {
		folder := filepath.Dir(index)
		linked := map[string]bool{index: true}
		for _, l := range links(read(t, index)) {
			path, _, _ := strings.Cut(l, "#")
			linked[filepath.Join(folder, path)] = true
		}
		for _, file := range documents(t) {
			if filepath.Dir(file) == folder && !linked[file] {
				t.Errorf("%s does not link to %s", index, file)
			}
		}
	}
}

package rebuild

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// sources are the files, and the folders of files, from which the provider and its package are built.
var sources = []string{
	"apis", "cmd/provider", "internal", definitions, metadata, "package/icon.svg", "go.mod",
	"go.sum",
}

// A Snapshot is the content of the sources, by their paths from the repository's root.
type Snapshot map[string]content

type content struct {
	written time.Time
	size    int64
	sum     [sha256.Size]byte
}

// Take returns a snapshot of a repository. It ignores tests, and temporary files of editors. Files that were not
// written since an earlier snapshot, which may be nil, are not read again.
func Take(root string, earlier Snapshot) (Snapshot, error) {
	s, files := Snapshot{}, os.DirFS(root)
	for _, source := range sources {
		err := fs.WalkDir(files, source, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return enter(path.Base(name))
			}
			if err == nil && d.Type().IsRegular() && isSource(name) {
				err = s.add(files, name, d, earlier)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // It was deleted meanwhile, as generated files are.
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s Snapshot) add(files fs.FS, name string, d fs.DirEntry, earlier Snapshot) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	c := content{written: info.ModTime(), size: info.Size()}
	if was, ok := earlier[name]; ok && was.isAsOldAs(c) {
		s[name] = was
		return nil
	}
	b, err := fs.ReadFile(files, name)
	c.sum = sha256.Sum256(b)
	s[name] = c
	return err
}

func (c content) isAsOldAs(other content) bool {
	return c.written.Equal(other.written) && c.size == other.size
}

func enter(folder string) error {
	if folder == "testdata" || isHidden(folder) {
		return fs.SkipDir
	}
	return nil
}

func isSource(name string) bool {
	if isHidden(path.Base(name)) || strings.HasSuffix(name, "_test.go") {
		return false
	}
	return strings.HasSuffix(name, ".go") || slices.ContainsFunc(sources, func(source string) bool {
		return name == source || source == definitions && strings.HasPrefix(name, definitions+"/")
	})
}

// isHidden reports whether Go ignores a file or a folder because of its name.
func isHidden(base string) bool { return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") }

// Changed returns the names of the files that were added, removed or changed in next.
func (s Snapshot) Changed(next Snapshot) []string {
	var changed []string
	for name := range s {
		if _, ok := next[name]; !ok {
			changed = append(changed, name)
		}
	}
	for name, now := range next {
		if was, ok := s[name]; !ok || was.sum != now.sum {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

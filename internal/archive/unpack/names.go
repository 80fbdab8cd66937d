package unpack

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// maxName is the number of bytes of a name that Linux accepts.
const maxName = 4096

// clean returns a name of an archive as inside does, and an error if it cannot be deployed.
func clean(name string) (string, error) {
	if err := deployable(name); err != nil {
		return "", err
	}
	return inside(name)
}

// deployable returns an error for a name with characters that cannot be deployed.
func deployable(name string) error {
	if !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00") {
		return errors.Errorf("the archive has the name %q: names must be UTF-8 without backslashes", name)
	}
	return nil
}

// inside returns a name of an archive without ./, and an error if it leaves the archive. It returns "" for the archive
// itself.
func inside(name string) (string, error) {
	switch {
	case len(name) > maxName:
		return "", errors.Errorf("the archive has a name of %d bytes, more than %d", len(name), maxName)
	case path.IsAbs(name):
		return "", errors.Errorf("the archive has the absolute name %q: names must be relative", name)
	}
	if slices.Contains(strings.Split(name, "/"), "..") {
		return "", errors.Errorf("the archive has the name %q, which leaves its folder", name)
	}
	if name = path.Clean(name); name == "." {
		return "", nil
	}
	return name, nil
}

// cleanPath returns the path in an archive that a user has chosen.
func cleanPath(at string) (string, error) {
	p, err := clean(strings.TrimPrefix(at, "./"))
	if err != nil {
		return "", errors.Errorf("path %q must be relative, without .. in it", at)
	}
	return p, nil
}

// below returns a name relative to a folder, and false if it is not in it.
func below(folder, name string) (string, bool) {
	if folder == "" {
		return name, name != ""
	}
	rest, ok := strings.CutPrefix(name, folder+"/")
	return rest, ok && rest != ""
}

// checkLink returns an error unless a symbolic link at a name of the folder points into the folder. Only the first
// parts of its target may be .., because a later one could follow another link.
func checkLink(name, target string) error {
	parts := strings.Split(target, "/")
	for len(parts) > 0 && parts[0] == ".." {
		parts = parts[1:]
	}
	if slices.Contains(parts, "..") {
		return errors.Errorf("symbolic link %q points to %q: .. may only be at its start", name, target)
	}
	_, err := clean(strings.Join(parts, "/"))
	to := path.Join(path.Dir(name), target)
	if target == "" || path.IsAbs(target) || err != nil || to == ".." || strings.HasPrefix(to, "../") {
		return errors.Errorf("symbolic link %q points to %q, which is outside of its folder", name, target)
	}
	return nil
}

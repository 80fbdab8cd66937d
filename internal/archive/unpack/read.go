package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A kind is the kind of an entry that is deployed.
type kind int

const (
	other kind = iota
	folder
	file
	symlink
	hardlink
)

// An entry is an entry of an archive.
type entry struct {
	name string
	kind kind
	// size is the size of a file, as the archive says.
	size       int64
	executable bool
	// target is the target of a link.
	target string
	// body is the content of a file. It is valid until the next entry.
	body io.Reader
}

// entries calls a function with each entry of an archive, until it returns an error.
type entries func(each func(entry) error) error

// open returns the entries of an archive by what its first bytes are, and the archive as a whole if it is a .zip.
func open(archive *io.SectionReader) (entries, *zip.Reader, error) {
	head := make([]byte, 4) //nolint:mnd // The longest of the marks below.
	n, err := archive.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, errors.Wrap(err, "cannot read the archive")
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		r, err := openZip(archive, archive.Size())
		if err != nil {
			return nil, nil, err
		}
		return zipEntries(r), r, nil
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		r, err := gzip.NewReader(archive)
		if err != nil {
			return nil, nil, errors.Wrap(err, "the archive is not a valid .tar.gz")
		}
		return tarEntries(r), nil, nil
	}
	return tarEntries(archive), nil, nil
}

func tarEntries(r io.Reader) entries {
	return func(each func(entry) error) error {
		bounded := &io.LimitedReader{R: r, N: maxRead}
		for t := tar.NewReader(bounded); ; {
			h, err := t.Next()
			switch {
			case errors.Is(err, io.EOF) && bounded.N > 0:
				return nil
			case bounded.N <= 0:
				return errors.Errorf("the archive has more than %d MB unpacked", maxRead>>20)
			case err != nil:
				return errors.Wrap(err, "the archive is not a valid .tar or .tar.gz")
			case h.Typeflag == tar.TypeXGlobalHeader:
				continue // What git archive writes about the commit.
			}
			e := entry{
				name: h.Name, kind: tarKind(h.Typeflag), size: h.Size, executable: h.Mode&0o111 != 0,
				target: h.Linkname, body: t,
			}
			if err := each(e); err != nil {
				return err
			}
		}
	}
}

func tarKind(flag byte) kind {
	switch flag {
	case tar.TypeReg, tar.TypeGNUSparse:
		return file
	case tar.TypeDir:
		return folder
	case tar.TypeSymlink:
		return symlink
	case tar.TypeLink:
		return hardlink
	}
	return other
}

// maxDirectory is the number of bytes of the directory of a .zip, which is kept in memory. It is enough for maxEntries
// with names of usual lengths.
const maxDirectory = 12 << 20

var errDirectory = errors.Errorf("the directory of the .zip is larger than %d MB: deploy fewer files", maxDirectory>>20)

// openZip reads the directory of a .zip.
func openZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	bounded := &boundedReader{r: r, left: maxDirectory}
	z, err := zip.NewReader(bounded, size)
	if bounded.left < 0 {
		return nil, errDirectory
	}
	if err != nil {
		return nil, errors.Wrap(err, "the archive is not a valid .zip")
	}
	bounded.left = math.MaxInt64 // The files are bounded one by one.
	return z, nil
}

// A boundedReader reads at most a number of bytes. It is negative once more were asked for.
type boundedReader struct {
	r    io.ReaderAt
	left int64
}

// ReadAt reads unless the bytes are used up.
func (b *boundedReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errDirectory
	}
	return b.r.ReadAt(p, off)
}

// maxTarget is the number of bytes of the target of a symbolic link in a .zip that are read.
const maxTarget = maxName

func zipEntries(r *zip.Reader) entries {
	return func(each func(entry) error) error {
		for _, f := range r.File {
			if err := zipEntry(f, each); err != nil {
				return err
			}
		}
		return nil
	}
}

func zipEntry(f *zip.File, each func(entry) error) error {
	e := entry{name: f.Name, executable: f.Mode()&0o111 != 0}
	e.size = int64(min(f.UncompressedSize64, maxRead)) //nolint:gosec // It is less than maxRead.
	switch f.Mode().Type() {
	case fs.ModeDir:
		e.kind = folder
		return each(e)
	case fs.ModeSymlink, 0:
	default:
		return each(e)
	}
	body, err := f.Open()
	if err != nil {
		return errors.Wrapf(err, "cannot read %q of the archive", f.Name)
	}
	defer body.Close() //nolint:errcheck // Nothing is written.
	e.kind, e.body = file, body
	if f.Mode().Type() == fs.ModeSymlink {
		target, err := io.ReadAll(io.LimitReader(body, maxTarget))
		if err != nil {
			return errors.Wrapf(err, "cannot read %q of the archive", f.Name)
		}
		e.kind, e.target = symlink, string(target)
	}
	return each(e)
}

// maxName is the number of bytes of a name that Linux accepts.
const maxName = 4096

// clean returns a name of an archive as inside does, and an error if it cannot be deployed.
func clean(name string) (string, error) {
	if !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00") {
		return "", errors.Errorf("the archive has the name %q: names must be UTF-8 without backslashes", name)
	}
	return inside(name)
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

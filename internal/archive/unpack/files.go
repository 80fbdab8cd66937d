package unpack

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// epoch is the time of every file: the earliest that the .zip format supports.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// A stored file is a file or a symbolic link of the selected folder. The content of a file is in the temporary file.
type stored struct {
	offset, size int64
	executable   bool
	// target is the target of a symbolic link, or empty.
	target string
}

// files are the files of one folder of an archive.
type files struct {
	at   string
	temp *os.File
	// end is the size of the temporary file, and total that of all files, in which hard links count as files.
	end, total int64

	entries, names int

	byName map[string]stored
	// self is the file at the path itself, if it is no folder.
	self *stored
	// top has some names at the top of the archive, for errors.
	top map[string]bool
}

func newFiles(at string, temp *os.File) *files {
	return &files{at: at, temp: temp, byName: map[string]stored{}, top: map[string]bool{}}
}

// add adds an entry of the archive. It returns an error for every name that leaves the archive, and for entries of the
// folder that cannot be deployed.
func (f *files) add(e entry) error {
	f.entries++
	f.names += len(e.name) + len(e.target)
	if f.entries > maxEntries || f.names > maxNames {
		return errors.Errorf("the archive has too many entries: more than %d, or names of more than %d MB", maxEntries,
			maxNames>>20)
	}
	name, err := inside(e.name)
	if err != nil {
		return err
	}
	f.note(name)
	if name == f.at && name != "" && e.kind == file {
		if f.self != nil {
			return errors.Errorf("the archive has %q twice", e.name)
		}
		s, err := f.store(e)
		f.self = &s
		return err
	}
	rest, ok := below(f.at, name)
	if !ok || e.kind == folder {
		return nil
	}
	if err := deployable(e.name); err != nil {
		return err
	}
	if _, twice := f.byName[rest]; twice {
		return errors.Errorf("the archive has %q twice", e.name)
	}
	s, err := f.entry(rest, e)
	if err != nil {
		return err
	}
	if f.total += s.size; f.total > maxUnpacked {
		return tooLarge()
	}
	f.byName[rest] = s
	return nil
}

// entry returns a file or link of the folder by its name in it.
func (f *files) entry(name string, e entry) (stored, error) {
	switch e.kind {
	case file:
		return f.store(e)
	case symlink:
		return stored{target: e.target, size: int64(len(e.target))}, checkLink(name, e.target)
	case hardlink:
		target, err := clean(e.target)
		if err != nil {
			return stored{}, err
		}
		rest, inside := below(f.at, target)
		s, ok := f.byName[rest]
		if !inside || !ok || s.target != "" {
			return stored{}, errors.Errorf("hard link %q is to %q, which is no earlier file of the folder", e.name,
				e.target)
		}
		return s, nil
	case folder, other:
	}
	return stored{}, errors.Errorf("%q is neither a file, a folder nor a link", e.name)
}

// store appends the content of a file to the temporary file.
func (f *files) store(e entry) (stored, error) {
	if e.size > maxUnpacked || f.total+e.size > maxUnpacked {
		return stored{}, tooLarge()
	}
	n, err := io.Copy(f.temp, io.LimitReader(e.body, maxUnpacked-f.total+1))
	if err != nil {
		return stored{}, errors.Wrapf(WithoutName(err), "cannot unpack %q", e.name)
	}
	if n > maxUnpacked-f.total {
		return stored{}, tooLarge()
	}
	s := stored{offset: f.end, size: n, executable: e.executable}
	f.end += n
	return s, nil
}

// maxTop is the number of names that an error lists.
const maxTop = 10

func (f *files) note(name string) {
	top, _, _ := strings.Cut(name, "/")
	if len(f.top) < maxTop && top != "" {
		f.top[top] = true
	}
}

func (f *files) content(s stored) io.Reader { return io.NewSectionReader(f.temp, s.offset, s.size) }

// writeSelf writes the .zip file at the path as it is.
func (f *files) writeSelf(ctx context.Context, w io.Writer) error {
	r, err := openZip(io.NewSectionReader(f.temp, f.self.offset, f.self.size), f.self.size)
	if err == nil {
		err = checkZip(r)
	}
	if err != nil {
		return errors.Wrapf(err, "cannot deploy %q", f.at)
	}
	return copyAll(ctx, w, f.content(*f.self))
}

// write writes the files as a .zip archive.
func (f *files) write(ctx context.Context, w io.Writer) error {
	if len(f.byName) == 0 {
		return f.empty()
	}
	z := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(f.byName)) {
		s := f.byName[name]
		if err := f.checkParents(name); err != nil {
			return err
		}
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
		h.SetMode(mode(s))
		body := f.content(s)
		if s.target != "" {
			h.Method, body = zip.Store, strings.NewReader(s.target)
		}
		to, err := z.CreateHeader(h)
		if err != nil {
			return errors.Wrapf(err, "cannot add %q to the archive", name)
		}
		if err := copyAll(ctx, to, body); err != nil {
			return err
		}
	}
	return errors.Wrap(z.Close(), "cannot finish the archive")
}

func mode(s stored) fs.FileMode {
	switch {
	case s.target != "":
		return fs.ModeSymlink | 0o777
	case s.executable:
		return 0o755
	}
	return 0o644
}

// checkParents returns an error if a folder of a name is a file or a link.
func (f *files) checkParents(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := f.byName[dir]; ok {
			return errors.Errorf("the archive has files below %q, which is not a folder", dir)
		}
	}
	return nil
}

// empty returns the error of a path without files.
func (f *files) empty() error {
	switch {
	case f.self != nil:
		return errors.Errorf("%q is a file: choose a folder, or a .zip file", f.at)
	case f.at == "":
		return errors.New("the archive has no files")
	}
	return errors.Errorf("the archive has no files in %q: at its top are %q", f.at, slices.Sorted(maps.Keys(f.top)))
}

// copyAll copies until the end, or until the context is done.
func copyAll(ctx context.Context, w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, &reader{ctx: ctx, r: r})
	return errors.Wrap(err, "cannot write the archive")
}

// TempFile makes a temporary file in a folder, whose default is that of the system. It has no name, so that it is gone
// once it is closed, even if the provider is killed.
func TempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "artifact-*")
	if err != nil {
		return nil, WithoutName(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // It was not used.
		return nil, WithoutName(err)
	}
	return f, nil
}

// WithoutName returns an error of a temporary file without the name of the file, which is another one each time, and
// with what to do. It returns other errors as they are.
func WithoutName(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return errors.Wrapf(failed.Err, "cannot %s a temporary file: give the provider's pod a writable folder with "+
			"enough room (TMPDIR)", failed.Op)
	}
	return err
}

// A reader ends with an error once its context is done.
type reader struct {
	ctx context.Context //nolint:containedctx // It lives as long as one copy.
	r   io.Reader
}

// Read reads unless the context is done.
func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

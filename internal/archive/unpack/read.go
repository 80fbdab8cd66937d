package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Limits of what is read.
const (
	// maxUnpacked is the size of the files of a .zip archive that AWS accepts, in bytes.
	maxUnpacked = 262_144_000

	// maxRead is the number of bytes to which an archive may unpack, with the folders that are not deployed.
	maxRead = 1 << 30

	// maxEntries and maxNames are the number of entries of an archive, and the number of bytes of all their names.
	maxEntries = 100_000
	maxNames   = 16 << 20
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

// checkZip checks a .zip archive that is deployed as it is, so that it fails here rather than in AWS.
func checkZip(r *zip.Reader) error {
	var total uint64
	if len(r.File) > maxEntries {
		return errors.Errorf("the archive has %d entries, more than %d", len(r.File), maxEntries)
	}
	for _, f := range r.File {
		if _, err := clean(f.Name); err != nil {
			return err
		}
		total += f.UncompressedSize64
		if f.UncompressedSize64 > maxUnpacked || total > maxUnpacked {
			return tooLarge()
		}
	}
	return nil
}

func tooLarge() error {
	return errors.Errorf("the files have more than %d MB unpacked, the most that AWS accepts", maxUnpacked>>20)
}

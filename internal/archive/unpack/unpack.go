// Package unpack makes the .zip archive for AWS from the archive of a source: a .tar.gz, a .tar or a .zip.
//
// What it reads is not trusted. Names that leave the folder, links out of it, device files, and archives that are too
// large once unpacked are refused. Nothing is unpacked by name: files are kept one behind the other in one temporary
// file. read.go reads the entries of an archive and decides which names and links are safe. files.go collects them in a
// temporary file and writes the result.
package unpack

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"os"
	"strings"

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

// Zip writes the part of an archive at a path, a folder or a .zip file, as the .zip archive for AWS. An empty path
// selects the whole archive. A .zip file, and a whole archive that is one, is written as it is, because it may be
// signed. Of a folder, the same files always result in the same bytes: the files are sorted, and have fixed times and
// the mode 0755 or 0644, by whether they are executable. Folders without files are omitted. Zip needs a temporary
// file in tempDir, of the size of the unpacked files, whose default is that of the system.
func Zip(ctx context.Context, w io.Writer, archive *io.SectionReader, at, tempDir string) error {
	at, err := cleanPath(at)
	if err != nil {
		return err
	}
	entries, whole, err := open(archive)
	if err != nil {
		return err
	}
	if whole != nil && at == "" {
		if err := checkZip(whole); err != nil {
			return err
		}
		return copyAll(ctx, w, archive)
	}
	temp, err := TempFile(tempDir)
	if err != nil {
		return err
	}
	defer temp.Close() //nolint:errcheck // It is gone then.
	fs := newFiles(at, temp)
	if err := entries(func(e entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fs.add(e)
	}); err != nil {
		return err
	}
	if strings.HasSuffix(at, ".zip") && fs.self != nil {
		return fs.writeSelf(ctx, w)
	}
	return fs.write(ctx, w)
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

// copyAll copies until the end, or until the context is done.
func copyAll(ctx context.Context, w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, &reader{ctx: ctx, r: r})
	return errors.Wrap(err, "cannot write the archive")
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

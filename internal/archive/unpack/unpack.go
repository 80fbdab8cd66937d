// Package unpack makes the .zip archive for AWS from the archive of a source: a .tar.gz, a .tar or a .zip.
//
// What it reads is not trusted. Names that leave the folder, links out of it, device files, and archives that are too
// large once unpacked are refused. Nothing is unpacked by name: files are kept one behind the other in one temporary
// file. read.go reads the entries of an archive, and names.go decides which names and links are safe. files.go collects
// them in a temporary file and writes the result.
package unpack

import (
	"context"
	"io"
	"strings"
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

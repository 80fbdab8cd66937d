package unpack

import (
	"io/fs"
	"os"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

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

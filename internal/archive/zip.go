package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Hash returns the hash of an archive in the form of AWS's CodeSha256.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// epoch is the modification time of every file in an archive: the earliest that the zip format supports.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// Zip packs files deterministically: the same files always result in the same bytes, independent of the Go version, so
// that AWS's CodeSha256 suffices to detect drift. Therefore they are stored without compression. Every file is
// executable, because the bootstrap of a custom runtime has to be.
func Zip(files map[string][]byte) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Store, Modified: epoch}
		h.SetMode(0o755)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot add %s to the archive", name)
		}
		if _, err := f.Write(files[name]); err != nil {
			return nil, errors.Wrapf(err, "cannot write %s to the archive", name)
		}
	}
	if err := w.Close(); err != nil {
		return nil, errors.Wrap(err, "cannot finish the archive")
	}
	return buf.Bytes(), nil
}

func isZip(b []byte) bool {
	_, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	return err == nil
}

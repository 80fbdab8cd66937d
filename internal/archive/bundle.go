// Package archive finds the .zip archives of functions and layers: in S3, in the spec itself, in a ConfigMap or in a
// Secret, or in the artifact of a Flux source or of an OCI registry. It compares an archive with the one that AWS has.
// artifact.go has what artifacts need, and finds those of Flux. registry.go finds those of registries. verification.go
// decides which code may be deployed, recheck.go whether deployed code still may, and stage.go stages large archives in
// S3.
package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A Bundle is an archive that was found, and what identifies it.
type Bundle struct {
	// From is the source of the archive.
	From Source

	// Zip is the archive itself. It is nil if the archive is in S3 or in an artifact.
	Zip []byte

	// Artifact has the archive if its source is a Flux source or a registry. It is nil for other sources.
	Artifact *Artifact

	// SHA256 is the hash of the archive as AWS returns it (base64). It is empty if it is
	// unknown until AWS has accepted the archive.
	SHA256 string

	// Version is the ETag of the S3 object, which changes when the object is replaced, or the digest of the artifact.
	// It is empty if the provider may not read the ETag, or if the source has a version.
	Version string

	// staged is the object in S3 that an archive was staged as. It is nil if there is none.
	staged *stagedObject
}

// Location returns the URL of an object in S3, without its ETag, or the name of an artifact's source and the path in
// it.
func (b Bundle) Location() string {
	if l := b.From.artifactLocation(); l != "" {
		return l
	}
	p := fmt.Sprintf("s3://%s/%s", ptr.Deref(b.From.S3Bucket, ""), ptr.Deref(b.From.S3Key, ""))
	if v := b.From.S3ObjectVersion; v != nil {
		p += "?versionId=" + *v
	}
	return p
}

// LocationOf returns the URL of an object that AWS uses in place of a copy, to be compared with Location. It has the
// object's version only if the source has one.
func (b Bundle) LocationOf(bucket, key, version *string) string {
	if b.From.S3ObjectVersion == nil {
		version = nil
	}
	return Bundle{From: Source{S3Bucket: bucket, S3Key: key, S3ObjectVersion: version}}.Location()
}

// Name returns the location with the ETag or the digest, as stored in status.
func (b Bundle) Name() string {
	if b.Version == "" {
		return b.Location()
	}
	return b.Location() + "#" + b.Version
}

// versionAt returns the ETag or digest in a name, empty if it has none, and whether the name has the location. Unlike a
// location, an ETag and a digest have no #.
func versionAt(location, name string) (version string, ok bool) {
	if name == location {
		return "", true
	}
	at := strings.LastIndex(name, "#")
	return name[at+1:], at >= 0 && name[:at] == location
}

// Remember returns what status stores of a bundle after AWS has accepted it: the source and its hash. If the provider
// knows the hash, it does not rely on that of AWS, since others may have replaced an object before AWS read it. It
// returns nil for a source whose hash is always known.
func (b Bundle) Remember(codeSHA256 *string) *v1beta1.DeployedCode {
	if b.Artifact == nil && b.From.S3Key == nil {
		return nil
	}
	a := ptr.Deref(b.Artifact, Artifact{})
	return &v1beta1.DeployedCode{
		Source: b.Name(), CodeSHA256: cmp.Or(b.SHA256, ptr.Deref(codeSHA256, "")), Revision: a.Revision,
		Verified: a.Verified, VerificationPolicy: a.policy,
	}
}

// RestoreIdentity returns what status stores if AWS already has this bundle: another tool has deployed it, or a call
// without an answer, or it is the same as in an earlier object or artifact. Otherwise it returns last.
func (b Bundle) RestoreIdentity(codeSHA256 string, last *v1beta1.DeployedCode) *v1beta1.DeployedCode {
	if b.Artifact != nil && last != nil && last.Source == b.Name() {
		return b.again(*last)
	}
	if codeSHA256 == "" || b.SHA256 != codeSHA256 {
		return last
	}
	return b.Remember(&codeSHA256)
}

// An Identity identifies an archive. Which of the fields are set depends on the source, and is
// the same for both sides of a comparison.
type Identity struct {
	// SHA256 is the hash of the archive, AWS's CodeSha256.
	SHA256 string `json:"codeSha256"`

	// Name identifies the version of an S3 object, or of an artifact, with an unknown hash.
	Name string `json:"source"`

	// Revision is the revision of an artifact, if it is another one than that of the artifact that was deployed last.
	Revision string `json:"revision,omitempty"`
}

// Compare returns the identities of a bundle and of the archive that AWS has, which are equal exactly if they are the
// same archive. If the bundle's hash is known, only the hashes are compared. Otherwise the source that was deployed
// last, and the hash that AWS returned then, represent the content of the archive.
func (b Bundle) Compare(codeSHA256 string, last *v1beta1.DeployedCode) (want, have Identity) {
	have.SHA256 = codeSHA256
	switch {
	case b.SHA256 != "":
		want.SHA256 = b.SHA256
		if b.Artifact != nil && want != have {
			want.Name, want.Revision, have.Name, have.Revision = b.revisions(last)
		}
	case last == nil:
		want.Name, want.SHA256 = b.Name(), have.SHA256
		want.Revision = b.revision()
	default:
		want.Name, have.Name = b.Name(), last.Source
		if _, same := versionAt(b.Location(), last.Source); same && b.Version == "" {
			// The ETag cannot be read at the moment, so only the location is compared.
			want.Name = last.Source
		}
		want.SHA256 = last.CodeSHA256
		if want.Name != have.Name {
			// Another object: its hash is unknown until AWS has accepted it.
			want.SHA256 = have.SHA256
			want.Revision, have.Revision = b.revision(), last.Revision
		}
	}
	return want, have
}

// Unidentified reports whether it is unknown if AWS has this bundle, because its hash is not
// available and status stores nothing. An update then deploys it.
func (b Bundle) Unidentified(last *v1beta1.DeployedCode) bool {
	return (b.From.S3Key != nil || b.Artifact != nil) && b.SHA256 == "" && last == nil
}

// checkPin returns an error if the archive does not have the pinned hash. It has both hashes in the form of the pin.
func (b Bundle) checkPin() error {
	if b.From.SHA256 == nil {
		return nil
	}
	pin, found := *b.From.SHA256, b.SHA256
	if sum, err := base64.StdEncoding.DecodeString(found); err == nil && len(pin) == hex.EncodedLen(sha256.Size) {
		pin, found = strings.ToLower(pin), hex.EncodeToString(sum)
	}
	if pin != found {
		return reconcile.Ambiguous(errors.Errorf("%s.sha256 pins %s, but the code found has SHA-256 %s: nothing is "+
			"deployed; correct the pin or the code", b.From.Field, pin, found))
	}
	return nil
}

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

// An Artifact is the archive that a Flux source or a registry has.
type Artifact struct {
	// Revision is the commit or version of the archive, such as main@sha1:c5d4e9. It is empty if it is unknown.
	Revision string

	// Verified is the signer of the archive. If it is empty, Unverified is the reason why none is known.
	Verified, Unverified string

	// policy is a hash of who has to have signed the archive, if that was checked.
	policy string

	// content is the download. That of a registry is known once its manifest was read.
	content store.Artifact

	// namespace is the namespace of the resource.
	namespace string
}

// again returns what status stores of the artifact that was deployed last. A Flux source may have another revision of
// it now, and a verification counts even if the source is verifying a later artifact meanwhile.
func (b Bundle) again(last v1beta1.DeployedCode) *v1beta1.DeployedCode {
	last.Revision = cmp.Or(b.revision(), last.Revision)
	last.Verified = cmp.Or(b.Artifact.Verified, last.Verified)
	return &last
}

func (b Bundle) revision() string {
	if b.Artifact == nil {
		return ""
	}
	return b.Artifact.Revision
}

// revisions returns the names and revisions of the artifact and of the one that was deployed last, if they differ.
func (b Bundle) revisions(last *v1beta1.DeployedCode) (want, wantRevision, have, haveRevision string) {
	l := ptr.Deref(last, v1beta1.DeployedCode{})
	if l.Source == b.Name() {
		return "", "", "", ""
	}
	return b.Name(), b.revision(), l.Source, l.Revision
}

// A stagedObject is an object in S3 that has an archive. The version is nil without versioning.
type stagedObject struct {
	bucket, key string
	version     *string
}

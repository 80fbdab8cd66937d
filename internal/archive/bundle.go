// Package archive finds the .zip archives of functions and layers: in S3, in the spec itself,
// in a ConfigMap or in a Secret. It compares an archive with the one that AWS has.
package archive

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// A Source is the source of an archive: an object in S3, or one of the others.
type Source struct {
	// Field is the field of the resource that holds the source, such as spec.forProvider.code.
	Field string

	// S3Bucket, S3Key and S3ObjectVersion identify an object in S3. Without a version, it is the newest one.
	S3Bucket, S3Key, S3ObjectVersion *string

	// Inline maps file names to their contents.
	Inline map[string]string

	// ConfigMap is the name of a ConfigMap in which each key is a file. FilePrefix is prepended to each key.
	ConfigMap, FilePrefix string

	// ZipFileFrom refers to a complete archive.
	ZipFileFrom *v1beta1.ZipFileSource

	// SHA256 pins the archive, as hexadecimal or base64.
	SHA256 *string
}

// Refs returns the Secret or ConfigMap that a source in a namespace refers to, if any.
func (s Source) Refs(namespace string) []refs.ObjectRef {
	if s.ConfigMap != "" {
		return []refs.ObjectRef{configMap(namespace, s.ConfigMap)}
	}
	if s.ZipFileFrom != nil {
		ref, _ := s.zipFile(namespace)
		return []refs.ObjectRef{ref}
	}
	return nil
}

// zipFile returns the object and the key that hold a complete archive.
func (s Source) zipFile(namespace string) (refs.ObjectRef, string) {
	z := s.ZipFileFrom
	if z.SecretKeyRef != nil {
		return refs.ObjectRef{Kind: refs.Secret, Namespace: namespace, Name: z.SecretKeyRef.Name}, z.SecretKeyRef.Key
	}
	return configMap(namespace, z.ConfigMapKeyRef.Name), z.ConfigMapKeyRef.Key
}

func configMap(namespace, name string) refs.ObjectRef {
	return refs.ObjectRef{Kind: refs.ConfigMap, Namespace: namespace, Name: name}
}

// A Bundle is an archive that was found, and what identifies it.
type Bundle struct {
	// From is the source of the archive.
	From Source

	// Zip is the archive itself. It is nil if the archive is in S3.
	Zip []byte

	// SHA256 is the hash of the archive as AWS returns it (base64). It is empty if it is
	// unknown until AWS has accepted the archive.
	SHA256 string

	// Version is the ETag of the S3 object, which changes when the object is replaced. It is
	// empty if the provider may not read it, or if the source has a version.
	Version string
}

// Location returns the URL of an object in S3, without its ETag.
func (b Bundle) Location() string {
	p := fmt.Sprintf("s3://%s/%s", ptr.Deref(b.From.S3Bucket, ""), ptr.Deref(b.From.S3Key, ""))
	if v := b.From.S3ObjectVersion; v != nil {
		p += "?versionId=" + *v
	}
	return p
}

// Name returns the URL of an object in S3 with its ETag, as stored in status.
func (b Bundle) Name() string {
	if b.Version == "" {
		return b.Location()
	}
	return b.Location() + "#" + b.Version
}

// Remember returns what status stores of a bundle after AWS has accepted it: the source, and the hash that AWS
// returned. It returns nil for a source outside S3, because its hash is always known.
func (b Bundle) Remember(codeSHA256 *string) *v1beta1.DeployedCode {
	if b.From.S3Key == nil {
		return nil
	}
	return &v1beta1.DeployedCode{Source: b.Name(), CodeSHA256: ptr.Deref(codeSHA256, "")}
}

// RestoreIdentity returns what status stores if AWS already has this bundle and status has
// nothing: it was deployed by another tool. Otherwise it returns last.
func (b Bundle) RestoreIdentity(codeSHA256 string, last *v1beta1.DeployedCode) *v1beta1.DeployedCode {
	if last != nil || codeSHA256 == "" || b.SHA256 != codeSHA256 {
		return last
	}
	return b.Remember(&codeSHA256)
}

// An Identity identifies an archive. Which of the fields are set depends on the source, and is
// the same for both sides of a comparison.
type Identity struct {
	// SHA256 is the hash of the archive, AWS's CodeSha256.
	SHA256 string `json:"codeSha256"`

	// Name identifies the version of an S3 object with an unknown hash.
	Name string `json:"source"`
}

// Compare returns the identities of a bundle and of the archive that AWS has, which are equal exactly if they are the
// same archive. If the bundle's hash is known, only the hashes are compared. Otherwise the source that was deployed
// last, and the hash that AWS returned then, represent the content of the archive.
func (b Bundle) Compare(codeSHA256 string, last *v1beta1.DeployedCode) (want, have Identity) {
	have.SHA256 = codeSHA256
	switch {
	case b.SHA256 != "":
		want.SHA256 = b.SHA256
	case last == nil:
		want.Name, want.SHA256 = b.Name(), have.SHA256
	default:
		want.Name, have.Name = b.Name(), last.Source
		if b.Version == "" && (last.Source == b.Location() || strings.HasPrefix(last.Source, b.Location()+"#")) {
			// The ETag cannot be read at the moment, so only the location is compared.
			want.Name = last.Source
		}
		want.SHA256 = last.CodeSHA256
		if want.Name != have.Name {
			// Another object: its hash is unknown until AWS has accepted it.
			want.SHA256 = have.SHA256
		}
	}
	return want, have
}

// Unidentified reports whether it is unknown if AWS has this bundle, because its hash is not
// available and status stores nothing. An update then deploys it.
func (b Bundle) Unidentified(last *v1beta1.DeployedCode) bool {
	return b.From.S3Key != nil && b.SHA256 == "" && last == nil
}

// checkPin returns an error if the archive does not have the pinned hash.
func (b Bundle) checkPin() error {
	if b.From.SHA256 == nil {
		return nil
	}
	pin, err := pinned(*b.From.SHA256)
	if err != nil {
		return errors.Wrapf(err, "%s.sha256 is not hexadecimal", b.From.Field)
	}
	if b.SHA256 != pin {
		return errors.Errorf("%s.sha256 pins %s, but the code found has SHA-256 %s: nothing is deployed; correct the "+
			"pin or the code", b.From.Field, pin, b.SHA256)
	}
	return nil
}

// pinned returns a pin in base64, like AWS.
func pinned(s string) (string, error) {
	if len(s) != sha256.Size*2 {
		return s, nil
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

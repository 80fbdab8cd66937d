// Package bundle finds the .zip archives that functions and layers are made of: in S3,
// in the spec itself, in a ConfigMap or in a Secret; and tells whether AWS has what was
// found.
package bundle

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// A Source says where an archive comes from: an object in S3, or one of the others.
type Source struct {
	// Field of the resource that says so, such as spec.forProvider.code.
	Field string

	// S3Bucket, S3Key and S3ObjectVersion name an object. Without a version it is the
	// newest.
	S3Bucket, S3Key, S3ObjectVersion *string

	// Inline are files by name.
	Inline map[string]string

	// ConfigMap names a ConfigMap of which each key is a file. FilePrefix is put before
	// each.
	ConfigMap, FilePrefix string

	// ZipFileFrom is where a finished archive lies.
	ZipFileFrom *v1beta1.ZipFileSource

	// SHA256 pins the archive, in hexadecimal or base64.
	SHA256 *string
}

// Refs are the Secret or ConfigMap that a source of a namespace refers to, if any.
func (s Source) Refs(namespace string) []objects.Ref {
	if s.ConfigMap != "" {
		return []objects.Ref{configMap(namespace, s.ConfigMap)}
	}
	if s.ZipFileFrom != nil {
		ref, _ := s.zipFile(namespace)
		return []objects.Ref{ref}
	}
	return nil
}

// zipFile is the object and the key that hold a finished archive.
func (s Source) zipFile(namespace string) (objects.Ref, string) {
	z := s.ZipFileFrom
	if z.SecretKeyRef != nil {
		return objects.Ref{Kind: objects.Secret, Namespace: namespace, Name: z.SecretKeyRef.Name}, z.SecretKeyRef.Key
	}
	return configMap(namespace, z.ConfigMapKeyRef.Name), z.ConfigMapKeyRef.Key
}

func configMap(namespace, name string) objects.Ref {
	return objects.Ref{Kind: objects.ConfigMap, Namespace: namespace, Name: name}
}

// A Bundle is an archive that was found: where AWS finds it, and what tells it from
// another.
type Bundle struct {
	// From is where it was found.
	From Source

	// Zip is the archive itself. Nil where it lies in S3.
	Zip []byte

	// SHA256 of the archive as AWS tells it (base64). Empty where it is not known before
	// AWS has taken it.
	SHA256 string

	// Version tells the S3 object from earlier ones under the same key: its ETag. Empty
	// where the provider may not read it, or where the source names a version.
	Version string
}

// Location is the name of an object in S3 without its version.
func (b Bundle) Location() string {
	p := fmt.Sprintf("s3://%s/%s", ptr.Deref(b.From.S3Bucket, ""), ptr.Deref(b.From.S3Key, ""))
	if v := b.From.S3ObjectVersion; v != nil {
		p += "?versionId=" + *v
	}
	return p
}

// Name of an object in S3 with its version, as status remembers it.
func (b Bundle) Name() string {
	if b.Version == "" {
		return b.Location()
	}
	return b.Location() + "#" + b.Version
}

// Remember what status has to keep of a bundle once AWS has taken it: nothing where
// its hash is known anyway, or else the hash that AWS answered.
func (b Bundle) Remember(codeSHA256 *string) *v1beta1.DeployedCode {
	if b.From.S3Key == nil {
		return nil
	}
	return &v1beta1.DeployedCode{Source: b.Name(), CodeSHA256: ptr.Deref(codeSHA256, "")}
}

// RestoreIdentity returns what status has to keep where AWS turns out to have this very bundle,
// and nothing was remembered of it: it was taken over from another tool. Else it returns
// last.
func (b Bundle) RestoreIdentity(codeSHA256 string, last *v1beta1.DeployedCode) *v1beta1.DeployedCode {
	if last != nil || codeSHA256 == "" || b.SHA256 != codeSHA256 {
		return last
	}
	return b.Remember(&codeSHA256)
}

// An Identity tells one archive from another. Which of the fields are set depends on
// the source, and is the same for both sides of a comparison.
type Identity struct {
	// SHA256 is AWS's CodeSha256.
	SHA256 string `json:"codeSha256"`

	// Name tells versions of an object apart, where its hash is not known.
	Name string `json:"source"`
}

// Compare a bundle with the archive that AWS has, by its hash. The two identities are
// equal exactly when it is the same one. Where the bundle's hash is known, nothing
// remembered is used; else what AWS took last, and the hash that it answered then, stand
// for the archive's content.
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
			// The version can't be read just now: the place is all there is.
			want.Name = last.Source
		}
		want.SHA256 = last.CodeSHA256
		if want.Name != have.Name {
			// Another object: its hash will be known once AWS has taken it.
			want.SHA256 = have.SHA256
		}
	}
	return want, have
}

// Unidentified tells that nothing says whether AWS has this bundle: its hash cannot be
// learned, and nothing is remembered of it. An update deploys it then.
func (b Bundle) Unidentified(last *v1beta1.DeployedCode) bool {
	return b.From.S3Key != nil && b.SHA256 == "" && last == nil
}

// checkPin refuses an archive that is not the one that the user pinned.
func (b Bundle) checkPin() error {
	if b.From.SHA256 == nil {
		return nil
	}
	pin, err := pinned(*b.From.SHA256)
	if err != nil {
		return errors.Wrapf(err, "%s.sha256 is not hexadecimal", b.From.Field)
	}
	if b.SHA256 != pin {
		return errors.Errorf("%s.sha256 pins %s, but the code found has SHA-256 %s: nothing is deployed; correct the pin or the code", b.From.Field, pin, b.SHA256)
	}
	return nil
}

// pinned is a pin in AWS's form.
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

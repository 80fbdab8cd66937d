package function

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// archive is a deployment package: where AWS finds it, and what tells it from
// another.
type archive struct {
	spec v1beta1.FunctionCode

	// zip is the archive itself, from inline files, a ConfigMap or a Secret.
	zip []byte

	// sha256 is the archive's hash as AWS tells it (base64), where it is known
	// before it is deployed.
	sha256 string

	// version tells the S3 object or image under the same name from earlier
	// ones: an ETag or digest. Empty where the provider may not read it.
	version string
}

// none says that there is no archive: the code is left to another tool.
func (a archive) none() bool {
	return a.spec.ImageURI == nil && a.spec.S3Key == nil && a.zip == nil
}

// functionCode is the archive as AWS takes it.
func (a archive) functionCode() *types.FunctionCode {
	return &types.FunctionCode{
		ImageUri:            a.spec.ImageURI,
		S3Bucket:            a.spec.S3Bucket,
		S3Key:               a.spec.S3Key,
		S3ObjectVersion:     a.spec.S3ObjectVersion,
		S3ObjectStorageMode: types.S3ObjectStorageMode(ptr.Deref(a.spec.S3ObjectStorageMode, "")),
		SourceKMSKeyArn:     a.spec.SourceKMSKeyArn,
		ZipFile:             a.zip,
	}
}

// place is the archive's name without its version.
func (a archive) place() string {
	if a.spec.ImageURI != nil {
		return *a.spec.ImageURI
	}
	p := fmt.Sprintf("s3://%s/%s", ptr.Deref(a.spec.S3Bucket, ""), ptr.Deref(a.spec.S3Key, ""))
	if v := a.spec.S3ObjectVersion; v != nil {
		p += "?versionId=" + *v
	}
	return p
}

// source is the archive's name with its version, as status remembers it.
func (a archive) source() string {
	if a.version == "" {
		return a.place()
	}
	return a.place() + "#" + a.version
}

// codeStates tells desired and observed code so that they are equal exactly when
// AWS runs the archive. Where AWS tells enough to compare, nothing remembered is
// used; else what was deployed last, and the hash that AWS answered then, stand
// for the archive's content.
func codeStates(a archive, o *lambda.GetFunctionOutput, deployed *v1beta1.DeployedCode) (want, have code) {
	have.SHA256 = ptr.Deref(o.Configuration.CodeSha256, "")
	if o.Code != nil {
		have.SourceKMSKeyArn = nonEmpty(o.Code.SourceKMSKeyArn)
	}
	want.SourceKMSKeyArn = a.spec.SourceKMSKeyArn

	switch {
	case a.spec.ImageURI != nil:
		want.ImageURI = *a.spec.ImageURI
		if o.Code != nil {
			have.ImageURI = ptr.Deref(o.Code.ImageUri, "")
		}
		want.SHA256 = have.SHA256
		if a.version != "" {
			want.SHA256 = strings.TrimPrefix(a.version, "sha256:")
		}
	case a.sha256 != "":
		want.SHA256 = a.sha256
	case deployed == nil:
		want.Source, want.SHA256 = a.source(), have.SHA256
	default:
		want.Source, have.Source = a.source(), deployed.Source
		if a.version == "" && (deployed.Source == a.place() || strings.HasPrefix(deployed.Source, a.place()+"#")) {
			// The version can't be read just now: the place is all there is.
			want.Source = deployed.Source
		}
		want.SHA256 = deployed.CodeSHA256
		if want.Source != have.Source {
			// Another object: its hash will be known once it is deployed.
			want.SHA256 = have.SHA256
		}
	}
	return want, have
}

// deployedCode is what status remembers of an archive once AWS has taken it.
func deployedCode(a archive, codeSHA256 *string) *v1beta1.DeployedCode {
	if a.spec.S3Key == nil {
		return nil
	}
	return &v1beta1.DeployedCode{Source: a.source(), CodeSHA256: ptr.Deref(codeSHA256, "")}
}

// checkPin refuses an archive that is not the one that the user pinned.
func checkPin(a archive) error {
	if a.spec.SHA256 == nil {
		return nil
	}
	pin, err := pinned(*a.spec.SHA256)
	if err != nil {
		return err
	}
	if a.sha256 != pin {
		return errors.Errorf("spec.forProvider.code.sha256 pins %s, but the code found has SHA-256 %s: nothing is deployed; correct the pin or the code", pin, a.sha256)
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
		return "", errors.Wrap(err, "spec.forProvider.code.sha256 is not hexadecimal")
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

// hash is AWS's CodeSha256 of an archive.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// epoch is the time of every file in an archive: the earliest that a zip can tell.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// makeZip packs files deterministically: the same files always give the same
// bytes, whatever the Go version, so that AWS's CodeSha256 alone tells drift.
// That is why they are stored rather than compressed. Every file is executable,
// since a custom runtime's bootstrap must be.
func makeZip(files map[string][]byte) ([]byte, error) {
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

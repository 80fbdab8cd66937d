package function

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	ecrtypes "github.com/aws/aws-sdk-go-v2/service/ecr/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
)

// resolver turns a spec into what is wanted, reading all that the spec refers to.
type resolver struct {
	objects objectReader
	fields  fields.Getter
	s3      s3API
	ecr     ecrAPI
}

// parameters resolves everything but the code of the settings at a path, such as
// spec.forProvider.
func (r *resolver) parameters(ctx context.Context, namespace, at string, p v1beta1.FunctionSettings) (settings, error) {
	vars, err := variables(ctx, r.objects, namespace, p.Environment)
	if err != nil {
		return settings{}, err
	}
	p, err = r.references(ctx, namespace, at, p)
	return fromParameters(p, vars), err
}

// references replaces each <field>From by the value that it selects.
func (r *resolver) references(ctx context.Context, namespace, at string, p v1beta1.FunctionSettings) (v1beta1.FunctionSettings, error) {
	var err error
	if p.Role, err = fields.One(ctx, r.fields, namespace, at+".roleFrom", p.Role, p.RoleFrom); err != nil {
		return p, err
	}
	if p.KMSKeyArn, err = fields.One(ctx, r.fields, namespace, at+".kmsKeyArnFrom", p.KMSKeyArn, p.KMSKeyArnFrom); err != nil {
		return p, err
	}
	if d := p.DeadLetterConfig; d != nil {
		target, err := fields.One(ctx, r.fields, namespace, at+".deadLetterConfig.targetArnFrom", d.TargetArn, d.TargetArnFrom)
		if err != nil {
			return p, err
		}
		p.DeadLetterConfig = &v1beta1.DeadLetterConfig{TargetArn: target}
	}
	if v := p.VPCConfig; v != nil {
		c := *v
		if c.SubnetIDs, err = fields.All(ctx, r.fields, namespace, at+".vpcConfig.subnetIdsFrom", v.SubnetIDs, v.SubnetIDsFrom); err != nil {
			return p, err
		}
		if c.SecurityGroupIDs, err = fields.All(ctx, r.fields, namespace, at+".vpcConfig.securityGroupIdsFrom", v.SecurityGroupIDs, v.SecurityGroupIDsFrom); err != nil {
			return p, err
		}
		p.VPCConfig = &c
	}
	return p, nil
}

// archive finds the deployment package and what identifies it, and refuses one
// that isn't the pinned one. deployed is what was deployed last.
func (r *resolver) archive(ctx context.Context, namespace string, c v1beta1.FunctionCode, deployed *v1beta1.DeployedCode) (archive, error) {
	a := archive{spec: c}
	var err error
	switch {
	case c.ImageURI != nil:
		return r.image(ctx, a)
	case c.S3Key != nil:
		return r.object(ctx, a, deployed)
	case c.Inline != nil:
		files := make(map[string][]byte, len(c.Inline))
		for k, v := range c.Inline {
			files[k] = []byte(v)
		}
		a.zip, err = makeZip(files)
	case c.ConfigMapRef != nil:
		a.zip, err = r.configMap(ctx, namespace, c.ConfigMapRef.Name)
	case c.ZipFileFrom != nil:
		a.zip, err = r.zipFile(ctx, namespace, *c.ZipFileFrom)
	}
	if err != nil {
		return archive{}, err
	}
	a.sha256 = hash(a.zip)
	return a, checkPin(a)
}

func (r *resolver) configMap(ctx context.Context, namespace, name string) ([]byte, error) {
	data, err := r.objects.Get(ctx, configMap(namespace, name))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read spec.forProvider.code.configMapRef")
	}
	return makeZip(maps.Clone(data))
}

func (r *resolver) zipFile(ctx context.Context, namespace string, z v1beta1.ZipFileSource) ([]byte, error) {
	ref, sel := keyRef(namespace, z.SecretKeyRef, z.ConfigMapKeyRef)
	b, err := valueOf(ctx, r.objects, ref, sel.Key)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read spec.forProvider.code.zipFileFrom")
	}
	if _, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err != nil {
		return nil, errors.Errorf("key %q of %s is no .zip archive: put the archive's bytes there, base64-encoded once", sel.Key, ref)
	}
	return b, nil
}

// image asks for the digest of a tag, where the user wants it to be followed.
func (r *resolver) image(ctx context.Context, a archive) (archive, error) {
	repository, tag, registry, ok := taggedImage(*a.spec.ImageURI)
	if !ptr.Deref(a.spec.TrackImageTag, false) || !ok {
		return a, nil
	}
	out, err := r.ecr.BatchGetImage(ctx, &ecr.BatchGetImageInput{
		RegistryId:     ptr.To(registry),
		RepositoryName: ptr.To(repository),
		ImageIds:       []ecrtypes.ImageIdentifier{{ImageTag: ptr.To(tag)}},
	})
	if err != nil {
		return a, errors.Wrapf(awserr.Clean(err), "cannot look up the tag of %s (trackImageTag)", *a.spec.ImageURI)
	}
	if len(out.Images) == 0 || out.Images[0].ImageId == nil {
		return a, errors.Errorf("spec.forProvider.code.imageUri: there is no image %s", *a.spec.ImageURI)
	}
	a.version = ptr.Deref(out.Images[0].ImageId.ImageDigest, "")
	return a, nil
}

// taggedImage splits an image of Amazon ECR; false for one that is named by digest.
func taggedImage(uri string) (repository, tag, registry string, ok bool) {
	host, rest, _ := strings.Cut(uri, "/")
	if strings.Contains(rest, "@") {
		return "", "", "", false
	}
	registry, _, _ = strings.Cut(host, ".")
	repository, tag, ok = strings.Cut(rest, ":")
	if !ok {
		tag = "latest"
	}
	return repository, tag, registry, true
}

// object asks S3 which version of the object there is now. A version that the
// user names never changes, so it costs no call.
func (r *resolver) object(ctx context.Context, a archive, deployed *v1beta1.DeployedCode) (archive, error) {
	if a.spec.S3ObjectVersion == nil {
		if err := r.head(ctx, &a); err != nil {
			return a, err
		}
	}
	if a.spec.SHA256 == nil {
		return a, nil
	}
	if a.sha256 == "" && deployed != nil && deployed.Source == a.source() && (a.version != "" || a.spec.S3ObjectVersion != nil) {
		a.sha256 = deployed.CodeSHA256
	}
	if a.sha256 == "" {
		if err := r.download(ctx, &a); err != nil {
			return a, err
		}
	}
	return a, checkPin(a)
}

func (r *resolver) head(ctx context.Context, a *archive) error {
	out, err := r.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: a.spec.S3Bucket, Key: a.spec.S3Key, ChecksumMode: s3types.ChecksumModeEnabled})
	switch {
	case awserr.IsAccessDenied(err):
		// A replaced object goes unseen then; all else works.
		return nil
	case awserr.IsNotFound(err):
		return errors.Errorf("spec.forProvider.code: %s does not exist", a.place())
	case err != nil:
		return errors.Wrapf(awserr.Clean(err), "cannot look up %s", a.place())
	}
	a.version = strings.Trim(ptr.Deref(out.ETag, ""), `"`)
	if out.ChecksumType == s3types.ChecksumTypeFullObject || !strings.Contains(ptr.Deref(out.ChecksumSHA256, ""), "-") {
		a.sha256 = ptr.Deref(out.ChecksumSHA256, "")
	}
	return nil
}

// download reads the whole object to learn its hash, for a pin that nothing else
// can check.
func (r *resolver) download(ctx context.Context, a *archive) error {
	out, err := r.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: a.spec.S3Bucket, Key: a.spec.S3Key, VersionId: a.spec.S3ObjectVersion})
	if err != nil {
		return errors.Wrapf(awserr.Clean(err), "cannot read %s, which spec.forProvider.code.sha256 asks to check", a.place())
	}
	defer out.Body.Close() //nolint:errcheck // Nothing is written.
	h := sha256.New()
	if _, err := io.Copy(h, out.Body); err != nil {
		return errors.Wrapf(err, "cannot read %s", a.place())
	}
	a.sha256 = base64.StdEncoding.EncodeToString(h.Sum(nil))
	return nil
}

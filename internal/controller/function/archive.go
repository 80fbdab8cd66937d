package function

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// A deploymentPackage is the code of a function: a .zip archive, or a container image.
type deploymentPackage struct {
	spec v1beta1.FunctionCode

	// bundle is the .zip archive, unless it is an image.
	bundle archive.Bundle

	// digest is the digest of the image that the image tag currently names. It is set only if the tag is tracked.
	digest string

	// indexed is the URI of the image's repository up to the digest, if the tag names an image index. The image of spec
	// is then one of the index.
	indexed string
}

// none reports whether there is no archive, because another tool deploys the code.
func (a deploymentPackage) none() bool {
	return a.spec.ImageURI == nil && a.spec.S3Key == nil && a.bundle.Zip == nil && a.bundle.Artifact == nil
}

// functionCode returns the package as input for AWS. u is the .zip archive, unless it is an image.
func (a deploymentPackage) functionCode(u archive.Upload) *types.FunctionCode {
	return &types.FunctionCode{
		ImageUri:            a.spec.ImageURI,
		S3Bucket:            u.S3Bucket,
		S3Key:               u.S3Key,
		S3ObjectVersion:     u.S3ObjectVersion,
		S3ObjectStorageMode: types.S3ObjectStorageMode(ptr.Deref(a.spec.S3ObjectStorageMode, "")),
		SourceKMSKeyArn:     a.spec.SourceKMSKeyArn,
		ZipFile:             u.Zip,
	}
}

// codeStates returns the desired and the observed code so that they are equal exactly when
// AWS runs the archive. deployed is the code that was deployed last.
func codeStates(a deploymentPackage, o *lambda.GetFunctionOutput, deployed *v1beta1.DeployedCode) (want, have code) {
	have.SHA256 = ptr.Deref(o.Configuration.CodeSha256, "")
	if o.Code != nil {
		have.SourceKMSKeyArn = lambdaapi.NonEmpty(o.Code.SourceKMSKeyArn)
	}
	want.SourceKMSKeyArn = a.spec.SourceKMSKeyArn
	if a.spec.ImageURI == nil {
		w, h := a.bundle.Compare(have.SHA256, deployed)
		want.SHA256, want.Source, have.Source = w.SHA256, w.Name, h.Name
		want.Revision, have.Revision = w.Revision, h.Revision
		storageStates(a, o.Code, &want, &have)
		return want, have
	}
	want.ImageURI = *a.spec.ImageURI
	if o.Code != nil {
		have.ImageURI = ptr.Deref(o.Code.ImageUri, "")
	}
	want.SHA256 = have.SHA256
	if a.digest != "" {
		want.SHA256 = strings.TrimPrefix(a.digest, "sha256:")
	}
	return want, have
}

// storageStates sets how the archive is to be stored, and how AWS stores it. An object that AWS refers to is compared
// by its name too: AWS needs it as long as the function exists, while a copy is the same from wherever it was made. An
// archive that is not in S3 is always copied.
func storageStates(a deploymentPackage, o *types.FunctionCodeLocation, want, have *code) {
	want.S3ObjectStorageMode = a.spec.S3ObjectStorageMode
	switch {
	case o != nil && lambdaapi.Referenced(o.ResolvedS3Object) != nil:
		r := o.ResolvedS3Object
		have.S3Object = a.bundle.LocationOf(r.S3Bucket, r.S3Key, r.S3ObjectVersion)
		if a.spec.S3Key != nil {
			have.S3ObjectStorageMode = ptr.To(string(types.S3ObjectStorageModeReference))
			want.S3Object = a.bundle.Location()
		}
	case want.S3ObjectStorageMode != nil:
		have.S3ObjectStorageMode = ptr.To(string(types.S3ObjectStorageModeCopy))
	}
}

// source returns the source of a .zip archive.
func source(c v1beta1.FunctionCode) archive.Source {
	s := archive.Source{
		Field:    "spec.forProvider.code",
		S3Bucket: c.S3Bucket, S3Key: c.S3Key, S3ObjectVersion: c.S3ObjectVersion,
		Inline: c.Inline, ZipFileFrom: c.ZipFileFrom, SHA256: c.SHA256,
		Flux: c.SourceRef, OCI: c.OCI, Staging: c.Staging,
	}
	if c.ConfigMapRef != nil {
		s.ConfigMap = c.ConfigMapRef.Name
	}
	return s
}

// codeOf returns the code to deploy, and whether it is left to other tools after the creation.
func codeOf(f *v1beta1.Function) (c *v1beta1.FunctionCode, left bool) {
	if c := f.Spec.ForProvider.Code; c != nil {
		return c, false
	}
	if i := f.Spec.InitProvider; i != nil {
		return i.Code, true
	}
	return nil, true
}

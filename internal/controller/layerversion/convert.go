package layerversion

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// version identifies a version of a layer.
type version struct {
	layer  string
	number int64
}

func (v version) String() string { return fmt.Sprintf("version %d of layer %s", v.number, v.layer) }

// versionOf parses the ARN of a layer version.
func versionOf(arn string) (version, error) {
	parts := strings.Split(arn, ":")
	if len(parts) != 8 || parts[0] != "arn" || parts[5] != "layer" {
		return version{},
			errors.Errorf("the external name %q is not the ARN of a layer version: use the form "+
				"arn:aws:lambda:region:123456789012:layer:name:version", arn)
	}
	n, err := strconv.ParseInt(parts[7], 10, 64)
	return version{layer: parts[6], number: n}, errors.Wrapf(err,
		"the external name %q does not end in a version number", arn)
}

// arnOf returns the ARN of a version: the one that AWS returns, or else the layer's ARN with the number.
func arnOf(returned, layer *string, number int64) *string {
	if ptr.Deref(returned, "") != "" || ptr.Deref(layer, "") == "" || number == 0 {
		return returned
	}
	return ptr.To(fmt.Sprintf("%s:%d", *layer, number))
}

// layerName returns the layer's name in spec, or the object's own name.
func layerName(l *v1beta1.LayerVersion) string {
	return ptr.Deref(l.Spec.ForProvider.LayerName, l.GetName())
}

// settings has everything that can differ between the desired layer and the version in AWS
// in one value. JSON names are the users' field names.
type settings struct {
	Content                 archive.Identity `json:"content" diff:"atomic"`
	CompatibleArchitectures diff.Set         `json:"compatibleArchitectures"`
	CompatibleRuntimes      diff.Set         `json:"compatibleRuntimes"`
	Description             *string          `json:"description"`
	LicenseInfo             *string          `json:"licenseInfo"`

	// StorageMode is REFERENCE if AWS has no copy of the content, and Object is the object that it uses then.
	StorageMode *string `json:"content.s3ObjectStorageMode"`
	Object      string  `json:"content.s3Key"`
}

// desired returns the settings of spec, except for the content.
func desired(p v1beta1.LayerVersionParameters) settings {
	return settings{
		CompatibleArchitectures: p.CompatibleArchitectures, CompatibleRuntimes: p.CompatibleRuntimes,
		Description: p.Description, LicenseInfo: p.LicenseInfo,
		StorageMode: ptr.Deref(p.Content, v1beta1.LayerContent{}).S3ObjectStorageMode,
	}
}

// fromAWS returns the answer of AWS in comparable form, except for the content.
func fromAWS(o *lambda.GetLayerVersionOutput) settings {
	mode := types.S3ObjectStorageModeCopy
	if referenced(o) != nil {
		mode = types.S3ObjectStorageModeReference
	}
	return settings{
		StorageMode:             ptr.To(string(mode)),
		CompatibleArchitectures: convert[string](o.CompatibleArchitectures),
		CompatibleRuntimes:      convert[string](o.CompatibleRuntimes),
		Description:             ptr.To(ptr.Deref(o.Description, "")),
		LicenseInfo:             ptr.To(ptr.Deref(o.LicenseInfo, "")),
	}
}

// convert converts texts to another type of texts.
func convert[To, From ~string](in []From) []To {
	var out []To
	for _, v := range in {
		out = append(out, To(v))
	}
	return out
}

func source(c v1beta1.LayerContent) archive.Source {
	s := archive.Source{
		Field:    "spec.forProvider.content",
		S3Bucket: c.S3Bucket, S3Key: c.S3Key, S3ObjectVersion: c.S3ObjectVersion,
		Inline: c.Inline, ZipFileFrom: c.ZipFileFrom, SHA256: c.SHA256,
		Flux: c.SourceRef, OCI: c.OCI, Staging: c.Staging,
	}
	if m := c.ConfigMapRef; m != nil {
		s.ConfigMap, s.FilePrefix = m.Name, ptr.Deref(m.FilePrefix, "")
	}
	return s
}

// publishInput returns the input that publishes a version in one call.
func publishInput(layer string, s settings, u archive.Upload, storage *string) *lambda.PublishLayerVersionInput {
	return &lambda.PublishLayerVersionInput{
		LayerName: ptr.To(layer),
		Content: &types.LayerVersionContentInput{
			S3Bucket: u.S3Bucket, S3Key: u.S3Key, S3ObjectVersion: u.S3ObjectVersion,
			S3ObjectStorageMode: types.S3ObjectStorageMode(ptr.Deref(storage, "")), ZipFile: u.Zip,
		},
		CompatibleArchitectures: convert[types.Architecture](s.CompatibleArchitectures),
		CompatibleRuntimes:      convert[types.Runtime](s.CompatibleRuntimes),
		Description:             s.Description,
		LicenseInfo:             s.LicenseInfo,
	}
}

// observation returns status.atProvider of a version. Fields that only the provider knows are copied from last.
func observation(
	layer string, o *lambda.GetLayerVersionOutput, last v1beta1.LayerVersionObservation,
) v1beta1.LayerVersionObservation {
	s := v1beta1.LayerVersionObservation{
		LayerName:               ptr.To(layer),
		LayerArn:                o.LayerArn,
		LayerVersionArn:         o.LayerVersionArn,
		Version:                 ptr.To(o.Version),
		CreatedDate:             o.CreatedDate,
		CompatibleArchitectures: convert[string](o.CompatibleArchitectures),
		CompatibleRuntimes:      convert[string](o.CompatibleRuntimes),
		Description:             o.Description,
		LicenseInfo:             o.LicenseInfo,
		PublishedContent:        last.PublishedContent,
		ImportedVersion:         last.ImportedVersion,
		OldVersions:             oldVersions(last, o.Version),
	}
	if c := o.Content; c != nil {
		s.CodeSHA256, s.CodeSize = c.CodeSha256, ptr.To(c.CodeSize)
		s.SigningJobArn, s.SigningProfileVersionArn = c.SigningJobArn, c.SigningProfileVersionArn
	}
	return s
}

// details returns the ARNs of the layer and of the version.
func details(l *v1beta1.LayerVersion) managed.ConnectionDetails {
	s := l.Status.AtProvider
	return managed.ConnectionDetails{
		"layerArn":        []byte(ptr.Deref(s.LayerArn, "")),
		"layerVersionArn": []byte(ptr.Deref(s.LayerVersionArn, "")),
	}
}

// referenced returns the object in S3 that AWS refers to, or nil if it has a copy.
func referenced(o *lambda.GetLayerVersionOutput) *types.ResolvedS3Object {
	if o.Content == nil {
		return nil
	}
	return lambdaapi.Referenced(o.Content.ResolvedS3Object)
}

func codeSHA256(o *lambda.GetLayerVersionOutput) string {
	if o.Content == nil {
		return ""
	}
	return ptr.Deref(o.Content.CodeSha256, "")
}

// oldVersions returns the newest of the versions that the resource published before the given one, oldest first.
func oldVersions(last v1beta1.LayerVersionObservation, current int64) []int64 {
	old := slices.Clone(last.OldVersions)
	if last.Version != nil {
		old = append(old, *last.Version)
	}
	slices.Sort(old)
	old = slices.DeleteFunc(slices.Compact(old), func(n int64) bool {
		return n == current || last.ImportedVersion != nil && n == *last.ImportedVersion
	})
	return old[max(len(old)-v1beta1.MaxOldVersions, 0):]
}

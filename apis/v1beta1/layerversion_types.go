package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// LayerContent is the source of a layer's archive.
//
// +kubebuilder:validation:XValidation:rule="(has(self.s3Bucket) || has(self.s3Key) ? 1 : 0) + (has(self.inline) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.zipFileFrom) ? 1 : 0) + (has(self.sourceRef) ? 1 : 0) + (has(self.oci) ? 1 : 0) >= 1",message="content has no source: set exactly one of s3Bucket and s3Key, inline, configMapRef, zipFileFrom, sourceRef or oci"
// +kubebuilder:validation:XValidation:rule="(has(self.s3Bucket) || has(self.s3Key) ? 1 : 0) + (has(self.inline) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.zipFileFrom) ? 1 : 0) + (has(self.sourceRef) ? 1 : 0) + (has(self.oci) ? 1 : 0) <= 1",message="content has more than one source: set exactly one of s3Bucket and s3Key, inline, configMapRef, zipFileFrom, sourceRef or oci"
// +kubebuilder:validation:XValidation:rule="has(self.s3Bucket) == has(self.s3Key)",message="s3Bucket and s3Key must be set together: set both"
// +kubebuilder:validation:XValidation:rule="!has(self.s3ObjectVersion) || has(self.s3Key)",message="s3ObjectVersion needs s3Bucket and s3Key: set them, or remove s3ObjectVersion"
// +kubebuilder:validation:XValidation:rule="!has(self.s3ObjectStorageMode) || has(self.s3Key)",message="s3ObjectStorageMode needs s3Bucket and s3Key: set them, or remove s3ObjectStorageMode"
// +kubebuilder:validation:XValidation:rule="!has(self.sha256) || !has(self.sourceRef) && !has(self.oci)",message="sha256 is not for sourceRef and oci, whose artifacts have a digest: remove sha256, and pin the commit or the digest in the source"
// +kubebuilder:validation:XValidation:rule="!has(self.staging) || has(self.sourceRef) || has(self.oci)",message="staging is for content from sourceRef or oci only: remove it"
type LayerContent struct {
	// S3Bucket is the bucket of the .zip archive, in the layer's region.
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9A-Za-z._-]*[0-9A-Za-z_-]$')",message="s3Bucket is not a bucket name: use the name alone, without s3:// and without a path"
	S3Bucket *string `json:"s3Bucket,omitempty"`

	// S3Key is the key of the .zip archive. If the provider is allowed s3:GetObject on
	// it (HeadObject), it detects and publishes a new object under the same key.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	S3Key *string `json:"s3Key,omitempty"`

	// S3ObjectVersion is the version of the object, in a versioned bucket.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	S3ObjectVersion *string `json:"s3ObjectVersion,omitempty"`

	// S3ObjectStorageMode is COPY (AWS's default), where Lambda keeps a copy of the
	// archive, or REFERENCE, where Lambda uses the object in the bucket.
	// +optional
	// +kubebuilder:validation:Enum=COPY;REFERENCE
	S3ObjectStorageMode *string `json:"s3ObjectStorageMode,omitempty"`

	// Inline is a map of file names to their contents, zipped by the provider. At most
	// 1 MB in total, since it is part of this object. Above about 200 KB, use kubectl
	// apply --server-side, since client-side apply keeps a copy in an annotation.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(f, f.matches('^[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*(/[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*)*$'))",message="a file name in inline must be a relative path such as python/util.py or bin/tool",messageExpression="self.filter(f, !f.matches('^[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*(/[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*)*$'))[0] + ' is not a relative path of a file: use one such as python/util.py or bin/tool, of letters, digits and . _ @ + -'"
	// +kubebuilder:validation:XValidation:rule="self.map(f, size(self[f])).sum() <= 1048576",message="inline must have at most 1 MB in total: put a larger layer in S3"
	Inline map[string]string `json:"inline,omitempty"`

	// ConfigMapRef names a ConfigMap in this namespace, each key of which is a file of
	// the layer. Where filePrefix is set, it is put before each key, since a key can't
	// have a slash. A change of the ConfigMap is published immediately.
	// +optional
	ConfigMapRef *LayerConfigMap `json:"configMapRef,omitempty"`

	// ZipFileFrom is a key of a Secret or ConfigMap (binaryData) in this namespace that
	// holds a .zip archive. A change of its content is published immediately.
	// +optional
	ZipFileFrom *ZipFileSource `json:"zipFileFrom,omitempty"`

	// SourceRef names a Flux source in this namespace, whose artifact has the layer's
	// files. A new artifact is published immediately.
	// +optional
	SourceRef *SourceReference `json:"sourceRef,omitempty"`

	// OCI is an artifact in a registry whose one layer has the layer's files.
	// +optional
	OCI *OCISource `json:"oci,omitempty"`

	// Staging is the place in S3 through which archives of more than 50 MB are published,
	// which AWS does not accept directly. It overrides that of the provider config.
	// +optional
	Staging *Staging `json:"staging,omitempty"`

	// SHA256 is the checksum of the .zip archive. An archive with another checksum is not published. Use hexadecimal
	// digits, as sha256sum prints them, or base64, as AWS's CodeSha256.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$')",message="sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters"
	SHA256 *string `json:"sha256,omitempty"`
}

// LayerConfigMap names a ConfigMap that holds a layer's files.
type LayerConfigMap struct {
	// Name of the ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// FilePrefix is put before each key to make the path of its file, such as python/,
	// which is where Python looks for the modules of a layer. Default: none.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^([.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*/)+$')",message="filePrefix must be a relative path that ends in a slash, such as python/ or nodejs/node_modules/"
	FilePrefix *string `json:"filePrefix,omitempty"`
}

// LayerVersionParameters are the desired settings of a layer and where it lives. A
// layer version never changes: when the settings change, a new version is published.
type LayerVersionParameters struct {
	Regional `json:",inline"`

	// LayerName is the name of the layer: letters, digits, hyphens and underscores.
	// Default: metadata.name. It can't be changed.
	// +optional
	// +kubebuilder:validation:MaxLength=140
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="layerName must be the plain name of a layer: use letters, digits, hyphens and underscores, without an ARN or a version"
	LayerName *string `json:"layerName,omitempty"`

	// Content is the layer's archive: exactly one source. When it changes, a new version is published.
	// +optional
	Content *LayerContent `json:"content,omitempty"`

	// CompatibleArchitectures are the instruction sets that the layer is for: x86_64, arm64 or both, in any order.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:Enum=x86_64;arm64
	CompatibleArchitectures []string `json:"compatibleArchitectures,omitempty"`

	// CompatibleRuntimes are the runtimes that the layer is for, such as python3.13, at most 15, in any order. They are
	// only a filter for lists of layers: functions with other runtimes can use the layer too.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=15
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.all(r, r.matches('^(nodejs([0-9]+[.][0-9x]+(-edge)?)?|python[0-9][.][0-9]+|java[0-9]+([.]al[0-9]+)?|dotnet(core)?[0-9]+([.][0-9]+)?|ruby[0-9]+[.][0-9]+|go1[.]x|provided([.]al[0-9]+)?|custom)$'))",message="a compatible runtime must be a Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023"
	CompatibleRuntimes []string `json:"compatibleRuntimes,omitempty"`

	// Description of the version, at most 256 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description *string `json:"description,omitempty"`

	// LicenseInfo is the layer's software license, at most 512 characters: an SPDX
	// identifier such as MIT, the URL of a license, or its text.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	LicenseInfo *string `json:"licenseInfo,omitempty"`

	// OldVersions sets what to do with the versions that this resource has published and replaced: Keep (the default),
	// DeleteUnused or Delete. Keep leaves all of them in AWS, even when this resource is deleted. DeleteUnused deletes
	// a version when no function of the account in this region uses it, neither in $LATEST nor in a published version.
	// It does not see functions of other accounts. Delete deletes a version as soon as it is replaced. Functions that
	// use it continue to run, but it can't be added to a function any more. Versions that others have published are
	// never deleted.
	// +optional
	// +kubebuilder:validation:Enum=Keep;DeleteUnused;Delete
	OldVersions *string `json:"oldVersions,omitempty"`
}

// What OldVersions can be.
const (
	OldVersionsKeep         = "Keep"
	OldVersionsDeleteUnused = "DeleteUnused"
	OldVersionsDelete       = "Delete"
)

// LayerVersionSpec is the desired state of a layer's version.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.content)",fieldPath=".forProvider.content",reason="FieldValueRequired",message="set exactly one source: s3Bucket and s3Key, inline, configMapRef, zipFileFrom, sourceRef or oci"
type LayerVersionSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the layer.
	ForProvider LayerVersionParameters `json:"forProvider"`
}

// LayerVersionObservation is the observed state of a layer's version (GetLayerVersion).
type LayerVersionObservation struct {
	// LayerName is the name of the layer.
	LayerName *string `json:"layerName,omitempty"`
	// LayerArn is the ARN of the layer, without a version.
	LayerArn *string `json:"layerArn,omitempty"`
	// LayerVersionArn is the ARN of the version, by which functions use it.
	LayerVersionArn *string `json:"layerVersionArn,omitempty"`
	// Version is the number of the version.
	Version *int64 `json:"version,omitempty"`
	// CreatedDate is the time at which the version was published.
	CreatedDate *string `json:"createdDate,omitempty"`
	// CodeSHA256 of the archive, in base64.
	CodeSHA256 *string `json:"codeSha256,omitempty"`
	// CodeSize of the archive, in bytes.
	CodeSize *int64 `json:"codeSize,omitempty"`
	// CompatibleArchitectures that the version is for.
	// +listType=atomic
	CompatibleArchitectures []string `json:"compatibleArchitectures,omitempty"`
	// CompatibleRuntimes that the version is for.
	// +listType=atomic
	CompatibleRuntimes []string `json:"compatibleRuntimes,omitempty"`
	// Description of the version.
	Description *string `json:"description,omitempty"`
	// LicenseInfo is the software license.
	LicenseInfo *string `json:"licenseInfo,omitempty"`
	// SigningJobArn is the ARN of the signing job.
	SigningJobArn *string `json:"signingJobArn,omitempty"`
	// SigningProfileVersionArn is the ARN of the signing profile's version.
	SigningProfileVersionArn *string `json:"signingProfileVersionArn,omitempty"`
	// PublishedContent identifies the content that the provider last published from a source whose content AWS doesn't
	// report.
	PublishedContent *DeployedCode `json:"publishedContent,omitempty"`
	// ImportedVersion is the number of the version that was taken over by its external
	// name. It is not deleted when it is replaced, since others have published it.
	ImportedVersion *int64 `json:"importedVersion,omitempty"`
	// OldVersions are the numbers of the newest 1000 of the versions that this resource has published and
	// replaced, and that are still there, oldest first.
	// +listType=atomic
	OldVersions []int64 `json:"oldVersions,omitempty"`
}

// MaxOldVersions is the number of old versions that the provider knows.
const MaxOldVersions = 1000

// LayerVersionStatus is the observed state of a layer version.
type LayerVersionStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider LayerVersionObservation `json:"atProvider,omitempty"`
}

// A LayerVersion is the current version of an AWS Lambda layer. AWS never changes a version, so each change of the
// spec, or of what it refers to, publishes a new one. The external name and the functions that refer to the
// LayerVersion move to the new version.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdalayer
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="LAYER",type="string",JSONPath=".status.atProvider.layerName"
// +kubebuilder:printcolumn:name="VERSION",type="integer",JSONPath=".status.atProvider.version"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="has(self.spec.forProvider.layerName) || size(self.metadata.name) <= 140",fieldPath=".metadata",message="metadata.name is the layer's name in AWS, which has at most 140 characters: shorten it, or set spec.forProvider.layerName"
// +kubebuilder:validation:XValidation:rule="has(self.spec.forProvider.layerName) || !self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the layer's name in AWS, which cannot contain dots: use hyphens, or set spec.forProvider.layerName"
// +kubebuilder:validation:XValidation:rule="(has(self.spec.forProvider.layerName) ? self.spec.forProvider.layerName : self.metadata.name) == (has(oldSelf.spec.forProvider.layerName) ? oldSelf.spec.forProvider.layerName : oldSelf.metadata.name)",fieldPath=".spec.forProvider.layerName",reason="FieldValueForbidden",message="layerName can't be changed: create a new LayerVersion for the other layer"
type LayerVersion struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LayerVersionSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new layer version as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status LayerVersionStatus `json:"status,omitempty"`
}

// LayerVersionList is a list of layer versions.
//
// +kubebuilder:object:root=true
type LayerVersionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []LayerVersion `json:"items"`
}

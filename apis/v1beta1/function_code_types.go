package v1beta1

// FunctionCode is the source of a function's deployment package.
//
// +kubebuilder:validation:XValidation:rule="(has(self.s3Bucket) || has(self.s3Key) ? 1 : 0) + (has(self.imageUri) ? 1 : 0) + (has(self.inline) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.zipFileFrom) ? 1 : 0) + (has(self.sourceRef) ? 1 : 0) + (has(self.oci) ? 1 : 0) >= 1",message="code has no source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci"
// +kubebuilder:validation:XValidation:rule="(has(self.s3Bucket) || has(self.s3Key) ? 1 : 0) + (has(self.imageUri) ? 1 : 0) + (has(self.inline) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.zipFileFrom) ? 1 : 0) + (has(self.sourceRef) ? 1 : 0) + (has(self.oci) ? 1 : 0) <= 1",message="code has more than one source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci"
// +kubebuilder:validation:XValidation:rule="has(self.s3Bucket) == has(self.s3Key)",message="s3Bucket and s3Key must be set together: set both"
// +kubebuilder:validation:XValidation:rule="!has(self.s3ObjectVersion) || has(self.s3Key)",message="s3ObjectVersion needs s3Bucket and s3Key: set them, or remove s3ObjectVersion"
// +kubebuilder:validation:XValidation:rule="!has(self.s3ObjectStorageMode) || has(self.s3Key)",message="s3ObjectStorageMode needs s3Bucket and s3Key: set them, or remove s3ObjectStorageMode"
// +kubebuilder:validation:XValidation:rule="!has(self.trackImageTag) || has(self.imageUri)",message="trackImageTag needs imageUri: set it, or remove trackImageTag"
// +kubebuilder:validation:XValidation:rule="!has(self.sha256) || !has(self.imageUri)",message="sha256 is for .zip archives only: pin an image by its digest, as in repository@sha256:..."
// +kubebuilder:validation:XValidation:rule="!has(self.sourceKmsKeyArn) || !has(self.imageUri)",message="sourceKmsKeyArn is for .zip archives only: remove it, since an image is encrypted in its repository"
// +kubebuilder:validation:XValidation:rule="!has(self.sha256) || !has(self.sourceRef) && !has(self.oci)",message="sha256 is not for sourceRef and oci, whose artifacts have a digest: remove sha256, and pin the commit or the digest in the source"
// +kubebuilder:validation:XValidation:rule="!has(self.staging) || has(self.sourceRef) || has(self.oci)",message="staging is for code from sourceRef or oci only: remove it"
type FunctionCode struct {
	// S3Bucket is the bucket of the .zip archive, in the function's region.
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9A-Za-z._-]*[0-9A-Za-z_-]$')",message="s3Bucket is not a bucket name: use the name alone, without s3:// and without a path"
	S3Bucket *string `json:"s3Bucket,omitempty"`

	// S3Key is the key of the .zip archive. If the provider is allowed s3:GetObject on
	// it (HeadObject), it detects and deploys a new object under the same key.
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

	// SourceKMSKeyArn is the ARN of the KMS key that encrypts the .zip archive.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="sourceKmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id"
	SourceKMSKeyArn *string `json:"sourceKmsKeyArn,omitempty"`

	// ImageURI is a container image in Amazon ECR, by tag or digest.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{12}[.]dkr[.-]ecr(-fips)?[.][a-z0-9-]+[.][a-z0-9.-]+(:[0-9]+)?/[a-z0-9]+([._/-]+[a-z0-9]+)*(:[a-zA-Z0-9_][a-zA-Z0-9._-]*)?(@sha256:[0-9a-f]{64})?$')",message="imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag"
	ImageURI *string `json:"imageUri,omitempty"`

	// TrackImageTag asks the registry for the digest of imageUri's tag (one ecr:BatchGetImage call a reconcile) and
	// deploys the image again when the tag moves. If the tag names an image index, it deploys the index's image of the
	// function's architecture. The default is false: AWS resolves a tag only when it is deployed, and rejects an index.
	// +optional
	TrackImageTag *bool `json:"trackImageTag,omitempty"`

	// Inline is a map of file names to their contents, zipped by the provider. At most
	// 1 MB in total, since it is part of this object. Above about 200 KB, use kubectl
	// apply --server-side, since client-side apply keeps a copy in an annotation.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(f, f.matches('^[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*(/[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*)*$'))",message="a file name in inline must be a relative path such as index.py or lib/util.js",messageExpression="self.filter(f, !f.matches('^[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*(/[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*)*$'))[0] + ' is not a relative path of a file: use one such as index.py or lib/util.js, of letters, digits and . _ @ + -'"
	// +kubebuilder:validation:XValidation:rule="self.map(f, size(self[f])).sum() <= 1048576",message="inline must have at most 1 MB in total: put larger code in S3 or in an image"
	Inline map[string]string `json:"inline,omitempty"`

	// ConfigMapRef names a ConfigMap in this namespace, each key of which is a file of
	// the package. A change of its content is deployed immediately.
	// +optional
	ConfigMapRef *LocalObjectReference `json:"configMapRef,omitempty"`

	// ZipFileFrom is a key of a Secret or ConfigMap (binaryData) in this namespace that
	// holds a .zip archive. A change of its content is deployed immediately.
	// +optional
	ZipFileFrom *ZipFileSource `json:"zipFileFrom,omitempty"`

	// SourceRef names a Flux source in this namespace, whose artifact has the code. A new
	// artifact is deployed immediately.
	// +optional
	SourceRef *SourceReference `json:"sourceRef,omitempty"`

	// OCI is an artifact in a registry whose one layer has the code.
	// +optional
	OCI *OCISource `json:"oci,omitempty"`

	// Staging is the place in S3 through which archives of more than 50 MB are deployed,
	// which AWS does not accept directly. It overrides that of the provider config.
	// +optional
	Staging *Staging `json:"staging,omitempty"`

	// SHA256 is the checksum of the .zip archive. An archive with another checksum is not deployed. Use hexadecimal
	// digits, as sha256sum prints them, or base64, as AWS's CodeSha256.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$')",message="sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters"
	SHA256 *string `json:"sha256,omitempty"`
}

// ZipFileSource is a .zip archive in the cluster.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="set exactly one of secretKeyRef and configMapKeyRef in zipFileFrom"
type ZipFileSource struct {
	// SecretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeySelector `json:"secretKeyRef,omitempty"`

	// ConfigMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeySelector `json:"configMapKeyRef,omitempty"`
}

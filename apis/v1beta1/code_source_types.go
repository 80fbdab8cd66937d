package v1beta1

// SourceReference names a source of Flux in the namespace of the resource, and a part of its artifact.
type SourceReference struct {
	// APIVersion of the source. Default: source.toolkit.fluxcd.io/v1.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^source[.]toolkit[.]fluxcd[.]io/v[a-z0-9]+$')",message="apiVersion is not of Flux's sources: use source.toolkit.fluxcd.io/v1, or remove it"
	APIVersion *string `json:"apiVersion,omitempty"`

	// Kind of the source. The kinds GitRepository and OCIRepository can verify signatures.
	// +kubebuilder:validation:Enum=GitRepository;OCIRepository;Bucket;ExternalArtifact
	Kind string `json:"kind"`

	// Name of the source.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Path in the artifact: a folder whose files are deployed, or a file whose name ends in
	// .zip, which is deployed as it is. Default: the whole artifact.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') && !self.split('/').exists(p, p == '..')",message="path must be relative and must not contain ..: use one such as functions/checkout"
	Path *string `json:"path,omitempty"`
}

// Staging is a place in S3 for archives that are too large for a call of Lambda. Objects in it are named by their
// checksums and never deleted by the provider: a lifecycle rule of the bucket may delete them after a day.
type Staging struct {
	// S3Bucket is a bucket in the region of the function. The provider needs s3:PutObject
	// and s3:GetObject on the objects below the prefix.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9A-Za-z._-]*[0-9A-Za-z_-]$')",message="s3Bucket is not a bucket name: use the name alone, without s3:// and without a path"
	S3Bucket string `json:"s3Bucket"`

	// Prefix of the keys of objects, such as lambda/. Default: none.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Prefix *string `json:"prefix,omitempty"`
}

// CodePolicy restricts the code that is deployed with a config.
type CodePolicy struct {
	// RequireVerified is true if only code whose signature was verified is deployed: of a Flux source whose condition
	// SourceVerified is True. Other code is not uploaded to AWS, whatever the resource says.
	// +optional
	RequireVerified bool `json:"requireVerified,omitempty"`

	// Unverified lists the sources whose code is deployed without a verification even so: Inline (inline), ConfigMap
	// (configMapRef, zipFileFrom), Secret (zipFileFrom), S3 (s3Bucket) and Image (imageUri).
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:Enum=Inline;ConfigMap;Secret;S3;Image
	Unverified []string `json:"unverified,omitempty"`

	// Staging is the place in S3 for archives of more than 50 MB, for resources that do not name one.
	// +optional
	Staging *Staging `json:"staging,omitempty"`
}

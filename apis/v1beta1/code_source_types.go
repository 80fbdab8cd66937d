package v1beta1

// SourceReference names a source of Flux in the namespace of the resource, and a part of its artifact.
type SourceReference struct {
	// APIVersion of the source. Default: source.toolkit.fluxcd.io/v1.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^source[.]toolkit[.]fluxcd[.]io/v[a-z0-9]+$')",message="apiVersion is not of Flux's sources: use source.toolkit.fluxcd.io/v1, or remove it"
	APIVersion *string `json:"apiVersion,omitempty"`

	// Kind of the source. GitRepository and OCIRepository can verify signatures, Bucket and
	// ExternalArtifact can't.
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

// OCISource is an artifact in an OCI registry, as flux push artifact and oras push make them: a single layer that is a
// .zip archive or a .tar.gz.
//
// +kubebuilder:validation:XValidation:rule="!has(self.trackTag) || !self.trackTag || !self.reference.contains('@')",message="trackTag needs a reference with a tag: remove it, or the digest"
type OCISource struct {
	// Reference is a registry, a repository, and a tag or a digest, such as ghcr.io/acme/orders:v1 or
	// ghcr.io/acme/orders@sha256:... A tag is resolved when the code is deployed, and again only with trackTag.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9.-]+(:[0-9]+)?/[a-z0-9]+([._/-]+[a-z0-9]+)*(:[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$')",message="reference must have a registry, a repository, and a tag or a digest: use the form ghcr.io/acme/orders:v1, without oci://"
	Reference string `json:"reference"`

	// TrackTag asks the registry for the digest of the tag at each poll (one HEAD request), and deploys the code again
	// when the tag moves. Default: false.
	// +optional
	TrackTag *bool `json:"trackTag,omitempty"`

	// PullSecretRefs are Secrets of type kubernetes.io/dockerconfigjson in this namespace. Registries of Amazon ECR
	// need none: they are read with the identity of the provider config, which needs ecr:GetAuthorizationToken,
	// ecr:BatchGetImage and ecr:GetDownloadUrlForLayer.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	PullSecretRefs []LocalObjectReference `json:"pullSecretRefs,omitempty"`

	// Path in the archive: a folder whose files are deployed, or a file whose name ends in
	// .zip, which is deployed as it is. Default: the whole archive.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') && !self.split('/').exists(p, p == '..')",message="path must be relative and must not contain ..: use one such as functions/checkout"
	Path *string `json:"path,omitempty"`

	// Verify names the signers of the artifact. An artifact that none of them has signed is not deployed.
	// +optional
	Verify *OCIVerification `json:"verify,omitempty"`
}

// OCIVerification names the signers of an artifact.
type OCIVerification struct {
	// Cosign has the signers by Sigstore's cosign.
	Cosign CosignVerification `json:"cosign"`
}

// CosignVerification are signers: the holder of a key, or someone whom an OpenID Connect issuer identifies.
//
// +kubebuilder:validation:XValidation:rule="has(self.keyRef) != has(self.keyless)",message="set exactly one of keyRef and keyless in cosign"
type CosignVerification struct {
	// KeyRef is a key of a Secret or ConfigMap in this namespace that has public keys in PEM, as cosign public-key
	// prints them. A signature by any of them is enough.
	// +optional
	KeyRef *KeySource `json:"keyRef,omitempty"`

	// Keyless accepts signatures with a certificate of a Sigstore.
	// +optional
	Keyless *KeylessVerification `json:"keyless,omitempty"`
}

// KeylessVerification is a signer, and the Sigstore that confirms it.
type KeylessVerification struct {
	CosignIdentity `json:",inline"`

	// TrustedRootRef is a key of a Secret or ConfigMap in this namespace that has the trusted root of a Sigstore as
	// JSON: for the public one, what gh attestation trusted-root or cosign trusted-root create prints.
	TrustedRootRef KeySource `json:"trustedRootRef"`
}

// CosignIdentity is someone whom an OpenID Connect issuer identifies.
//
// +kubebuilder:validation:XValidation:rule="has(self.subject) != has(self.subjectRegExp)",message="set exactly one of subject and subjectRegExp"
type CosignIdentity struct {
	// Issuer is the URL of the issuer, such as https://token.actions.githubusercontent.com.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Issuer string `json:"issuer"`

	// Subject is the name of the signer at the issuer: an email address, or the URL of a workflow. It must match
	// exactly.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Subject *string `json:"subject,omitempty"`

	// SubjectRegExp is a regular expression in the syntax of RE2 that must match the whole name of the signer, such as
	// https://github[.]com/acme/shop/[.]github/workflows/release[.]yml@refs/tags/v[0-9.]+ for a workflow that runs for
	// tags.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	SubjectRegExp *string `json:"subjectRegExp,omitempty"`
}

// KeySource is a key of a Secret or a ConfigMap.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="set exactly one of secretKeyRef and configMapKeyRef"
type KeySource struct {
	// SecretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeySelector `json:"secretKeyRef,omitempty"`

	// ConfigMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeySelector `json:"configMapKeyRef,omitempty"`
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
	// SourceVerified is True, and of an OCI artifact that cosign's signers have signed. Other code is not uploaded to
	// AWS, whatever the resource says.
	// +optional
	RequireVerified bool `json:"requireVerified,omitempty"`

	// Cosign has the signers whose signatures of OCI artifacts count for requireVerified. The signers that a resource
	// names do not count, since whoever writes the resource chooses them.
	// +optional
	Cosign *CosignSigners `json:"cosign,omitempty"`

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

// CosignSigners are those whose signatures are trusted: the holders of keys, or identities that a Sigstore confirms.
//
// +kubebuilder:validation:XValidation:rule="has(self.publicKeys) != has(self.identities)",message="set exactly one of publicKeys and identities in cosign"
// +kubebuilder:validation:XValidation:rule="has(self.identities) == has(self.trustedRoot)",message="identities and trustedRoot must be set together: set both"
type CosignSigners struct {
	// PublicKeys are public keys in PEM, as cosign public-key prints them.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	PublicKeys *string `json:"publicKeys,omitempty"`

	// Identities are those who may sign.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Identities []CosignIdentity `json:"identities,omitempty"`

	// TrustedRoot is the trusted root of the Sigstore that confirms the identities, as JSON: for the public one, what
	// gh attestation trusted-root or cosign trusted-root create prints.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=262144
	TrustedRoot *string `json:"trustedRoot,omitempty"`
}

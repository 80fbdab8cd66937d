package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// VersionParameters set the function whose versions are published, and when they are.
//
// +kubebuilder:validation:XValidation:rule="has(self.publishTo) == has(oldSelf.publishTo)",fieldPath=".publishTo",reason="FieldValueForbidden",message="publishTo can't be changed: create a new Version"
// +kubebuilder:validation:XValidation:rule="!(has(self.publishTo) && has(self.historyLimit))",fieldPath=".historyLimit",reason="FieldValueForbidden",message="publishTo publishes the same version again and leaves no earlier ones to delete: remove historyLimit"
type VersionParameters struct {
	ConfiguredFunction `json:",inline"`

	// Description of the versions that are published, at most 256 characters. AWS's default is the function's own
	// description. A published version never changes: a new description applies to the next version.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description *string `json:"description,omitempty"`

	// CodeSHA256 is the checksum of the code to publish. While the function has other code, no version is published.
	// For a .zip archive it is the SHA-256 in base64, for an image the digest's 64 hexadecimal digits, as
	// status.atProvider.codeSha256 of a Function shows it.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-zA-Z0-9+/]{43}=|[a-f0-9]{64})$')",message="codeSha256 is not a SHA-256: use 44 characters of base64 for a .zip archive, or 64 hexadecimal digits for an image"
	CodeSHA256 *string `json:"codeSha256,omitempty"`

	// PublishTo is the target of published versions: LATEST_PUBLISHED, for functions on Lambda Managed Instances,
	// publishes $LATEST.PUBLISHED again instead of a version with a new number. It can't be changed.
	// +optional
	// +kubebuilder:validation:Enum=LATEST_PUBLISHED
	PublishTo *string `json:"publishTo,omitempty"`

	// PublishPolicy sets when a version is published: OnChange, when the function's code or configuration, except its
	// description, differs from the latest version, or OnRequest, when publishTrigger changes. Default: OnChange.
	// +optional
	// +kubebuilder:validation:Enum=OnChange;OnRequest
	// +kubebuilder:default=OnChange
	PublishPolicy *string `json:"publishPolicy,omitempty"`

	// PublishTrigger is any text, such as the name of a release or a commit. Changing it publishes a version. If
	// neither code nor configuration changed since the latest version, AWS publishes no new version.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	PublishTrigger *string `json:"publishTrigger,omitempty"`

	// HistoryLimit is the number of earlier versions of this resource to keep, 0 to
	// 100. Older versions are deleted, unless something in Lambda uses them, such as an
	// alias or an event source mapping. If it is not set, all versions are kept. If it
	// is set, deleting this resource also deletes the earlier versions.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	HistoryLimit *int32 `json:"historyLimit,omitempty"`
}

// VersionSpec is the desired state of a function's published version.
//
// +kubebuilder:validation:XValidation:rule="has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
type VersionSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider sets the function whose versions are published, and when they are.
	ForProvider VersionParameters `json:"forProvider"`
}

// VersionObservation is the observed state of the version that was published last
// (GetFunction with the version), and what the provider remembers of earlier ones.
type VersionObservation struct {
	// FunctionName that the version is of.
	FunctionName *string `json:"functionName,omitempty"`
	// FunctionArn is the version's own ARN.
	FunctionArn *string `json:"functionArn,omitempty"`
	// InvokeArn is the ARN that an API Gateway integration uses to invoke the version.
	InvokeArn *string `json:"invokeArn,omitempty"`
	// Version is its number, or $LATEST.PUBLISHED.
	Version *string `json:"version,omitempty"`
	// PreparedVersion is the version published last that AWS is done preparing, which
	// takes minutes with SnapStart. Aliases that refer to this resource move to it.
	PreparedVersion *string `json:"preparedVersion,omitempty"`
	// State is Pending, Active, Inactive, Failed, Deactivating, Deactivated, ActiveNonInvocable or Deleting.
	State *string `json:"state,omitempty"`
	// StateReason is AWS's reason for State.
	StateReason *string `json:"stateReason,omitempty"`
	// StateReasonCode is AWS's code for StateReason.
	StateReasonCode *string `json:"stateReasonCode,omitempty"`
	// Description of the version.
	Description *string `json:"description,omitempty"`
	// LastModified is the time of the last update of the published version.
	LastModified *string `json:"lastModified,omitempty"`
	// RevisionID of the version.
	RevisionID *string `json:"revisionId,omitempty"`
	// CodeSHA256 of the deployment package: base64 for .zip archives, the image's digest for images.
	CodeSHA256 *string `json:"codeSha256,omitempty"`
	// CodeSize of the deployment package, in bytes.
	CodeSize *int64 `json:"codeSize,omitempty"`
	// ConfigSHA256 is AWS's hash of the configuration, if AWS returns one.
	ConfigSHA256 *string `json:"configSha256,omitempty"`
	// Fingerprint is a hash of the version's code and configuration, without its description.
	Fingerprint *string `json:"fingerprint,omitempty"`
	// PackageType is Zip or Image.
	PackageType *string `json:"packageType,omitempty"`
	// Runtime of the version.
	Runtime *string `json:"runtime,omitempty"`
	// RuntimeConfig of the version, with runtime custom.
	RuntimeConfig *RuntimeConfig `json:"runtimeConfig,omitempty"`
	// RuntimeVersionArn is the ARN of the runtime's version.
	RuntimeVersionArn *string `json:"runtimeVersionArn,omitempty"`
	// Handler of the version.
	Handler *string `json:"handler,omitempty"`
	// Role is the ARN of the execution role.
	Role *string `json:"role,omitempty"`
	// Architectures of the version.
	// +listType=atomic
	Architectures []string `json:"architectures,omitempty"`
	// MemorySize in MB.
	MemorySize *int32 `json:"memorySize,omitempty"`
	// Timeout in seconds.
	Timeout *int32 `json:"timeout,omitempty"`
	// EnvironmentVariableNames are the names of the environment variables.
	// +listType=atomic
	EnvironmentVariableNames []string `json:"environmentVariableNames,omitempty"`
	// Layers are the ARNs of the layer versions.
	// +listType=atomic
	Layers []string `json:"layers,omitempty"`
	// SnapStartOptimizationStatus is On or Off.
	SnapStartOptimizationStatus *string `json:"snapStartOptimizationStatus,omitempty"`
	// SigningJobArn is the ARN of the signing job.
	SigningJobArn *string `json:"signingJobArn,omitempty"`
	// SigningProfileVersionArn is the ARN of the signing profile's version.
	SigningProfileVersionArn *string `json:"signingProfileVersionArn,omitempty"`
	// PublishTrigger that was served last.
	PublishTrigger *string `json:"publishTrigger,omitempty"`
	// PublishedFingerprint stands for the function's code and configuration when a version of it was asked for last.
	PublishedFingerprint *string `json:"publishedFingerprint,omitempty"`
	// PublishedCode are the versions whose code has a revision, the newest first, at most 20. It is known if the
	// Function that functionNameRef names has deployed the code.
	// +listType=atomic
	PublishedCode []PublishedCode `json:"publishedCode,omitempty"`

	VersionHistory `json:",inline"`
}

// VersionStatus is the observed state of a function's published version.
type VersionStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider VersionObservation `json:"atProvider,omitempty"`
}

// A Version publishes versions of an AWS Lambda function: whenever its code or configuration changed, or on request.
// Its external name is the version that was published last.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaversion
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type Version struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VersionSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new version as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status VersionStatus `json:"status,omitempty"`
}

// VersionList is a list of versions.
//
// +kubebuilder:object:root=true
type VersionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Version `json:"items"`
}

// VersionHistory is the record of the versions that a resource published.
type VersionHistory struct {
	// History are the versions that this resource published and that are still there
	// as far as it knows, the newest first, at most 201. It never deletes any other.
	// +listType=atomic
	History []PublishedVersion `json:"history,omitempty"`
	// RetainedVersions are those beyond historyLimit that are kept because something uses them. AWS is asked about them
	// again from time to time, and less and less often.
	// +listType=atomic
	RetainedVersions []RetainedVersion `json:"retainedVersions,omitempty"`
}

// A PublishedVersion is a version that a resource published.
type PublishedVersion struct {
	// Version is its number.
	Version string `json:"version"`
	// Fingerprint of its code and configuration.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// A RetainedVersion is a version beyond historyLimit that is in use.
type RetainedVersion struct {
	// Version is its number.
	Version string `json:"version"`
	// UsedBy names the user of the version, such as alias live.
	UsedBy string `json:"usedBy"`
	// Since is the time at which it was first found in use.
	Since metav1.Time `json:"since"`
	// CheckedAt is the time at which AWS was last asked about it.
	CheckedAt metav1.Time `json:"checkedAt"`
}

// PreparedVersion returns an extractor of the version that a Version published last and that AWS has finished
// preparing. The value is empty if there is none.
func PreparedVersion() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		// An interface, since this must compile before Version's methods are generated.
		v, ok := mg.(interface{ prepared() string })
		if !ok {
			return ""
		}
		return v.prepared()
	}
}

func (v *Version) prepared() string {
	if v.Status.AtProvider.PreparedVersion == nil {
		return ""
	}
	return *v.Status.AtProvider.PreparedVersion
}

// ReferenceValues returns the values to which references to a Version can resolve, besides its external name.
func (v *Version) ReferenceValues() []string { return []string{v.prepared()} }

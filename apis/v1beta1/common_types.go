package v1beta1

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// Phases of a resource.
const (
	// PhasePending says that nothing is known to be in AWS yet: the resource waits for
	// what it refers to, or for its turn.
	PhasePending = "Pending"
	// PhaseCreating says that AWS has been asked for it, and is at it.
	PhaseCreating = "Creating"
	// PhaseAvailable says that AWS serves what the spec asks for.
	PhaseAvailable = "Available"
	// PhaseUpdating says that a change is on its way to AWS, or that AWS is at it.
	PhaseUpdating = "Updating"
	// PhaseError says that something failed, or that AWS does not serve what the spec asks for. Message says why.
	PhaseError = "Error"
	// PhaseDiffers says that AWS differs from the spec, and that managementPolicies do not allow changing it.
	PhaseDiffers = "Differs"
	// PhaseRolledBack says that a rollout has failed, or that the user has undone it: another version serves.
	PhaseRolledBack = "RolledBack"
	// PhaseDeleting says that it is being deleted.
	PhaseDeleting = "Deleting"
)

// A Summary has the result of a resource's conditions in plain fields. It is for readers that cannot search a list,
// such as the patches of a Composition. The conditions have more detail, and the generation.
type Summary struct {
	// Phase is Pending while nothing is known to exist in AWS, Creating, Available
	// while AWS matches the spec, Updating, Differs while AWS does not match the spec and
	// managementPolicies do not allow changing it, RolledBack after the rollout of an Alias
	// has failed or was undone, Error or Deleting.
	// +optional
	// +kubebuilder:validation:Enum=Pending;Creating;Available;Updating;Differs;RolledBack;Error;Deleting
	Phase string `json:"phase,omitempty"`

	// Message is the reason why the resource is not available: the error, what the provider waits for, or what a
	// rollout does. It is absent if there is no problem.
	// +optional
	Message string `json:"message,omitempty"`

	// Differences are the fields in which AWS differed from the spec when it was last
	// observed, at most 16. They are what an update would change, even if
	// managementPolicies do not allow an update or the resource is not adopted yet.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Differences []Difference `json:"differences,omitempty"`

	// ReconciledGeneration is the last generation that was completed: AWS matches it, AWS rejected it, or only the user
	// can resolve the problem. ObservedGeneration is the last generation that was observed.
	// +optional
	ReconciledGeneration int64 `json:"reconciledGeneration,omitempty"`

	// ReferencesFingerprint is a hash of what the spec refers to, and of the spec itself, when AWS was last found to
	// match: names of other resources, and versions of Secrets and ConfigMaps. After a restart, the provider need not
	// read the resource at once if it is still the same.
	// +optional
	ReferencesFingerprint string `json:"referencesFingerprint,omitempty"`

	// AccountID is the AWS account of the credentials with which the provider last found, or changed, the external
	// resource. With credentials of another account, it does nothing about the resource, which would be left behind.
	// It is absent if the account is not known.
	// +optional
	AccountID string `json:"accountId,omitempty"`
}

// A Difference is one field in which AWS differs from the spec.
type Difference struct {
	// Field below spec.forProvider, such as tags[team].
	// +kubebuilder:validation:MaxLength=256
	Field string `json:"field"`

	// Desired is the value in the spec. It is absent if the spec does not set the
	// field: an update removes the value from AWS.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Desired string `json:"desired,omitempty"`

	// Observed is the value in AWS. It is absent if AWS has none.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Observed string `json:"observed,omitempty"`
}

// SetSummary sets the summary of the resource.
func (s *Summary) SetSummary(to Summary) { *s = to }

// GetSummary returns the summary of the resource.
func (s *Summary) GetSummary() Summary { return *s }

// Regional holds the region of a resource.
type Regional struct {
	// Region is the AWS region of the resource, such as eu-central-1. It can't be changed.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,}(-[a-z]+)+-[0-9]+$')",message="region is not an AWS region name: use one such as eu-central-1"
	// +kubebuilder:validation:XValidation:rule="!self.matches('(^|-)(fips|dualstack)(-|$)')",message="region names an endpoint, not a region: use the region itself, such as eu-central-1, and set useFIPSEndpoint or useDualStackEndpoint in the provider config"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="region can't be changed: create another resource in the other region"
	Region string `json:"region"`
}

// A ConfiguredFunction is the function that a resource belongs to, and where it is.
type ConfiguredFunction struct {
	Regional `json:",inline"`

	// FunctionName is the name of the function, 1 to 64 characters, without account, region or version. It can't be
	// changed. Required, unless functionNameRef or functionNameSelector is set.
	// +optional
	// +crossplane:generate:reference:type=Function
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="functionName can't be changed: create another resource for the other function"
	FunctionName *string `json:"functionName,omitempty"`

	// FunctionNameRef names the Function.
	// +optional
	FunctionNameRef *xpv2.NamespacedReference `json:"functionNameRef,omitempty" refersTo:"Function"`

	// FunctionNameSelector selects the Function.
	// +optional
	FunctionNameSelector *xpv2.NamespacedSelector `json:"functionNameSelector,omitempty"`
}

// LocalObjectReference names an object in the same namespace.
type LocalObjectReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// KeySelector selects a key of a Secret or ConfigMap in the same namespace.
type KeySelector struct {
	// Name of the Secret or ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Key within it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`

	// Optional says that the object or key may be missing. Default: false.
	// +optional
	Optional *bool `json:"optional,omitempty"`
}

// FieldSelector selects a string field of any object in the same namespace, except a
// Secret. The provider's ServiceAccount must be allowed to get the object. If it may
// also list and watch it, the provider sees a change immediately.
//
// +kubebuilder:validation:XValidation:rule="!self.apiVersion.matches('^/?v1$') || self.kind.lowerAscii() != 'secret'",reason="FieldValueForbidden",message="this field can't be read from a Secret, since its value is not secret in AWS: read it from another object"
type FieldSelector struct {
	// APIVersion of the object, such as iam.aws.m.upbound.io/v1beta1.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	APIVersion string `json:"apiVersion"`

	// Kind of the object, as the cluster spells it, such as Role.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// FieldPath is the path of the field, such as status.atProvider.arn.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	FieldPath string `json:"fieldPath"`
}

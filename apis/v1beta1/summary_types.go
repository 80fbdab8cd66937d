package v1beta1

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

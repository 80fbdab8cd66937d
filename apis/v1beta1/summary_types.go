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
	// PhaseError says that something failed, or that AWS does not serve what the spec
	// asks for. Message says why.
	PhaseError = "Error"
	// PhaseDeleting says that it is being deleted.
	PhaseDeleting = "Deleting"
)

// A Summary tells in plain fields what the conditions of a resource come to. It is for
// those who cannot search a list, such as the patches of a Composition; the conditions
// tell more, and for which generation.
type Summary struct {
	// Phase is Pending while nothing is known to be in AWS, Creating, Available while AWS
	// serves what the spec asks for, Updating, Error or Deleting.
	// +optional
	// +kubebuilder:validation:Enum=Pending;Creating;Available;Updating;Error;Deleting
	Phase string `json:"phase,omitempty"`

	// Message is what stands in the way: why it failed, or what is waited for. It is
	// absent while nothing does.
	// +optional
	Message string `json:"message,omitempty"`

	// Differences are the fields in which AWS differed from the spec when it was last
	// looked at, at most 16 of them. They are what an update would change, also where
	// managementPolicies do not allow one, or where the resource is yet to be adopted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Differences []Difference `json:"differences,omitempty"`

	// SettledGeneration is the last generation that came to its end: AWS served it, or
	// said that it does not, or only the user could help. ObservedGeneration is the last
	// one that was looked at.
	// +optional
	SettledGeneration int64 `json:"settledGeneration,omitempty"`
}

// A Difference is one field in which AWS differs from the spec.
type Difference struct {
	// Field below spec.forProvider, such as tags[team].
	// +kubebuilder:validation:MaxLength=256
	Field string `json:"field"`

	// Desired is the value that the spec asks for. It is absent where the spec does not
	// name the field, or what lies in it: an update removes that.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Desired string `json:"desired,omitempty"`

	// Observed is the value in AWS. It is absent where AWS has none.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Observed string `json:"observed,omitempty"`
}

// SetSummary of the resource.
func (s *Summary) SetSummary(to Summary) { *s = to }

// GetSummary of the resource.
func (s *Summary) GetSummary() Summary { return *s }

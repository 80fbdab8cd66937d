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

	// Message is what stands in the way: why it failed, or what is waited for. It is not
	// there while all goes its way.
	// +optional
	Message string `json:"message,omitempty"`
}

// SetSummary of the resource.
func (s *Summary) SetSummary(to Summary) { *s = to }

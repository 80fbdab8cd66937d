package v1beta1

// AccountUsage is an account's Lambda quotas in a region and their use by everything in
// the account (GetAccountSettings).
type AccountUsage struct {
	// Region such as eu-central-1.
	Region string `json:"region"`

	// Unknown is the reason why the rest is not known, such as that the config's identity lacks
	// lambda:GetAccountSettings.
	// +optional
	Unknown string `json:"unknown,omitempty"`

	// ConcurrentExecutions is the number of executions that may run at a time.
	// +optional
	ConcurrentExecutions *int32 `json:"concurrentExecutions,omitempty"`

	// ReservedConcurrentExecutions is the number of these that are reserved for functions.
	// +optional
	ReservedConcurrentExecutions *int32 `json:"reservedConcurrentExecutions,omitempty"`

	// UnreservedConcurrentExecutions is the number of these that are not reserved. AWS does not allow
	// some of them, usually 100, to be reserved.
	// +optional
	UnreservedConcurrentExecutions *int32 `json:"unreservedConcurrentExecutions,omitempty"`

	// CodeStorageLimit is the limit of the stored code of functions, their versions and layers, in bytes.
	// +optional
	CodeStorageLimit *int64 `json:"codeStorageLimit,omitempty"`

	// CodeStorageUsed is the size of the stored code, in bytes.
	// +optional
	CodeStorageUsed *int64 `json:"codeStorageUsed,omitempty"`

	// CodeStorageLeft is the size of the code that may still be stored, in bytes.
	// +optional
	CodeStorageLeft *int64 `json:"codeStorageLeft,omitempty"`

	// FunctionCount is the number of functions.
	// +optional
	FunctionCount *int64 `json:"functionCount,omitempty"`
}

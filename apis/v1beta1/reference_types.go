package v1beta1

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

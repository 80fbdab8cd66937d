package v1beta1

// Environment are environment variables from three sources, as in a Pod. If two sources
// set the same variable, variables and variablesFrom take precedence over envFrom, and
// a later entry of envFrom takes precedence over an earlier one. At most 4 KB in total.
//
// +kubebuilder:validation:XValidation:rule="!has(self.variables) || !has(self.variablesFrom) || self.variablesFrom.all(v, !(v.name in self.variables))",message="a variable is set in both variables and variablesFrom: remove it from one of them"
type Environment struct {
	// Variables are plain names and values. For secrets, use variablesFrom or envFrom.
	// +optional
	// +kubebuilder:validation:MaxProperties=512
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-zA-Z][a-zA-Z0-9_]+$'))",message="a variable name must have at least two letters, digits or underscores and start with a letter",messageExpression="self.filter(k, !k.matches('^[a-zA-Z][a-zA-Z0-9_]+$'))[0] + ' is not a valid variable name: use at least two letters, digits or underscores, starting with a letter'"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !(k in ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_EXECUTION_ENV', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'AWS_LAMBDA_FUNCTION_VERSION', 'AWS_LAMBDA_INITIALIZATION_TYPE', 'AWS_LAMBDA_LOG_GROUP_NAME', 'AWS_LAMBDA_LOG_STREAM_NAME', 'AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_LAMBDA_RUNTIME_API', 'LAMBDA_TASK_ROOT', 'LAMBDA_RUNTIME_DIR']))",message="the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name"
	// +kubebuilder:validation:XValidation:rule="self.map(k, size(k) + size(self[k])).sum() <= 4096",message="the names and values have more than 4096 bytes in total: shorten them, or let the function read large values from elsewhere"
	Variables map[string]string `json:"variables,omitempty"`

	// VariablesFrom are single variables from Secrets and ConfigMaps in this namespace.
	// A change of the source is rolled out immediately.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	VariablesFrom []EnvironmentVariable `json:"variablesFrom,omitempty"`

	// EnvFrom are whole Secrets and ConfigMaps in this namespace, each key of which is a variable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	EnvFrom []EnvironmentSource `json:"envFrom,omitempty"`
}

// EnvironmentVariable is a variable whose value comes from a Secret or ConfigMap.
type EnvironmentVariable struct {
	// Name of the variable.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z][a-zA-Z0-9_]+$')",message="a variable name must have at least two letters, digits or underscores and start with a letter"
	// +kubebuilder:validation:XValidation:rule="!(self in ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_EXECUTION_ENV', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'AWS_LAMBDA_FUNCTION_VERSION', 'AWS_LAMBDA_INITIALIZATION_TYPE', 'AWS_LAMBDA_LOG_GROUP_NAME', 'AWS_LAMBDA_LOG_STREAM_NAME', 'AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_LAMBDA_RUNTIME_API', 'LAMBDA_TASK_ROOT', 'LAMBDA_RUNTIME_DIR'])",message="the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name"
	Name string `json:"name"`

	// ValueFrom is the source of the value.
	ValueFrom ValueSource `json:"valueFrom"`
}

// ValueSource is a key of a Secret or of a ConfigMap.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="set exactly one of secretKeyRef and configMapKeyRef in valueFrom"
type ValueSource struct {
	// SecretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeySelector `json:"secretKeyRef,omitempty"`

	// ConfigMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeySelector `json:"configMapKeyRef,omitempty"`
}

// EnvironmentSource is a whole Secret or ConfigMap.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretRef) != has(self.configMapRef)",message="set exactly one of secretRef and configMapRef in each entry of envFrom"
type EnvironmentSource struct {
	// Prefix is put before each key.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-zA-Z][a-zA-Z0-9_]*$')",message="prefix must start with a letter and have only letters, digits and underscores"
	Prefix *string `json:"prefix,omitempty"`

	// SecretRef names a Secret.
	// +optional
	SecretRef *EnvironmentSourceReference `json:"secretRef,omitempty"`

	// ConfigMapRef names a ConfigMap.
	// +optional
	ConfigMapRef *EnvironmentSourceReference `json:"configMapRef,omitempty"`
}

// EnvironmentSourceReference names a Secret or ConfigMap in the same namespace.
type EnvironmentSourceReference struct {
	// Name of the Secret or ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Optional says that the object may be missing. Default: false.
	// +optional
	Optional *bool `json:"optional,omitempty"`
}

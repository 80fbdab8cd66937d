package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// PermissionParameters are the desired statement of a function's policy, as AddPermission accepts it, and where it is.
// The statement is exact: a field that is not set here is not in it.
//
// +kubebuilder:validation:XValidation:rule="has(self.functionName) || has(self.functionNameRef) || has(self.functionNameSelector)",fieldPath=".functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!(has(self.sourceArn) && has(self.sourceArnFrom))",fieldPath=".sourceArnFrom",reason="FieldValueForbidden",message="sourceArn is also set: set only one of sourceArn and sourceArnFrom"
// +kubebuilder:validation:XValidation:rule="!has(self.functionUrlAuthType) || !has(self.action) || self.action == 'lambda:InvokeFunctionUrl'",fieldPath=".functionUrlAuthType",reason="FieldValueForbidden",message="functionUrlAuthType is for action lambda:InvokeFunctionUrl only: remove it, or set action to lambda:InvokeFunctionUrl"
// +kubebuilder:validation:XValidation:rule="!has(self.principal) || self.principal != '*' || !has(self.action) || self.action != 'lambda:InvokeFunctionUrl' || has(self.functionUrlAuthType) || has(self.principalOrgId)",fieldPath=".functionUrlAuthType",reason="FieldValueRequired",message="set functionUrlAuthType to the authType of the function URL, which AWS requires for principal *"
// +kubebuilder:validation:XValidation:rule="!has(self.invokedViaFunctionUrl) || !has(self.action) || self.action == 'lambda:InvokeFunction'",fieldPath=".invokedViaFunctionUrl",reason="FieldValueForbidden",message="invokedViaFunctionUrl is for action lambda:InvokeFunction only: remove it, or set action to lambda:InvokeFunction"
type PermissionParameters struct {
	ConfiguredFunction `json:",inline"`

	// Qualifier is the version, by its number, or the alias of the function that may be
	// used. Each has a policy of its own. If it is not set, the policy is that of the
	// unqualified function. At most 128 characters. It can't be changed.
	// +optional
	// +crossplane:generate:reference:type=Alias
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self != '$LATEST'",message="$LATEST has no policy: remove qualifier to grant the permission on the unqualified function"
	// +kubebuilder:validation:XValidation:rule="self == '$LATEST' || self.matches('^([$]LATEST[.]PUBLISHED|[a-zA-Z0-9_-]+)$')",message="qualifier must be a version number, the name of an alias, or $LATEST.PUBLISHED"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="qualifier can't be changed: create a new Permission for the other version or alias"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Alias that may be used.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Alias"`

	// QualifierSelector selects the Alias that may be used.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	// StatementID is the statement's ID, which is unique in a policy: 1 to 100 letters, digits, hyphens and
	// underscores. Default: the external name, or else metadata.name. It can't be changed.
	// +optional
	// +kubebuilder:validation:MaxLength=100
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="statementId must have 1 to 100 letters, digits, hyphens and underscores"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="statementId can't be changed: create a new Permission"
	StatementID *string `json:"statementId,omitempty"`

	// Action that is permitted, such as lambda:InvokeFunction or
	// lambda:InvokeFunctionUrl; lambda:* is all of them. Required.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^(lambda:[*]|lambda:[a-zA-Z]+|[*])$')",message="action is not an action of Lambda: use one such as lambda:InvokeFunction, or lambda:* for all of them"
	Action *string `json:"action,omitempty"`

	// Principal that receives the permission: a service such as s3.amazonaws.com, the 12 digits of an account, the ARN
	// of a user or role, or * for anyone. AWS writes an account as the ARN of its root user, which is the same.
	// Required. For a service, also set sourceArn or sourceAccount: without them, the service may invoke the function
	// on behalf of any AWS account.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^([*]|[0-9]{12}|arn:aws[a-zA-Z-]*:(iam|sts)::[^ \\\\t\\\\n\\\\r]+|[a-zA-Z0-9-]+([.][a-zA-Z0-9-]+)+)$')",message="principal is not valid: use a service such as s3.amazonaws.com, the 12 digits of an account, the ARN of a user or role, or *"
	Principal *string `json:"principal,omitempty"`

	// SourceArn is the ARN of the resource that may invoke the function through its service, such as an S3 bucket. It
	// may contain wildcards: AWS compares it with ArnLike.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z0-9-]*:[a-zA-Z0-9-]+:([a-z]+(-[a-z]+)+-[0-9])?:([0-9]{12})?:.*$')",message="sourceArn is not an ARN: use the form arn:aws:s3:::bucket or arn:aws:events:region:123456789012:rule/name"
	SourceArn *string `json:"sourceArn,omitempty"`

	// SourceArnFrom reads the source's ARN from a field of another object in this
	// namespace, such as status.atProvider.arn of a Bucket of the S3 provider.
	// +optional
	SourceArnFrom *FieldSelector `json:"sourceArnFrom,omitempty"`

	// SourceAccount is the account that owns the source: 12 digits. Set it if the ARN contains no account, such as that
	// of a bucket, since another account may own a bucket of the same name later.
	// +optional
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{12}$')",message="sourceAccount is not an account ID: use 12 digits"
	SourceAccount *string `json:"sourceAccount,omitempty"`

	// EventSourceToken is the token that the invoker must supply. For Alexa skills, it
	// is the skill's ID. At most 256 letters, digits, dots, hyphens and underscores.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9._-]+$')",message="eventSourceToken must have 1 to 256 letters, digits, dots, hyphens and underscores"
	EventSourceToken *string `json:"eventSourceToken,omitempty"`

	// FunctionURLAuthType is the authentication type of the function URL: AWS_IAM or
	// NONE. It is for action lambda:InvokeFunctionUrl only.
	// +optional
	// +kubebuilder:validation:Enum=AWS_IAM;NONE
	FunctionURLAuthType *string `json:"functionUrlAuthType,omitempty"`

	// InvokedViaFunctionURL limits action lambda:InvokeFunction to calls through the function's URL. A public URL needs
	// two Permissions: this one, and one for lambda:InvokeFunctionUrl.
	// +optional
	InvokedViaFunctionURL *bool `json:"invokedViaFunctionUrl,omitempty"`

	// PrincipalOrgID is the organization that the principal must belong to, such as
	// o-a1b2c3d4e5. With principal *, all accounts of the organization are permitted.
	// +optional
	// +kubebuilder:validation:MaxLength=34
	// +kubebuilder:validation:XValidation:rule="self.matches('^o-[a-z0-9]{10,32}$')",message="principalOrgId is not an organization ID: use the form o-a1b2c3d4e5"
	PrincipalOrgID *string `json:"principalOrgId,omitempty"`
}

// PermissionSpec is the desired state of a permission.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.action)",fieldPath=".forProvider.action",reason="FieldValueRequired",message="set action, for example to lambda:InvokeFunction"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.principal)",fieldPath=".forProvider.principal",reason="FieldValueRequired",message="set principal to the service, account or role that receives the permission, for example to s3.amazonaws.com"
type PermissionSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the permission.
	ForProvider PermissionParameters `json:"forProvider"`
}

// PermissionObservation is the observed state of a permission (GetPolicy).
type PermissionObservation struct {
	// FunctionName that the policy is of.
	FunctionName *string `json:"functionName,omitempty"`
	// Qualifier of the version or alias that the policy is of.
	Qualifier *string `json:"qualifier,omitempty"`
	// FunctionArn is the ARN of the function, version or alias that the policy is of.
	FunctionArn *string `json:"functionArn,omitempty"`
	// StatementID is the statement's id.
	StatementID *string `json:"statementId,omitempty"`
	// Action that is permitted, if there is exactly one.
	Action *string `json:"action,omitempty"`
	// Principal that has the permission, if there is exactly one. An account is its 12 digits.
	Principal *string `json:"principal,omitempty"`
	// SourceArn of the resource that may invoke the function through its service, if there is exactly one.
	SourceArn *string `json:"sourceArn,omitempty"`
	// Statement as AWS has it, in JSON, without an event source token.
	Statement *string `json:"statement,omitempty"`
	// RevisionID of the whole policy.
	RevisionID *string `json:"revisionId,omitempty"`
}

// PermissionStatus is the observed state of a permission.
type PermissionStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider PermissionObservation `json:"atProvider,omitempty"`
}

// A Permission is a statement of the resource-based policy of an AWS Lambda function,
// version or alias. It permits a principal to use it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaperm
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="PRINCIPAL",type="string",JSONPath=".status.atProvider.principal"
// +kubebuilder:printcolumn:name="SOURCE",type="string",JSONPath=".status.atProvider.sourceArn"
// +kubebuilder:printcolumn:name="QUALIFIER",type="string",JSONPath=".status.atProvider.qualifier",priority=1
// +kubebuilder:printcolumn:name="ACTION",type="string",JSONPath=".status.atProvider.action",priority=1
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="has(self.spec.forProvider.statementId) || size(self.metadata.name) <= 100",fieldPath=".metadata",message="metadata.name is the statement's ID in AWS, which has at most 100 characters: shorten it, or set spec.forProvider.statementId"
// +kubebuilder:validation:XValidation:rule="has(self.spec.forProvider.statementId) || !self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the statement's ID in AWS, which cannot contain dots: use hyphens, or set spec.forProvider.statementId"
type Permission struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PermissionSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new permission as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status PermissionStatus `json:"status,omitempty"`
}

// PermissionList is a list of permissions.
//
// +kubebuilder:object:root=true
type PermissionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Permission `json:"items"`
}

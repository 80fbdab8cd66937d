package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// LayerVersionPermissionParameters are the desired statement of a layer version's policy, as AddLayerVersionPermission
// accepts it, and where it is. The statement is exact: a field that is not set here is not in it.
//
// +kubebuilder:validation:XValidation:rule="has(self.layerName) == has(self.versionNumber)",fieldPath=".versionNumber",reason="FieldValueInvalid",message="layerName and versionNumber must be set together: set both, or remove both and set layerVersionArn, layerVersionArnRef or layerVersionArnSelector"
// +kubebuilder:validation:XValidation:rule="has(self.layerName) || has(self.versionNumber) || has(self.layerVersionArn) || has(self.layerVersionArnRef) || has(self.layerVersionArnSelector)",fieldPath=".layerVersionArn",reason="FieldValueRequired",message="set layerName and versionNumber, or set layerVersionArn, or set layerVersionArnRef or layerVersionArnSelector to a LayerVersion"
// +kubebuilder:validation:XValidation:rule="!has(self.layerName) || !has(self.layerVersionArn) && !has(self.layerVersionArnRef) && !has(self.layerVersionArnSelector)",fieldPath=".layerName",reason="FieldValueForbidden",message="the layer version is set twice: set either layerName and versionNumber, or one of layerVersionArn, layerVersionArnRef and layerVersionArnSelector"
// +kubebuilder:validation:XValidation:rule="!has(self.layerVersionArn) || self.layerVersionArn.contains(':lambda:' + self.region + ':')",fieldPath=".layerVersionArn",reason="FieldValueInvalid",message="layerVersionArn is in another region: set region to the region of the ARN, or use a layer version in region"
// +kubebuilder:validation:XValidation:rule="!has(self.organizationId) || !has(self.principal) || self.principal == '*'",fieldPath=".organizationId",reason="FieldValueForbidden",message="organizationId is for principal * only: remove it, or set principal to *"
type LayerVersionPermissionParameters struct {
	Regional `json:",inline"`

	// LayerName is the name of the layer: letters, digits, hyphens and underscores. Set it together with versionNumber.
	// +optional
	// +kubebuilder:validation:MaxLength=140
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="layerName must be the plain name of a layer: use letters, digits, hyphens and underscores, without an ARN or a version"
	LayerName *string `json:"layerName,omitempty"`

	// VersionNumber is the number of the layer's version, from 1. Set it together with
	// layerName. When it changes, the statement moves to the other version.
	// +optional
	// +kubebuilder:validation:Minimum=1
	VersionNumber *int64 `json:"versionNumber,omitempty"`

	// LayerVersionArn is the ARN of the layer version, instead of layerName and versionNumber.
	// +optional
	// +crossplane:generate:reference:type=LayerVersion
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:[0-9]{12}:layer:[a-zA-Z0-9_-]+:[1-9][0-9]*$')",message="layerVersionArn is not the ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version"
	LayerVersionArn *string `json:"layerVersionArn,omitempty"`

	// LayerVersionArnRef names the LayerVersion that may be used. When that publishes a
	// new version, the statement moves to it.
	// +optional
	LayerVersionArnRef *xpv2.NamespacedReference `json:"layerVersionArnRef,omitempty" refersTo:"LayerVersion"`

	// LayerVersionArnSelector selects the LayerVersion that may be used.
	// +optional
	LayerVersionArnSelector *xpv2.NamespacedSelector `json:"layerVersionArnSelector,omitempty"`

	// StatementID is the statement's ID, which is unique in a policy: 1 to 100 letters, digits, hyphens and
	// underscores. Default: metadata.name. Once set, it can't be changed.
	// +optional
	// +kubebuilder:validation:MaxLength=100
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="statementId must have 1 to 100 letters, digits, hyphens and underscores"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="statementId can't be changed: create a new LayerVersionPermission"
	StatementID *string `json:"statementId,omitempty"`

	// Action that is permitted: lambda:GetLayerVersion, the only action that AWS accepts and the default.
	// +optional
	// +kubebuilder:validation:Enum="lambda:GetLayerVersion"
	Action *string `json:"action,omitempty"`

	// Principal that receives the permission: the 12 digits of an account, the ARN of
	// its root user, which is the same, or * for anyone. Required.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^([*]|[0-9]{12}|arn:aws[a-zA-Z-]*:iam::[0-9]{12}:root)$')",message="principal is not valid: use the 12 digits of an account, the ARN of its root user, or *"
	Principal *string `json:"principal,omitempty"`

	// OrganizationID is the organization whose accounts are permitted, such as o-a1b2c3d4e5. It needs principal *.
	// +optional
	// +kubebuilder:validation:MaxLength=34
	// +kubebuilder:validation:XValidation:rule="self.matches('^o-[a-z0-9]{10,32}$')",message="organizationId is not an organization ID: use the form o-a1b2c3d4e5"
	OrganizationID *string `json:"organizationId,omitempty"`
}

// LayerVersionPermissionSpec is the desired state of a layer version's permission.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.principal)",fieldPath=".forProvider.principal",reason="FieldValueRequired",message="set principal to the account that receives the permission, for example to '111122223333'"
type LayerVersionPermissionSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the permission.
	ForProvider LayerVersionPermissionParameters `json:"forProvider"`
}

// LayerVersionPermissionObservation is the observed state of a layer version's permission (GetLayerVersionPolicy).
type LayerVersionPermissionObservation struct {
	// LayerName that the policy is of.
	LayerName *string `json:"layerName,omitempty"`
	// VersionNumber of the layer's version.
	VersionNumber *int64 `json:"versionNumber,omitempty"`
	// LayerVersionArn is the ARN of the layer's version.
	LayerVersionArn *string `json:"layerVersionArn,omitempty"`
	// StatementID is the statement's id.
	StatementID *string `json:"statementId,omitempty"`
	// Principal that has the permission, if there is exactly one. An account is its 12 digits.
	Principal *string `json:"principal,omitempty"`
	// Statement as AWS has it, in JSON.
	Statement *string `json:"statement,omitempty"`
	// RevisionID of the whole policy.
	RevisionID *string `json:"revisionId,omitempty"`
}

// LayerVersionPermissionStatus is the observed state of a layer version's permission.
type LayerVersionPermissionStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider LayerVersionPermissionObservation `json:"atProvider,omitempty"`
}

// A LayerVersionPermission is a statement of the policy of a version of an AWS Lambda
// layer, which permits other accounts to use it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdalayerperm
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="LAYER",type="string",JSONPath=".status.atProvider.layerName"
// +kubebuilder:printcolumn:name="VERSION",type="integer",JSONPath=".status.atProvider.versionNumber"
// +kubebuilder:printcolumn:name="PRINCIPAL",type="string",JSONPath=".status.atProvider.principal"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="has(self.spec.forProvider.statementId) || size(self.metadata.name) <= 100",fieldPath=".metadata",message="metadata.name is the statement's ID in AWS, which has at most 100 characters: shorten it, or set spec.forProvider.statementId"
// +kubebuilder:validation:XValidation:rule="has(self.spec.forProvider.statementId) || !self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the statement's ID in AWS, which cannot contain dots: use hyphens, or set spec.forProvider.statementId"
type LayerVersionPermission struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LayerVersionPermissionSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new permission as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status LayerVersionPermissionStatus `json:"status,omitempty"`
}

// LayerVersionPermissionList is a list of layer versions' permissions.
//
// +kubebuilder:object:root=true
type LayerVersionPermissionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []LayerVersionPermission `json:"items"`
}

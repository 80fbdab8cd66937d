package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// FunctionURLSettings are the settings of a function URL, as CreateFunctionUrlConfig
// and UpdateFunctionUrlConfig accept them.
//
// A scalar that is not set keeps its value in AWS. The block cors is exact: the
// provider removes from AWS what is not set here.
type FunctionURLSettings struct {
	// AuthType selects who may call the URL: AWS_IAM for callers that IAM authorizes, or NONE for everyone. In both
	// cases the function's policy must also allow the call, see Permission. Required, here or in initProvider.
	// +optional
	// +kubebuilder:validation:Enum=NONE;AWS_IAM
	AuthType *string `json:"authType,omitempty"`

	// Cors sets which pages of other origins may call the URL, and how. When this block
	// is removed, AWS no longer answers preflight requests.
	// +optional
	Cors *Cors `json:"cors,omitempty"`

	// InvokeMode is BUFFERED to send a response when it is complete, at most 6 MB, or RESPONSE_STREAM to send it while
	// it is produced, at most 200 MB. AWS's default is BUFFERED.
	// +optional
	// +kubebuilder:validation:Enum=BUFFERED;RESPONSE_STREAM
	InvokeMode *string `json:"invokeMode,omitempty"`
}

// Cors sets which pages of other origins may call a function URL, and how.
type Cors struct {
	// AllowCredentials sets whether requests may carry cookies and other credentials. AWS's default is false.
	// +optional
	AllowCredentials *bool `json:"allowCredentials,omitempty"`

	// AllowHeaders are the headers that requests may have, such as content-type; at most 100, in any case.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	AllowHeaders []string `json:"allowHeaders,omitempty"`

	// AllowMethods are the methods that may be used, or * for all. AWS always allows OPTIONS.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:items:Enum=GET;PUT;HEAD;POST;PATCH;DELETE;*
	AllowMethods []string `json:"allowMethods,omitempty"`

	// AllowOrigins are the origins that pages may have, such as https://www.example.com, or * for all; 1 to 100.
	// Required, here or in initProvider.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.all(o, o == '*' || o.matches('^[a-z][a-z0-9+.-]*://[^/]+$'))",message="an origin must be a scheme and a host without a path, such as https://www.example.com, or '*' for all"
	AllowOrigins []string `json:"allowOrigins,omitempty"`

	// ExposeHeaders are the headers of answers that pages may read; at most 100, in any case.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	ExposeHeaders []string `json:"exposeHeaders,omitempty"`

	// MaxAge is the time for which browsers may keep the answer to a preflight request, in
	// seconds: 0 to 86400. AWS's default is 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	MaxAge *int32 `json:"maxAge,omitempty"`
}

// FunctionURLParameters are the desired settings of a function URL, and what it is for.
type FunctionURLParameters struct {
	ConfiguredFunction `json:",inline"`

	// Qualifier is the name of the alias that the URL is for. Without it, the URL is for $LATEST. It can't be changed.
	// +optional
	// +crossplane:generate:reference:type=Alias
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9a-zA-Z_-]+$') && !self.matches('^[0-9]+$')",message="qualifier must be the name of an alias: a version has no URL; set an alias, or remove qualifier for the URL of $LATEST"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="qualifier can't be changed: create another resource for the other qualifier"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Alias that the URL is for.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Alias"`

	// QualifierSelector selects the Alias that the URL is for.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	FunctionURLSettings `json:",inline"`
}

// FunctionURLSpec is the desired state of a function URL.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.authType) || has(self.initProvider) && has(self.initProvider.authType)",fieldPath=".forProvider.authType",reason="FieldValueRequired",message="set authType to AWS_IAM, or to NONE for a public URL"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.cors) || has(self.initProvider) && has(self.initProvider.cors)) || has(self.forProvider.cors) && has(self.forProvider.cors.allowOrigins) || has(self.initProvider) && has(self.initProvider.cors) && has(self.initProvider.cors.allowOrigins)",fieldPath=".forProvider.cors.allowOrigins",reason="FieldValueRequired",message="set allowOrigins to the origins that pages may have, or remove cors"
type FunctionURLSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state.
	ForProvider FunctionURLParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool may change them.
	// +optional
	InitProvider *FunctionURLSettings `json:"initProvider,omitempty"`
}

// FunctionURLObservation is the observed state of a function URL (GetFunctionUrlConfig).
type FunctionURLObservation struct {
	// FunctionName of the function.
	FunctionName *string `json:"functionName,omitempty"`
	// Qualifier that it is for.
	Qualifier *string `json:"qualifier,omitempty"`
	// FunctionArn is the ARN of the function or the alias.
	FunctionArn *string `json:"functionArn,omitempty"`
	// FunctionURL is the URL.
	FunctionURL *string `json:"functionUrl,omitempty"`
	// URLID is the first part of the URL's host name.
	URLID *string `json:"urlId,omitempty"`
	// AuthType is NONE or AWS_IAM.
	AuthType *string `json:"authType,omitempty"`
	// Cors is the cross-origin resource sharing configuration.
	Cors *Cors `json:"cors,omitempty"`
	// InvokeMode is BUFFERED or RESPONSE_STREAM.
	InvokeMode *string `json:"invokeMode,omitempty"`
	// CreationTime of the URL.
	CreationTime *string `json:"creationTime,omitempty"`
	// LastModifiedTime is the time at which its settings were last changed.
	LastModifiedTime *string `json:"lastModifiedTime,omitempty"`
}

// FunctionURLStatus is the observed state of a function URL.
type FunctionURLStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider FunctionURLObservation `json:"atProvider,omitempty"`
}

// A FunctionURL is the HTTPS endpoint of an AWS Lambda function or of an alias of it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaurl
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="URL",type="string",JSONPath=".status.atProvider.functionUrl"
// +kubebuilder:printcolumn:name="AUTH",type="string",JSONPath=".status.atProvider.authType",priority=1
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type FunctionURL struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FunctionURLSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new object as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status FunctionURLStatus `json:"status,omitempty"`
}

// FunctionURLList is a list of FunctionURLs.
//
// +kubebuilder:object:root=true
type FunctionURLList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []FunctionURL `json:"items"`
}

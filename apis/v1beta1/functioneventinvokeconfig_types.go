package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// FunctionEventInvokeConfigSettings configure the asynchronous invocations of a function, as
// PutFunctionEventInvokeConfig accepts them.
//
// Each update replaces all settings. A setting that is removed from spec returns to Lambda's default.
type FunctionEventInvokeConfigSettings struct {
	// MaximumEventAgeInSeconds is the time for which Lambda keeps an event that it could not
	// process, in seconds: 60 to 21600. Lambda's default is 21600 (6 hours).
	// +optional
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=21600
	MaximumEventAgeInSeconds *int32 `json:"maximumEventAgeInSeconds,omitempty"`

	// MaximumRetryAttempts is the number of times that Lambda tries again when the function returns an
	// error: 0 to 2. Lambda's default is 2.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2
	MaximumRetryAttempts *int32 `json:"maximumRetryAttempts,omitempty"`

	// DestinationConfig has the destinations of the records of invocations. The function's
	// execution role has to allow sending there.
	// +optional
	DestinationConfig *EventDestinationConfig `json:"destinationConfig,omitempty"`
}

// EventDestinationConfig has the destinations of the records of invocations.
//
// +kubebuilder:validation:XValidation:rule="has(self.onFailure) || has(self.onSuccess)",message="set onFailure or onSuccess, or remove destinationConfig if there is no destination"
type EventDestinationConfig struct {
	// OnFailure is the destination for events that Lambda could not process.
	// +optional
	OnFailure *EventDestination `json:"onFailure,omitempty"`

	// OnSuccess is the destination for events that were processed. It is no S3 bucket.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.destination) || !self.destination.matches('^arn:aws[a-zA-Z-]*:s3:')",fieldPath=".destination",message="destination must be the ARN of a queue, topic, function or event bus, such as arn:aws:sqs:eu-central-1:123456789012:done; a bucket is for onFailure only"
	OnSuccess *EventDestination `json:"onSuccess,omitempty"`
}

// EventDestination is a destination of the records of invocations. Set one of its fields.
//
// +kubebuilder:validation:XValidation:rule="has(self.destination) || has(self.destinationRef) || has(self.destinationSelector) || has(self.destinationFrom)",message="set destination to an ARN, destinationRef or destinationSelector to a Function, or destinationFrom to a field of another object; if there is no destination, remove the block"
// +kubebuilder:validation:XValidation:rule="!(has(self.destination) && has(self.destinationFrom))",fieldPath=".destinationFrom",reason="FieldValueForbidden",message="destination is also set: set only one of destination and destinationFrom"
// +kubebuilder:validation:XValidation:rule="!(has(self.destinationFrom) && (has(self.destinationRef) || has(self.destinationSelector)))",fieldPath=".destinationFrom",reason="FieldValueForbidden",message="destinationRef or destinationSelector is also set: set only one of them and destinationFrom"
type EventDestination struct {
	// Destination is the ARN of a standard SQS queue, a standard SNS topic, an S3 bucket, a
	// Lambda function or an EventBridge event bus. At most 350 characters.
	// +optional
	// +crossplane:generate:reference:type=Function
	// +crossplane:generate:reference:extractor=FunctionARN()
	// +kubebuilder:validation:MaxLength=350
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:(sqs|sns|s3|lambda|events):.+$')",message="destination must be the ARN of a queue, topic, bucket, function or event bus, such as arn:aws:sqs:eu-central-1:123456789012:failed"
	Destination *string `json:"destination,omitempty"`

	// DestinationRef names the Function that is the destination.
	// +optional
	DestinationRef *xpv2.NamespacedReference `json:"destinationRef,omitempty" refersTo:"Function"`

	// DestinationSelector selects the Function that is the destination.
	// +optional
	DestinationSelector *xpv2.NamespacedSelector `json:"destinationSelector,omitempty"`

	// DestinationFrom reads the ARN from a field of another object in this namespace,
	// such as status.atProvider.arn of a Queue of the SQS provider.
	// +optional
	DestinationFrom *FieldSelector `json:"destinationFrom,omitempty"`
}

// FunctionEventInvokeConfigParameters are the desired settings of an asynchronous invocation configuration, and what it
// is for.
type FunctionEventInvokeConfigParameters struct {
	ConfiguredFunction `json:",inline"`

	// Qualifier is the name of the alias or the number of the version that is
	// configured. The default is $LATEST. It can't be changed.
	// +optional
	// +crossplane:generate:reference:type=Alias
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([$]LATEST([.]PUBLISHED)?|[a-zA-Z0-9_-]+)$')",message="qualifier must be the name of an alias, a version number, or $LATEST"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="qualifier can't be changed: create another resource for the other qualifier"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Alias that is configured.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Alias"`

	// QualifierSelector selects the Alias that is configured.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	FunctionEventInvokeConfigSettings `json:",inline"`
}

// FunctionEventInvokeConfigSpec is the desired state of an asynchronous invocation configuration.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies) || has(self.forProvider.maximumEventAgeInSeconds) || has(self.forProvider.maximumRetryAttempts) || has(self.forProvider.destinationConfig) || has(self.initProvider) && (has(self.initProvider.maximumEventAgeInSeconds) || has(self.initProvider.maximumRetryAttempts) || has(self.initProvider.destinationConfig))",fieldPath=".forProvider",reason="FieldValueRequired",message="set at least one of maximumEventAgeInSeconds, maximumRetryAttempts and destinationConfig: AWS rejects an empty configuration"
type FunctionEventInvokeConfigSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state.
	ForProvider FunctionEventInvokeConfigParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool may change them.
	// +optional
	InitProvider *FunctionEventInvokeConfigSettings `json:"initProvider,omitempty"`
}

// FunctionEventInvokeConfigObservation is the observed state of an event invoke configuration
// (GetFunctionEventInvokeConfig).
type FunctionEventInvokeConfigObservation struct {
	// FunctionName of the function.
	FunctionName *string `json:"functionName,omitempty"`
	// Qualifier that it is for.
	Qualifier *string `json:"qualifier,omitempty"`
	// FunctionArn is the ARN of the version or alias.
	FunctionArn *string `json:"functionArn,omitempty"`
	// MaximumEventAgeInSeconds, if it is configured.
	MaximumEventAgeInSeconds *int32 `json:"maximumEventAgeInSeconds,omitempty"`
	// MaximumRetryAttempts, if it is configured.
	MaximumRetryAttempts *int32 `json:"maximumRetryAttempts,omitempty"`
	// OnFailureDestination is the ARN for failed invocations.
	OnFailureDestination *string `json:"onFailureDestination,omitempty"`
	// OnSuccessDestination is the ARN for successful invocations.
	OnSuccessDestination *string `json:"onSuccessDestination,omitempty"`
	// LastModified is the time at which the configuration was last changed.
	LastModified *metav1.Time `json:"lastModified,omitempty"`
}

// FunctionEventInvokeConfigStatus is the observed state of an asynchronous invocation configuration.
type FunctionEventInvokeConfigStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider FunctionEventInvokeConfigObservation `json:"atProvider,omitempty"`
}

// A FunctionEventInvokeConfig configures the asynchronous invocation of an AWS Lambda function, version or alias: how
// long and how often Lambda tries, and where the records of the invocations go.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaeventinvoke
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="QUALIFIER",type="string",JSONPath=".status.atProvider.qualifier"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type FunctionEventInvokeConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FunctionEventInvokeConfigSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new object as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status FunctionEventInvokeConfigStatus `json:"status,omitempty"`
}

// FunctionEventInvokeConfigList is a list of FunctionEventInvokeConfigs.
//
// +kubebuilder:object:root=true
type FunctionEventInvokeConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []FunctionEventInvokeConfig `json:"items"`
}

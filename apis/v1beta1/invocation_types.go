package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// InvocationParameters are the input of an invocation, and when it is due.
//
// Which function is invoked, its qualifier, the payload, clientContext, invocationType, tenantId, durableExecutionName
// and triggers are the input of an invocation: the function is invoked once for each input. The other fields may be
// changed without an invocation.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.payload) && has(self.payloadFrom))",fieldPath=".payloadFrom",reason="FieldValueForbidden",message="payload is also set: set only one of payload and payloadFrom"
// +kubebuilder:validation:XValidation:rule="!has(self.logType) || self.logType != 'Tail' || !has(self.invocationType) || self.invocationType == 'RequestResponse'",fieldPath=".logType",reason="FieldValueForbidden",message="only a synchronous invocation returns its log: remove logType, or set invocationType to RequestResponse"
// +kubebuilder:validation:XValidation:rule="!has(self.recordResult) || !self.recordResult || !has(self.invocationType) || self.invocationType == 'RequestResponse'",fieldPath=".recordResult",reason="FieldValueForbidden",message="only a synchronous invocation returns a result: remove recordResult, or set invocationType to RequestResponse"
// +kubebuilder:validation:XValidation:rule="!has(self.clientContext) || !has(self.invocationType) || self.invocationType == 'RequestResponse'",fieldPath=".clientContext",reason="FieldValueForbidden",message="only a synchronous invocation passes clientContext to the function: remove clientContext, or set invocationType to RequestResponse"
// +kubebuilder:validation:XValidation:rule="!has(self.lifecycleScope) || self.lifecycleScope != 'CRUD' || !has(self.payload) || self.payload.matches('^[ \\\\t\\\\n\\\\r]*[{]')",fieldPath=".payload",reason="FieldValueInvalid",message="with lifecycleScope CRUD, the payload must be a JSON object, since the action is added to it: start it with {"
// +kubebuilder:validation:XValidation:rule="!has(self.lifecycleScope) || self.lifecycleScope != 'CRUD' || !has(self.invocationType) || self.invocationType != 'DryRun'",fieldPath=".lifecycleScope",reason="FieldValueForbidden",message="a dry run does not invoke the function: remove lifecycleScope, or set another invocationType"
// +kubebuilder:validation:XValidation:rule="!has(self.durableExecutionName) || !has(self.lifecycleScope) || self.lifecycleScope != 'CRUD'",fieldPath=".durableExecutionName",reason="FieldValueForbidden",message="with lifecycleScope CRUD, the function is also invoked for the deletion, but Lambda runs one execution of a name: remove durableExecutionName, or set lifecycleScope to CREATE_ONLY"
// +kubebuilder:validation:XValidation:rule="!has(self.terraformKey) || has(self.lifecycleScope) && self.lifecycleScope == 'CRUD'",fieldPath=".terraformKey",reason="FieldValueForbidden",message="terraformKey is used only with lifecycleScope CRUD: remove terraformKey, or set lifecycleScope to CRUD"
type InvocationParameters struct {
	Regional `json:",inline"`

	// FunctionName is the name of the function, or its ARN or partial ARN where it is in another account, without a
	// version. It can't be changed. Required, unless functionNameRef or functionNameSelector is set.
	// +optional
	// +crossplane:generate:reference:type=Function
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^((arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:)?[0-9]{12}:function:)?[a-zA-Z0-9_-]+$')",message="functionName must be the name of a function, or its ARN such as arn:aws:lambda:eu-central-1:123456789012:function:name: set a version or alias in qualifier"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="functionName can't be changed: create a new Invocation of the other function"
	FunctionName *string `json:"functionName,omitempty"`

	// FunctionNameRef names the Function that is invoked.
	// +optional
	FunctionNameRef *xpv2.NamespacedReference `json:"functionNameRef,omitempty" refersTo:"Function"`

	// FunctionNameSelector selects the Function that is invoked.
	// +optional
	FunctionNameSelector *xpv2.NamespacedSelector `json:"functionNameSelector,omitempty"`

	// Qualifier is the version or alias that is invoked. AWS's default is $LATEST. Changing it changes the input.
	// +optional
	// +crossplane:generate:reference:type=Alias
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([$]LATEST([.]PUBLISHED)?|[a-zA-Z0-9_-]+)$')",message="qualifier is not a version or an alias: use a version number, the name of an alias, or $LATEST"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Alias that is invoked.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Alias"`

	// QualifierSelector selects the Alias that is invoked.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	// Payload is the event, in JSON: at most 262144 bytes here (AWS accepts 6 MB, and 1 MB for asynchronous
	// invocations). Without a payload, the function is invoked without an event.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=262144
	Payload *string `json:"payload,omitempty"`

	// PayloadFrom is the source of the event: a key of a Secret or ConfigMap in this namespace. When its content
	// changes, the function is invoked. Content of a Secret is never shown.
	// +optional
	PayloadFrom *ValueSource `json:"payloadFrom,omitempty"`

	// InvocationType is RequestResponse to wait for the result, Event to have Lambda queue the event, or DryRun to
	// check whether the provider may invoke the function. AWS's default is RequestResponse, which is for functions with
	// a timeout of at most 50 seconds. Use Event for functions that take longer.
	// +optional
	// +kubebuilder:validation:Enum=RequestResponse;Event;DryRun
	InvocationType *string `json:"invocationType,omitempty"`

	// LogType is Tail to show the last 4 KB of the function's log in status. AWS's default is None.
	// +optional
	// +kubebuilder:validation:Enum=None;Tail
	LogType *string `json:"logType,omitempty"`

	// ClientContext is a JSON object, encoded as base64, for the context that the function sees: at most 3583 bytes.
	// +optional
	// +kubebuilder:validation:MaxLength=3583
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9+/]+={0,2}$')",message="clientContext is not base64: encode a JSON object as base64"
	ClientContext *string `json:"clientContext,omitempty"`

	// TenantID is the tenant for which a function with tenancyConfig runs: 1 to 256
	// letters, digits, spaces and ._:/=+-@.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9._:/=+@ -]+$')",message="tenantId must have 1 to 256 letters, digits, spaces and . _ : / = + - @"
	TenantID *string `json:"tenantId,omitempty"`

	// DurableExecutionName is the name of the execution of a function with durableConfig: 1 to 64 letters, digits,
	// hyphens and underscores. Lambda runs one execution of a name, so the provider repeats an invocation whose outcome
	// is unknown. Use a different name for each payload. It can't be used with lifecycleScope CRUD.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="durableExecutionName must have 1 to 64 letters, digits, hyphens and underscores"
	DurableExecutionName *string `json:"durableExecutionName,omitempty"`

	// Triggers are any texts, such as the hash of a function's code. When one of them
	// changes, the function is invoked again.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 256 && size(self[k]) <= 4096)",message="a trigger must have a key of at most 256 characters and a value of at most 4096 characters: use a hash of a longer value"
	Triggers map[string]string `json:"triggers,omitempty"`

	// LifecycleScope is CREATE_ONLY to invoke the function once for each input, or CRUD
	// to also invoke it when the Invocation is deleted. With CRUD, the action (create,
	// update or delete) is added to the payload. Default: CREATE_ONLY.
	// +optional
	// +kubebuilder:validation:Enum=CREATE_ONLY;CRUD
	LifecycleScope *string `json:"lifecycleScope,omitempty"`

	// TerraformKey is the key that is added to the payload with lifecycleScope CRUD. It holds action, which is create,
	// update or delete, and prev_input, the payload of the last invocation unless that came from a Secret or ConfigMap.
	// Default: tf, as with Terraform's AWS provider, so that functions which are written for that work.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	TerraformKey *string `json:"terraformKey,omitempty"`

	// RecordResult shows what the function returned in status, at most 16384 bytes of
	// it. Everyone who may read the Invocation can then read it. Default: false.
	// +optional
	RecordResult *bool `json:"recordResult,omitempty"`

	// RetryPolicy sets when the function is invoked again for the same input. Without
	// it, the function is never invoked again for the same input.
	// +optional
	RetryPolicy *InvocationRetryPolicy `json:"retryPolicy,omitempty"`
}

// InvocationRetryPolicy sets the conditions for invoking a function more than once for an input.
type InvocationRetryPolicy struct {
	// MaximumAttempts is the maximum number of invocations for one input while the
	// function returns an error: 1 to 10, including the first one. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	MaximumAttempts *int32 `json:"maximumAttempts,omitempty"`

	// UnknownOutcome sets what to do when it is unknown whether the function ran, because the connection broke or the
	// provider was stopped: Stop, or Retry for functions that may safely run twice. Default: Stop.
	// +optional
	// +kubebuilder:validation:Enum=Stop;Retry
	UnknownOutcome *string `json:"unknownOutcome,omitempty"`
}

// InvocationSpec is the desired state of an invocation.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
type InvocationSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider has the parameters of the invocation.
	ForProvider InvocationParameters `json:"forProvider"`
}

// InvocationObservation is the result of the last invocation (Invoke).
type InvocationObservation struct {
	// FunctionName that was invoked.
	FunctionName *string `json:"functionName,omitempty"`
	// Qualifier that was invoked.
	Qualifier *string `json:"qualifier,omitempty"`
	// InputHash is the fingerprint of what it was invoked with.
	InputHash *string `json:"inputHash,omitempty"`
	// Action that the function was invoked for: create, update or delete.
	Action *string `json:"action,omitempty"`
	// Outcome is Succeeded, FunctionError, NotInvoked if the call was rejected, or Unknown.
	Outcome *string `json:"outcome,omitempty"`
	// Attempts is the number of times that the function was invoked for this input, without rejected calls.
	Attempts *int32 `json:"attempts,omitempty"`
	// LastInvokedTime is the time of the last invocation.
	LastInvokedTime *metav1.Time `json:"lastInvokedTime,omitempty"`
	// Calls is the number of times that Lambda was called for this resource, including rejected calls.
	Calls *int64 `json:"calls,omitempty"`
	// StatusCode is 200 of a synchronous, 202 of an asynchronous and 204 of a dry run.
	StatusCode *int32 `json:"statusCode,omitempty"`
	// ExecutedVersion is the version that ran.
	ExecutedVersion *string `json:"executedVersion,omitempty"`
	// FunctionError is AWS's word for the function's error, such as Unhandled.
	FunctionError *string `json:"functionError,omitempty"`
	// FunctionErrorMessage is the function's error by its type and message, at most 1024 bytes.
	FunctionErrorMessage *string `json:"functionErrorMessage,omitempty"`
	// Result is the payload that the function returned, at most 16384 bytes, with recordResult.
	Result *string `json:"result,omitempty"`
	// ResultTruncated is true where the result was longer.
	ResultTruncated *bool `json:"resultTruncated,omitempty"`
	// LogTail is the end of the function's log, at most 4096 bytes, with logType Tail.
	LogTail *string `json:"logTail,omitempty"`
	// DurableExecutionArn is the ARN of the durable execution.
	DurableExecutionArn *string `json:"durableExecutionArn,omitempty"`
	// Payload of the last invocation that succeeded, with lifecycleScope CRUD and payload.
	Payload *string `json:"payload,omitempty"`
}

// InvocationStatus is the observed state of an invocation.
type InvocationStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the result of the last invocation.
	// +optional
	AtProvider InvocationObservation `json:"atProvider,omitempty"`
}

// An Invocation invokes an AWS Lambda function once for each input, at most once unless it is told otherwise.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdainvoke
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="OUTCOME",type="string",JSONPath=".status.atProvider.outcome"
// +kubebuilder:printcolumn:name="INVOKED",type="date",JSONPath=".status.atProvider.lastInvokedTime"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type Invocation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec InvocationSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new invocation as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status InvocationStatus `json:"status,omitempty"`
}

// InvocationList is a list of invocations.
//
// +kubebuilder:object:root=true
type InvocationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Invocation `json:"items"`
}

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations of an Alias that command its rollout. The value is a token that the user chooses,
// such as a date: a command is carried out once for each value. The value of rollback-to is the
// version to go back to, which may be followed by a slash and a token.
const (
	// RolloutAnnotationPrefix is the common prefix of the annotations.
	RolloutAnnotationPrefix = "rollout.lambda.aws.m.crossplane.io/"

	// AnnotationRolloutAbort routes all invocations to the stable version.
	AnnotationRolloutAbort = RolloutAnnotationPrefix + "abort"
	// AnnotationRolloutPromote ends the current pause.
	AnnotationRolloutPromote = RolloutAnnotationPrefix + "promote"
	// AnnotationRolloutPromoteFull skips all remaining steps, pauses and analyses before the promotion.
	AnnotationRolloutPromoteFull = RolloutAnnotationPrefix + "promote-full"
	// AnnotationRolloutRetry rolls a failed version out again.
	AnnotationRolloutRetry = RolloutAnnotationPrefix + "retry"
	// AnnotationRolloutRollbackTo routes all invocations to a version of the history.
	AnnotationRolloutRollbackTo = RolloutAnnotationPrefix + "rollback-to"
)

// Behaviours of a rollout when the alias was changed by someone else (onDrift).
const (
	OnDriftPause  = "Pause"
	OnDriftRevert = "Revert"
	OnDriftAdopt  = "Adopt"
)

// Phases of a rollout.
const (
	// RolloutPending is a rollout that has not moved any invocation yet.
	RolloutPending = "Pending"
	// RolloutProgressing is a rollout that moves invocations.
	RolloutProgressing = "Progressing"
	// RolloutReady is a rollout whose target version is stable.
	RolloutReady = "Ready"
	// RolloutFailed is a rollout whose target version was rejected, or of which nobody knows whether it is
	// good. The stable version receives all invocations.
	RolloutFailed = "Failed"
)

// Steps of the phases of a rollout.
const (
	RolloutValidating  = "Validating"
	RolloutPreTraffic  = "PreTraffic"
	RolloutShifting    = "Shifting"
	RolloutAnalyzing   = "Analyzing"
	RolloutPaused      = "Paused"
	RolloutPromoting   = "Promoting"
	RolloutBaking      = "Baking"
	RolloutRollingBack = "RollingBack"
)

// AliasRollout moves an alias from the version that serves, the stable one, to another, the
// target, in steps, and back if the target fails.
//
// +kubebuilder:validation:XValidation:rule="!has(self.strategy.allAtOnce) || has(self.finalBakeTime) || !has(self.analysis)",fieldPath=".finalBakeTime",reason="FieldValueRequired",message="an analysis of the strategy allAtOnce runs after all invocations have moved: set finalBakeTime"
type AliasRollout struct {
	// Strategy determines how the invocations move to the target version.
	Strategy RolloutStrategy `json:"strategy"`

	// PreTraffic are invocations of the target version, by its number, before it receives any traffic. If one does not
	// meet its expectations, the rollout fails. They may be repeated after an interruption of the provider.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	PreTraffic []RolloutSmokeTest `json:"preTraffic,omitempty"`

	// Dependencies are the objects that the target version needs. All must be healthy before the rollout begins, and
	// until it ends.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Dependencies []RolloutDependency `json:"dependencies,omitempty"`

	// Analysis decides whether the target version is healthy.
	// +optional
	Analysis *RolloutAnalysis `json:"analysis,omitempty"`

	// ProgressDeadlineSeconds is the time that a step may take in addition to its planned duration,
	// 1 to 86400 seconds; the default is 600. After that, the rollout fails. Only the time counts in
	// which the provider observes the rollout, and in which spec.rollout.paused, a pause without a
	// duration or a change of the alias by someone else do not pause it.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// FinalBakeTime is the time for which the analysis continues after the target version receives all
	// invocations, such as 10m, at most 48h. Until then, a failure rolls back. The default is 0s.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('48h')",message="finalBakeTime must be between 0s and 48h"
	FinalBakeTime *metav1.Duration `json:"finalBakeTime,omitempty"`

	// RollbackWindow are versions that were stable recently: an alias moves back to one of them in
	// one step, without an analysis.
	// +optional
	RollbackWindow *RolloutRollbackWindow `json:"rollbackWindow,omitempty"`

	// OnDrift is the reaction to a change of the alias by someone else: Pause stops the rollout until the
	// alias is as before or the user aborts or promotes, Revert changes the alias back, and Adopt
	// continues from what the alias is now. The default is Pause.
	// +optional
	// +kubebuilder:default=Pause
	// +kubebuilder:validation:Enum=Pause;Revert;Adopt
	OnDrift string `json:"onDrift,omitempty"`

	// Paused stops the rollout: no more invocations move to the target version. The analysis
	// continues, and a failure still rolls back.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// RolloutStrategy determines how the invocations move to the target version.
//
// +kubebuilder:validation:XValidation:rule="[has(self.canary), has(self.linear), has(self.allAtOnce)].filter(b, b).size() == 1",message="set exactly one of canary, linear and allAtOnce"
type RolloutStrategy struct {
	// Canary moves the invocations in the given steps, and after the last one completely.
	// +optional
	Canary *CanaryStrategy `json:"canary,omitempty"`

	// Linear moves the same percentage of the invocations at equal intervals.
	// +optional
	Linear *LinearStrategy `json:"linear,omitempty"`

	// AllAtOnce moves all invocations in one step.
	// +optional
	AllAtOnce *AllAtOnceStrategy `json:"allAtOnce,omitempty"`
}

// CanaryStrategy has the steps of a canary rollout.
type CanaryStrategy struct {
	// Steps of the rollout, in their order.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Steps []CanaryStep `json:"steps"`
}

// A CanaryStep is one step of a canary rollout.
//
// +kubebuilder:validation:XValidation:rule="[has(self.setWeight), has(self.pause), has(self.analysis)].filter(b, b).size() == 1",message="set exactly one of setWeight, pause and analysis"
type CanaryStep struct {
	// SetWeight is the percentage of the invocations that the target version receives from here on:
	// 1 to 99. After the last step it receives all.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	SetWeight *int32 `json:"setWeight,omitempty"`

	// Pause waits.
	// +optional
	Pause *RolloutPause `json:"pause,omitempty"`

	// Analysis waits until each metric has succeeded.
	// +optional
	Analysis *CanaryAnalysis `json:"analysis,omitempty"`
}

// RolloutPause is a pause between two steps.
type RolloutPause struct {
	// Duration of the pause, such as 5m, at most 168h. Without it, the rollout waits for the
	// annotation rollout.lambda.aws.m.crossplane.io/promote.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s') && duration(self) <= duration('168h')",message="duration must be more than 0s and at most 168h"
	Duration *metav1.Duration `json:"duration,omitempty"`
}

// CanaryAnalysis waits until the metrics of the rollout have succeeded.
type CanaryAnalysis struct {
	// Successes is the number of measurements of each metric that have to succeed in this step, 1 to 1000. The default
	// is 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Successes *int32 `json:"successes,omitempty"`
}

// LinearStrategy moves the same percentage of the invocations at equal intervals.
type LinearStrategy struct {
	// Percentage of the invocations that moves in each step, 1 to 99.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	Percentage int32 `json:"percentage"`

	// Interval between two steps, such as 1m, at most 168h.
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s') && duration(self) <= duration('168h')",message="interval must be more than 0s and at most 168h"
	Interval metav1.Duration `json:"interval"`
}

// AllAtOnceStrategy moves all invocations in one step.
type AllAtOnceStrategy struct{}

// A RolloutSmokeTest is an invocation of the target version.
type RolloutSmokeTest struct {
	// Name of the test, which status shows.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// Invoke is the invocation, and what is expected of it.
	Invoke RolloutInvoke `json:"invoke"`
}

// RolloutInvoke is an invocation and what is expected of it.
type RolloutInvoke struct {
	// Payload is the event, in JSON. The default is {}.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Payload *string `json:"payload,omitempty"`

	// TenantID is the tenant for which a function with tenancyConfig is invoked, which requires it: 1 to
	// 256 letters, digits, spaces and ._:/=+-@.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9._:/=+@ -]+$')",message="tenantId must have 1 to 256 letters, digits, spaces and . _ : / = + - @"
	TenantID *string `json:"tenantId,omitempty"`

	// TimeoutSeconds is the time that the response may take, 1 to 50 seconds; the default is 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`

	// Expect is a CEL expression that must be true. Its variables are payload (the response,
	// parsed if it is JSON, else a string), functionError (Handled, Unhandled or an empty string),
	// statusCode and durationMillis. By default, functionError must be empty.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Expect *string `json:"expect,omitempty"`
}

// A RolloutDependency is something that the target version needs.
//
// +kubebuilder:validation:XValidation:rule="has(self.http) != has(self.condition)",message="set exactly one of http and condition"
type RolloutDependency struct {
	// Name of the dependency, which status shows.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// HTTP is a URL that must answer.
	// +optional
	HTTP *RolloutHTTPDependency `json:"http,omitempty"`

	// Condition is a condition that an object of the Alias's namespace must have.
	// +optional
	Condition *RolloutConditionDependency `json:"condition,omitempty"`
}

// RolloutHTTPDependency is a URL that must answer a GET request.
type RolloutHTTPDependency struct {
	// URL to get. The provider's operator allows its host with --analysis-host.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="isURL(self) && (self.startsWith('https://') || self.startsWith('http://'))",message="url must be an http or https URL"
	URL string `json:"url"`

	// ExpectedStatus is the HTTP status that means healthy. By default, each status from 200 to 299 does.
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=599
	ExpectedStatus *int32 `json:"expectedStatus,omitempty"`
}

// RolloutConditionDependency is a condition of an object.
type RolloutConditionDependency struct {
	// APIVersion of the object, such as lambda.aws.m.crossplane.io/v1beta1. The provider needs permission to read it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	APIVersion string `json:"apiVersion"`

	// Kind of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Type of the condition. The default is Ready.
	// +optional
	// +kubebuilder:default=Ready
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type,omitempty"`

	// Status of the condition that means healthy. The default is "True".
	// +optional
	// +kubebuilder:default="True"
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status string `json:"status,omitempty"`
}

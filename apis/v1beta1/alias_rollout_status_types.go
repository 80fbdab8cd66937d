package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AliasRolloutStatus is the state of a rollout. All of it is here: a provider that restarts continues from it.
type AliasRolloutStatus struct {
	// ID of the rollout.
	// +optional
	ID string `json:"id,omitempty"`
	// Phase of the rollout: Pending, Progressing, Ready or Failed.
	// +optional
	Phase string `json:"phase,omitempty"`
	// Step of the phase: Validating or PreTraffic; Shifting, Analyzing, Paused, Promoting, Baking or RollingBack.
	// +optional
	Step string `json:"step,omitempty"`
	// Reason of the step, if it is Paused or RollingBack, or of the phase, if it is Failed.
	// +optional
	Reason string `json:"reason,omitempty"`
	// Message describes the rollout's present step, or the reason why it stopped.
	// +optional
	Message string `json:"message,omitempty"`
	// Waits is the reason why a command waits. It is absent if none does.
	// +optional
	Waits string `json:"waits,omitempty"`
	// Drift describes the change of the alias by someone else. It is absent if there is none.
	// +optional
	Drift string `json:"drift,omitempty"`
	// DifferentSince is the time at which AWS first returned another route of the alias than the expected one. After 30
	// seconds, the difference is taken for a change by someone else. Until then, it may be an outdated answer.
	// +optional
	DifferentSince *metav1.Time `json:"differentSince,omitempty"`
	// Stable is the version that serves.
	// +optional
	Stable RolloutRevision `json:"stable,omitempty"`
	// Target is the version that is rolled out.
	// +optional
	Target RolloutRevision `json:"target,omitempty"`
	// Retried says that the user has asked for the target again, whatever its code and configuration did before.
	// +optional
	Retried bool `json:"retried,omitempty"`
	// TimeoutSeconds is the timeout of the target version: an invocation is in no metric before it has ended.
	// +optional
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
	// CurrentStepIndex is the index of the strategy's current step.
	// +optional
	CurrentStepIndex int32 `json:"currentStepIndex,omitempty"`
	// StepHash identifies the strategy that the index is of.
	// +optional
	StepHash string `json:"stepHash,omitempty"`
	// Direct says that the target moves in one step, because it was stable recently or has the code and
	// configuration of the stable version.
	// +optional
	Direct bool `json:"direct,omitempty"`
	// Intent is the change of the alias that is made next. It is recorded first.
	// +optional
	Intent *RolloutIntent `json:"intent,omitempty"`
	// UpdateFailures is the number of times in a row that AWS has rejected the intended change.
	// +optional
	UpdateFailures int32 `json:"updateFailures,omitempty"`
	// UpdateFailedAt is the time of the last rejection.
	// +optional
	UpdateFailedAt *metav1.Time `json:"updateFailedAt,omitempty"`
	// ObservedWeight is the percentage of the invocations that the target receives.
	// +optional
	ObservedWeight int32 `json:"observedWeight,omitempty"`
	// StartedAt is the time at which the rollout began.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// StepStartedAt is the time at which the current step began.
	// +optional
	StepStartedAt *metav1.Time `json:"stepStartedAt,omitempty"`
	// StepElapsed is the time for which the current step has been observed. The time in which the provider did not
	// look, or in which the rollout was paused, does not count. The durations of steps and the deadline are measured by
	// it.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s')"
	StepElapsed metav1.Duration `json:"stepElapsed,omitempty"`
	// StepRestarts is the number of times that the current step was measured anew, such as after someone else had
	// changed the alias. The first five times, it has the time for that again. After a rollout, it is the number of
	// times that someone else has changed the alias and changed it back at once.
	// +optional
	StepRestarts int32 `json:"stepRestarts,omitempty"`
	// Woken has the times at which inactive versions were last invoked so that AWS prepares them, by their numbers.
	// +optional
	Woken map[string]metav1.Time `json:"woken,omitempty"`
	// ObservedAt is the time at which the rollout was last observed. It is absent while the rollout is paused.
	// +optional
	ObservedAt *metav1.Time `json:"observedAt,omitempty"`
	// ShiftedAt is the time at which the target received its present weight, or received it again after someone else
	// had changed the alias. Before the first weight, it is that of the last change of the alias. The time for which
	// nobody looked is added, if it is more than a minute.
	// +optional
	ShiftedAt *metav1.Time `json:"shiftedAt,omitempty"`
	// TrafficStartedAt is the time at which the target received its first invocation at the earliest, or the first one
	// after someone else had changed the alias.
	// +optional
	TrafficStartedAt *metav1.Time `json:"trafficStartedAt,omitempty"`
	// ChangedBack says that trafficStartedAt is the time at which someone else's change of the alias was changed back.
	// +optional
	ChangedBack bool `json:"changedBack,omitempty"`
	// FinishedAt is the time at which the rollout became Ready or Failed.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// NextCheckAt is the time at which the rollout is observed next.
	// +optional
	NextCheckAt *metav1.Time `json:"nextCheckAt,omitempty"`
	// Checks are the results of smoke tests, dependencies, metrics and alarms.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Checks []RolloutCheck `json:"checks,omitempty"`
	// FailedTargets are versions that failed, at most 50, the latest first: by an analysis or a smoke test, or because
	// the user has rejected them. Their code and configuration is not rolled out again, unless the user asks for it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	FailedTargets []RolloutFailure `json:"failedTargets,omitempty"`
	// History are the versions that were stable, the latest first, at most 20.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	History []RolloutRevision `json:"history,omitempty"`
	// Replaced are versions that were the stable one or the target until another one replaced them, and those that
	// someone else had made the alias invoke until it was changed back, at most 50, the latest first. For 15 minutes
	// they are not deleted: what the alias has invoked of them may still run.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	Replaced []RolloutReplacement `json:"replaced,omitempty"`
	// HandledCommands are the values of the command annotations that were carried out, by command.
	// +optional
	HandledCommands map[string]string `json:"handledCommands,omitempty"`
	// FormerCommands are hashes of the commands that were carried out before those of handledCommands, at most 20, the
	// latest first: a tool that writes an earlier value again repeats no command.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	FormerCommands []string `json:"formerCommands,omitempty"`
}

// A RolloutRevision is a version and a hash of its code and configuration.
type RolloutRevision struct {
	// FunctionVersion is the version's number.
	// +optional
	FunctionVersion string `json:"functionVersion,omitempty"`
	// Fingerprint is a hash of the version's code and configuration.
	// +optional
	Fingerprint string `json:"fingerprint,omitempty"`
	// CodeRevision is the revision of the version's code, such as main@sha1:c5d4e9. It is present if the Function that
	// functionNameRef names has published the version, and its code is from a source with revisions.
	// +optional
	CodeRevision string `json:"codeRevision,omitempty"`
}

// A RolloutIntent is a change of the alias.
type RolloutIntent struct {
	// FunctionVersion that the alias is to invoke.
	FunctionVersion string `json:"functionVersion"`
	// AdditionalVersion that receives a part of the invocations.
	// +optional
	AdditionalVersion string `json:"additionalVersion,omitempty"`
	// Weight is the percentage of the invocations that the additional version receives.
	// +optional
	Weight int32 `json:"weight,omitempty"`
	// RevisionID of the alias that is changed.
	// +optional
	RevisionID string `json:"revisionId,omitempty"`
	// Accepted says that AWS has accepted the change.
	// +optional
	Accepted bool `json:"accepted,omitempty"`
}

// A RolloutCheck is the state of a smoke test, a dependency, a metric or an alarm.
type RolloutCheck struct {
	// Name of the check.
	Name string `json:"name"`
	// Type of the check: PreTraffic, Dependency, Metric or Alarm.
	Type string `json:"type"`
	// Result of the last measurement: Success, Failure, Inconclusive, Error, or Running for an
	// invocation that has begun.
	// +optional
	Result string `json:"result,omitempty"`
	// Value of the last measurement.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Value string `json:"value,omitempty"`
	// Message about the last measurement.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
	// MeasuredAt is the time of the last measurement.
	// +optional
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
	// JudgedUntil is the time up to which the last measurement has judged invocations, by when they began. Later ones
	// may not have ended, or may not be in the metric yet.
	// +optional
	JudgedUntil *metav1.Time `json:"judgedUntil,omitempty"`
	// Successes since the present weight, of measurements that have judged invocations with this weight.
	// +optional
	Successes int32 `json:"successes,omitempty"`
	// Failures since the rollout began. Those of a dry run do not count.
	// +optional
	Failures int32 `json:"failures,omitempty"`
	// Inconclusive is the number of inconclusive measurements in a row.
	// +optional
	Inconclusive int32 `json:"inconclusive,omitempty"`
	// Errors is the number of measurements without a value in a row.
	// +optional
	Errors int32 `json:"errors,omitempty"`
	// Ignored says that the check does not count: an alarm that was in state ALARM when the rollout began and has not
	// left it since, or a metric with onFailure Pause that had failed before promote-full and has not succeeded since.
	// +optional
	Ignored bool `json:"ignored,omitempty"`
	// DefinitionHash is a hash of what spec has of a metric or a dependency. Results by another definition, except
	// failures, do not count.
	// +optional
	DefinitionHash string `json:"definitionHash,omitempty"`
}

// A RolloutFailure is a version that failed.
type RolloutFailure struct {
	RolloutRevision `json:",inline"`
	// Reason of the failure.
	// +optional
	Reason string `json:"reason,omitempty"`
	// FailedAt is the time at which it failed.
	// +optional
	FailedAt *metav1.Time `json:"failedAt,omitempty"`
}

// A RolloutReplacement is a version that another one has replaced.
type RolloutReplacement struct {
	// FunctionVersion is the version's number.
	FunctionVersion string `json:"functionVersion"`
	// ReplacedAt is the time at which it was replaced.
	ReplacedAt metav1.Time `json:"replacedAt"`
}

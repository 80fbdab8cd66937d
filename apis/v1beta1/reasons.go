package v1beta1

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// Types of conditions, besides Crossplane's Ready, Synced and Healthy.
const (
	// TypeStalled is a condition that is True while only the user can help because the input is invalid, or a rollout
	// has failed. kstatus, and therefore Flux and kpt, use it to distinguish a failure from a delay.
	TypeStalled xpv2.ConditionType = "Stalled"

	// TypePlanned is a condition that says what would be done about a resource that is only planned or only observed.
	TypePlanned xpv2.ConditionType = "Planned"

	// TypeDeletionHeld is a condition that is True while a deletion waits for a person to confirm it.
	TypeDeletionHeld xpv2.ConditionType = "DeletionHeld"

	// TypeAdvisory is a condition that is True while there are findings about a resource that its other conditions do
	// not report. Its reason has their codes, separated by commas. It does not affect Ready.
	TypeAdvisory xpv2.ConditionType = "Advisory"

	// TypeReachable is the condition of a config that reports whether AWS answers calls that are made with it. A config
	// whose calls were always answered does not have the condition.
	TypeReachable xpv2.ConditionType = "Reachable"

	// TypeReceivesDriftEvents is the condition of a config that reports whether messages are received from the queue of
	// spec.driftEvents. A config without one does not have the condition.
	TypeReceivesDriftEvents xpv2.ConditionType = "ReceivesDriftEvents"
)

// Reasons of the condition Ready, besides Crossplane's Available, Creating, Deleting and Unavailable.
const (
	// ReasonUpdating means that AWS applies a change.
	ReasonUpdating xpv2.ConditionReason = "Updating"

	// ReasonDiffers means that AWS has something else than spec asks for, and managementPolicies do not allow
	// changing it.
	ReasonDiffers xpv2.ConditionReason = "Differs"

	// ReasonRolledBack means that a rollout has failed, and AWS serves the version before it.
	ReasonRolledBack xpv2.ConditionReason = "RolledBack"
)

// Reasons of the condition Stalled.
const (
	// ReasonInvalidInput means that the input has to be changed.
	ReasonInvalidInput xpv2.ConditionReason = "InvalidInput"

	// ReasonProceeding means that nothing needs the user any more.
	ReasonProceeding xpv2.ConditionReason = "Proceeding"
)

// Reasons of the condition Planned.
const (
	// ReasonChangesPlanned means that something would be done.
	ReasonChangesPlanned xpv2.ConditionReason = "ChangesPlanned"

	// ReasonNothingPlanned means that AWS has what spec asks for.
	ReasonNothingPlanned xpv2.ConditionReason = "NothingPlanned"

	// ReasonNotPlanned means that the resource is reconciled: it is no longer only planned or only observed.
	ReasonNotPlanned xpv2.ConditionReason = "NotPlanned"
)

// Reasons of the condition DeletionHeld.
const (
	// ReasonTooManyDeletions means that the limit of deletions is reached.
	ReasonTooManyDeletions xpv2.ConditionReason = "TooManyDeletions"

	// ReasonRecentlyInvoked means that the function was invoked recently.
	ReasonRecentlyInvoked xpv2.ConditionReason = "RecentlyInvoked"

	// ReasonInvocationsUnknown means that CloudWatch does not say whether the function was invoked.
	ReasonInvocationsUnknown xpv2.ConditionReason = "InvocationsUnknown"

	// ReasonDeletionProceeds means that the deletion no longer waits.
	ReasonDeletionProceeds xpv2.ConditionReason = "DeletionProceeds"
)

// ReasonNoFindings is the reason of the condition Advisory if there are no findings any more.
const ReasonNoFindings xpv2.ConditionReason = "NoFindings"

// Reasons of the condition Reachable.
const (
	// ReasonCircuitBreakerOpen means that consecutive calls got no answer.
	ReasonCircuitBreakerOpen xpv2.ConditionReason = "CircuitBreakerOpen"

	// ReasonAnswering means that AWS answers again.
	ReasonAnswering xpv2.ConditionReason = "Answering"
)

// Reasons of the condition ReceivesDriftEvents.
const (
	// ReasonReceiving means that the last call of SQS succeeded.
	ReasonReceiving xpv2.ConditionReason = "Receiving"

	// ReasonStarting means that SQS was not called yet.
	ReasonStarting xpv2.ConditionReason = "Starting"

	// ReasonQueueNotFound means that the queue does not exist.
	ReasonQueueNotFound xpv2.ConditionReason = "QueueNotFound"

	// ReasonQueueDenied means that the identity of the config lacks a permission of SQS.
	ReasonQueueDenied xpv2.ConditionReason = "QueueAccessDenied"

	// ReasonEventsMissing means that the queue works, and that no event of CloudTrail has arrived about a call of the
	// provider.
	ReasonEventsMissing xpv2.ConditionReason = "EventsMissing"

	// ReasonQueueFailing means that calls of SQS fail for another reason.
	ReasonQueueFailing xpv2.ConditionReason = "CannotReceive"
)

// Reasons of status.rollout, while it is Paused, RollingBack or Failed.
const (
	// RolloutReasonPaused is a rollout that spec.rollout.paused pauses.
	RolloutReasonPaused = "Paused"

	// RolloutReasonPauseStep is a rollout in a pause without a duration.
	RolloutReasonPauseStep = "PauseStep"

	// RolloutReasonInconclusive is a rollout whose health is not known.
	RolloutReasonInconclusive = "Inconclusive"

	// RolloutReasonAliasChanged is a rollout whose alias someone else has changed.
	RolloutReasonAliasChanged = "AliasChanged"

	// RolloutReasonAnalysisFailed is a target whose metrics or alarms have failed.
	RolloutReasonAnalysisFailed = "AnalysisFailed"

	// RolloutReasonAnalysisError is a target whose metric had no value too often.
	RolloutReasonAnalysisError = "AnalysisError"

	// RolloutReasonSmokeTestFailed is a target whose invocation before any traffic has failed.
	RolloutReasonSmokeTestFailed = "SmokeTestFailed"

	// RolloutReasonSmokeTestError is a target that AWS did not invoke for a smoke test.
	RolloutReasonSmokeTestError = "SmokeTestError"

	// RolloutReasonInvalidVersion is a target that can't serve.
	RolloutReasonInvalidVersion = "InvalidVersion"

	// RolloutReasonProgressDeadlineExceeded is a rollout that made no progress in time.
	RolloutReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"

	// RolloutReasonAborted is a rollout that the user has aborted.
	RolloutReasonAborted = "Aborted"

	// RolloutReasonRollbackTo is a rollback to a version that the user has named.
	RolloutReasonRollbackTo = "RollbackTo"

	// RolloutReasonSuperseded is a rollout whose target or strategy was replaced.
	RolloutReasonSuperseded = "Superseded"

	// RolloutReasonFailedBefore is a target whose code and configuration have failed in an earlier rollout.
	RolloutReasonFailedBefore = "FailedBefore"
)

// Reasons of the events about a managed resource and what it stands for in AWS.
const (
	// EventCreated, EventUpdated and EventDeleted report a change that was made. The runtime emits them.
	EventCreated = "CreatedExternalResource"
	EventUpdated = "UpdatedExternalResource"
	EventDeleted = "DeletedExternalResource"

	// EventAvailable, EventUnavailable and EventDiffers report another state in AWS.
	EventAvailable   = "Available"
	EventUnavailable = "Unavailable"
	EventDiffers     = "DiffersFromSpec"

	// EventAdopted reports an external resource that was adopted.
	EventAdopted = "AdoptedExternalResource"

	// EventFound reports an external resource that was found by its tags, because the managed resource has lost its
	// external name.
	EventFound = "FoundExternalResource"

	// EventRecreating reports an external resource that no longer exists in AWS and is created again.
	EventRecreating = "RecreatingExternalResource"

	// EventAlreadyOwned says that another resource owns what this one names, whatever the runtime was about to do.
	EventAlreadyOwned = "AlreadyOwned"

	// EventWaitingForReference reports what a creation waits for, such as a function that was applied together with its
	// alias. It is a normal event.
	EventWaitingForReference = "WaitingForReference"

	// EventLeftForeignResource reports an external resource that was left in AWS when its managed resource was deleted,
	// because the managed resource does not own it.
	EventLeftForeignResource = "LeftForeignResource"

	// EventRemovedRejectedResource and EventLeftRejectedResource report a resource that was rejected after it had
	// created something: whether that was deleted from AWS, or may be left there. They are emitted about the resource
	// that owns what was acted on, and about the rejected one.
	EventRemovedRejectedResource = "RemovedRejectedResource"
	EventLeftRejectedResource    = "LeftRejectedResource"

	// EventDeletionHeld and EventDeletionConfirmed report that a deletion waits for a confirmation, and that it has it.
	EventDeletionHeld      = "DeletionHeld"
	EventDeletionConfirmed = "DeletionConfirmed"

	// EventProviderPanicked reports a bug of the provider that a reconcile has run into.
	EventProviderPanicked = "ProviderPanicked"
)

// Reasons of the events of single kinds.
const (
	// EventCannotReleaseVPC reports a Function that is deleted without releasing its network interfaces.
	EventCannotReleaseVPC = "CannotReleaseVPC"

	// EventKeptVersion reports a version that was not deleted.
	EventKeptVersion = "KeptVersion"

	// EventUnknownOutcome reports an Invocation whose outcome is not known, since its answer was lost.
	EventUnknownOutcome = "UnknownOutcome"

	// EventFunctionNotTold reports an Invocation whose function does not learn of its deletion.
	EventFunctionNotTold = "FunctionNotTold"
)

// Reasons of the events about a config.
const (
	// EventIdentified reports the AWS identity that a config has.
	EventIdentified = "Identified"

	// EventCannotAuthenticate reports that a config has no valid credentials.
	EventCannotAuthenticate = "CannotAuthenticate"

	// EventDeletionBlocked reports that resources still use a config that was deleted.
	EventDeletionBlocked = "DeletionBlocked"
)

// Reasons of the events about the rollout of an Alias.
const (
	// EventRolloutStarted and those after it report the next step of a rollout.
	EventRolloutStarted     = "RolloutStarted"
	EventRolloutShifted     = "RolloutShifted"
	EventRolloutPaused      = "RolloutPaused"
	EventRolloutPromoting   = "RolloutPromoting"
	EventRolloutCompleted   = "RolloutCompleted"
	EventRolloutRollingBack = "RolloutRollingBack"
	EventRolloutFailed      = "RolloutFailed"

	// EventRolloutRestarted reports that an alias whose stable version AWS no longer has is created again with another.
	EventRolloutRestarted = "RolloutRestarted"

	// EventRolloutCommand reports a command of the user, and whether it applies.
	EventRolloutCommand = "RolloutCommand"

	// EventRolloutMetricFailed reports a measurement that has failed, or had no value.
	EventRolloutMetricFailed = "RolloutMetricFailed"

	// EventAliasChanged reports that someone else has changed the alias during a rollout.
	EventAliasChanged = "AliasChanged"
)

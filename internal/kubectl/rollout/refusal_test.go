package rollout

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestRefusal(t *testing.T) {
	step := func(step, reason string) func(a *v1beta1.Alias) {
		return status(func(s *v1beta1.AliasRolloutStatus) { s.Step, s.Reason = step, reason })
	}
	pending := status(func(s *v1beta1.AliasRolloutStatus) {
		s.Phase, s.Step, s.CurrentStepIndex, s.ObservedWeight = v1beta1.RolloutPending, v1beta1.RolloutValidating, 0, 0
	})
	baking := status(func(s *v1beta1.AliasRolloutStatus) { s.Step, s.ObservedWeight = v1beta1.RolloutBaking, 100 })
	weighing := status(func(s *v1beta1.AliasRolloutStatus) { s.CurrentStepIndex = 2 })
	paused := func(a *v1beta1.Alias) {
		a.Spec.Rollout.Paused = true
		step(v1beta1.RolloutPaused, v1beta1.RolloutReasonPaused)(a)
	}
	drifted := func(a *v1beta1.Alias) {
		served("7")(a)
		step(v1beta1.RolloutPaused, v1beta1.RolloutReasonAliasChanged)(a)
	}
	desires := func(version string) func(a *v1beta1.Alias) {
		return func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersion = &version }
	}
	type args struct {
		alias             *v1beta1.Alias
		annotation, value string
	}
	cases := map[string]struct {
		reason string
		args   args
		want   string
		waits  string
	}{
		"Abort": {
			reason: "A rollout in progress can be aborted.",
			args:   args{canary(), v1beta1.AnnotationRolloutAbort, "t"},
		},
		"AbortPending": {
			reason: "A rollout can be aborted before it moves invocations.",
			args:   args{canary(pending), v1beta1.AnnotationRolloutAbort, "t"},
		},
		"AbortReady": {
			reason: "There is nothing to abort after a success.",
			args:   args{canary(ready), v1beta1.AnnotationRolloutAbort, "t"},
			want:   "no rollout is in progress: version 2 is stable",
		},
		"AbortFailed": {
			reason: "There is nothing to abort after a failure.",
			args:   args{canary(rejected), v1beta1.AnnotationRolloutAbort, "t"},
			want:   "no rollout is in progress: version 2 was rejected (AnalysisFailed), version 1 is stable",
		},
		"AbortUnknown": {
			reason: "There is nothing to abort after a failure that says nothing about the version.",
			args:   args{canary(unknown), v1beta1.AnnotationRolloutAbort, "t"},
			want:   "no rollout is in progress: version 2 was not rolled out (ProgressDeadlineExceeded), version 1 is stable",
		},
		"AbortValidating": {
			reason: "A rollout whose version is validated again can be aborted.",
			args:   args{canary(revalidated), v1beta1.AnnotationRolloutAbort, "t"},
		},
		"AbortDrift": {
			reason: "After a change by someone else, abort returns to the stable version.",
			args:   args{canary(ready, served("1")), v1beta1.AnnotationRolloutAbort, "t"},
		},
		"AbortTwice": {
			reason: "A rollback is not aborted.",
			args: args{
				canary(step(v1beta1.RolloutRollingBack, v1beta1.RolloutReasonAborted)),
				v1beta1.AnnotationRolloutAbort,
				"t",
			},
			want: "rollout 2-t87v8a already rolls back to version 1",
		},
		"Promote": {
			reason: "A pause with a duration can be ended.",
			args:   args{canary(), v1beta1.AnnotationRolloutPromote, "t"},
		},
		"PromotePause": {
			reason: "A pause without a duration can be ended.",
			args: args{
				canary(step(v1beta1.RolloutPaused, v1beta1.RolloutReasonPauseStep)),
				v1beta1.AnnotationRolloutPromote,
				"t",
			},
		},
		"PromoteDrift": {
			reason: "After a change by someone else, promote continues at the weight of the rollout.",
			args:   args{canary(drifted), v1beta1.AnnotationRolloutPromote, "t"},
		},
		"PromoteFullDrift": {
			reason: "After a change by someone else, promote --full moves all invocations.",
			args:   args{canary(drifted), v1beta1.AnnotationRolloutPromoteFull, "t"},
		},
		"PromoteWeight": {
			reason: "Another step does not wait for the user.",
			args:   args{canary(weighing), v1beta1.AnnotationRolloutPromote, "t"},
			want:   "rollout 2-t87v8a does not wait for a promotion: Progressing, Analyzing; to skip the remaining steps and checks, promote it in full",
		},
		"PromoteUser": {
			reason: "spec.rollout.paused is for the manifest.",
			args:   args{canary(paused), v1beta1.AnnotationRolloutPromote, "t"},
			want:   "spec.rollout.paused is true: set it to false to continue, or remove it",
		},
		"PromoteReady": {
			reason: "There is nothing to promote.",
			args:   args{canary(ready), v1beta1.AnnotationRolloutPromote, "t"},
			want:   "no rollout is in progress: version 2 is stable",
		},
		"PromoteFull": {
			reason: "All steps can be skipped.",
			args:   args{canary(weighing), v1beta1.AnnotationRolloutPromoteFull, "t"},
		},
		"PromoteFullPending": {
			reason: "All steps can be skipped before the first one.",
			args:   args{canary(pending), v1beta1.AnnotationRolloutPromoteFull, "t"},
		},
		"PromoteFullUser": {
			reason: "Steps cannot be skipped while the manifest pauses the rollout.",
			args:   args{canary(paused), v1beta1.AnnotationRolloutPromoteFull, "t"},
			want:   "spec.rollout.paused is true: set it to false to continue, or remove it",
		},
		"PromoteFullBaking": {
			reason: "No steps can be skipped when all invocations have moved.",
			args:   args{canary(baking), v1beta1.AnnotationRolloutPromoteFull, "t"},
			want:   "rollout 2-t87v8a is promoted already: Progressing, Baking",
		},
		"Retry": {
			reason: "A failure can be retried.",
			args:   args{canary(rejected), v1beta1.AnnotationRolloutRetry, "t"},
		},
		"RetryUnknown": {
			reason: "A failure that says nothing about the version can be retried.",
			args:   args{canary(unknown), v1beta1.AnnotationRolloutRetry, "t"},
		},
		"RetryDrift": {
			reason: "retry waits while someone else has changed the alias.",
			args: args{
				canary(
					rejected,
					served("7"),
					status(func(s *v1beta1.AliasRolloutStatus) { s.Drift = "someone else has changed the alias" }),
				),
				v1beta1.AnnotationRolloutRetry,
				"t",
			},
			waits: "someone else has changed the alias",
		},
		"RetryMoving": {
			reason: "retry waits while AWS still moves the alias.",
			args:   args{canary(rejected, served("2")), v1beta1.AnnotationRolloutRetry, "t"},
			waits:  "AWS does not show the alias as the rollout has left it",
		},
		"RetryReplaced": {
			reason: "A version that another one has replaced in the manifest is not rolled out.",
			args:   args{canary(rejected, served("7"), desires("3")), v1beta1.AnnotationRolloutRetry, "t"},
			want:   "version 3 is desired now",
		},
		"PromoteReplaced": {
			reason: "Nor is it promoted.",
			args:   args{canary(drifted, desires("3")), v1beta1.AnnotationRolloutPromote, "t"},
			want:   "version 3 is desired now",
		},
		"RetryReady": {
			reason: "A success cannot be retried.",
			args:   args{canary(ready), v1beta1.AnnotationRolloutRetry, "t"},
			want:   "there is nothing to retry: version 2 is stable",
		},
		"RetryUser": {
			reason: "A rollout does not begin while the manifest pauses it.",
			args: args{
				canary(rejected, func(a *v1beta1.Alias) { a.Spec.Rollout.Paused = true }),
				v1beta1.AnnotationRolloutRetry,
				"t",
			},
			want: "spec.rollout.paused is true: set it to false to continue, or remove it",
		},
		"RetryInProgress": {
			reason: "A rollout in progress cannot be retried.",
			args:   args{canary(), v1beta1.AnnotationRolloutRetry, "t"},
			want:   "there is nothing to retry: rollout 2-t87v8a is in progress: Progressing, Analyzing",
		},
		"Undo": {
			reason: "A version of the history can serve again.",
			args:   args{canary(ready), v1beta1.AnnotationRolloutRollbackTo, "1/t"},
		},
		"UndoInProgress": {
			reason: "A rollout can be ended.",
			args:   args{canary(), v1beta1.AnnotationRolloutRollbackTo, "1/t"},
		},
		"UndoUnknown": {
			reason: "Another version has never been stable.",
			args:   args{canary(ready), v1beta1.AnnotationRolloutRollbackTo, "7/t"},
			want:   "version 7 is not in the history: choose one of 1",
		},
		"UndoFailed": {
			reason: "The version that failed has never been stable.",
			args: args{
				canary(
					rejected,
					status(
						func(s *v1beta1.AliasRolloutStatus) { s.History = []v1beta1.RolloutRevision{{FunctionVersion: "0"}} },
					),
				),
				v1beta1.AnnotationRolloutRollbackTo,
				"2/t",
			},
			want: "version 2 is not in the history: choose one of 0",
		},
		"UndoServes": {
			reason: "After a failure, the stable version serves.",
			args:   args{canary(rejected), v1beta1.AnnotationRolloutRollbackTo, "1/t"},
			want:   "no rollout is in progress: version 2 was rejected (AnalysisFailed), version 1 is stable",
		},
		"UndoNothing": {
			reason: "There is no history.",
			args:   args{canary(rejected), v1beta1.AnnotationRolloutRollbackTo, "7/t"},
			want:   "version 7 is not in the history, which is empty",
		},
		"UndoChanged": {
			reason: "After a change by someone else, the stable version can serve again.",
			args:   args{canary(ready, served("3")), v1beta1.AnnotationRolloutRollbackTo, "2/t"},
		},
		"UndoStable": {
			reason: "The version serves.",
			args:   args{canary(ready), v1beta1.AnnotationRolloutRollbackTo, "2/t"},
			want:   "no rollout is in progress: version 2 is stable",
		},
		"UndoPending": {
			reason: "A rollout that has moved no invocation ends, too.",
			args:   args{canary(pending), v1beta1.AnnotationRolloutRollbackTo, "1/t"},
		},
		"UndoTwice": {
			reason: "A rollback is not commanded twice.",
			args: args{
				canary(step(v1beta1.RolloutRollingBack, v1beta1.RolloutReasonAborted)),
				v1beta1.AnnotationRolloutRollbackTo,
				"1/t",
			},
			want: "rollout 2-t87v8a already rolls back to version 1",
		},
		"NoState": {
			reason: "Without a state, nothing is known.",
			args: args{
				canary(func(a *v1beta1.Alias) { a.Status.Rollout = nil }),
				v1beta1.AnnotationRolloutAbort,
				"t",
			},
			want: "the provider has not observed the rollout of alias.lambda.aws.m.crossplane.io/live yet",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := tc.args.alias.DeepCopy()
			waits, err := refusal(tc.args.alias, tc.args.annotation, tc.args.value, at)
			if got := errorText(err); got != tc.want || waits != tc.waits {
				t.Errorf("%s: got %q, waits %q, want %q, %q", tc.reason, got, waits, tc.want, tc.waits)
			}
			if before.Status.Rollout != nil && before.Status.Rollout.Step != tc.args.alias.Status.Rollout.Step {
				t.Errorf("the alias was changed")
			}
		})
	}
}

func TestPrevious(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   *v1beta1.Alias
		want   string
		err    string
	}{
		"InProgress": {reason: "A rollout in progress is ended.", args: canary(), want: "1"},
		"Ready":      {reason: "The version before serves again.", args: canary(ready), want: "1"},
		"First": {
			reason: "There is no version before.",
			args:   canary(ready, status(func(s *v1beta1.AliasRolloutStatus) { s.History = nil })),
			err:    "the history has no version before version 2",
		},
		"Failed": {
			reason: "A failure is undone already.",
			args:   canary(rejected),
			err:    "the rollout is undone already: version 2 was rejected (AnalysisFailed), version 1 is stable; to return to another version, name it with --to-version",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := previous(tc.args)
			if message := errorText(err); got != tc.want || message != tc.err {
				t.Errorf("%s: got %q, %q, want %q, %q", tc.reason, got, message, tc.want, tc.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

package rollout

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// publishOrRetry is what a user is told to do after a version was rejected.
const publishOrRetry = "; publish another version, or set the annotation rollout.lambda.aws.m.crossplane.io/retry to try again"

// failedMessage is the error of the alias that rejected returns.
const failedMessage = "version 1 serves; version 2 was rejected (AnalysisFailed): Metric error-rate: Failure (0.043): successCondition is not met: result < 0.01" + publishOrRetry

func TestGoals(t *testing.T) {
	handled := status(func(s *v1beta1.AliasRolloutStatus) { s.HandledCommands = map[string]string{"abort": "t"} })
	commanded := func(name, value string) func(a *v1beta1.Alias) {
		return func(a *v1beta1.Alias) { a.Annotations = map[string]string{name: value} }
	}
	newSpec := func(a *v1beta1.Alias) { a.Generation = 2 }
	waits := status(func(s *v1beta1.AliasRolloutStatus) { s.Message = "spec.rollout.paused is true: version 3 waits" })
	drift := status(func(s *v1beta1.AliasRolloutStatus) { s.Drift = "someone else has changed the alias" })
	newTarget := status(func(s *v1beta1.AliasRolloutStatus) { s.Target.FunctionVersion = "3" })
	type args struct {
		alias *v1beta1.Alias
		goal  goal
	}
	type want struct {
		done bool
		err  string
	}
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"InProgress": {reason: "A rollout in progress is waited for.", args: args{canary(), promoted("")}},
		"Promoted": {
			reason: "A stable version is the goal.",
			args:   args{canary(ready), promoted("")},
			want:   want{done: true},
		},
		"Failed": {
			reason: "A failure is an error that says what serves.",
			args:   args{canary(rejected), promoted("")},
			want:   want{err: failedMessage},
		},
		"NoState": {
			reason: "A rollout that was never observed is waited for.",
			args:   args{canary(func(a *v1beta1.Alias) { a.Status.Rollout = nil }), promoted("")},
		},
		"Unobserved": {
			reason: "A state of an earlier spec says nothing about the present one.",
			args:   args{canary(ready, newSpec), promoted("")},
		},
		"UnobservedFailure": {reason: "Neither does its failure.", args: args{canary(rejected, newSpec), promoted("")}},
		"Waiting": {
			reason: "A version that waits is not promoted.",
			args:   args{canary(ready, waits), promoted("")},
		},
		"Drift": {
			reason: "An alias that someone else has changed is not as it should be.",
			args:   args{canary(ready, drift), promoted("")},
		},
		"Absent": {
			reason: "An alias that AWS does not have serves nothing.",
			args:   args{canary(ready, absentInAWS), promoted("")},
		},
		"AbsentVersion": {
			reason: "Nor does a version of it.",
			args:   args{canary(rejected, absentInAWS), promoted("1")},
		},
		"OfVersion": {
			reason: "The version that is waited for is stable.",
			args:   args{canary(ready), promoted("2")},
			want:   want{done: true},
		},
		"OtherStable": {
			reason: "Another version is not the one that is waited for.",
			args:   args{canary(ready), promoted("3")},
		},
		"OtherFailed": {
			reason: "The failure of another version is not that of the one that is waited for.",
			args:   args{canary(rejected), promoted("3")},
		},
		"VersionFailed": {
			reason: "The failure of the version that is waited for is an error.",
			args:   args{canary(rejected), promoted("2")},
			want:   want{err: failedMessage},
		},
		"VersionHasFailed": {
			reason: "The version that is waited for was rejected before another one.",
			args:   args{canary(rejected, newTarget), promoted("2")},
			want:   want{err: "version 2 was rejected (AnalysisFailed): version 1 serves"},
		},
		"StableOfFailed": {
			reason: "The version that is waited for is stable, whatever became of another one.",
			args:   args{canary(rejected), promoted("1")},
			want:   want{done: true},
		},
		"StableOfUndone": {
			reason: "So is the version that the user has returned to.",
			args:   args{canary(undone), promoted("1")},
			want:   want{done: true},
		},
		"StableButChanged": {
			reason: "Unless someone else has changed the alias.",
			args:   args{canary(rejected, drift), promoted("1")},
		},
		"Undone": {
			reason: "A version that the user has returned to serves as the user wants.",
			args:   args{canary(undone), promoted("")},
			want:   want{done: true},
		},
		"UndoneVersion": {
			reason: "The version that is waited for is not rolled out after the user has returned to another one.",
			args:   args{canary(undone), promoted("2")},
			want:   want{err: "version 1 serves; version 2 was rejected (RollbackTo): the user has chosen version 1" + publishOrRetry},
		},
		"UndoWaits": {
			reason: "A rollback waits until AWS can invoke the version that the user has chosen.",
			args: args{
				canary(
					undone,
					status(func(s *v1beta1.AliasRolloutStatus) { s.Waits = "rollback-to waits: reads version 0" }),
				),
				promoted(""),
			},
		},
		"UndoMessage": {
			reason: "Whether the user has undone a rollout depends on its reason, not on its words.",
			args: args{
				canary(undone, status(func(s *v1beta1.AliasRolloutStatus) { s.Message = "other words" })),
				promoted(""),
			},
			want: want{done: true},
		},
		"UndoRefused": {
			reason: "A rollback to a version that is gone has ended the rollout.",
			args: args{canary(undone, status(func(s *v1beta1.AliasRolloutStatus) {
				s.Reason, s.Message = v1beta1.RolloutReasonAborted, "the user has chosen another version"
			})), promoted("")},
			want: want{
				err: "version 1 serves; version 2 was rejected (RollbackTo); the user has chosen another version" + publishOrRetry,
			},
		},
		"FailedAndChanged": {
			reason: "What serves is what AWS shows, not what the rollout has left.",
			args:   args{canary(rejected, served("3"), drift), promoted("")},
			want: want{
				err: strings.Replace(
					failedMessage,
					"version 1 serves",
					"version 3 serves",
					1,
				) + "; someone else has changed the alias: change it back, or set the annotation rollout.lambda.aws.m.crossplane.io/abort",
			},
		},
		"RejectedAndChanged": {
			reason: "So it is for a version that was rejected before another one.",
			args:   args{canary(rejected, newTarget, served("5"), drift), promoted("2")},
			want:   want{err: "version 2 was rejected (AnalysisFailed): version 5 serves"},
		},
		"NotHandled": {
			reason: "A state from before a command says nothing about it.",
			args:   args{canary(rejected, commanded("abort", "t")), after("abort", "t", ended)},
		},
		"Overwritten": {
			reason: "A command that another one has replaced is never handled.",
			args:   args{canary(commanded("abort", "u")), after("abort", "t", ended)},
			want: want{
				err: "someone else has changed the annotation abort: the provider may not have carried the command out",
			},
		},
		"Removed": {
			reason: "Nor is one that was removed.",
			args:   args{canary(), after("abort", "t", ended)},
			want: want{
				err: "someone else has changed the annotation abort: the provider may not have carried the command out",
			},
		},
		"Aborted": {
			reason: "A rollout that was aborted has ended.",
			args:   args{canary(rejected, handled), after("abort", "t", ended)},
			want:   want{done: true},
		},
		"Aborting": {
			reason: "A rollback takes a while.",
			args:   args{canary(handled), after("abort", "t", ended)},
		},
		"Serves": {
			reason: "Undo has succeeded if the version serves, although the manifest wants another.",
			args:   args{canary(rejected), serves("1")},
			want:   want{done: true},
		},
		"ServesAbsent": {
			reason: "AWS does not have the alias.",
			args:   args{canary(rejected, absentInAWS), serves("1")},
		},
		"ServesNot": {
			reason: "The version can't serve any more.",
			args:   args{canary(ready), serves("1")},
			want:   want{err: "the provider does not return to version 1: the event RolloutCommand says why"},
		},
		"ServesOnceHandled": {
			reason: "The provider has not handled the command yet.",
			args:   args{canary(ready, commanded("rollback-to", "t")), after("rollback-to", "t", serves("1"))},
		},
		"ServesSoon": {reason: "The rollback is in progress.", args: args{canary(), serves("1")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			done, err := tc.args.goal(tc.args.alias)
			got := want{done: done}
			if err != nil {
				got.err = err.Error()
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHandledCommandIsWatched checks that a command that was handled is watched to its end, although another user
// repeats it.
func TestHandledCommandIsWatched(t *testing.T) {
	handled := func(value string) func(a *v1beta1.Alias) {
		return func(a *v1beta1.Alias) {
			a.Annotations = map[string]string{"promote": value}
			a.Status.Rollout.HandledCommands = map[string]string{"promote": value}
		}
	}
	g := after("promote", "t", promoted(""))
	for _, a := range []*v1beta1.Alias{canary(handled("t")), canary(handled("u"))} {
		if done, err := g(a); done || err != nil {
			t.Errorf("a rollout in progress is watched, got %t, %v", done, err)
		}
	}
	if done, err := g(canary(ready, handled("u"))); !done || err != nil {
		t.Errorf("the watch ends with the rollout, got %t, %v", done, err)
	}
}

// absentInAWS is a change after which AWS does not have the alias, such as after its function was deleted.
func absentInAWS(a *v1beta1.Alias) { a.SetConditions(xpv2.Creating()) }

func TestDescribe(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   *v1beta1.Alias
		want   string
	}{
		"Absent": {
			reason: "No version of an alias serves that AWS does not have.",
			args:   canary(ready, absentInAWS),
			want:   "waiting for alias.lambda.aws.m.crossplane.io/live to be created again in AWS",
		},
		"Step": {
			reason: "A step has its number and what it is.",
			args:   canary(),
			want:   "rollout 2-t87v8a: Progressing, Analyzing, step 2 of 4 (pause 5m): version 1 serves, version 2 receives 10 %; error-rate 0.002 (Success)",
		},
		"Ready": {reason: "The stable version serves.", args: canary(ready), want: "version 2 serves"},
		"Moving": {
			reason: "AWS moves an alias with provisioned concurrency: the former version still receives all invocations.",
			args: canary(ready, func(a *v1beta1.Alias) {
				a.Status.AtProvider.RoutingConfig = &v1beta1.AliasRoutingConfig{
					AdditionalVersionWeights: map[string]v1beta1.AliasWeight{"1": "1"},
				}
			}),
			want: "version 1 serves",
		},
		"Failed": {reason: "After a failure, the stable version serves.", args: canary(rejected), want: failedMessage},
		"Begins": {
			reason: "There is no state yet.",
			args:   canary(func(a *v1beta1.Alias) { a.Status.Rollout = nil }),
			want:   "waiting for the rollout of alias.lambda.aws.m.crossplane.io/live to begin",
		},
		"Deleted": {
			reason: "An alias that is being deleted has no rollout any more.",
			args:   canary(func(a *v1beta1.Alias) { a.DeletionTimestamp = &metav1.Time{Time: at} }),
			want:   "alias.lambda.aws.m.crossplane.io/live is being deleted",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := describe(tc.args); got != tc.want {
				t.Errorf("%s: got\n%s\nwant\n%s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestObstacle checks that whoever waits for a rollout sees why it does not continue, as a line and in a terminal.
func TestObstacle(t *testing.T) {
	const denied = "update failed: arn:aws:iam::123456789012:user/lambda may not lambda:UpdateAlias"
	failed := func(a *v1beta1.Alias) { a.SetConditions(xpv2.ReconcileError(errors.New(denied))) }
	cases := map[string]struct {
		reason string
		alias  *v1beta1.Alias
		want   string
	}{
		"Denied": {reason: "The rollout waits until AWS allows the call.", alias: canary(failed), want: denied},
		"InState": {
			reason: "The state has an error of the change of the alias already.",
			alias:  canary(failed, status(func(s *v1beta1.AliasRolloutStatus) { s.UpdateFailures = 1 })),
		},
		"NotBegun": {
			reason: "So does the beginning of the first one.",
			alias:  canary(failed, func(a *v1beta1.Alias) { a.Status.Rollout = nil }),
			want:   denied,
		},
		"Unobserved": {
			reason: "An error of an earlier spec may be mended.",
			alias:  canary(failed, func(a *v1beta1.Alias) { a.Generation = 2 }),
		},
		"Paused": {reason: "Nothing continues while the alias is paused.", alias: canary(func(a *v1beta1.Alias) {
			xpmeta.AddAnnotations(a, map[string]string{xpmeta.AnnotationKeyReconciliationPaused: "true"})
		}), want: "alias.lambda.aws.m.crossplane.io/live is paused by its annotation crossplane.io/paused"},
		"ObserveOnly": {
			reason: "Nor without the right to update the alias.",
			alias: canary(
				observeOnly,
			),
			want: "alias.lambda.aws.m.crossplane.io/live has spec.managementPolicies without Update",
		},
		"Synced": {
			reason: "A rollout that continues has no obstacle.",
			alias:  canary(func(a *v1beta1.Alias) { a.SetConditions(xpv2.ReconcileSuccess()) }),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tr := &tracker{alias: tc.alias}
			if got := tr.line(); got != describe(tc.alias)+suffix(tc.want) {
				t.Errorf("%s: line(): want %q at the end, got %q", tc.reason, tc.want, got)
			}
			if got := ansi.Strip(view(tr, screen{width: 100, now: at})); !strings.Contains(got, tc.want) {
				t.Errorf("%s: view(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestRevisions checks that a rollout's line and view say which revisions of the code its versions have.
func TestRevisions(t *testing.T) {
	a := canary(status(func(s *v1beta1.AliasRolloutStatus) {
		s.Stable.CodeRevision, s.Target.CodeRevision = "main@sha1:abc", "main@sha1:def"
	}))
	tr := &tracker{}
	tr.observe(a)
	want := "; stable version 1 (main@sha1:abc), target version 2 (main@sha1:def)"
	if got := tr.line(); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want the end %q", got, want)
	}
	drawn := ansi.Strip(view(tr, screen{width: 80, now: at}))
	for _, want := range []string{
		"stable    90 % ", "\n       main@sha1:abc\n", "target    10 % ", "\n       main@sha1:def\n",
	} {
		if !strings.Contains(drawn, want) {
			t.Errorf("want %q in\n%s", want, drawn)
		}
	}
	a.Status.Rollout.Stable = a.Status.Rollout.Target
	if got, want := success(a), "; stable version 2 (main@sha1:def)"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want the end %q", got, want)
	}
}

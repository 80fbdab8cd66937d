package rollout

import (
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// annotations returns the commands that an alias has, without the tokens.
func (e *env) annotations(t *testing.T) map[string]string {
	t.Helper()
	u, err := e.client.Get(t.Context(), "live", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	token := regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z$`)
	out := map[string]string{}
	for k, v := range u.GetAnnotations() {
		if name, ok := strings.CutPrefix(k, v1beta1.RolloutAnnotationPrefix); ok {
			out[name] = token.ReplaceAllString(v, "TOKEN")
		}
	}
	return out
}

func TestCommands(t *testing.T) {
	const noVersion = `error: invalid argument "" for "--to-version" flag: it must be the number of a version, such as 8` + "\n"
	const name = "alias.lambda.aws.m.crossplane.io/live"
	type want struct {
		code           int
		stdout, stderr string
		annotations    map[string]string
	}
	cases := map[string]struct {
		reason string
		alias  *v1beta1.Alias
		args   []string
		want   want
	}{
		"Abort": {
			reason: "A command is an annotation with a token.",
			alias:  canary(), args: []string{"abort", "live"},
			want: want{stdout: name + " rollout aborted\n", annotations: map[string]string{"abort": "TOKEN"}},
		},
		"TypedName": {
			reason: "The alias may be named with its type.",
			alias:  canary(), args: []string{"abort", name},
			want: want{stdout: name + " rollout aborted\n", annotations: map[string]string{"abort": "TOKEN"}},
		},
		"Promote": {
			reason: "promote ends a pause.",
			alias:  canary(), args: []string{"promote", "live"},
			want: want{stdout: name + " rollout promoted\n", annotations: map[string]string{"promote": "TOKEN"}},
		},
		"PromoteFull": {
			reason: "promote --full skips all steps.",
			alias:  canary(),
			args:   []string{"promote", "live", "--full"},
			want: want{
				stdout:      name + " rollout fully promoted\n",
				annotations: map[string]string{"promote-full": "TOKEN"},
			},
		},
		"Retry": {
			reason: "A failure is retried.",
			alias:  canary(rejected), args: []string{"retry", "live"},
			want: want{stdout: name + " rollout retried\n", annotations: map[string]string{"retry": "TOKEN"}},
		},
		"RetryDrift": {
			reason: "A failure is retried once the alias is as before.",
			alias: canary(
				rejected,
				served("7"),
				status(func(s *v1beta1.AliasRolloutStatus) { s.Drift = "someone else has changed the alias" }),
			),
			args: []string{"retry", "live"},
			want: want{
				stdout:      name + " rollout retried\n",
				annotations: map[string]string{"retry": "TOKEN"},
				stderr:      "Warning: the provider carries the command out once the alias is as before: someone else has changed the alias\n",
			},
		},
		"Undo": {
			reason: "The version before serves again.",
			alias:  canary(ready),
			args:   []string{"undo", "live"},
			want: want{
				stdout:      name + " rolled back to version 1\n",
				annotations: map[string]string{"rollback-to": "1/TOKEN"},
			},
		},
		"UndoTo": {
			reason: "Or one that is named.",
			alias:  canary(),
			args:   []string{"undo", "live", "--to-version", "1"},
			want: want{
				stdout:      name + " rolled back to version 1\n",
				annotations: map[string]string{"rollback-to": "1/TOKEN"},
			},
		},
		"UndoToEmpty": {
			reason: "A variable of a script that is empty does not mean another version.",
			alias:  canary(ready), args: []string{"undo", "live", "--to-version", ""},
			want: want{code: 1, stderr: noVersion + "See 'kubectl lambda rollout undo --help' for usage\n"},
		},
		"StatusToEmpty": {
			reason: "Nor does a pipeline succeed without the version that it waits for.",
			alias:  canary(ready), args: []string{"status", "live", "--to-version", ""},
			want: want{code: 1, stderr: noVersion + "See 'kubectl lambda rollout status --help' for usage\n"},
		},
		"Refused": {
			reason: "A command that does not apply is not sent.",
			alias:  canary(ready), args: []string{"abort", "live"},
			want: want{code: 1, stderr: "error: no rollout is in progress: version 2 is stable\n"},
		},
		"DryRunClient": {
			reason: "Nothing is sent.",
			alias:  canary(), args: []string{"abort", "live", "--dry-run=client"},
			want: want{stdout: name + " rollout aborted (dry run)\n"},
		},
		"DryRunClientObject": {
			reason: "What would be sent is shown.",
			alias: canary(
				ready,
			),
			args: []string{
				"undo",
				"live",
				"--dry-run=client",
				"-o",
				`jsonpath={.metadata.name} {.status.rollout.phase}`,
			},
			want: want{stdout: "live Ready"},
		},
		"DryRunUnknown": {
			reason: "There are three strategies.",
			alias:  canary(),
			args:   []string{"abort", "live", "--dry-run=true"},
			want: want{
				code:   1,
				stderr: "error: invalid dry-run value (true): must be \"none\", \"server\", or \"client\"\nSee 'kubectl lambda rollout abort -h' for help and examples\n",
			},
		},
		"Name": {
			reason: "A format of kubectl is as with kubectl.",
			alias:  canary(), args: []string{"abort", "live", "-o", "name"},
			want: want{stdout: name + "\n", annotations: map[string]string{"abort": "TOKEN"}},
		},
		"WatchOutput": {
			reason: "Lines between documents could not be parsed.",
			alias:  canary(),
			args:   []string{"abort", "live", "-o", "json", "--watch"},
			want: want{
				code:   1,
				stderr: "error: --watch cannot be used with --output=json\nSee 'kubectl lambda rollout abort -h' for help and examples\n",
			},
		},
		"Paused": {
			reason: "The provider does not act on what is paused.",
			alias: canary(
				func(a *v1beta1.Alias) { a.Annotations = map[string]string{"crossplane.io/paused": "true"} },
			),
			args: []string{"abort", "live"},
			want: want{
				stdout:      name + " rollout aborted\n",
				stderr:      "Warning: " + name + " is paused by its annotation crossplane.io/paused: the provider carries the command out later\n",
				annotations: map[string]string{"abort": "TOKEN"},
			},
		},
		"ObserveOnly": {
			reason: "Nor on what it may only observe.",
			alias:  canary(observeOnly),
			args:   []string{"abort", "live"},
			want: want{
				stdout:      name + " rollout aborted\n",
				stderr:      "Warning: " + name + " has spec.managementPolicies without Update: the provider carries the command out later\n",
				annotations: map[string]string{"abort": "TOKEN"},
			},
		},
		"NoRollout": {
			reason: "An alias without a rollout has no commands.",
			alias:  canary(func(a *v1beta1.Alias) { a.Spec.Rollout = nil }), args: []string{"abort", "live"},
			want: want{code: 1, stderr: "error: " + name + " has no rollout: spec.rollout is not set\n"},
		},
		"NotFound": {
			reason: "The answer is the API server's.",
			alias:  canary(),
			args:   []string{"abort", "other"},
			want: want{
				code:   1,
				stderr: "Error from server (NotFound): aliases.lambda.aws.m.crossplane.io \"other\" not found\n",
			},
		},
		"NoName": {
			reason: "An alias has to be named.",
			alias:  canary(),
			args:   []string{"abort"},
			want: want{
				code:   1,
				stderr: "error: exactly one ALIAS is required, got 0\nSee 'kubectl lambda rollout abort -h' for help and examples\n",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, tc.alias)
			code := e.run(t, tc.args...)
			if tc.want.annotations == nil {
				tc.want.annotations = map[string]string{}
			}
			got := want{code: code, stdout: e.out.String(), stderr: e.errOut.String(), annotations: e.annotations(t)}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCommandsAreFresh checks that each call of a command has a token of its own.
func TestCommandsAreFresh(t *testing.T) {
	e := newEnv(t, canary())
	seen := map[string]bool{}
	for range 3 {
		if code := e.run(t, "abort", "live"); code != 0 {
			t.Fatal(e.errOut.String())
		}
		u, err := e.client.Get(t.Context(), "live", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		seen[u.GetAnnotations()[v1beta1.AnnotationRolloutAbort]] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 commands have the tokens %v", seen)
	}
}

// TestPatchRequests checks what is sent to the API server.
func TestPatchRequests(t *testing.T) {
	for dryRun, want := range map[string]string{
		"none": "fieldManager=kubectl-lambda", "server": "dryRun=All&fieldManager=kubectl-lambda",
	} {
		e := newEnv(t, canary())
		if code := e.run(t, "abort", "live", "--dry-run="+dryRun); code != 0 {
			t.Fatal(e.errOut.String())
		}
		last := e.network.requests[len(e.network.requests)-1]
		if last.Method != http.MethodPatch || last.URL.RawQuery != want ||
			last.Header.Get("Content-Type") != "application/merge-patch+json" {
			t.Errorf(
				"--dry-run=%s: got %s ?%s of %s, want a merge patch ?%s",
				dryRun,
				last.Method,
				last.URL.RawQuery,
				last.Header.Get("Content-Type"),
				want,
			)
		}
	}
}

// TestConflict checks that a command is not sent if the rollout changes in between so that it does not apply any more.
func TestConflict(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   *v1beta1.Alias
		want   string
	}{
		"Applies": {
			reason: "The rollout is still in progress.",
			args:   canary(status(func(s *v1beta1.AliasRolloutStatus) { s.Message = "next" })),
			want:   "TOKEN",
		},
		"AppliesNot": {reason: "The rollout has ended.", args: canary(ready)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, canary())
			var once atomic.Bool
			e.network.before = func(r *http.Request) error {
				if r.Method == http.MethodPatch && once.CompareAndSwap(false, true) {
					e.write(t, tc.args)
				}
				return nil
			}
			code := e.run(t, "abort", "live")
			if got := e.annotations(t)["abort"]; got != tc.want || (code == 0) != (tc.want != "") {
				t.Errorf(
					"%s: exit code %d, annotation %q, want %q: %s",
					tc.reason,
					code,
					got,
					tc.want,
					e.errOut.String(),
				)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	between := canary(status(func(s *v1beta1.AliasRolloutStatus) {
		s.Target = v1beta1.RolloutRevision{FunctionVersion: "8", Fingerprint: "10bbe38f6f2177a3"}
		s.Stable = v1beta1.RolloutRevision{FunctionVersion: "7", Fingerprint: "e675ea04046f51c2"}
		s.History = []v1beta1.RolloutRevision{
			{FunctionVersion: "5", Fingerprint: "320f9d818c8e6c90"},
			{FunctionVersion: "4"},
		}
		s.FailedTargets = []v1beta1.RolloutFailure{
			{
				RolloutRevision: v1beta1.RolloutRevision{FunctionVersion: "6", Fingerprint: "9f2c50a1d3b84e77"},
				Reason:          "AnalysisFailed",
				FailedAt:        stamp(-3 * time.Hour),
			},
		}
	}))
	undone := between.DeepCopy()
	undone.Status.Rollout.FailedTargets = append(
		[]v1beta1.RolloutFailure{
			{
				RolloutRevision: v1beta1.RolloutRevision{FunctionVersion: "5"},
				Reason:          v1beta1.RolloutReasonRollbackTo,
				FailedAt:        stamp(-time.Hour),
			},
		},
		undone.Status.Rollout.FailedTargets...)
	again := between.DeepCopy()
	again.Status.Rollout.Target = again.Status.Rollout.History[0]
	before := between.DeepCopy()
	before.Status.Rollout.Phase, before.Status.Rollout.Reason = v1beta1.RolloutFailed, v1beta1.RolloutReasonFailedBefore
	revised := canary(status(func(s *v1beta1.AliasRolloutStatus) {
		s.Target = v1beta1.RolloutRevision{FunctionVersion: "3", CodeRevision: "main@sha1:def"}
		s.Stable = v1beta1.RolloutRevision{FunctionVersion: "2", CodeRevision: "main@sha1:abc"}
		s.History = []v1beta1.RolloutRevision{{FunctionVersion: "1"}}
	}))
	cases := map[string]struct {
		reason string
		alias  *v1beta1.Alias
		args   []string
		want   string
	}{
		"Undone": {
			reason: "A version that the user has replaced by undo has one row: undo can return to it.",
			alias:  undone,
			args:   []string{"-o", "jsonpath={range .versions[*]}{.functionVersion} {.state} {.reason};{end}"},
			want:   "8 Target ;7 Stable ;5 Previous RollbackTo;4 Previous ;6 Failed AnalysisFailed;",
		},
		"Again": {
			reason: "An earlier version that is rolled out again has one row.",
			alias:  again,
			args:   []string{"-o", "jsonpath={range .versions[*]}{.functionVersion} {.state} {.reason};{end}"},
			want:   "5 Target ;7 Stable ;4 Previous ;6 Failed AnalysisFailed;",
		},
		"FailedBefore": {
			reason: "A version that was rejected because another one with its code has failed is no target any more.",
			alias:  before,
			args:   []string{"-o", "jsonpath={range .versions[*]}{.functionVersion} {.state} {.reason};{end}"},
			want:   "8 Failed FailedBefore;7 Stable ;5 Previous ;4 Previous ;6 Failed AnalysisFailed;",
		},
		"Table": {
			reason: "All versions, the latest first, the failed ones last.",
			want: `alias.lambda.aws.m.crossplane.io/live
VERSION   STATE           REASON           FAILED   FINGERPRINT
8         Target (10 %)   <none>           <none>   10bbe38f6f21
7         Stable          <none>           <none>   e675ea04046f
5         Previous        <none>           <none>   320f9d818c8e
4         Previous        <none>           <none>   <none>
6         Failed          AnalysisFailed   3h ago   9f2c50a1d3b8
`,
		},
		"Revisions": {
			reason: "The revisions of the code are shown if any is known.",
			alias:  revised,
			want: `alias.lambda.aws.m.crossplane.io/live
VERSION   STATE           REASON   FAILED   FINGERPRINT   REVISION
3         Target (10 %)   <none>   <none>   <none>        main@sha1:def
2         Stable          <none>   <none>   <none>        main@sha1:abc
1         Previous        <none>   <none>   <none>        <none>
`,
		},
		"Version": {
			reason: "--version shows one version.",
			args:   []string{"--version", "6", "-o", "yaml"},
			want: `apiVersion: kubectl.lambda.aws.m.crossplane.io/v1beta1
kind: RolloutHistory
metadata:
  name: live
  namespace: shop
versions:
- failedAt: "2026-03-01T17:00:00Z"
  fingerprint: 9f2c50a1d3b84e77
  functionVersion: "6"
  reason: AnalysisFailed
  state: Failed
`,
		},
		"JSONPath": {
			reason: "All of kubectl's formats.",
			args:   []string{"-o", "jsonpath={.versions[*].functionVersion}"},
			want:   "8 7 5 4 6",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.alias == nil {
				tc.alias = between
			}
			e := newEnv(t, tc.alias)
			e.factory.Now = func() time.Time { return at }
			code := e.run(t, append([]string{"history", "live"}, tc.args...)...)
			if name == "Table" {
				plugintest.Documented(t, tc.want)
			}
			if diff := cmp.Diff(tc.want, e.out.String()); diff != "" || code != 0 {
				t.Errorf("%s: exit code %d: %s: -want, +got:\n%s", tc.reason, code, e.errOut.String(), diff)
			}
		})
	}
	e := newEnv(t, canary(unknown))
	if code := e.run(
		t,
		"history",
		"live",
		"-o",
		"jsonpath={.versions[*].state}",
	); code != 0 ||
		e.out.String() != "Target Stable" {
		t.Errorf(
			"a version of which nobody knows whether it is good: exit code %d: %s%s",
			code,
			e.out.String(),
			e.errOut.String(),
		)
	}
	e = newEnv(t, between)
	if code := e.run(
		t,
		"history",
		"live",
		"--version",
		"9",
	); code != 1 ||
		e.errOut.String() != "error: unable to find version 9 in the history of alias.lambda.aws.m.crossplane.io/live\n" {
		t.Errorf("exit code %d: %s", code, e.errOut.String())
	}
}

package operate

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

const group = "/aws/lambda/shop-checkout"

func TestLogs(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	put := func(age time.Duration, text string) { e.aws.PutLog(region, group, "s", text, at.Add(-age)) }
	put(time.Hour, "old\n")
	put(2*time.Minute, "[INFO] order 7\n")
	put(time.Minute, "[ERROR] no stock\n")
	put(time.Second, "END")
	type want struct {
		code           int
		stdout, stderr string
	}
	cases := map[string]struct {
		reason     string
		args       []string
		want       want
		documented bool
	}{
		"Recent": {
			reason: "The last 10 minutes are printed.",
			want:   want{stdout: "[INFO] order 7\n[ERROR] no stock\nEND\n"},
		},
		"Since": {
			reason: "The last lines may be more than there are.",
			args:   []string{"--since", "2h"},
			want:   want{stdout: "old\n[INFO] order 7\n[ERROR] no stock\nEND\n"},
		},
		"Tail": {
			reason: "The last lines are wanted.",
			args:   []string{"--tail", "2"},
			want:   want{stdout: "[ERROR] no stock\nEND\n"},
		},
		"TailZero": {reason: "No line is wanted.", args: []string{"--tail", "0"}},
		"Filter": {
			reason: "AWS filters.",
			args:   []string{"--filter", "ERROR"},
			want:   want{stdout: "[ERROR] no stock\n"},
		},
		"Timestamps": {
			reason:     "Times are in UTC.",
			args:       []string{"--timestamps", "--tail", "2"},
			want:       want{stdout: "2026-03-01T19:59:00.000Z [ERROR] no stock\n2026-03-01T19:59:59.000Z END\n"},
			documented: true,
		},
		"BadSince": {
			reason: "A time is in the past.",
			args:   []string{"--since", "0s"},
			want: want{
				code:   1,
				stderr: "error: --since must be longer than 0, not 0s\nSee 'kubectl lambda logs -h' for help and examples\n",
			},
		},
		"BadTail": {
			reason: "A number is one of lines.",
			args:   []string{"--tail", "-2"},
			want: want{
				code:   1,
				stderr: "error: --tail must be a number of lines, or -1 for all, not -2\nSee 'kubectl lambda logs -h' for help and examples\n",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{
				code:   e.run(t, append([]string{"logs", "checkout"}, tc.args...)...),
				stdout: e.out.String(),
				stderr: e.errOut.String(),
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if tc.documented {
				plugintest.Documented(t, got.stdout)
			}
		})
	}
}

// TestLogPages checks that all pages are read, and that the last lines are those of the last page.
func TestLogPages(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	for i := range 250 {
		e.aws.PutLog(region, group, "s", fmt.Sprintf("line %d\n", i), at.Add(-time.Minute))
	}
	if code := e.run(t, "logs", "checkout"); code != 0 || strings.Count(e.out.String(), "\n") != 250 {
		t.Errorf("exit code %d: %d lines, want 250: %s", code, strings.Count(e.out.String(), "\n"), e.errOut.String())
	}
	if code := e.run(t, "logs", "checkout", "--tail", "1"); code != 0 || e.out.String() != "line 249\n" {
		t.Errorf("exit code %d: %s%s", code, e.out.String(), e.errOut.String())
	}
}

func TestNoLogGroup(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	want := "error: cannot read log group /aws/lambda/shop-checkout: ResourceNotFoundException: The specified log group does not exist.; AWS creates it when the function first logs\n"
	if code := e.run(t, "logs", "checkout"); code != 1 || e.errOut.String() != want {
		t.Errorf("exit code %d: %s", code, e.errOut.String())
	}
}

// TestFollow checks that each event is printed once, also those that appear late, or while AWS throttles or the machine
// sleeps, until the user interrupts.
func TestFollow(t *testing.T) {
	cases := map[string]struct {
		reason         string
		command        *cobra.Command
		tail           bool
		before         []string
		stdout, stderr string
	}{
		"Logs": {
			reason:  "What there is comes first.",
			command: &cobra.Command{Use: "logs"},
			before:  []string{"before\n"},
			stdout:  "before\nfirst\nlate\nsecond\nasleep\n",
		},
		"Tail": {
			reason:  "tail waits for a log group that does not exist yet.",
			command: &cobra.Command{Use: "tail"},
			tail:    true,
			before:  []string{"before\n"},
			stdout:  "before\nfirst\nlate\nsecond\nasleep\n",
		},
		"NoGroup": {
			reason:  "A function that has not logged has no group yet.",
			command: &cobra.Command{Use: "tail"},
			tail:    true,
			stdout:  "first\nlate\nsecond\nasleep\n",
			stderr:  "waiting for log group /aws/lambda/shop-checkout, which AWS creates when the function first logs\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, awsdouble.Options{})
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			for _, text := range tc.before {
				e.aws.PutLog(region, group, "s", text, e.now)
			}
			rounds := 0
			wait := func(_ context.Context, d time.Duration) error {
				e.now = e.now.Add(d)
				rounds++
				switch rounds {
				case 2:
					e.aws.PutLog(region, group, "s", "first\n", e.now)
				case 3:
					e.aws.PutLog(region, group, "s", "late\n", e.now.Add(-10*time.Second))
					e.aws.Fail(awsdouble.Fault{Operation: "FilterLogEvents", Error: awsdouble.Throttle(), Times: 18})
				case 40:
					e.aws.PutLog(region, group, "s", "second\n", e.now)
				case 50:
					e.aws.PutLog(region, group, "s", "asleep\n", e.now)
					e.now = e.now.Add(time.Hour)
				case 60:
					return context.Canceled
				}
				return nil
			}
			args := []string{"-n", "shop", tc.command.Use, "checkout"}
			if !tc.tail {
				args = append(args, "-f")
			}
			root := kubectl.NewCommand(e.factory, newLogs(e.factory, wait, tc.command, tc.tail))
			root.SetArgs(args)
			code := kubectl.Run(t.Context(), e.factory, root)
			if diff := cmp.Diff(
				tc.stdout,
				e.out.String(),
			); diff != "" || code != kubectl.ExitInterrupted ||
				e.errOut.String() != tc.stderr {
				t.Errorf("%s: exit code %d, %q: -want, +got:\n%s", tc.reason, code, e.errOut.String(), diff)
			}
		})
	}
}

// TestLogsOfInvocation checks that what an invocation logs can be read, between the lines of the platform.
func TestLogsOfInvocation(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	e.create(t)
	e.aws.OnInvoke("shop-checkout", func(awsdouble.Invoked) awsdouble.Returned {
		return awsdouble.Returned{Log: "[INFO] order 7\n[INFO] sold\n"}
	})
	if code := e.run(t, "invoke", "checkout"); code != 0 {
		t.Fatal(e.errOut.String())
	}
	if code := e.run(t, "logs", "checkout"); code != 0 {
		t.Fatal(e.errOut.String())
	}
	got := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(e.out.String(), "ID")
	want := "START RequestId: ID Version: $LATEST\n[INFO] order 7\n[INFO] sold\nEND RequestId: ID\n" +
		"REPORT RequestId: ID\tDuration: 1.00 ms\tBilled Duration: 1 ms\tMemory Size: 128 MB\tMax Memory Used: 40 MB\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logs: -want, +got:\n%s", diff)
	}
}

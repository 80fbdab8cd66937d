package rollout

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// A watching is a run of the command status in the background.
type watching struct {
	*env

	stop context.CancelFunc
	done chan struct{}
	code int
}

// watched runs a test in simulated time while the command status watches an alias.
func watched(t *testing.T, a *v1beta1.Alias, test func(t *testing.T, w *watching), args ...string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &watching{env: bareEnv(t, a), stop: cancel, done: make(chan struct{})}
		root := kubectl.NewCommand(w.factory, NewCommand(w.factory))
		root.SetArgs(append([]string{"rollout", "-n", "shop", "status", "live"}, args...))
		go func() {
			defer close(w.done)
			w.code = kubectl.Run(ctx, w.factory, root)
		}()
		w.pass(0)
		test(t, w)
		cancel()
		<-w.done
		w.pass(time.Minute)
	})
}

// pass lets time pass.
func (w *watching) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ends checks that the command has ended, and what it has printed.
func (w *watching) ends(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	select {
	case <-w.done:
	default:
		t.Fatalf("the command has not ended; it has printed %q, %q", w.out, w.errOut)
	}
	if w.code != code {
		t.Errorf("exit code %d, want %d", w.code, code)
	}
	if diff := cmp.Diff(stdout, w.out.String()); diff != "" {
		t.Errorf("stdout: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(stderr, w.errOut.String()); diff != "" {
		t.Errorf("stderr: -want, +got:\n%s", diff)
	}
}

const (
	lineStep2 = "rollout 2-t87v8a: Progressing, Analyzing, step 2 of 4 (pause 5m): version 1 serves, version 2 receives 10 %; error-rate 0.002 (Success)\n"
	lineStep3 = "rollout 2-t87v8a: Progressing, Analyzing, step 3 of 4 (setWeight 50 %): version 1 serves, version 2 receives 10 %; error-rate 0.002 (Success)\n"
	lineReady = "alias.lambda.aws.m.crossplane.io/live: version 2 serves\n"
)

// step3 is the next step of the rollout.
var step3 = status(func(s *v1beta1.AliasRolloutStatus) { s.CurrentStepIndex = 2 })

func TestStatusUntilPromoted(t *testing.T) {
	watched(t, canary(), func(t *testing.T, w *watching) {
		t.Helper()
		w.pass(time.Second)
		w.write(t, canary(status(func(s *v1beta1.AliasRolloutStatus) { s.NextCheckAt = stamp(time.Hour) }))) // No line.
		w.pass(time.Hour)
		w.write(t, canary(step3))
		w.pass(time.Hour)
		w.write(t, canary(ready))
		w.pass(time.Second)
		w.ends(t, 0, lineStep2+lineStep3+lineReady, "")
	})
}

func TestStatusUntilFailed(t *testing.T) {
	watched(t, canary(), func(t *testing.T, w *watching) {
		t.Helper()
		w.pass(time.Second)
		w.write(t, canary(rejected))
		w.pass(time.Second)
		w.ends(t, 1, lineStep2, "error: "+failedMessage+"\n")
	})
}

func TestStatusTimeout(t *testing.T) {
	watched(t, canary(), func(t *testing.T, w *watching) {
		t.Helper()
		w.pass(5*time.Minute + time.Second)
		w.ends(t, 1, lineStep2, "error: timed out after 5m0s: "+lineStep2)
	}, "--timeout", "5m")
}

func TestStatusInterrupted(t *testing.T) {
	watched(t, canary(), func(t *testing.T, w *watching) {
		t.Helper()
		w.pass(time.Second)
		w.stop()
		w.pass(time.Second)
		w.ends(t, 130, lineStep2, "")
	})
}

// TestStatusSurvives checks that a watch outlives watches that end and an API server that is away, without asking it
// often.
func TestStatusSurvives(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
	}{
		"Network":    {reason: "The way to the API server is cut.", err: errors.New("no route to host")},
		"Restarting": {reason: "Nobody listens while the API server restarts.", err: syscall.ECONNREFUSED},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			watched(t, canary(), func(t *testing.T, w *watching) {
				t.Helper()
				w.pass(time.Second)
				for range 3 {
					w.network.cut(nil)
					w.pass(2 * time.Minute)
				}
				if w.errOut.String() != "" {
					t.Errorf("%s: a watch that ends is nothing to report: %s", tc.reason, w.errOut)
				}
				w.network.cut(tc.err)
				before := w.network.count()
				w.write(t, canary(step3))
				w.pass(time.Hour)
				if n := w.network.count() - before; n < 60 || n > 300 {
					t.Errorf("%s: %d requests in an hour without an API server, want some 120", tc.reason, n)
				}
				w.network.cut(nil)
				w.pass(time.Minute)
				w.write(t, canary(ready))
				w.pass(time.Second)
				w.ends(
					t,
					0,
					lineStep2+lineStep3+lineReady,
					"connection lost, trying to reconnect: "+tc.err.Error()+"\n",
				)
			})
		})
	}
}

func TestStatusDeleted(t *testing.T) {
	const deleted = "error: alias.lambda.aws.m.crossplane.io/live was deleted\n"
	cases := map[string]struct {
		reason string
		change func(t *testing.T, w *watching)
	}{
		"Deleted": {
			reason: "There is nothing to wait for.",
			change: func(*testing.T, *watching) {},
		},
		"Replaced": {
			reason: "Another alias of the name has another rollout.",
			change: func(t *testing.T, w *watching) {
				t.Helper()
				w.create(t, canary())
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, away := range []bool{false, true} {
				watched(t, canary(), func(t *testing.T, w *watching) {
					t.Helper()
					w.pass(time.Second)
					if away {
						w.network.cut(errors.New("no route to host"))
					}
					if err := w.client.Delete(t.Context(), "live", metav1.DeleteOptions{}); err != nil {
						t.Fatal(err)
					}
					tc.change(t, w)
					w.network.cut(nil)
					w.pass(time.Minute)
					select {
					case <-w.done:
					default:
						t.Fatalf("%s: away %t: still watching: %s", tc.reason, away, w.out)
					}
					if w.code != 1 || !strings.HasSuffix(w.errOut.String(), deleted) {
						t.Errorf("%s: away %t: exit code %d: %s", tc.reason, away, w.code, w.errOut)
					}
				})
			}
		})
	}
}

func TestStatusOnce(t *testing.T) {
	cases := map[string]struct {
		reason         string
		alias          *v1beta1.Alias
		code           int
		stdout, stderr string
	}{
		"InProgress": {reason: "A rollout in progress is no failure.", alias: canary(), stdout: lineStep2},
		"Ready":      {reason: "The version serves.", alias: canary(ready), stdout: lineReady},
		"Failed": {
			reason: "A failure has an exit code.",
			alias:  canary(rejected),
			code:   1,
			stderr: "error: " + failedMessage + "\n",
		},
		"Escapes": {
			reason: "What others have written does not move the cursor.",
			alias: canary(status(func(s *v1beta1.AliasRolloutStatus) {
				s.Checks, s.Message = nil, "a\x1b[2J\nb"
			})),
			stdout: "rollout 2-t87v8a: Progressing, Analyzing, step 2 of 4 (pause 5m): version 1 serves, version 2 receives 10 %; a\\x1b[2J b\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, tc.alias)
			if code := e.run(
				t,
				"status",
				"live",
				"--watch=false",
			); code != tc.code || e.out.String() != tc.stdout ||
				e.errOut.String() != tc.stderr {
				t.Errorf("%s: exit code %d, %q, %q", tc.reason, code, e.out, e.errOut)
			}
		})
	}
}

// TestStatusToVersion checks that a version is waited for whose rollout has not begun.
func TestStatusToVersion(t *testing.T) {
	watched(
		t,
		canary(
			ready,
			served("1"),
			status(
				func(s *v1beta1.AliasRolloutStatus) { s.Target.FunctionVersion, s.Stable.FunctionVersion = "1", "1" },
			),
		),
		func(t *testing.T, w *watching) {
			t.Helper()
			w.pass(time.Hour)
			w.write(t, canary())
			w.pass(time.Hour)
			w.write(t, canary(step3))
			w.pass(time.Hour)
			w.write(t, canary(ready))
			w.pass(time.Second)
			const lines = "version 1 serves; waiting for version 2 to be rolled out\n" + lineStep2 + lineStep3 + lineReady
			w.ends(t, 0, lines, "")
			plugintest.Documented(t, lines)
			plugintest.Documented(t, "error: "+failedMessage+"\n")
		},
		"--to-version",
		"2",
	)
}

// TestStatusOfARemovedRollout checks that a watch ends when the alias has no rollout any more.
func TestStatusOfARemovedRollout(t *testing.T) {
	watched(t, canary(), func(t *testing.T, w *watching) {
		t.Helper()
		w.pass(time.Second)
		if _, err := w.client.Patch(
			t.Context(),
			"live",
			types.MergePatchType,
			[]byte(`{"spec":{"rollout":null}}`),
			metav1.PatchOptions{},
		); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		w.ends(
			t,
			1,
			lineStep2,
			"error: alias.lambda.aws.m.crossplane.io/live has no rollout: spec.rollout is not set\n",
		)
	})
}

// TestStatusForbidden checks that a user who may not watch learns so, instead of waiting.
func TestStatusForbidden(t *testing.T) {
	e := newEnv(t, canary())
	e.network.before = func(r *http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/aliases") {
			return kerrors.NewForbidden(kubectl.Aliases.Resource.GroupResource(), "", errors.New("no rights"))
		}
		return nil
	}
	if code := e.run(
		t,
		"status",
		"live",
	); code != 1 || !strings.HasPrefix(e.errOut.String(), "Error from server (Forbidden): ") ||
		strings.Count(e.errOut.String(), "\n") != 1 {
		t.Errorf("exit code %d: %s", code, e.errOut)
	}
}

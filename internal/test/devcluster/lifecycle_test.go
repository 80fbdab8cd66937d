package devcluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	first := suite.Cluster(t)
	second, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, second)

	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "only-in-the-second"}}
	if _, err := clientset(t, second.Config).CoreV1().ConfigMaps("default").Create(t.Context(), cm,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = clientset(t, first.Config).CoreV1().ConfigMaps("default").Get(t.Context(), cm.GetName(),
		metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("what one control plane holds is seen in another: got %v, want NotFound", err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	c, err := Start(t.Context(), Options{Controllers: true})
	if err != nil {
		t.Fatal(err)
	}
	pids := pidsOf(c)
	if len(pids) != 3 {
		t.Errorf("%d processes run, want 3", len(pids))
	}
	for _, pid := range pids {
		if !isAlive(pid, c.dir.Path) {
			t.Errorf("process %d does not run before Stop", pid)
		}
	}

	stop(t, c)
	stop(t, c) // Again, since it may be called more than once.

	for _, pid := range pids {
		if isAlive(pid, c.dir.Path) {
			t.Errorf("process %d runs after Stop", pid)
		}
	}
	if _, err := os.Stat(c.dir.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there after Stop: %v", err)
	}
}

func TestStartCancelled(t *testing.T) {
	suite.Cluster(t) // The programs exist then, so that the start is cancelled and not their build.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Start() = %v, want %v", err, context.Canceled)
	}
}

// helperEnv makes TestHelperProcess do what TestParentKilled needs.
const helperEnv = "DEVCLUSTER_HELPER_PROCESS"

// TestParentKilled starts a control plane in another process and kills that process, so that it cannot stop the
// control plane.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	suite.Cluster(t) // The programs exist then, so that the helper does not wait for a build.

	parent := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
	parent.Env = append(os.Environ(), helperEnv+"=1")
	parent.Stderr = os.Stderr
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewScanner(stdout)
	if !out.Scan() {
		t.Fatal("the helper said nothing")
	}
	fields := strings.Fields(out.Text())
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // It was killed, which is an error.

	dir, pids := fields[0], fields[1:]
	if len(pids) != 3 {
		t.Fatalf("the helper started %d processes, want 3", len(pids))
	}
	if runtime.GOOS != "linux" { // Elsewhere, the next start ends them.
		reap(t)
	}
	for _, p := range pids {
		pid, err := strconv.Atoi(p)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "process "+p+" is gone", func(context.Context) (bool, error) { return !isAlive(pid, dir), nil })
	}
	reap(t)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what the killed process left on disk was not removed: %v", err)
	}
}

// TestHelperProcess is not a test: TestParentKilled runs it in another process.
func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperEnv) == "" {
		return
	}
	c, err := Start(t.Context(), Options{Controllers: true})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Print(c.dir.Path)
	for _, pid := range pidsOf(c) {
		fmt.Print(" ", pid)
	}
	fmt.Println()
	<-t.Context().Done() // Until it is killed.
}

func TestStartErrors(t *testing.T) {
	bin := t.TempDir()
	for _, p := range []string{etcd, apiServer} {
		if err := os.WriteFile(filepath.Join(bin, p), //nolint:gosec // It must be executable.
			[]byte("#!/bin/sh\necho out of cheese\nexit 1\n"),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(assetsEnv, bin)

	cases := map[string]struct {
		reason string
		o      Options
		want   string
	}{
		"NoSuchFolder": {
			reason: "A missing folder of CRDs is an error.",
			o:      Options{CRDs: []string{filepath.Join("testdata", "none")}},
			want:   "cannot read CustomResourceDefinitions from testdata/none",
		},
		"EmptyFolder": {
			reason: "A folder without CRDs is an error.",
			o:      Options{CRDs: []string{t.TempDir()}},
			want:   "there are no CustomResourceDefinitions in ",
		},
		"ExtraWithoutControllers": {
			reason: "Controllers that would not run are an error.",
			o:      Options{ExtraControllers: []string{"job-controller"}},
			want:   "Options.Controllers is not set",
		},
		"ProgramEnds": {
			reason: "When a program fails, its log says why.",
			want:   "etcd ended before it was ready; the end of its log:\nout of cheese",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Start(t.Context(), tc.o)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nStart() = %v, want an error that says %q", tc.reason, err, tc.want)
			}
		})
	}
}

// reap does what the next start does: it ends and removes what was left.
func reap(t *testing.T) {
	t.Helper()
	d, err := process.NewFolder()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.Stop(); err != nil {
		t.Errorf("Stop() = %v", err)
	}
}

func pidsOf(c *Cluster) []int {
	var pids []int
	for _, p := range c.processes {
		pids = append(pids, p.PID())
	}
	return pids
}

// isAlive reports whether the process runs in dir. Another process may have its ID by now, and a dead one stays in
// the process table until its parent waits for it.
func isAlive(pid int, dir string) bool {
	return syscall.Kill(pid, 0) == nil && strings.Contains(process.CommandLine(pid), dir)
}

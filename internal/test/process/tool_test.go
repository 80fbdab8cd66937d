package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	got, err := Output(exec.CommandContext(t.Context(), "sh", "-c", "echo out; echo err >&2; exit 3"))
	if want := "out\nerr\n"; string(got) != want {
		t.Errorf("Output() = %q, want %q", got, want)
	}
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("Output() returned %v, want exit status 3", err)
	}
}

// TestOutputEndsAll cancels a tool that has started another program, which would run for an hour.
func TestOutputEndsAll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := filepath.Join(t.TempDir(), "pid")
	ended := make(chan error)
	go func() {
		_, err := Output(exec.CommandContext(ctx, "sh", "-c", "sleep 3601 & echo $! > "+file+".new; mv "+file+".new "+
			file+"; wait"))
		ended <- err
	}()
	pid := 0
	poll(t, "the tool has started another program", func() bool {
		b, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid > 0
	})
	cancel()
	if err := <-ended; err == nil {
		t.Error("a tool that was ended returned no error")
	}
	poll(t, "what the tool started has ended", func() bool { return !strings.Contains(CommandLine(pid), "3601") })
}

// poll polls until a condition holds, within a generous timeout.
func poll(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 1200 {
		if so() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("not so: %s", what)
}

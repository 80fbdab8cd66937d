package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestNewFolder(t *testing.T) {
	root := t.TempDir()
	alive, err := newFolderIn(root)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := newFolderIn(root)
	if err != nil {
		t.Fatal(err)
	}
	// As the end of its process does.
	if err := stale.lock.Close(); err != nil {
		t.Fatal(err)
	}

	// IDs are reused: of these two, only the first is the control plane's.
	ours := follow(t, stale.File(lockName))
	other := follow(t, os.DevNull)
	record(t, stale, "etcd", ours.Process.Pid)
	record(t, stale, "kube-apiserver", other.Process.Pid)

	next, err := newFolderIn(root)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(stale.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder whose maker is dead is still there: %v", err)
	}
	for _, d := range []*Folder{alive, next} {
		if _, err := os.Stat(d.Path); err != nil {
			t.Errorf("a folder in use is not there: %v", err)
		}
	}
	if err := ours.Wait(); err == nil || //nolint:forcetypeassert // It is, on Unix.
		ours.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the process that was left ended with %v, want killed", err)
	}
	if !strings.Contains(CommandLine(other.Process.Pid), os.DevNull) {
		t.Error("a process of somebody else was ended")
	}
}

func TestRunRoot(t *testing.T) {
	tmp := t.TempDir()
	root, err := runRoot(tmp)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := runRoot(tmp); err != nil || again != root {
		t.Errorf("runRoot() = %q, %v the second time, want %q", again, err, root)
	}

	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // That others may read it is the point.
		t.Fatal(err)
	}
	if _, err := runRoot(tmp); err == nil {
		t.Error("a folder that others may enter was used")
	}

	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), root); err != nil {
		t.Fatal(err)
	}
	if _, err := runRoot(tmp); err == nil {
		t.Error("a link to another folder was followed")
	}
}

// follow starts a process whose command line contains the file's name, and that does not end by itself.
func follow(t *testing.T, file string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("tail", "-f", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // It may have been killed, and waited for, already.
		_ = cmd.Wait()
	})
	return cmd
}

func record(t *testing.T, d *Folder, name string, pid int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.Path, name+pidSuffix), []byte(strconv.Itoa(pid)), 0o600); err != nil {
		t.Fatal(err)
	}
}

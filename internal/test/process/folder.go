package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	lockName  = "lock"
	pidSuffix = ".pid"
	runPrefix = "run-"
)

// A Folder contains the files of processes that belong together: data, keys, logs and process IDs. Its lock is held
// while the process that created it lives, so that a folder with a free lock is known to be stale.
type Folder struct {
	// Path of the folder.
	Path string

	lock *os.File
}

// NewFolder creates a new folder, which only this user may enter, and removes those of dead processes. Its path is
// short, because it contains Unix sockets.
func NewFolder() (*Folder, error) {
	root, err := runRoot(os.TempDir())
	if err != nil {
		return nil, err
	}
	return newFolderIn(root)
}

func newFolderIn(root string) (*Folder, error) {
	// A folder must not be taken for a stale one between its creation and its locking.
	guard, err := lockFile(filepath.Join(root, lockName), syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer guard.Close() //nolint:errcheck // Closing gives the lock back, whatever it returns.

	removeStale(root)

	path, err := os.MkdirTemp(root, runPrefix)
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(path, lockName), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		return nil, err
	}
	return &Folder{Path: path, lock: lock}, nil
}

// File returns the path of the file with the given name in the folder.
func (d *Folder) File(name string) string {
	return filepath.Join(d.Path, name)
}

// Remove removes the folder with all that is in it.
func (d *Folder) Remove() error {
	err := os.RemoveAll(d.Path)
	return errors.Join(err, d.lock.Close())
}

// runRoot returns the folder, private to this user, that contains the folders of this user's processes. Its name is
// short because it contains Unix sockets.
func runRoot(tmp string) (string, error) {
	root := filepath.Join(tmp, "lambda-dev-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(root, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}

	// Others may write to the temporary folder, so an existing folder may be another user's.
	info, err := os.Lstat(root)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || int(stat.Uid) != os.Getuid() {
		return "", fmt.Errorf("%s is not a folder that only you may enter: remove it or set TMPDIR", root)
	}
	return root, nil
}

// removeStale removes the folders in root whose creators are dead, and ends their remaining processes. What cannot be
// removed now is left to a later start.
func removeStale(root string) {
	dirs, _ := filepath.Glob(filepath.Join(root, runPrefix+"*")) // The pattern is well-formed.
	for _, dir := range dirs {
		lock, err := lockFile(filepath.Join(dir, lockName), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != nil {
			continue
		}
		killRecorded(dir)
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	}
}

// killRecorded ends the processes with the IDs that are recorded in dir. IDs are reused, so a process counts only if
// its command line contains dir.
func killRecorded(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+pidSuffix)) // The pattern is well-formed.
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(string(text))
		if err != nil || pid <= 1 {
			continue
		}
		if strings.Contains(CommandLine(pid), dir) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// CommandLine returns the arguments of a process, or nothing if it has ended.
func CommandLine(pid int) string {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil {
		return string(text)
	}
	ps := exec.Cmd{Path: "/bin/ps", Args: []string{"ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)}}
	text, err := ps.Output()
	if err != nil {
		return ""
	}
	return string(text)
}

// lockFile opens or creates the file, and locks it as flock(2) does. The lock is released when the file is closed or
// this process ends.
func lockFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return f, nil
}

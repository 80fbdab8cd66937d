package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Programs returns the folder with the programs that a script of the repository finds or builds, such as
// cluster/dev/ensure.sh. That takes minutes the first time; progress receives the messages. The script's path starts
// at the repository's root, which is searched from the working folder upwards.
func Programs(ctx context.Context, script string, progress io.Writer) (string, error) {
	path, err := Root(script)
	if err != nil {
		return "", err
	}
	return build(ctx, filepath.Join(path, script), progress)
}

// Root returns the nearest folder, from the working folder upwards, that contains a file.
func Root(name string) (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot find %s: %w", name, err)
	}
	root, err := findUp(wd, name)
	if err != nil {
		return "", fmt.Errorf("%w; run from inside the provider's repository", err)
	}
	return root, nil
}

// build runs the script and returns the folder that it prints.
func build(ctx context.Context, script string, progress io.Writer) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", script)
	cmd.Stderr = progress
	// On SIGTERM, the script ends the build and cleans up.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second

	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("cannot find or build the programs: %w; run %s once, which takes minutes, and try again",
			err, script)
	}
	return strings.TrimSpace(string(out)), nil
}

// findUp returns dir or its nearest parent that contains the file with the given name.
func findUp(dir, name string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, name)); err == nil {
			return d, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("cannot look for %s: %w", name, err)
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("there is no %s in %s or above it", name, dir)
		}
	}
}

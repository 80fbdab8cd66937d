package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// FreeAddress returns a free address on 127.0.0.1 for a program to listen on. Its port is reserved until this process
// ends: if it were only chosen, another server or a connection could take it before the program listens. The program
// must set SO_REUSEADDR, as Go does. Only Linux lets a program listen on a port that is reserved, so that on other
// systems it is only chosen.
func FreeAddress() (string, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return "", fmt.Errorf("cannot reserve a port: %w", err)
	}
	port, err := bind(fd)
	if err != nil || runtime.GOOS != "linux" {
		_ = syscall.Close(fd) // The port is free again, whatever close returns.
	}
	if err != nil {
		return "", fmt.Errorf("cannot reserve a port: %w", err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port), nil
}

// bind binds a socket to a free port and returns the port's number. The kernel assigns that port to nobody else. A
// socket that does not listen gets no connections.
func bind(fd int) (int, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	addr, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	in4, ok := addr.(*syscall.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("a socket of another family: %T", addr)
	}
	return in4.Port, nil
}

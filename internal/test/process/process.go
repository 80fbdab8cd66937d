// Package process starts programs that must not outlive this one, for tests and for programs that replace a cluster
// on this machine.
package process

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	// startTimeout is the longest time until a program is ready. A machine that also compiles is slow.
	startTimeout = 2 * time.Minute

	// readyInterval is the time between two checks of whether a program is ready.
	readyInterval = 50 * time.Millisecond

	// logTail is the number of lines of a failed program's log that an error shows.
	logTail = 15
)

// A Command is a program to start.
type Command struct {
	// Name of the process, which is also its log's. Default: the program's.
	Name string

	// Path of the program, and its arguments without its name.
	Path string
	Args []string

	// Env are the environment variables, as in os.Environ. Default: those of this process.
	Env []string
}

// A Process is a program that was started.
type Process struct {
	name string
	cmd  *exec.Cmd
	log  string        // the path of the file that its output goes to
	from int64         // where in that file its own output begins
	done chan struct{} // closed when it has ended
}

// Start starts a program in a folder, which also contains its log and its process ID. The log of an earlier process
// of that name is continued.
func Start(dir *Folder, c Command) (*Process, error) {
	name := cmp.Or(c.Name, filepath.Base(c.Path))
	out, err := os.OpenFile(dir.File(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	defer out.Close() //nolint:errcheck // The program has a descriptor of its own.

	cmd := &exec.Cmd{
		Path:        c.Path,
		Args:        append([]string{filepath.Base(c.Path)}, c.Args...),
		Env:         c.Env,
		Dir:         dir.Path,
		Stdout:      out,
		Stderr:      out,
		SysProcAttr: attributes(),
	}
	from, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	p := &Process{name: name, cmd: cmd, log: out.Name(), from: from, done: make(chan struct{})}

	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}

	if err := os.WriteFile(dir.File(name+pidSuffix), []byte(strconv.Itoa(p.PID())), 0o600); err != nil {
		p.Kill()
		return nil, fmt.Errorf("cannot record the process id of %s: %w", name, err)
	}
	return p, nil
}

// Name returns the name of the process.
func (p *Process) Name() string { return p.name }

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Succeeded reports whether a process that has ended did so without an error.
func (p *Process) Succeeded() bool { return p.cmd.ProcessState.Success() }

// Log returns the path of the file with the process's output.
func (p *Process) Log() string { return p.log }

// run starts the program and waits for its end. It locks its thread meanwhile, because Linux ends the program with
// the thread that started it.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // A program that is killed always ends with an error.
	close(p.done)
}

// Terminate asks the process to end.
func (p *Process) Terminate() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // It fails only if the program has ended already.
}

// Kill ends the process and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // It fails only if the program has ended already.
	<-p.done
}

// WaitReady polls ready until it returns nil. It fails if the process ends, or is not ready within two minutes; the
// error shows the end of its log.
func (p *Process) WaitReady(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()

	tick := time.NewTicker(readyInterval)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before it was ready; the end of its log:\n%s", p.name, p.Tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w: %w; the end of its log:\n%s", p.name, ctx.Err(), err, p.Tail())
		case <-tick.C:
		}
	}
}

// Tail returns the last lines that the process wrote.
func (p *Process) Tail() []byte {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(text[min(int(p.from), len(text)):]), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-logTail):], []byte("\n"))
}

// outputGrace is the longest time for which programs that a tool started may keep its output open after the tool was
// ended.
const outputGrace = 5 * time.Second

// Output runs a tool, such as a compiler, and returns its output. The tool ends with this process, on Linux, and does
// not receive Ctrl-C on a terminal. When the context that exec.CommandContext gave cmd is done, the tool ends
// together with the programs that it started.
func Output(cmd *exec.Cmd) ([]byte, error) {
	// Linux ends the tool with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = outputGrace
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.CombinedOutput()
}

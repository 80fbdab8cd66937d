package devcluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

const (
	// startTimeout is how long one program may take until it is ready. A machine
	// that also compiles is slow.
	startTimeout = 2 * time.Minute

	// readyInterval is the time between two looks at whether a program is ready.
	readyInterval = 50 * time.Millisecond

	// logTail is how many lines of a failed program's log an error shows.
	logTail = 15
)

// A process is one program of the control plane.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string        // the path of the file that its output goes to
	done chan struct{} // closed when it has ended
}

// startProcess starts a program in dir, which also gets its log and its id.
func startProcess(dir *runDir, path string, args ...string) (*process, error) {
	name := filepath.Base(path)
	out, err := os.Create(dir.file(name + ".log"))
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	defer out.Close() //nolint:errcheck // The program has a descriptor of its own.

	cmd := &exec.Cmd{
		Path:        path,
		Args:        append([]string{name}, args...),
		Dir:         dir.path,
		Stdout:      out,
		Stderr:      out,
		SysProcAttr: processAttributes(),
	}
	p := &process{name: name, cmd: cmd, log: out.Name(), done: make(chan struct{})}

	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}

	if err := os.WriteFile(dir.file(name+pidSuffix), []byte(strconv.Itoa(p.cmd.Process.Pid)), 0o600); err != nil {
		p.kill()
		return nil, fmt.Errorf("cannot record the process id of %s: %w", name, err)
	}
	return p, nil
}

// run starts the program and waits for its end. It keeps its thread all the
// while, because Linux ends the program with the thread that started it.
func (p *process) run(started chan<- error) {
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

// kill ends the program and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // It fails only if the program has ended already.
	<-p.done
}

// waitReady asks ready again and again until it returns nil.
func (p *process) waitReady(ctx context.Context, ready func(context.Context) error) error {
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
			return fmt.Errorf("%s ended before it was ready; the end of its log:\n%s", p.name, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w: %w; the end of its log:\n%s", p.name, ctx.Err(), err, p.tail())
		case <-tick.C:
		}
	}
}

// tail returns the last lines of the program's log.
func (p *process) tail() []byte {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-logTail):], []byte("\n"))
}

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"time"
)

const (
	providerLog   = "provider.log"
	crossplaneLog = "crossplane.log"

	// logInterval is the time between two reads of the logs.
	logInterval = 200 * time.Millisecond
)

// startLogs copies logs to their permanent files, and the provider's to the terminal.
func (e *env) startLogs() error {
	var show io.Writer = &errorLines{to: indented{e.out}}
	if e.flags.Logs {
		show = e.out
	}
	provider := func() []string {
		var files []string
		for _, p := range e.platform.Providers() {
			files = append(files, p.Log())
		}
		return files
	}
	crossplane := func() []string { return []string{e.platform.LogFile("crossplane")} }
	return errors.Join(e.tail(providerLog, provider, show), e.tail(crossplaneLog, crossplane, io.Discard))
}

func (e *env) tail(name string, files func() []string, show io.Writer) error {
	to, err := os.Create(e.file(name))
	if err != nil {
		return err
	}
	t := &tail{
		files: files, to: io.MultiWriter(to, show), read: map[string]int64{}, done: make(chan struct{}),
		ended: make(chan error, 1),
	}
	e.logs = append(e.logs, t)
	go func() { t.ended <- errors.Join(t.run(), to.Close()) }()
	return nil
}

// A tail copies what is appended to files, also to files that are no longer listed.
type tail struct {
	files func() []string
	to    io.Writer
	read  map[string]int64 // bytes, by file
	done  chan struct{}
	ended chan error
}

func (t *tail) stop() error {
	close(t.done)
	return <-t.ended
}

func (t *tail) run() error {
	tick := time.NewTicker(logInterval)
	defer tick.Stop()
	for {
		if err := t.poll(); err != nil {
			return err
		}
		select {
		case <-t.done:
			return nil
		case <-tick.C:
		}
	}
}

func (t *tail) poll() error {
	for _, file := range t.files() {
		t.read[file] += 0
	}
	for file, from := range t.read {
		n, err := copyFrom(t.to, file, from)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		t.read[file] = from + n
	}
	return nil
}

func copyFrom(to io.Writer, file string, from int64) (int64, error) {
	f, err := os.Open(file) //nolint:gosec // It is one of ours.
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // It is only read.
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return 0, err
	}
	return io.Copy(to, f)
}

// alarming matches lines of the provider's log that a user should see. The node reports why it ended, if it ended by
// itself.
var alarming = regexp.MustCompile(`^time=\S+ level=ERROR `)

// errorLines passes on the lines with errors.
type errorLines struct {
	to   io.Writer
	rest []byte // a line that is not whole yet
}

// Write writes part of a log.
func (e *errorLines) Write(b []byte) (int, error) {
	e.rest = append(e.rest, b...)
	for {
		i := bytes.IndexByte(e.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		if line := e.rest[:i+1]; alarming.Match(line) {
			if _, err := e.to.Write(line); err != nil {
				return 0, err
			}
		}
		e.rest = e.rest[i+1:]
	}
}

// indented indents each line.
type indented struct{ to io.Writer }

// Write writes whole lines.
func (i indented) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		if _, err := i.to.Write(append([]byte("    "), line...)); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

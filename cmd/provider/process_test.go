package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asProvider is an environment variable that makes the test binary run the provider's main, in a process that can be
// killed.
const asProvider = "TEST_AS_PROVIDER"

// pollInterval is the time between two checks.
const pollInterval = 20 * time.Millisecond

// until waits until a condition holds, and fails the test after a timeout.
func until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(timeout); !so(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// A process is a provider in a process of its own, which calls AWS with an access key that is its name.
type process struct {
	name            string
	metrics, health string

	cmd *exec.Cmd
	log output

	// ended is closed when the process has ended, with the error that it returned.
	ended chan struct{}
	err   error
}

// output is the output of a process.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// start starts a provider, from this program or another one.
func start(t testing.TB, program, name string, kubeconfig []byte, args ...string) *process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &process{name: name, metrics: freeAddress(t), health: freeAddress(t), ended: make(chan struct{})}
	args = append(args, "--metrics-bind-address="+p.metrics, "--health-probe-bind-address="+p.health,
		"--cluster-id=test-cluster")
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), program, args...) //nolint:gosec // The provider.
	p.cmd.Env = append(os.Environ(), asProvider+"=1", "GOGC=", "KUBECONFIG="+file, "AWS_ACCESS_KEY_ID="+name,
		"AWS_SECRET_ACCESS_KEY=double")
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // It may have ended.
		<-p.ended
		if t.Failed() {
			t.Logf("provider %s said:\n%s", p.name, p.log.String())
		}
	})
	return p
}

func (p *process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatalf("cannot send %s to provider %s: %v", s, p.name, err)
	}
}

// ends waits until the process has ended, and returns its error.
func (p *process) ends(t testing.TB) error {
	t.Helper()
	select {
	case <-p.ended:
		return p.err
	case <-time.After(timeout):
		t.Fatalf("provider %s does not end", p.name)
		return nil
	}
}

// leads reports whether the process is the leader.
func (p *process) leads(t testing.TB) bool {
	t.Helper()
	v, ok := p.metric(t, `leader_election_master_status{name="crossplane-leader-election-provider-lambda"}`)
	return ok && v == 1
}

// metric returns a metric of a process, if it responds and has it.
func (p *process) metric(t testing.TB, name string) (float64, bool) {
	t.Helper()
	body, err := once(t, "http://"+p.metrics+"/metrics")
	if err != nil {
		return 0, false
	}
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		text, found := strings.CutPrefix(lines.Text(), name+" ")
		if !found {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		return v, true
	}
	return 0, false
}

package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// patient are flags of a short lease, for tests that wait until it expires. A leader on a busy machine still renews it
// in time.
var patient = []string{"--leader-election-lease-duration=10s", "--leader-election-renew-deadline=8s"}

// testProgram returns the path of this test binary.
func testProgram(t testing.TB) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// pair starts a provider, and another one on standby.
func (w *env) pair(leaders []byte, args ...string) (leader, standby *process) {
	w.Helper()
	leader = w.provider("LEADER", leaders, args...)
	until(w, "the first provider leads", func() bool { return leader.leads(w) })
	standby = w.provider("STANDBY", w.cluster.Kubeconfig, args...)
	get(w, "http://"+standby.health+"/readyz")
	get(w, "http://"+standby.health+"/healthz")
	return leader, standby
}

// TestTakeover checks that a leader that is killed or terminated while it creates functions is replaced, and that no
// function is created twice or forgotten.
func TestTakeover(t *testing.T) {
	const functions = 60
	cases := map[string]struct {
		reason string
		signal syscall.Signal
		args   []string
		killed bool
		most   time.Duration
	}{
		"Killed": {
			reason: "A killed leader does not release its lease, which has to expire.",
			signal: syscall.SIGKILL, args: patient, killed: true, most: time.Minute,
		},
		"Ended": {
			reason: "A leader that is terminated releases its lease of 60 s.",
			signal: syscall.SIGTERM, most: time.Minute / 2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newEnv(t, awsdouble.Options{Latency: 50 * time.Millisecond, CreateDuration: 200 * time.Millisecond})
			leader, standby := w.pair(w.cluster.Kubeconfig, append(tc.args, "--quota-control-plane=30")...)

			w.functions(functions)
			until(t, "a third of the functions is made", func() bool { return len(w.created()) > functions/3 })
			if n := len(w.callsOf(standby)); n > 0 {
				t.Errorf("the provider that stands by made %d calls", n)
			}
			leader.signal(t, tc.signal)
			began := time.Now()
			if err := leader.ends(t); (err != nil) != tc.killed {
				t.Errorf("the leader ended with %v", err)
			}
			if n := len(w.created()); n == functions {
				t.Fatal("all functions were made before the leader ended")
			}

			until(t, "the other provider leads", func() bool { return standby.leads(t) })
			if took := time.Since(began); took > tc.most {
				t.Errorf("%s: it took %s", tc.reason, took)
			}
			w.ready(functions, timeout)
			w.onceEach(functions)
		})
	}
}

// onceEach checks that each function was created once, and that there is no other.
func (w *env) onceEach(functions int) {
	w.Helper()
	created, there := w.created(), w.inAWS()
	for i := range functions {
		name := fmt.Sprintf("f-%04d", i)
		if created[name] != 1 || !there[name] {
			w.Errorf("%s was made %d times, and is there: %t", name, created[name], there[name])
		}
	}
	if len(created) != functions || len(there) != functions {
		w.Errorf("%d functions were made and %d are there, want %d", len(created), len(there), functions)
	}
}

// TestLostLease checks that a leader that is unaware that it has lost its lease makes no calls to AWS by the time
// that another replica works, and ends.
func TestLostLease(t *testing.T) {
	cases := map[string]struct {
		reason    string
		functions int
		// lose takes the lease away, and undo reverts that.
		lose, undo func(w *env, p *process, n *network)
	}{
		"CutOff": {
			reason:    "The API server does not answer the leader, but AWS does.",
			functions: 8,
			lose:      func(_ *env, _ *process, n *network) { n.cut.Store(true) },
			undo:      func(*env, *process, *network) {},
		},
		"Frozen": {
			reason: "The process is stopped for a while, then continues as if no time had passed.",
			// Only one, whose call has arrived: nobody can stop a call of which the process has checked the lease, but
			// which it has not yet sent.
			functions: 1,
			lose: func(w *env, p *process, _ *network) {
				call := w.double.Hold("GetFunction")
				defer call.Release()
				until(w, "a call is in flight", func() bool {
					select {
					case <-call.Arrived():
						return true
					default:
						return false
					}
				})
				p.signal(w, syscall.SIGSTOP)
			},
			undo: func(w *env, p *process, _ *network) { p.signal(w, syscall.SIGCONT) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // It mostly waits.
			w := newEnv(t, awsdouble.Options{Latency: 5 * time.Millisecond})
			n := newNetwork(t, strings.TrimPrefix(w.cluster.Config.Host, "https://"))
			behind := bytes.ReplaceAll(w.cluster.Kubeconfig, []byte(w.cluster.Config.Host),
				[]byte("https://"+n.address))
			leader, standby := w.pair(behind, append(slices.Clone(patient), "--poll=1s",
				"--min-poll=1s", "--poll-jitter-percentage=0")...)
			w.functions(tc.functions)
			w.ready(tc.functions, timeout)
			w.drift(t.Context(), "f-0000")
			until(t, "the leader puts right what was changed",
				func() bool { return count(w.callsOf(leader), "UpdateFunctionConfiguration") > 0 })

			tc.lose(w, leader, n)
			until(t, "the other provider works", func() bool {
				w.drift(t.Context(), "f-0000") // So that there is always something to correct.
				return count(w.callsOf(standby), "UpdateFunctionConfiguration") > 0
			})
			tc.undo(w, leader, n)
			if err := leader.ends(t); err == nil {
				t.Error("a leader that lost its lease ended as if it had been told to")
			}
			first, last := w.callsOf(standby)[0], w.callsOf(leader)
			if at := last[len(last)-1]; !at.Time.Before(first.Time) {
				t.Errorf("%s: it called %s %s after another was at work", tc.reason, at.Operation,
					at.Time.Sub(first.Time))
			}
		})
	}
}

func count(calls []awsdouble.Call, operation string) int {
	n := 0
	for _, c := range calls {
		if c.Operation == operation {
			n++
		}
	}
	return n
}

// A network is the connection to an API server, which can be cut: what is sent then is dropped without an error.
type network struct {
	address string
	cut     atomic.Bool

	mu    sync.Mutex
	conns []net.Conn
}

func newNetwork(t testing.TB, target string) *network {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{address: l.Addr().String()}
	t.Cleanup(func() {
		_ = l.Close()
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, c := range n.conns {
			_ = c.Close()
		}
	})
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", target)
			if err != nil {
				_ = from.Close()
				return
			}
			n.mu.Lock()
			n.conns = append(n.conns, from, to)
			n.mu.Unlock()
			go n.carry(to, from)
			go n.carry(from, to)
		}
	}()
	return n
}

// carry copies the data, or drops it.
func (n *network) carry(to io.WriteCloser, from io.Reader) {
	defer func() { _ = to.Close() }()
	buf := make([]byte, 32*1024)
	for {
		read, err := from.Read(buf)
		if err != nil {
			return
		}
		if n.cut.Load() {
			continue
		}
		if _, err := to.Write(buf[:read]); err != nil {
			return
		}
	}
}

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestListens checks that a provider serves its metrics and its probes, and nothing else.
func TestListens(t *testing.T) {
	w := newEnv(t, awsdouble.Options{})
	p := w.provider("ONE", w.cluster.Kubeconfig)
	until(t, "the provider leads", func() bool { return p.leads(t) })
	var want []string
	for _, address := range []string{p.metrics, p.health} {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, port)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, listening(t, p.cmd.Process.Pid)); diff != "" {
		t.Errorf("ports: -want, +got:\n%s", diff)
	}
}

// listening returns the ports of TCP on which a process listens, in order.
func listening(t *testing.T, pid int) []string {
	t.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	sockets := map[string]bool{}
	for _, fd := range open {
		to, _ := os.Readlink(fd) // It may be closed by now.
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	var ports []string
	for _, table := range []string{"tcp", "tcp6"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			const local, state, inode, listens = 1, 3, 9, "0A"
			f := strings.Fields(line)
			if len(f) <= inode || f[state] != listens || !sockets[f[inode]] {
				continue
			}
			port, err := strconv.ParseUint(f[local][strings.LastIndex(f[local], ":")+1:], 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			ports = append(ports, strconv.FormatUint(port, 10))
		}
	}
	slices.Sort(ports)
	return ports
}

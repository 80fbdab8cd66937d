package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A cgroup is the folder of a control group of memory, empty if there is none.
type cgroup string

// newCgroup creates a control group, of version 1 or 2. It returns an empty one if the system does not permit it.
func newCgroup(b *testing.B, name string) cgroup {
	b.Helper()
	for _, root := range []string{"/sys/fs/cgroup/memory", "/sys/fs/cgroup"} {
		g := cgroup(filepath.Join(root, "provider-lambda-"+name))
		_ = os.Mkdir(string(g), 0o750) // It may be there from an earlier run.
		if _, _, ok := g.memory(); ok {
			return g
		}
		_ = os.Remove(string(g)) // It has no memory controller.
	}
	return ""
}

// wrap returns a program that runs another one in the control group. The pages of that program leave the page cache
// first: the control group is charged for those that it reads itself.
func (g cgroup) wrap(b *testing.B, program string) string {
	b.Helper()
	if g == "" {
		return program
	}
	f, err := os.Open(program) //nolint:gosec // The benchmark has built it.
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(b.TempDir(), "in-cgroup")
	text := fmt.Sprintf("#!/bin/sh\necho $$ >%s/cgroup.procs && exec %s \"$@\"\n", g, program)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil { //nolint:gosec // It is run.
		b.Fatal(err)
	}
	return script
}

// memory returns what the control group is charged for and the working set, which kubectl top pod shows: what is
// charged without the inactive pages of files. Both are in MiB.
func (g cgroup) memory() (charged, workingSet float64, ok bool) {
	for file, inactive := range map[string]string{
		"memory.usage_in_bytes": "total_inactive_file",
		"memory.current":        "inactive_file",
	} {
		usage, err := os.ReadFile(filepath.Join(string(g), file))
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(string(g), "memory.stat"))
		_, rest, _ := strings.Cut("\n"+string(stat), "\n"+inactive+" ")
		reclaimable, _, _ := strings.Cut(rest, "\n")
		c, err1 := strconv.ParseFloat(strings.TrimSpace(string(usage)), 64)
		r, err2 := strconv.ParseFloat(reclaimable, 64)
		return c / (1 << 20), (c - r) / (1 << 20), err1 == nil && err2 == nil
	}
	return 0, 0, false
}

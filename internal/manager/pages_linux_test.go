package manager

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMappingsOf(t *testing.T) {
	const file = "/usr/local/bin/provider"
	region := func(addresses, permissions, file string, anonymous, swap int) string {
		return fmt.Sprintf("%s %s 00000000 fe:00 123                 %s\nSize:  4 kB\nRss:  4 kB\nAnonymous:  %d kB\nSwap:  %d kB\nVmFlags: rd ex mr mw me\n", addresses, permissions, file, anonymous, swap)
	}
	cases := map[string]struct {
		reason string
		smaps  string
		want   []mapping
	}{
		"Text":       {reason: "Code and constants are only read.", smaps: region("400000-800000", "r-xp", file, 0, 0) + region("800000-a00000", "r--p", file, 0, 0), want: []mapping{{0x400000, 0x800000}, {0x800000, 0xa00000}}},
		"Data":       {reason: "Variables would be lost.", smaps: region("400000-800000", "rw-p", file, 0, 0)},
		"Relocated":  {reason: "So would relocations.", smaps: region("400000-800000", "r--p", file, 4, 0) + region("800000-a00000", "r-xp", file, 0, 0), want: []mapping{{0x800000, 0xa00000}}},
		"SwappedOut": {reason: "Also if they are swapped out.", smaps: region("400000-800000", "r--p", file, 0, 4)},
		"OtherFile":  {reason: "Other files stay.", smaps: region("400000-800000", "r-xp", "/lib/libc.so", 0, 0)},
		"NoFile":     {reason: "So does the heap.", smaps: region("c000000000-c000400000", "r--p", "", 0, 0)},
		"Empty":      {reason: "Nothing may be mapped."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mappingsOf(strings.NewReader(tc.smaps), file), cmp.AllowUnexported(mapping{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestUnmapProgram unmaps the program of the test, which continues to run.
func TestUnmapProgram(t *testing.T) {
	before := residentOfFiles(t)
	unmapProgram()
	if after := residentOfFiles(t); after >= before {
		t.Errorf("%d kB of files are resident, want less than the %d kB of before", after, before)
	}
}

// residentOfFiles returns how much of files is resident in this process, in kB.
func residentOfFiles(t *testing.T) (kb int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscanf(rest, "%d kB", &kb); err != nil {
		t.Fatal(err)
	}
	return kb
}

package manager

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProgramMappings(t *testing.T) {
	maps := strings.Join([]string{
		"00400000-024de000 r-xp 00000000 fe:01 1234                      /usr/bin/the provider",
		"024de000-047a8000 r--p 020de000 fe:01 1234                      /usr/bin/the provider",
		"047a8000-04887000 rw-p 043a8000 fe:01 1234                      /usr/bin/the provider",
		"04887000-048c0000 rw-p 00000000 00:00 0 ",
		"7fbe5fec0000-7fbe60300000 r-xp 00000000 fe:01 99                /lib/libc.so",
		"not a mapping",
	}, "\n")
	want := []mapping{{start: 0x400000, end: 0x24de000}, {start: 0x24de000, end: 0x47a8000}}
	if diff := cmp.Diff(want, programMappings(strings.NewReader(maps), "/usr/bin/the provider"), cmp.AllowUnexported(mapping{})); diff != "" {
		t.Errorf("What is written must not be lost, and other files are not the program's: -want, +got:\n%s", diff)
	}
}

// TestUnmapProgram unmaps the test's own program: less of it is resident then, and it continues.
func TestUnmapProgram(t *testing.T) {
	before := residentFile(t)
	if err := unmapProgram(); err != nil {
		t.Fatal(err)
	}
	if after := residentFile(t); after >= before {
		t.Errorf("want less than %d kB of the program resident, got %d", before, after)
	}
}

// residentFile returns how much of the mapped files is resident, in kB.
func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("the kernel does not count resident files")
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

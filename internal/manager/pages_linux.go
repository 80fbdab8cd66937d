package manager

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram unmaps the pages of the program from this process. The kernel keeps them in its page cache, and maps those
// again that are used. Without it, pages that only the start needs stay resident. It changes nothing if the kernel does not
// support it.
func unmapProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	for _, m := range mappingsOf(f, program) {
		// A page that is unmapped while it counts as used becomes an active page of the page cache, which is in the
		// working set. So the pages become unused first, for which Linux 5.4 or newer is needed.
		if m.advise(unix.MADV_COLD) == nil {
			_ = m.advise(unix.MADV_DONTNEED)
		}
	}
}

// A mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// advise advises the kernel about the use of a mapping.
func (m mapping) advise(advice uintptr) error {
	if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, advice); errno != 0 {
		return errno
	}
	return nil
}

// mappingsOf returns the mappings of a file that only have pages of it: they are not writable, and were not written by
// relocations or a debugger. It reads the format of /proc/self/smaps.
func mappingsOf(smaps io.Reader, file string) []mapping {
	var all []mapping
	unchanged := false // Whether the last one of all is the present one.
	for s := bufio.NewScanner(smaps); s.Scan(); {
		var m mapping
		var permissions, key string
		var size int
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x %s", &m.start, &m.end, &permissions); n == 3 { //nolint:mnd // The number of fields.
			if unchanged = strings.HasPrefix(permissions, "r-") && strings.HasSuffix(s.Text(), " "+file); unchanged {
				all = append(all, m)
			}
			continue
		}
		_, _ = fmt.Sscanf(s.Text(), "%s %d", &key, &size)
		if unchanged && size > 0 && (key == "Anonymous:" || key == "Swap:") {
			all, unchanged = all[:len(all)-1], false
		}
	}
	return all
}

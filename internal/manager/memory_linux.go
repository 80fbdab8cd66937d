package manager

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram removes the pages of the program's code and constants from this process's page table.
func unmapProgram() error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find the program: %w", err)
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("cannot read the mappings of the process: %w", err)
	}
	defer f.Close() //nolint:errcheck // It was only read.
	for _, m := range programMappings(f, program) {
		if err := unmap(m); err != nil {
			return fmt.Errorf("cannot unmap the program: %w", err)
		}
	}
	return nil
}

// A mapping is a range of addresses of this process.
type mapping struct{ start, end uintptr }

// programMappings returns the mappings of a program that are never written: those pages are the same as in its file.
func programMappings(maps io.Reader, program string) []mapping {
	var out []mapping
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var m mapping
		var mode, offset, device, inode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %s %s %s", &m.start, &m.end, &mode, &offset, &device, &inode); err != nil {
			continue
		}
		if strings.HasPrefix(mode, "r") && !strings.Contains(mode, "w") && strings.HasSuffix(lines.Text(), " "+program) {
			out = append(out, m)
		}
	}
	return out
}

// unmap removes the pages of a mapping from the page table. The next use of a page maps it again.
func unmap(m mapping) error {
	if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED); errno != 0 {
		return errno
	}
	return nil
}

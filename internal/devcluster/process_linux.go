package devcluster

import "syscall"

// processAttributes make a program end with this process, and only then: Ctrl-C
// on a terminal must reach this process alone, which stops things in order.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

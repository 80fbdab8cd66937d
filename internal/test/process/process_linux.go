package process

import "syscall"

// attributes returns attributes that make a program end with this process, and only then: Ctrl-C on a terminal must
// reach this process alone, which stops its programs in order.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

//go:build !linux

package process

import "syscall"

// attributes keep Ctrl-C on a terminal from a program: it must reach this
// process alone, which stops things in order. Nothing here can tie the
// program's life to this process, so the next start ends what was left.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

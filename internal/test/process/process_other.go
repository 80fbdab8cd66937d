//go:build !linux

package process

import "syscall"

// attributes returns attributes that keep Ctrl-C on a terminal from a program: it must reach this process alone,
// which stops its programs in order. These systems cannot end the program together with this process, so the next
// start ends what was left.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

package process

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// outputGrace is how long what a tool started may keep its output open once the tool was ended.
const outputGrace = 5 * time.Second

// Output runs a tool to its end, such as a compiler, and returns all that it wrote. It
// ends with this process, on Linux, and does not see Ctrl-C on a terminal. When the
// context that exec.CommandContext gave cmd is done, the tool ends together with what
// it started.
func Output(cmd *exec.Cmd) ([]byte, error) {
	// Linux ends the tool with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = outputGrace
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.CombinedOutput()
}

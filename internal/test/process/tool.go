package process

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// outputGrace is the longest time for which programs that a tool started may keep its output open after the tool was
// ended.
const outputGrace = 5 * time.Second

// Output runs a tool, such as a compiler, and returns its output. The tool ends with this process, on Linux, and does
// not receive Ctrl-C on a terminal. When the context that exec.CommandContext gave cmd is done, the tool ends
// together with the programs that it started.
func Output(cmd *exec.Cmd) ([]byte, error) {
	// Linux ends the tool with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = outputGrace
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.CombinedOutput()
}

package kubectl

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/exec"
)

// Exit codes, as those of kubectl. A command whose codes mean something else, as those of diff do, returns an
// exec.CodeExitError.
const (
	ExitOK          = 0
	ExitError       = 1
	ExitInterrupted = 130

	exitFailure = 2
)

// ErrInterrupted is the error of a command that the user has ended. Nothing is printed.
var ErrInterrupted error = exec.CodeExitError{Err: errors.New("interrupted"), Code: ExitInterrupted}

// ErrFindings is the error of a command that has printed differences, or findings that need an action. Nothing more is
// printed.
var ErrFindings error = exec.CodeExitError{Err: errors.New("there are findings"), Code: 1}

// DistinguishFailures gives errors of a command the exit code 2, unless they have one. Its exit code 1 means something
// else, as that of kubectl diff does.
func DistinguishFailures(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if exit := exec.ExitError(nil); err == nil || errors.As(err, &exit) {
			return err
		}
		return exec.CodeExitError{Err: err, Code: exitFailure}
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exec.CodeExitError{Err: UsageErrorf(cmd, "%v", err), Code: exitFailure}
	})
}

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var exit exec.ExitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit):
		return exit.ExitStatus()
	}
	return ExitError
}

// Message returns the text that is printed about an error, in kubectl's words. It may be empty.
func Message(err error) string {
	var status kerrors.APIStatus
	var connection *url.Error
	var exit exec.CodeExitError
	switch {
	case err == nil, errors.Is(err, ErrInterrupted), errors.Is(err, ErrFindings):
		return ""
	case errors.As(err, &exit):
		return Message(exit.Err)
	case errors.As(err, &status):
		return statusMessage(status.Status(), err)
	case clientcmd.IsConfigurationInvalid(err):
		return "Error in configuration: " + err.Error()
	case errors.As(err, &connection):
		return connectionMessage(connection)
	}
	return "error: " + strings.TrimPrefix(err.Error(), "error: ")
}

func statusMessage(s metav1.Status, err error) string {
	switch {
	case s.Reason == metav1.StatusReasonUnauthorized:
		return "error: You must be logged in to the server (" + s.Message + ")"
	case s.Reason != "":
		return fmt.Sprintf("Error from server (%s): %v", s.Reason, err)
	}
	return fmt.Sprintf("Error from server: %v", err)
}

func connectionMessage(err *url.Error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		host := err.URL
		if u, parseErr := url.Parse(err.URL); parseErr == nil {
			host = u.Host
		}
		return "The connection to the server " + host + " was refused - did you specify the right host or port?"
	}
	return fmt.Sprintf("Unable to connect to the server: %v", err.Err)
}

// NoArgs rejects arguments of a command that takes none and has no other commands.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UsageErrorf(cmd, "no arguments are accepted, got %d", len(args))
	}
	return nil
}

// UsageErrorf returns an error about how a command was called, with a hint at its help.
func UsageErrorf(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf("%s\nSee '%s -h' for help and examples", fmt.Sprintf(format, args...), cmd.CommandPath())
}

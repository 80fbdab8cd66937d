package kubectl

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"syscall"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/exec"
)

func TestErrors(t *testing.T) {
	resource := Aliases.Resource.GroupResource()
	refused := &url.Error{
		Op:  "Get",
		URL: "https://127.0.0.1:6443/apis",
		Err: &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED},
	}
	type want struct {
		message string
		code    int
	}
	cases := map[string]struct {
		reason string
		args   error
		want   want
	}{
		"None": {reason: "Success prints nothing."},
		"Plain": {
			reason: "An error of the plugin has a prefix.",
			args:   errors.New("no"),
			want:   want{message: "error: no", code: 1},
		},
		"Prefixed": {
			reason: "There is one prefix only.",
			args:   errors.New("error: no"),
			want:   want{message: "error: no", code: 1},
		},
		"NotFound": {
			reason: "An answer of the API server has its reason.",
			args:   kerrors.NewNotFound(resource, "live"),
			want: want{
				message: `Error from server (NotFound): aliases.lambda.aws.m.crossplane.io "live" not found`,
				code:    1,
			},
		},
		"Wrapped": {
			reason: "A wrapped answer of the API server has its reason.",
			args:   fmt.Errorf("cannot list: %w", kerrors.NewNotFound(resource, "live")),
			want: want{
				message: `Error from server (NotFound): cannot list: aliases.lambda.aws.m.crossplane.io "live" not found`,
				code:    1,
			},
		},
		"Unauthorized": {
			reason: "The user has to log in.",
			args:   kerrors.NewUnauthorized("expired"),
			want:   want{message: "error: You must be logged in to the server (expired)", code: 1},
		},
		"Refused": {
			reason: "No server is there.",
			args:   refused,
			want: want{
				message: "The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?",
				code:    1,
			},
		},
		"Connection": {
			reason: "The server can't be reached.",
			args:   &url.Error{Op: "Get", URL: "https://x", Err: errors.New("no such host")},
			want:   want{message: "Unable to connect to the server: no such host", code: 1},
		},
		"Interrupted": {reason: "The user knows.", args: ErrInterrupted, want: want{code: 130}},
		"Code": {
			reason: "A command may choose its code.",
			args:   exec.CodeExitError{Err: errors.New("differs"), Code: 3},
			want:   want{message: "error: differs", code: 3},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (want{message: Message(tc.args), code: ExitCode(tc.args)}); got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

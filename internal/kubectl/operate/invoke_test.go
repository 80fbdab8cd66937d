package operate

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

func TestInvoke(t *testing.T) {
	const log = "START RequestId: 6b0c2f9e Version: $LATEST\n[INFO] order 7\nEND RequestId: 6b0c2f9e"
	code := func(in awsdouble.Invoked) awsdouble.Returned {
		switch {
		case strings.Contains(string(in.Payload), "fail"):
			return awsdouble.Returned{
				Error:   "Unhandled",
				Payload: []byte(`{"errorMessage": "no stock", "errorType": "ValueError", "stackTrace": []}`),
				Log:     log,
			}
		case strings.Contains(string(in.Payload), "crash"):
			return awsdouble.Returned{Error: "Unhandled", Payload: []byte(`"x"`)}
		case len(in.Payload) == 0:
			return awsdouble.Returned{Payload: []byte("{}")}
		}
		return awsdouble.Returned{Payload: []byte(`{"total": 42, "of": ` + string(in.Payload) + "}"), Log: log}
	}
	file := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(file, []byte(`{"order": 8}`), 0o600); err != nil {
		t.Fatal(err)
	}
	type want struct {
		code           int
		stdout, stderr string
	}
	cases := map[string]struct {
		reason     string
		args       []string
		stdin      string
		want       want
		documented bool
	}{
		"Payload": {
			reason:     "The response is printed,",
			args:       []string{"--payload", `{"order": 7}`},
			want:       want{stdout: "{\"total\": 42, \"of\": {\"order\": 7}}\n"},
			documented: true,
		},
		"File": {
			reason: "of an event in a file,",
			args:   []string{"--payload-file", file},
			want:   want{stdout: "{\"total\": 42, \"of\": {\"order\": 8}}\n"},
		},
		"Stdin": {
			reason: "The event may come from the standard input.",
			args:   []string{"--payload-file", "-"},
			stdin:  "1",
			want:   want{stdout: "{\"total\": 42, \"of\": 1}\n"},
		},
		"Nothing": {reason: "A function may be invoked without an event.", want: want{stdout: "{}\n"}},
		"Log": {
			reason: "The end of the log is not mixed with it.",
			args:   []string{"--payload", "2", "--log"},
			want:   want{stdout: "{\"total\": 42, \"of\": 2}\n", stderr: log + "\n"},
		},
		"Error": {
			reason: "An error of the function is one of the command.",
			args:   []string{"--payload", `"fail"`},
			want: want{
				code:   1,
				stdout: "{\"errorMessage\": \"no stock\", \"errorType\": \"ValueError\", \"stackTrace\": []}\n",
				stderr: "error: the function has failed (Unhandled): ValueError: no stock\n",
			},
			documented: true,
		},
		"Crash": {
			reason: "An error may have another form.",
			args:   []string{"--payload", `"crash"`},
			want:   want{code: 1, stdout: "\"x\"\n", stderr: "error: the function has failed (Unhandled)\n"},
		},
		"Event": {
			reason: "Nobody waits for an event.",
			args:   []string{"--type", "Event", "--payload", "1"},
			want:   want{stdout: "function.lambda.aws.m.crossplane.io/checkout invoked: AWS has queued the event\n"},
		},
		"DryRun": {
			reason: "A dry run invokes nothing.",
			args:   []string{"--type", "DryRun"},
			want:   want{stdout: "function.lambda.aws.m.crossplane.io/checkout can be invoked (dry run)\n"},
		},
		"Stream": {
			reason: "A stream is printed as it is.",
			args:   []string{"--stream", "--payload", `"a long event, so that there are several chunks"`, "--log"},
			want: want{
				stdout: "{\"total\": 42, \"of\": \"a long event, so that there are several chunks\"}",
				stderr: log + "\n",
			},
		},
		"StreamFail": {
			reason: "The error of a function is escaped.",
			args:   []string{"--stream", "--payload", `"fail"`},
			want:   want{code: 1, stderr: "error: the function has failed (Unhandled): ValueError: no stock\n"},
		},
		"Rejected": {
			reason: "An error of AWS is in AWS's words.",
			args:   []string{"--payload", "{"},
			want: want{
				code:   1,
				stderr: "error: cannot invoke shop-checkout: InvalidRequestContentException: Could not parse request body into json: Could not parse payload into json\n",
			},
		},
		"Qualifier": {
			reason: "A version that is not there is an error.",
			args:   []string{"--qualifier", "7"},
			want: want{
				code:   1,
				stderr: "error: cannot invoke shop-checkout: ResourceNotFoundException: Function not found: arn:aws:lambda:eu-central-1:123456789012:function:shop-checkout:7\n",
			},
		},
		"Type": {
			reason: "There are three types.",
			args:   []string{"--type", "Async"},
			want: want{
				code:   1,
				stderr: "error: invalid type \"Async\": it must be RequestResponse, Event or DryRun\nSee 'kubectl lambda invoke -h' for help and examples\n",
			},
		},
		"TwoEvents": {
			reason: "There is one event.",
			args:   []string{"--payload", "1", "--payload-file", "-"},
			want: want{
				code:   1,
				stderr: "error: --payload and --payload-file exclude each other\nSee 'kubectl lambda invoke -h' for help and examples\n",
			},
		},
		"EmptyName": {
			reason: "An empty variable of a script does not mean $LATEST.",
			args:   []string{"--qualifier", ""},
			want: want{
				code:   1,
				stderr: "error: --qualifier is empty: name a version or an alias, or leave the flag out\nSee 'kubectl lambda invoke -h' for help and examples\n",
			},
		},
		"EventLog": {
			reason: "An event has no log.",
			args:   []string{"--type", "Event", "--log"},
			want: want{
				code:   1,
				stderr: "error: --log and --stream need --type RequestResponse\nSee 'kubectl lambda invoke -h' for help and examples\n",
			},
		},
		"NoFile": {
			reason: "A file has to be there.",
			args:   []string{"--payload-file", "/nowhere"},
			want:   want{code: 1, stderr: "error: cannot read the payload: open /nowhere: no such file or directory\n"},
		},
		"NoProfile": {
			reason: "A profile has to be there.",
			args:   []string{"--aws-profile", "nobody"},
			want: want{
				code:   1,
				stderr: "error: cannot load the AWS configuration of this machine: failed to get shared config profile, nobody\n",
			},
		},
	}
	e := newEnv(t, awsdouble.Options{})
	e.create(t)
	e.aws.OnInvoke("shop-checkout", code)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e.in.Reset()
			e.in.WriteString(tc.stdin)
			got := want{
				code:   e.run(t, append([]string{"invoke", "checkout"}, tc.args...)...),
				stdout: e.out.String(),
				stderr: e.errOut.String(),
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if tc.documented {
				plugintest.Documented(t, got.stdout+got.stderr)
			}
		})
	}
}

// TestLogThatCannotBeDecoded checks that the end of the log hides neither the response nor an error of the function.
func TestLogThatCannotBeDecoded(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amz-Log-Result", "?")
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		_, _ = w.Write([]byte(`"x"`))
	}))
	defer s.Close()
	plugintest.SetMachine(t, s.URL, "s3cr3tkey")
	code := e.run(t, "invoke", "checkout", "--log")
	want := "warning: cannot decode the end of the log: illegal base64 data at input byte 0\nerror: the function has failed (Unhandled)\n"
	if code != 1 || e.out.String() != "\"x\"\n" || e.errOut.String() != want {
		t.Errorf("exit code %d, output %q, errors %q", code, &e.out, &e.errOut)
	}
}

// TestInvokeOnce checks that an invocation that fails is not repeated: the function may have run.
func TestInvokeOnce(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	e.create(t)
	e.aws.Fail(
		awsdouble.Fault{
			Operation: "Invoke",
			Error:     awsdouble.Error{Status: 500, Code: "ServiceException", Message: "internal"},
		},
	)
	if code := e.run(
		t,
		"invoke",
		"checkout",
	); code != 1 ||
		e.errOut.String() != "error: cannot invoke shop-checkout: ServiceException: internal\n" {
		t.Errorf("exit code %d: %s", code, e.errOut.String())
	}
	if n := e.aws.Count("Invoke"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

package operate

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func TestExecutions(t *testing.T) {
	e := newEnv(t, awsdouble.Options{ExecutionDuration: time.Hour})
	e.create(t, func(in *lambda.CreateFunctionInput) {
		in.DurableConfig = &types.DurableConfig{ExecutionTimeout: aws.Int32(86400)}
	})
	const fn = "arn:aws:lambda:eu-central-1:123456789012:function:shop-checkout"
	steps := []struct {
		reason         string
		args           []string
		later          time.Duration
		code           int
		stdout, stderr string
		documented     bool
	}{
		{
			reason: "There is none yet.",
			args:   []string{"executions", "list", "checkout"},
			stdout: "No durable executions found.\n",
		},
		{
			reason: "A script receives an empty list.",
			args:   []string{"executions", "list", "checkout", "-o", "json"},
			stdout: "{\n    \"kind\": \"DurableExecutionList\",\n    \"apiVersion\": \"kubectl.lambda.aws.m.crossplane.io/v1beta1\",\n    \"items\": []\n}\n",
		},
		{
			reason: "A list has no name to print.",
			args:   []string{"executions", "list", "checkout", "-o", "name"},
			code:   1,
			stderr: "error: --output name does not print lists: use jsonpath='{.items[*].name}'\n",
		},
		{
			reason: "An invocation starts one.",
			args: []string{
				"invoke",
				"checkout",
				"--qualifier",
				"$LATEST",
				"--execution-name",
				"order-6",
				"--payload",
				`"hunter2"`,
			},
			stdout: "null\n",
			stderr: "durable execution " + fn + ":$LATEST/durable-execution/order-6/UUID\n",
		},
		{
			reason: "Another starts later.",
			later:  58 * time.Minute,
			args: []string{
				"invoke",
				"checkout",
				"--qualifier",
				"$LATEST",
				"--execution-name",
				"order-7",
				"--payload",
				`"hunter2"`,
			},
			stdout: "null\n",
			stderr: "durable execution " + fn + ":$LATEST/durable-execution/order-7/UUID\n",
		},
		{
			reason:     "The latest is first.",
			later:      5 * time.Minute,
			args:       []string{"executions", "list", "checkout"},
			documented: true,
			stdout:     "NAME      STATUS      VERSION   AGE   DURATION\norder-7   RUNNING     $LATEST   5m    5m\norder-6   SUCCEEDED   $LATEST   63m   60m\n",
		},
		{
			reason: "A status selects.",
			args: []string{
				"executions",
				"list",
				"checkout",
				"--status",
				"running",
				"-o",
				"jsonpath={.items[*].name}",
			},
			stdout: "order-7",
		},
		{
			reason: "A limit too.",
			args:   []string{"executions", "list", "checkout", "--limit", "1", "-o", "jsonpath={.items[*].name}"},
			stdout: "order-7",
		},
		{
			reason:     "A name is enough, and no data is shown.",
			args:       []string{"executions", "show", "checkout", "order-7"},
			documented: true,
			stdout:     "Name:     order-7\nARN:      " + fn + ":$LATEST/durable-execution/order-7/UUID\nStatus:   RUNNING\nVersion:  $LATEST\nStarted:  2026-03-01T20:58:00Z\n",
		},
		{
			reason: "Data is shown on demand.",
			args:   []string{"executions", "show", "checkout", "order-6", "--data"},
			stdout: "Name:     order-6\nARN:      " + fn + ":$LATEST/durable-execution/order-6/UUID\nStatus:   SUCCEEDED\nVersion:  $LATEST\nStarted:  2026-03-01T20:00:00Z\nEnded:    2026-03-01T21:00:00Z\nInput:    \"hunter2\"\n",
		},
		{
			reason:     "An execution that runs is stopped.",
			args:       []string{"executions", "stop", "checkout", "order-7", "--reason", "wrong order"},
			documented: true,
			stdout:     "durable execution order-7 stopped\n",
		},
		{
			reason: "An execution that does not run cannot be stopped.",
			args: []string{
				"executions",
				"list",
				"checkout",
				"--status",
				"STOPPED",
				"-o",
				"jsonpath={.items[*].name}",
			},
			stdout: "order-7",
		},
		{
			reason: "A name that is not there is an error.",
			args:   []string{"executions", "stop", "checkout", "order-9"},
			code:   1,
			stderr: "error: function.lambda.aws.m.crossplane.io/checkout has no durable execution \"order-9\"\n",
		},
		{
			reason: "An execution may be named by its ARN.",
			args:   []string{"executions", "show", "checkout", fn + ":1/durable-execution/a/b"},
			code:   1,
			stderr: "error: cannot read durable execution " + fn + ":1/durable-execution/a/b: ResourceNotFoundException: Durable execution not found: " + fn + ":1/durable-execution/a/b\n",
		},
		{
			reason: "Both have to be named.",
			args:   []string{"executions", "show", "checkout"},
			code:   1,
			stderr: "error: exactly one FUNCTION and one EXECUTION are required, got 1 arguments\nSee 'kubectl lambda executions show -h' for help and examples\n",
		},
	}
	for _, s := range steps {
		e.now = e.now.Add(s.later)
		code := e.run(t, s.args...)
		out, errOut := uuid.ReplaceAllString(e.out.String(), "UUID"), uuid.ReplaceAllString(e.errOut.String(), "UUID")
		if diff := cmp.Diff(s.stdout+s.stderr, out+errOut); diff != "" || code != s.code {
			t.Errorf("%v: %s: exit code %d: -want, +got:\n%s", s.args, s.reason, code, diff)
		}
		if s.documented {
			plugintest.Documented(t, strings.ReplaceAll(out, "UUID", "5f0c9a4e-3b1d-4a57-9d0e-6a1f3c2b8e70"))
		}
	}
}

// TestDescribe checks that an execution is shown as AWS, or what answers in its place, describes it.
func TestDescribe(t *testing.T) {
	cases := map[string]struct {
		reason string
		out    lambda.GetDurableExecutionOutput
		want   string
	}{
		"Little": {
			reason: "What is missing is left out.",
			out:    lambda.GetDurableExecutionOutput{Status: types.ExecutionStatusRunning},
			want:   "Status:   RUNNING\n",
		},
		"Data": {
			reason: "Data is shown as it is, but for what a terminal acts on.",
			out:    lambda.GetDurableExecutionOutput{InputPayload: aws.String("{\"text\": \"a  b\x1b\"}")},
			want:   "Input:    {\"text\": \"a  b\\x1b\"}\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := describe(&b, &tc.out, true); err != nil || b.String() != tc.want {
				t.Errorf("%s: got %q, %v, want %q", tc.reason, b.String(), err, tc.want)
			}
		})
	}
}

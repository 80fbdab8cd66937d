package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

const (
	region = "eu-central-1"

	// hostile is what AWS, a function or a tenant writes: it clears the screen, hides text by a style that the plugin
	// does not use, sets the title, writes over the line, and reverses the order.
	hostile = "EVIL\x1b[2J\x1b[8m\x1b]0;t\x07\u009b2J\u009d0;t\u009c\b\b\r\v\f\x7f\u202egnp\u2066\u200b\ufeff\U000e0041"

	functionARN = "arn:aws:lambda:eu-central-1:123456789012:function:checkout"
)

var at = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)

// objects are those of the cluster. The answers of the API server have hostile texts in them: see poisoned.
const objects = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: checkout, namespace: shop, annotations: {crossplane.io/external-name: checkout}}
spec:
  forProvider: {region: eu-central-1, runtime: python3.8, handler: index.handler, role: "arn:aws:iam::123456789012:role/r", code: {inline: {index.py: "x = 1"}}}
status:
  phase: Updating
  message: updating
  differences: [{field: description, desired: a, observed: b}]
  conditions:
  - {type: Ready, status: "False", reason: Unavailable, message: "it fails", lastTransitionTime: "2026-03-01T18:00:00Z"}
  - {type: Synced, status: "False", reason: ReconcileError, message: "it fails", lastTransitionTime: "2026-03-01T18:00:00Z"}
  atProvider: {functionName: checkout, functionArn: "arn:aws:lambda:eu-central-1:123456789012:function:checkout", runtime: python3.8, handler: index.handler, state: Failed, stateReason: broken, description: d}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata: {name: live, namespace: shop}
spec:
  forProvider: {region: eu-central-1, functionNameRef: {name: checkout}}
  rollout: {trigger: All, strategy: {canary: {steps: [{setWeight: 10}, {pause: {}}]}}}
status:
  message: rolling out
  conditions:
  - {type: Ready, status: "False", reason: Unavailable, message: "it fails", lastTransitionTime: "2026-03-01T18:00:00Z"}
  - {type: Synced, status: "True", reason: ReconcileSuccess, lastTransitionTime: "2026-03-01T18:00:00Z"}
  atProvider: {name: live, aliasArn: "arn:aws:lambda:eu-central-1:123456789012:function:checkout:live", functionName: checkout, functionVersion: "1"}
  rollout:
    id: 2-t87v8a
    phase: Failed
    reason: AnalysisFailed
    message: "Metric error-rate: 0.043"
    stable: {functionVersion: "1", fingerprint: aaaa}
    target: {functionVersion: "2", fingerprint: bbbb}
    checks: [{name: error-rate, type: Metric, result: Failure, value: "0.1 s", message: m}]
    failedTargets: [{functionVersion: "2", fingerprint: bbbb, reason: AnalysisFailed, failedAt: "2026-03-01T19:00:00Z"}]
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: EventSourceMapping
metadata: {name: orders, namespace: shop}
spec:
  forProvider: {region: eu-central-1, functionNameRef: {name: checkout}, eventSourceArn: "arn:aws:sqs:eu-central-1:123456789012:orders"}
status:
  conditions:
  - {type: Ready, status: "True", reason: Available, lastTransitionTime: "2026-03-01T19:00:00Z"}
  - {type: Synced, status: "True", reason: ReconcileSuccess, lastTransitionTime: "2026-03-01T18:00:00Z"}
  atProvider: {uuid: 8d5b2a3e-0000-4000-8000-000000000000, functionArn: "arn:aws:lambda:eu-central-1:123456789012:function:checkout", state: Enabled, lastProcessingResult: "PROBLEM: Function call failed"}
---
apiVersion: v1
kind: Event
metadata: {name: checkout.0, namespace: shop}
involvedObject: {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, namespace: shop, name: checkout}
type: Normal
reason: UpdatedExternalResource
message: "Requested an update of the function"
count: 1
lastTimestamp: "2026-03-01T17:55:00Z"
`

// file is what a tenant offers for a review.
const file = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: review, namespace: shop, annotations: {crossplane.io/external-name: HOSTILE}}
spec:
  forProvider: {region: eu-central-1, runtime: python3.13, handler: HOSTILE, role: HOSTILE, description: HOSTILE, tags: {HOSTILE: HOSTILE}, code: {inline: {index.py: "x = 1"}}}
`

// TestTerminal runs each command on a terminal while all that AWS and authors of objects can write is hostile.
func TestTerminal(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "review.yaml")
	if err := os.WriteFile(
		manifest,
		[]byte(strings.ReplaceAll(file, "HOSTILE", strconv.QuoteToASCII(hostile))),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	failing := func(operation string) func(d *awsdouble.Server) {
		return func(d *awsdouble.Server) {
			d.Fail(
				awsdouble.Fault{
					Operation: operation,
					Times:     -1,
					Error:     awsdouble.Error{Status: 400, Code: "ValidationException", Message: hostile},
				},
			)
		}
	}
	logged := func(d *awsdouble.Server) {
		d.PutLog(region, "/aws/lambda/checkout", "s", hostile+"\n", at.Add(-time.Minute))
	}
	started := []string{
		"invoke",
		"checkout",
		"--qualifier",
		"$LATEST",
		"--execution-name",
		"order-7",
		"--payload",
		strconv.QuoteToASCII("EVIL\u202e\u009b"),
	}
	cases := map[string]struct {
		args   []string
		first  []string
		before func(d *awsdouble.Server)
	}{
		"Diff":          {args: []string{"diff", "--local", "-f", manifest}},
		"DiffJSON":      {args: []string{"diff", "--local", "-f", manifest, "-o", "json"}},
		"DiffYAML":      {args: []string{"diff", "--local", "-f", manifest, "-o", "yaml"}},
		"Doctor":        {args: []string{"doctor"}},
		"DoctorJSON":    {args: []string{"doctor", "-o", "json"}},
		"DoctorRefresh": {args: []string{"doctor", "--refresh"}, before: failing("GetAccountSettings")},
		"IAM":           {args: []string{"iam", "-f", manifest}},
		"Import":        {args: []string{"import", "--region", region}},
		"ImportDenied":  {args: []string{"import", "--region", region}, before: failing("GetPolicy")},
		"ImportFailed":  {args: []string{"import", "--region", region}, before: failing("ListFunctions")},
		"List": {
			args:   []string{"executions", "list", "checkout"},
			before: failing("ListDurableExecutionsByFunction"),
		},
		"Show": {args: []string{"executions", "show", "checkout", "order-7", "--data"}, first: started},
		"Stop": {
			args:   []string{"executions", "stop", "checkout", "order-7"},
			first:  started,
			before: failing("StopDurableExecution"),
		},
		"Invoke":         {args: []string{"invoke", "checkout", "--qualifier", "$LATEST"}},
		"InvokeLog":      {args: []string{"invoke", "checkout", "--qualifier", "$LATEST", "--log"}},
		"InvokeStream":   {args: []string{"invoke", "checkout", "--qualifier", "$LATEST", "--stream", "--log"}},
		"InvokeFails":    {args: []string{"invoke", "checkout", "--qualifier", "$LATEST", "--payload", `"fail"`}},
		"InvokeRejected": {args: []string{"invoke", "checkout", "--qualifier", "$LATEST"}, before: failing("Invoke")},
		"Logs":           {args: []string{"logs", "checkout"}, before: logged},
		"LogsTimes":      {args: []string{"logs", "checkout", "--timestamps", "--tail", "1"}, before: logged},
		"LogsRejected":   {args: []string{"logs", "checkout"}, before: failing("FilterLogEvents")},
		"Tail":           {args: []string{"tail", "checkout"}, before: logged},
		"Rollout":        {args: []string{"rollout", "status", "live", "--watch=false"}},
		"History":        {args: []string{"rollout", "history", "live"}},
		"HistoryYAML":    {args: []string{"rollout", "history", "live", "-o", "yaml"}},
		"Abort":          {args: []string{"rollout", "abort", "live"}},
		"Promote":        {args: []string{"rollout", "promote", "live"}},
		"Retry":          {args: []string{"rollout", "retry", "live", "-o", "json", "--dry-run=server"}},
		"Undo":           {args: []string{"rollout", "undo", "live", "--to-version", hostile}},
		"Status":         {args: []string{"status", "checkout"}},
		"StatusYAML":     {args: []string{"status", "checkout", "-o", "yaml"}},
		"NotFound":       {args: []string{"status", hostile}},
		"Usage":          {args: []string{hostile}},
	}
	ran := map[string]bool{}
	for name, tc := range cases {
		ran[name] = true
		t.Run(name, func(t *testing.T) {
			p := newPlugin(t)
			if tc.first != nil {
				p.run(t, tc.first...)
			}
			if tc.before != nil {
				tc.before(p.aws)
			}
			got := p.run(t, tc.args...)
			if !strings.Contains(got, "EVIL") {
				t.Errorf("the test has lost its subject: nothing hostile was printed:\n%s", got)
			}
			if strings.ContainsFunc(style.ReplaceAllStringFunc(got, visible), acts) {
				t.Errorf("it reaches the terminal: %q", got)
			}
		})
	}
	for path := range leaves(newRoot(newPlugin(t).factory), nil) {
		covered := slices.Contains([]string{"version", "options"}, path) // These print nothing of others.
		for name := range ran {
			covered = covered || strings.HasPrefix(strings.Join(cases[name].args, " ")+" ", path+" ")
		}
		if !covered {
			t.Errorf("add a case of kubectl lambda %s", path)
		}
	}
}

// acts reports whether a character is of the categories that a terminal may act on.
func acts(r rune) bool {
	return r != '\n' && r != '\t' &&
		(unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar)
}

var style = regexp.MustCompile("\x1b\\[[0-9;]*m")

// visible returns nothing for a style of the plugin, and the one that it does not use as it is.
func visible(style string) string {
	if style == "\x1b[8m" {
		return style
	}
	return ""
}

// leaves returns the paths of the commands that do something.
func leaves(cmd *cobra.Command, path []string) map[string]bool {
	out := map[string]bool{}
	if !cmd.HasSubCommands() {
		out[strings.Join(path, " ")] = true
	}
	for _, child := range cmd.Commands() {
		for leaf := range leaves(child, append(slices.Clone(path), child.Name())) {
			out[leaf] = true
		}
	}
	return out
}

// A plugin runs commands on a terminal, with a cluster and an account of their own.
type plugin struct {
	aws     *awsdouble.Server
	factory *kubectl.Factory
	screen  bytes.Buffer
}

// newPlugin returns a plugin whose cluster has the objects, and whose account a function.
func newPlugin(t *testing.T) *plugin {
	t.Helper()
	p := &plugin{
		aws: awsdouble.New(awsdouble.Options{Now: func() time.Time { return at }, ExecutionDuration: time.Hour}),
	}
	p.aws.Start()
	t.Cleanup(p.aws.Close)
	plugintest.SetMachine(t, p.aws.URL(), "key")
	t.Setenv("CLICOLOR_FORCE", "1") // The screen is none of the system.
	t.Setenv("TERM", "xterm-256color")
	cluster, err := kubedouble.New("../../package/crds", func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	plugintest.Create(t, client, objects)
	p.create(t)
	streams := genericiooptions.IOStreams{
		In:     &bytes.Buffer{},
		Out:    kubectl.NewTerminal(&p.screen),
		ErrOut: kubectl.NewTerminal(&p.screen),
	}
	p.factory = kubectl.NewFactory(streams, func() time.Time { return at }, "test")
	p.factory.Config.WrapConfigFn = func(*rest.Config) *rest.Config {
		c := cluster.Config()
		c.Transport = poisoned{cluster}
		return c
	}
	return p
}

// create creates the function in AWS.
func (p *plugin) create(t *testing.T) {
	t.Helper()
	var code bytes.Buffer
	z := zip.NewWriter(&code)
	if _, err := z.Create("index.py"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := lambda.NewFromConfig(p.aws.Config(region)).CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: aws.String(
			"checkout",
		),
		Role:    aws.String("arn:aws:iam::123456789012:role/r"),
		Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython312,
		Code: &types.FunctionCode{
			ZipFile: code.Bytes(),
		},
		Description:   aws.String(hostile),
		DurableConfig: &types.DurableConfig{ExecutionTimeout: aws.Int32(86400)},
		Environment:   &types.Environment{Variables: map[string]string{"LEVEL": hostile}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.aws.OnInvoke("checkout", func(in awsdouble.Invoked) awsdouble.Returned {
		out := awsdouble.Returned{Payload: []byte(`"` + hostile + "\x9b\""), Log: hostile}
		if bytes.Contains(in.Payload, []byte("fail")) {
			out.Error, out.Payload = "Unhandled", []byte(
				`{"errorType": "E", "errorMessage": `+strconv.QuoteToASCII("EVIL\u202e\u009b2J\u007f")+`}`,
			)
		}
		return out
	})
}

// run runs a command for a moment, and returns what is on the screen.
func (p *plugin) run(t *testing.T, args ...string) string {
	t.Helper()
	p.screen.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if args[0] == "tail" {
		time.AfterFunc(time.Second, cancel) // It ends only if it is interrupted.
	}
	root := newRoot(p.factory)
	root.SetArgs(append([]string{"-n", "shop"}, args...))
	kubectl.Run(ctx, p.factory, root)
	return p.screen.String()
}

// poisoned is a network that makes texts in the API server's answers hostile: those that are neither names,
// enumerations, times nor numbers.
type poisoned struct{ to http.RoundTripper }

// RoundTrip sends a request.
func (n poisoned) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := n.to.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	var v any
	if json.Unmarshal(b, &v) == nil {
		if b, err = json.Marshal(poison("", v)); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// kept are the fields by which the plugin finds objects and decides.
var kept = []string{
	"apiVersion",
	"kind",
	"name",
	"namespace",
	"uid",
	"resourceVersion",
	"type",
	"status",
	"phase",
	"state",
	"step",
	"region",
	"functionName",
	"functionVersion",
	"runtime",
	"groupVersion",
	"version",
	"group",
	"continue",
	"singularName",
	"trigger",
	"metadata",
}

// poison returns a JSON value with hostile texts.
func poison(key string, v any) any {
	switch v := v.(type) {
	case string:
		_, number := strconv.ParseFloat(v, 64)
		_, date := time.Parse(time.RFC3339, v)
		if slices.Contains(kept, key) || number == nil || date == nil || strings.HasPrefix(v, functionARN) {
			return v
		}
		return v + hostile
	case []any:
		for i := range v {
			v[i] = poison(key, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = poison(k, v[k])
		}
	}
	return v
}

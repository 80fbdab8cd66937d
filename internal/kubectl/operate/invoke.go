package operate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/spf13/cobra"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

const invokeLong = `Invoke a function, with the AWS credentials of this machine, in the region of the Function.

The response is printed to the standard output, and the end of the log, with --log, to the standard error. If the
function fails, the exit code is 1, and the message has the type and the message of its error. The function is invoked
once: a call that fails is not repeated.`

const invokeExamples = `  # Invoke the Function checkout with a payload
  kubectl lambda invoke checkout -n shop --payload '{"order": 7}'

  # Invoke what the alias live invokes with a payload of the standard input, and show the end of the log
  kubectl lambda invoke checkout -n shop --qualifier live --payload-file - --log < order.json

  # Print a response while it is streamed
  kubectl lambda invoke checkout -n shop --stream`

// An invoker is the command invoke with its flags.
type invoker struct {
	*kubectl.Factory

	aws         awsconfig.Flags
	payload     string
	payloadFile string
	qualifier   string
	kind        string
	tenant      string
	execution   string
	log         bool
	stream      bool
}

// NewInvoke returns the command invoke.
func NewInvoke(f *kubectl.Factory) *cobra.Command {
	i := &invoker{Factory: f, kind: string(types.InvocationTypeRequestResponse)}
	cmd := &cobra.Command{
		Use: "invoke FUNCTION", Short: "Invoke a function", Long: invokeLong, Example: invokeExamples,
		ValidArgsFunction: f.CompleteNames(kubectl.Functions),
		RunE:              i.run,
	}
	fl := cmd.Flags()
	fl.StringVar(&i.payload, "payload", i.payload, "The event, as JSON.")
	fl.StringVar(&i.payloadFile, "payload-file", i.payloadFile, "A file with the event, or - for the standard input.")
	fl.StringVar(&i.qualifier, "qualifier", i.qualifier, "The version or the alias to invoke. The default is $LATEST.")
	fl.StringVar(&i.kind, "type", i.kind, "One of RequestResponse, Event and DryRun.")
	fl.StringVar(&i.tenant, "tenant-id", i.tenant, "The tenant, for a function that isolates tenants.")
	fl.StringVar(&i.execution, "execution-name", i.execution,
		"The name of the durable execution, for a durable function.")
	fl.BoolVar(&i.log, "log", i.log, "If true, show the last 4 KB of the log.")
	fl.BoolVar(&i.stream, "stream", i.stream, "If true, print the response while the function streams it.")
	i.aws.AddFlags(cmd)
	var kinds []string
	for _, k := range types.InvocationType("").Values() {
		kinds = append(kinds, string(k))
	}
	kubectl.CompleteFlag(cmd, "type", kinds...)
	return cmd
}

// run invokes the function.
func (i *invoker) run(cmd *cobra.Command, args []string) error {
	if err := i.validate(cmd); err != nil {
		return err
	}
	t, err := openArg(cmd, i.Factory, &i.aws, args)
	if err != nil {
		return err
	}
	event, err := i.event()
	if err != nil {
		return err
	}
	client := lambda.NewFromConfig(t.config, func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	if i.stream {
		return i.streamed(cmd.Context(), client, t, event)
	}
	return i.buffered(cmd.Context(), client, t, event)
}

// validate checks the flags.
func (i *invoker) validate(cmd *cobra.Command) error {
	k := types.InvocationType(i.kind)
	switch {
	case k != types.InvocationTypeRequestResponse && k != types.InvocationTypeEvent && k != types.InvocationTypeDryRun:
		return kubectl.UsageErrorf(cmd, "invalid type %q: it must be RequestResponse, Event or DryRun", i.kind)
	case i.qualifier == "" && cmd.Flags().Changed("qualifier"): // Such as an empty variable of a script.
		return kubectl.UsageErrorf(cmd, "--qualifier is empty: name a version or an alias, or leave the flag out")
	case i.payload != "" && i.payloadFile != "":
		return kubectl.UsageErrorf(cmd, "--payload and --payload-file exclude each other")
	case k != types.InvocationTypeRequestResponse && (i.log || i.stream):
		return kubectl.UsageErrorf(cmd, "--log and --stream need --type RequestResponse")
	case i.stream && i.execution != "":
		return kubectl.UsageErrorf(cmd, "--execution-name cannot be used with --stream")
	}
	return nil
}

// event returns the payload that the flags name.
func (i *invoker) event() ([]byte, error) {
	switch i.payloadFile {
	case "":
		return []byte(i.payload), nil
	case "-":
		b, err := io.ReadAll(i.In)
		if err != nil {
			return nil, fmt.Errorf("cannot read the payload from the standard input: %w", err)
		}
		return b, nil
	}
	b, err := os.ReadFile(i.payloadFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read the payload: %w", err)
	}
	return b, nil
}

// logType reports whether AWS returns the end of the log.
func (i *invoker) logType() types.LogType {
	if i.log {
		return types.LogTypeTail
	}
	return types.LogTypeNone
}

// buffered invokes the function and prints the response at once.
func (i *invoker) buffered(ctx context.Context, client *lambda.Client, t *target, event []byte) error {
	in := &lambda.InvokeInput{
		FunctionName: aws.String(t.name()), Qualifier: lambdaapi.Text(i.qualifier),
		InvocationType: types.InvocationType(i.kind),
		Payload:        event, TenantId: lambdaapi.Text(i.tenant), DurableExecutionName: lambdaapi.Text(i.execution),
	}
	if i.log {
		in.LogType = i.logType()
	}
	out, err := client.Invoke(ctx, in)
	if err != nil {
		return awsconfig.Explain("invoke "+t.name(), err)
	}
	if err := i.note(out); err != nil {
		return err
	}
	full := kubectl.Functions.Full(t.fn.Name)
	switch in.InvocationType {
	case types.InvocationTypeDryRun:
		_, err = fmt.Fprintf(i.Out, "%s can be invoked (dry run)\n", full)
		return err
	case types.InvocationTypeEvent:
		_, err = fmt.Fprintf(i.Out, "%s invoked: AWS has queued the event\n", full)
		return err
	case types.InvocationTypeRequestResponse:
	}
	if _, err := io.WriteString(i.Out, ensureLine(string(out.Payload))); err != nil {
		return err
	}
	if out.FunctionError != nil {
		return functionError(*out.FunctionError, out.Payload)
	}
	return nil
}

// note prints to the standard error what is not the response.
func (i *invoker) note(out *lambda.InvokeOutput) error {
	if out.DurableExecutionArn != nil {
		_, err := fmt.Fprintln(i.ErrOut, "durable execution "+kubectl.OneLine(*out.DurableExecutionArn))
		if err != nil {
			return err
		}
	}
	return i.tail(out.LogResult)
}

// tail prints the end of the log. One that cannot be decoded is no error, because the function has run.
func (i *invoker) tail(encoded *string) error {
	if encoded == nil {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(*encoded)
	if err != nil {
		b = fmt.Appendf(nil, "warning: cannot decode the end of the log: %v", err)
	}
	_, err = io.WriteString(i.ErrOut, ensureLine(string(b)))
	return err
}

// functionError returns the error that a function has returned.
func functionError(kind string, payload []byte) error {
	e := struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}{}
	if err := json.Unmarshal(payload, &e); err != nil || e.Type == "" && e.Message == "" {
		return fmt.Errorf("the function has failed (%s)", kubectl.OneLine(kind))
	}
	text := e.Type
	if text != "" && e.Message != "" {
		text += ": "
	}
	return fmt.Errorf("the function has failed (%s): %s", kubectl.OneLine(kind), kubectl.OneLine(text+e.Message))
}

// streamed invokes the function and prints each part of the response when it arrives.
func (i *invoker) streamed(ctx context.Context, client *lambda.Client, t *target, event []byte) error {
	out, err := client.InvokeWithResponseStream(ctx, &lambda.InvokeWithResponseStreamInput{
		FunctionName: aws.String(t.name()), Qualifier: lambdaapi.Text(i.qualifier), Payload: event,
		TenantId: lambdaapi.Text(i.tenant), LogType: i.logType(),
	})
	if err != nil {
		return awsconfig.Explain("invoke "+t.name(), err)
	}
	stream := out.GetStream()
	defer func() { _ = stream.Close() }()
	for e := range stream.Events() {
		switch e := e.(type) {
		case *types.InvokeWithResponseStreamResponseEventMemberPayloadChunk:
			if _, err := i.Out.Write(e.Value.Payload); err != nil {
				return err
			}
		case *types.InvokeWithResponseStreamResponseEventMemberInvokeComplete:
			return i.complete(e.Value)
		}
	}
	if err := stream.Err(); err != nil {
		return awsconfig.Explain("read the response of "+t.name(), err)
	}
	if ctx.Err() != nil {
		return kubectl.ErrInterrupted
	}
	return fmt.Errorf("the response of %s is incomplete: AWS has closed the stream", t.name())
}

// complete prints how a streamed invocation has ended.
func (i *invoker) complete(e types.InvokeWithResponseStreamCompleteEvent) error {
	if kubectl.IsTerminal(i.Out) {
		_, _ = fmt.Fprintln(i.Out)
	}
	if err := i.tail(e.LogResult); err != nil {
		return err
	}
	if e.ErrorCode == nil || *e.ErrorCode == "" {
		return nil
	}
	return functionError(*e.ErrorCode, []byte(ptr.Deref(e.ErrorDetails, "")))
}

package operate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

// defaultLimit is the default of --limit.
const defaultLimit = 100

// NewExecutions returns the command executions.
func NewExecutions(f *kubectl.Factory) *cobra.Command {
	cmd := kubectl.Group("executions", "Work with the durable executions of a function", newExecutionList(f),
		newExecutionShow(f), newExecutionStop(f))
	cmd.Long = `Work with the durable executions of a function, with the AWS credentials of this machine.

An EXECUTION is the name or the ARN of a durable execution. A name is that of the latest execution that has it.`
	return cmd
}

// An executionList is the object that the command list prints as JSON and YAML.
type executionList struct {
	metav1.TypeMeta `json:",inline"`

	Items []execution `json:"items"`
}

// An execution is a durable execution.
type execution struct {
	Name    string      `json:"name"`
	ARN     string      `json:"arn"`
	Status  string      `json:"status"`
	Version string      `json:"version,omitempty"`
	Started metav1.Time `json:"started"`
	Ended   metav1.Time `json:"ended,omitzero"`
}

// DeepCopyObject returns a copy.
func (l *executionList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = slices.Clone(l.Items)
	return &out
}

func newExecutionList(f *kubectl.Factory) *cobra.Command {
	flags, out, status, limit := &awsconfig.Flags{}, kubectl.NewOutput(), []string{}, defaultLimit
	cmd := &cobra.Command{
		Use: "list FUNCTION", Short: "List the durable executions of a function, the latest first",
		Example: `  # List the executions of the Function checkout that run
  kubectl lambda executions list checkout -n shop --status RUNNING`,
		ValidArgsFunction: f.CompleteNames(kubectl.Functions),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return kubectl.UsageErrorf(cmd, "--limit must be at least 1, not %d", limit)
			}
			t, err := openArg(cmd, f, flags, args)
			if err != nil {
				return err
			}
			in := &lambda.ListDurableExecutionsByFunctionInput{}
			for _, s := range status {
				in.Statuses = append(in.Statuses, types.ExecutionStatus(strings.ToUpper(s)))
			}
			l, err := t.executions(cmd.Context(), in, limit)
			if err != nil {
				return err
			}
			if out.Format() != "" {
				return out.Print(l, f.Out)
			}
			return l.print(f.Out, f.Now())
		},
	}
	var statuses []string
	for _, s := range types.ExecutionStatus("").Values() {
		statuses = append(statuses, string(s))
	}
	cmd.Flags().StringSliceVar(&status, "status", status,
		"Only list executions of these statuses: "+strings.Join(statuses, ", ")+".")
	cmd.Flags().IntVar(&limit, "limit", limit, "How many executions are listed.")
	kubectl.CompleteFlag(cmd, "status", statuses...)
	flags.AddFlags(cmd)
	out.AddFlags(cmd)
	return cmd
}

// executions lists executions of the function, the latest first.
func (t *target) executions(
	ctx context.Context, in *lambda.ListDurableExecutionsByFunctionInput, limit int,
) (*executionList, error) {
	in.FunctionName = aws.String(t.name())
	l := &executionList{TypeMeta: kubectl.TypeMeta("DurableExecutionList"), Items: []execution{}}
	pages := lambda.NewListDurableExecutionsByFunctionPaginator(lambda.NewFromConfig(t.config), in)
	for pages.HasMorePages() && len(l.Items) < limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, awsconfig.Explain("list the durable executions of "+t.name(), err)
		}
		for _, e := range page.DurableExecutions {
			l.Items = append(l.Items, execution{
				Name: ptr.Deref(e.DurableExecutionName, ""), ARN: ptr.Deref(e.DurableExecutionArn, ""),
				Status:  string(e.Status),
				Version: versionOf(e.DurableExecutionArn), Started: metav1.NewTime(aws.ToTime(e.StartTimestamp)),
				Ended: metav1.NewTime(aws.ToTime(e.EndTimestamp)),
			})
		}
	}
	l.Items = l.Items[:min(len(l.Items), limit)]
	return l, nil
}

// versionOf returns the version in the ARN of an execution: function:NAME:VERSION/durable-execution/...
func versionOf(arn *string) string {
	before, _, found := strings.Cut(ptr.Deref(arn, ""), "/durable-execution/")
	if !found {
		return ""
	}
	return before[strings.LastIndex(before, ":")+1:]
}

func (l *executionList) print(w io.Writer, now time.Time) error {
	if len(l.Items) == 0 {
		_, err := fmt.Fprintln(w, "No durable executions found.")
		return err
	}
	rows := [][]string{{"NAME", "STATUS", "VERSION", "AGE", "DURATION"}}
	for _, e := range l.Items {
		end := e.Ended.Time
		if end.IsZero() {
			end = now
		}
		age, took := now.Sub(e.Started.Time), end.Sub(e.Started.Time)
		rows = append(rows, []string{
			kubectl.OneLine(e.Name), e.Status, e.Version, duration.HumanDuration(age), duration.HumanDuration(took),
		})
	}
	_, err := io.WriteString(w, kubectl.Table("", rows...))
	return err
}

// find returns the ARN of an execution that an argument names, by its ARN or its name.
func (t *target) find(ctx context.Context, arg string) (string, error) {
	if strings.HasPrefix(arg, "arn:") {
		return arg, nil
	}
	l, err := t.executions(ctx, &lambda.ListDurableExecutionsByFunctionInput{DurableExecutionName: &arg}, defaultLimit)
	if err != nil {
		return "", err
	}
	for _, e := range l.Items {
		if e.Name == arg {
			return e.ARN, nil
		}
	}
	return "", fmt.Errorf("%s has no durable execution %q", kubectl.Functions.Full(t.fn.Name), arg)
}

// newExecutionCommand adds to a command of one execution its arguments and the flags of AWS. do calls AWS about
// the execution of an ARN, which the user has named.
func newExecutionCommand(
	f *kubectl.Factory, cmd *cobra.Command, do func(ctx context.Context, api *lambda.Client, named, arn string) error,
) *cobra.Command {
	flags := &awsconfig.Flags{}
	cmd.ValidArgsFunction = f.CompleteNames(kubectl.Functions)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 { //nolint:mnd // It says which.
			return kubectl.UsageErrorf(cmd, "exactly one FUNCTION and one EXECUTION are required, got %d arguments",
				len(args))
		}
		t, err := openArg(cmd, f, flags, args[:1])
		if err != nil {
			return err
		}
		arn, err := t.find(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		return do(cmd.Context(), lambda.NewFromConfig(t.config), args[1], arn)
	}
	flags.AddFlags(cmd)
	return cmd
}

func newExecutionShow(f *kubectl.Factory) *cobra.Command {
	data := false
	cmd := &cobra.Command{
		Use: "show FUNCTION EXECUTION", Short: "Show a durable execution",
		Long: "Show a durable execution. Its input, result and error data are shown with --data only: " +
			"they may have secrets.",
		Example: "  # Show the execution order-7\n  kubectl lambda executions show checkout order-7 -n shop",
	}
	cmd.Flags().BoolVar(&data, "data", data, "If true, show the input, the result and the error.")
	return newExecutionCommand(f, cmd, func(ctx context.Context, api *lambda.Client, _, arn string) error {
		out, err := api.GetDurableExecution(ctx,
			&lambda.GetDurableExecutionInput{DurableExecutionArn: &arn, IncludeExecutionData: &data})
		if err != nil {
			return awsconfig.Explain("read durable execution "+arn, err)
		}
		return describe(f.Out, out, data)
	})
}

// describe prints an execution.
func describe(w io.Writer, e *lambda.GetDurableExecutionOutput, data bool) error {
	b := &strings.Builder{}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "%-9s %s\n", name+":", kubectl.Escape(value))
		}
	}
	when := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	line("Name", ptr.Deref(e.DurableExecutionName, ""))
	line("ARN", ptr.Deref(e.DurableExecutionArn, ""))
	line("Status", string(e.Status))
	line("Version", cmp.Or(ptr.Deref(e.Version, ""), versionOf(e.DurableExecutionArn)))
	line("Started", when(e.StartTimestamp))
	line("Ended", when(e.EndTimestamp))
	if e.Error != nil {
		line("Error", ptr.Deref(e.Error.ErrorType, ""))
		if data {
			line("Message", ptr.Deref(e.Error.ErrorMessage, ""))
		}
	}
	if data {
		line("Input", ptr.Deref(e.InputPayload, ""))
		line("Result", ptr.Deref(e.Result, ""))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func newExecutionStop(f *kubectl.Factory) *cobra.Command {
	reason := ""
	cmd := &cobra.Command{
		Use: "stop FUNCTION EXECUTION", Short: "Stop a durable execution that runs",
		Example: "  # Stop the execution order-7\n" +
			"  kubectl lambda executions stop checkout order-7 -n shop --reason 'wrong order'",
	}
	cmd.Flags().StringVar(&reason, "reason", reason, "Why it is stopped. AWS records it as the error of the execution.")
	return newExecutionCommand(f, cmd, func(ctx context.Context, api *lambda.Client, named, arn string) error {
		in := &lambda.StopDurableExecutionInput{DurableExecutionArn: &arn}
		if reason != "" {
			in.Error = &types.ErrorObject{ErrorMessage: &reason}
		}
		if _, err := api.StopDurableExecution(ctx, in); err != nil {
			return awsconfig.Explain("stop durable execution "+arn, err)
		}
		_, err := fmt.Fprintln(f.Out, "durable execution "+kubectl.OneLine(named)+" stopped")
		return err
	})
}

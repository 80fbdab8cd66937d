package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/spf13/cobra"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

const (
	// defaultSince is the default of --since.
	defaultSince = 10 * time.Minute

	// interval is the time between two reads with --follow. AWS allows some reads a second, of all users of an account.
	interval = 2 * time.Second

	// late is the longest delay after which an event that appears in CloudWatch Logs is still shown with --follow.
	late = 30 * time.Second
)

const logsLong = `Print the log of a function from CloudWatch Logs, with the AWS credentials of this machine. The log
group is the one that the provider has observed.

With --follow, new lines are printed until you press Ctrl-C. "kubectl lambda tail" is short for that.`

const logsExamples = `  # Print the log of the last 10 minutes
  kubectl lambda logs checkout -n shop

  # Print the last 20 lines of the last day that have ERROR
  kubectl lambda logs checkout -n shop --since 24h --filter ERROR --tail 20

  # Print new lines while they are written
  kubectl lambda tail checkout -n shop`

// A logger is the command logs with its flags.
type logger struct {
	*kubectl.Factory

	aws        awsconfig.Flags
	follow     bool
	since      time.Duration
	tail       int
	filter     string
	timestamps bool

	// pause waits.
	pause func(ctx context.Context, d time.Duration) error

	client *cloudwatchlogs.Client
	group  string

	// seen are the events that were printed lately, by their IDs, with their times in milliseconds.
	seen map[string]int64
}

// NewLogs returns the command logs.
func NewLogs(f *kubectl.Factory) *cobra.Command {
	return newLogs(f, kubectl.Wait, &cobra.Command{
		Use: "logs FUNCTION", Short: "Print the log of a function",
		Long: logsLong, Example: logsExamples,
	}, false)
}

// NewTail returns the command tail.
func NewTail(f *kubectl.Factory) *cobra.Command {
	return newLogs(f, kubectl.Wait, &cobra.Command{
		Use:   "tail FUNCTION",
		Short: "Print the log of a function while it is written", Long: logsLong, Example: logsExamples,
	}, true)
}

// newLogs adds to a command what logs and tail have.
func newLogs(
	f *kubectl.Factory, pause func(context.Context, time.Duration) error, cmd *cobra.Command, follow bool,
) *cobra.Command {
	l := &logger{Factory: f, follow: follow, since: defaultSince, tail: -1, pause: pause}
	cmd.ValidArgsFunction = f.CompleteNames(kubectl.Functions)
	cmd.RunE = l.run
	fl := cmd.Flags()
	if !follow {
		fl.BoolVarP(&l.follow, "follow", "f", l.follow, "If true, print new lines until the command is interrupted.")
	}
	fl.DurationVar(&l.since, "since", l.since, "Print lines that are not older than this, such as 30s, 10m or 24h.")
	fl.IntVar(&l.tail, "tail", l.tail,
		"Print only so many of the last lines, and with --follow all new ones. -1 means all.")
	fl.StringVar(&l.filter, "filter", l.filter, "Print only events that match this filter pattern of CloudWatch Logs.")
	fl.BoolVar(&l.timestamps, "timestamps", l.timestamps, "If true, print the time of each event before it.")
	l.aws.AddFlags(cmd)
	return cmd
}

// run prints the log.
func (l *logger) run(cmd *cobra.Command, args []string) error {
	if l.since <= 0 {
		return kubectl.UsageErrorf(cmd, "--since must be longer than 0, not %s", l.since)
	}
	if l.tail < -1 {
		return kubectl.UsageErrorf(cmd, "--tail must be a number of lines, or -1 for all, not %d", l.tail)
	}
	t, err := openArg(cmd, l.Factory, &l.aws, args)
	if err != nil {
		return err
	}
	l.client, l.group, l.seen = cloudwatchlogs.NewFromConfig(t.config), t.logGroup(), map[string]int64{}
	return l.print(cmd.Context())
}

// logGroup returns the log group of the function. It is an ARN if that of the function is known, since credentials of
// another account would otherwise find a log group of the same name there.
func (t *target) logGroup() string {
	name := kubectl.LogGroupOf(t.fn)
	fn, err := arn.Parse(ptr.Deref(t.fn.Status.AtProvider.FunctionArn, ""))
	if err != nil {
		return name
	}
	return arn.ARN{
		Partition: fn.Partition, Service: "logs", Region: fn.Region, AccountID: fn.AccountID,
		Resource: "log-group:" + name,
	}.String()
}

// print prints what there is and, with --follow, what is written afterwards.
func (l *logger) print(ctx context.Context) error {
	now := l.Now()
	from := now.Add(-l.since)
	var last []types.FilteredLogEvent
	emit := l.write
	if l.tail >= 0 {
		emit = func(e types.FilteredLogEvent) error {
			last = append(last, e)
			last = slices.Delete(last, 0, max(len(last)-l.tail, 0))
			return nil
		}
	}
	err := l.read(ctx, from, emit)
	missing := isMissing(err)
	if err != nil && (!missing || !l.follow) {
		return l.explain(err)
	}
	for _, e := range last {
		if err := l.write(e); err != nil {
			return err
		}
	}
	if !l.follow {
		return nil
	}
	if missing {
		_, _ = fmt.Fprintf(l.ErrOut, "waiting for log group %s, which AWS creates when the function first logs\n",
			l.group)
	}
	return l.poll(ctx, from, now)
}

// poll prints new events until the command is interrupted. read is when the last complete read began: a read may take
// long or be throttled, and the machine may sleep in between.
func (l *logger) poll(ctx context.Context, from, read time.Time) error {
	for {
		if err := l.pause(ctx, interval); err != nil {
			return kubectl.ErrInterrupted
		}
		if overlap := read.Add(-late); overlap.After(from) {
			from = overlap
		}
		began := l.Now()
		// Events before are not read again.
		maps.DeleteFunc(l.seen, func(_ string, at int64) bool { return at < from.UnixMilli() })
		switch err := l.read(ctx, from, l.write); {
		case err == nil:
			read = began
		case !isMissing(err) && !awserr.IsThrottled(err):
			return l.explain(err)
		}
	}
}

// read calls a function with each event that is not older than a time and that it was not called with.
func (l *logger) read(ctx context.Context, from time.Time, emit func(types.FilteredLogEvent) error) error {
	in := &cloudwatchlogs.FilterLogEventsInput{
		LogGroupIdentifier: &l.group, FilterPattern: lambdaapi.Text(l.filter),
		StartTime: aws.Int64(from.UnixMilli()),
	}
	pages := cloudwatchlogs.NewFilterLogEventsPaginator(l.client, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			id := ptr.Deref(e.EventId, "")
			if _, known := l.seen[id]; known && id != "" {
				continue
			}
			if l.follow {
				l.seen[id] = ptr.Deref(e.Timestamp, 0)
			}
			if err := emit(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *logger) write(e types.FilteredLogEvent) error {
	text := ensureLine(ptr.Deref(e.Message, ""))
	if l.timestamps && e.Timestamp != nil {
		text = time.UnixMilli(*e.Timestamp).UTC().Format("2006-01-02T15:04:05.000Z07:00") + " " + text
	}
	_, err := io.WriteString(l.Out, text)
	return err
}

// isMissing reports whether the log group does not exist.
func isMissing(err error) bool {
	_, missing := errors.AsType[*types.ResourceNotFoundException](err)
	return missing
}

// explain returns an error of CloudWatch Logs with what the user can do.
func (l *logger) explain(err error) error {
	out := awsconfig.Explain("read log group "+l.group, err)
	if isMissing(err) {
		return fmt.Errorf("%w; AWS creates it when the function first logs", out)
	}
	return out
}

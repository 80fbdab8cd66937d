// Package awsconfig gives commands of the kubectl plugin the credentials and endpoints that they call AWS with: those
// of this machine, or of a ProviderConfig.
//
// Credentials of this machine never go to a host that an object of the cluster or a manifest names. See Resolver.
package awsconfig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
	"github.com/spf13/cobra"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// Flags has the flags of a command that calls AWS.
type Flags struct {
	profile      string
	defaultChain bool
	endpoint     string
}

// AddFlags adds the flags to a command that calls AWS with the credentials of this machine.
func (f *Flags) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.profile, "aws-profile", f.profile,
		"Call AWS with this profile of the AWS configuration of this machine, instead of its default credentials.")
	f.addEndpoint(cmd)
}

// AddConfigFlags adds the flags to a command that calls AWS through ProviderConfigs, unless the user chooses the
// credentials of this machine.
func (f *Flags) AddConfigFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.profile, "aws-profile", f.profile,
		"Call AWS with this profile of the AWS configuration of "+
			"this machine, instead of the credentials of ProviderConfigs.")
	cmd.Flags().BoolVar(&f.defaultChain, "aws-default-chain", f.defaultChain,
		"If true, call AWS with the default credentials of this machine, instead of those of ProviderConfigs.")
	f.addEndpoint(cmd)
}

func (f *Flags) addEndpoint(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.endpoint, "aws-endpoint-url", f.endpoint, "Call this URL, such as that of an emulator of "+
		"AWS, instead of AWS's own endpoints and of those that ProviderConfigs name.")
}

// Chosen reports whether the user has chosen the credentials of this machine.
func (f *Flags) Chosen() bool { return f.profile != "" || f.defaultChain }

// Any reports whether the user has set any of the flags.
func (f *Flags) Any() bool { return f.Chosen() || f.HasEndpoint() }

// HasEndpoint reports whether the user has named the URL that is called.
func (f *Flags) HasEndpoint() bool { return f.endpoint != "" }

// Check returns an error if the flags are invalid, or if the user has chosen credentials that this machine does not
// have.
func (f *Flags) Check(ctx context.Context) error {
	if _, err := f.named(); err != nil || !f.Chosen() {
		return err
	}
	_, err := f.load(ctx)
	return err
}

// label matches a region. Resources name regions, and an endpoint has the region as a part of its host, so no other
// characters are accepted.
var label = regexp.MustCompile(`^[a-z0-9-]{1,63}$`)

// Load returns the AWS configuration of this machine for a region. The credentials are those of the flag, or the
// default ones. Calls go to the URL of the flag, or to AWS's own endpoints unless the configuration of this machine
// names others, such as by the variable AWS_ENDPOINT_URL. They are encrypted, except those to this machine and to
// the flag's URL.
func (f *Flags) Load(ctx context.Context, region string) (aws.Config, error) {
	if !label.MatchString(region) {
		return aws.Config{}, fmt.Errorf("%q is not an AWS region such as eu-west-1", region)
	}
	named, err := f.named()
	if err != nil {
		return aws.Config{}, err
	}
	cfg, err := f.load(ctx, config.WithRegion(region))
	if err != nil {
		return aws.Config{}, err
	}
	cfg.AppID = kubectl.FieldManager
	if named != nil {
		cfg.BaseEndpoint = &f.endpoint
		cfg.ConfigSources = nil // They may name endpoints of single services.
		cfg.ServiceOptions = append(cfg.ServiceOptions, func(_ string, options any) {
			if o, ok := options.(*s3.Options); ok {
				o.UsePathStyle = true
			}
		})
	}
	cfg.HTTPClient = encrypted{HTTPClient: cfg.HTTPClient, plain: named != nil}
	return cfg, nil
}

// load returns the AWS configuration of this machine, and checks that it has credentials.
func (f *Flags) load(ctx context.Context, opts ...func(*config.LoadOptions) error) (aws.Config, error) {
	opts = append(opts, config.WithLogger(logging.Nop{})) // The default logger writes to the terminal.
	if f.profile != "" {
		opts = append(opts, config.WithSharedConfigProfile(f.profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("cannot load the AWS configuration of this machine: %w", err)
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		const what = "get the AWS credentials of this machine: set --aws-profile, or log in to AWS"
		return aws.Config{}, Explain(what, err)
	}
	return cfg, nil
}

// Explain returns the error of a call in AWS's words, without what only the SDK understands. An error of the network is
// not wrapped: it would read as one of the connection to the API server.
func Explain(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return kubectl.ErrInterrupted
	}
	e, answered := errors.AsType[smithy.APIError](err)
	op, _ := errors.AsType[*smithy.OperationError](err)
	switch {
	case awserr.LacksConcurrency(err), !answered && op != nil && op.Service() != "ec2imds":
		err = awserr.Sanitize(err)
	case answered:
		return fmt.Errorf("cannot %s: %s: %s", what, e.ErrorCode(), kubectl.OneLine(e.ErrorMessage()))
	}
	return fmt.Errorf("cannot %s: %s", what, kubectl.OneLine(err.Error()))
}

// named returns the URL that the user has named by a flag. It is nil if there is none.
func (f *Flags) named() (*url.URL, error) {
	if f.endpoint == "" {
		return nil, nil //nolint:nilnil // Calls go to AWS.
	}
	u, err := url.Parse(f.endpoint)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return u, nil
	}
	return nil, fmt.Errorf("--aws-endpoint-url is %q: it must be a URL such as https://aws.example.org or "+
		"http://localhost:4566", f.endpoint)
}

// An encrypted client sends no plain HTTP beyond this machine, unless the user has named such a URL.
type encrypted struct {
	aws.HTTPClient

	plain bool
}

// Do sends a request.
func (c encrypted) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !c.plain && !isLoopback(r.URL.Hostname()) {
		return nil, fmt.Errorf("%s is not encrypted, so nothing was sent: use https, or set "+
			"--aws-endpoint-url to the URL",
			r.URL.Host)
	}
	return c.HTTPClient.Do(r)
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || host == "localhost"
}

const (
	// mostThrottles limits how often a call is repeated that AWS has throttled, besides the SDK's own attempts.
	mostThrottles = 10

	// throttlePause is the time between such calls.
	throttlePause = 2 * time.Second
)

// Pace adds a middleware to the stack of an operation: a call waits until the quota allows it. A command may wait where
// a reconcile of the provider ends, and begins anew later.
func Pace(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Pace",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			out middleware.InitializeOutput, md middleware.Metadata, err error,
		) {
			for throttled := 0; ; {
				out, md, err = next.HandleInitialize(ctx, in)
				wait, deferred := quota.Deferred(err)
				switch {
				case deferred:
				case awserr.IsThrottled(err) && throttled < mostThrottles:
					throttled++
					wait = throttlePause
				default:
					return out, md, err
				}
				if kubectl.Wait(ctx, wait) != nil {
					return out, md, err
				}
			}
		}), middleware.Before)
}

// LogRetentionOf returns for how many days CloudWatch Logs keeps the log of a function, 0 if it never expires
// (logs:DescribeLogGroups). It returns nil if the function's account has no such log group, or if the credentials are
// of another account.
func LogRetentionOf(ctx context.Context, c *cloudwatchlogs.Client, f *v1beta1.Function) (*int32, error) {
	group := kubectl.LogGroupOf(f)
	function, err := arn.Parse(ptr.Deref(f.Status.AtProvider.FunctionArn, ""))
	if err != nil {
		return nil, nil //nolint:nilerr // AWS does not have the function, so it does not log.
	}
	// Names are sorted, so that the one that equals its prefix is the first.
	out, err := c.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{
		LogGroupNamePrefix: &group, Limit: aws.Int32(1),
	})
	if err != nil {
		return nil, err
	}
	for _, g := range out.LogGroups {
		owner, err := arn.Parse(ptr.Deref(g.Arn, ""))
		if err == nil && ptr.Deref(g.LogGroupName, "") == group && owner.AccountID == function.AccountID {
			return ptr.To(ptr.Deref(g.RetentionInDays, 0)), nil
		}
	}
	return nil, nil
}

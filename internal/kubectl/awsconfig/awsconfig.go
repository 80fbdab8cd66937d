// Package awsconfig gives commands of the kubectl plugin the AWS configuration of this machine: the credentials that
// the user has, in the region of a resource.
package awsconfig

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go"
	"github.com/spf13/cobra"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// Flags are those of commands that call AWS.
type Flags struct {
	profile string
}

// AddFlags adds the flags to a command.
func (f *Flags) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.profile, "aws-profile", f.profile, "Call AWS with this profile of the AWS configuration of this machine, instead of its default credentials.")
}

// Chosen returns whether the user has chosen a profile.
func (f *Flags) Chosen() bool { return f.profile != "" }

// Load returns the AWS configuration of this machine for a region. The credentials are those of the flag, or the
// default ones. Endpoints are those of the configuration, such as of the variable AWS_ENDPOINT_URL.
func (f *Flags) Load(ctx context.Context, region string) (aws.Config, error) {
	cfg, err := Load(ctx, f.profile, config.WithRegion(region))
	if err != nil {
		return aws.Config{}, err
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return aws.Config{}, Explain("get the AWS credentials of this machine: set --aws-profile, or log in to AWS", err)
	}
	return cfg, nil
}

// Load returns the AWS configuration of this machine, with the credentials of a profile, or the default ones if it is
// empty.
func Load(ctx context.Context, profile string, opts ...func(*config.LoadOptions) error) (aws.Config, error) {
	if profile != "" {
		opts = append(opts, config.WithSharedConfigProfile(profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("cannot load the AWS configuration of this machine: %w", err)
	}
	return cfg, nil
}

// SessionOptions returns the options of sessions through ProviderConfigs: every endpoint that the user may reach is
// allowed, and the environment is empty, since that of this machine is not the provider's.
func SessionOptions() session.Options {
	return session.Options{AllowNamespacedEndpoints: true, AllowLoopbackEndpoints: true, LookupEnv: func(string) (string, bool) { return "", false }}
}

// Explain returns the error of a call in AWS's words, without what only the SDK understands. An error of the network is
// not wrapped: it would read as one of the connection to the API server.
func Explain(what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return kubectl.ErrInterrupted
	}
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return fmt.Errorf("cannot %s: %s: %s", what, e.ErrorCode(), kubectl.OneLine(e.ErrorMessage()))
	}
	return fmt.Errorf("cannot %s: %s", what, kubectl.OneLine(err.Error()))
}

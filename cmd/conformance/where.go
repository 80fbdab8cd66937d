package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/crossplane-contrib/provider-lambda/internal/test/conformance"
)

// where selects the account.
type where struct {
	Account  string `env:"ACCOUNT" help:"ID of the account. The command ends if the credentials are not those of it."`
	Region   string `env:"REGION" default:"eu-central-1" help:"Region of everything."`
	Endpoint string `env:"ENDPOINT" help:"URL of an emulator to use instead of AWS, such as http://127.0.0.1:4566."`
	Dir      string `default:".cache/conformance" help:"Folder of the states, recordings and results of runs."`
}

// run returns a run with an ID, in the account that was selected.
func (w *where) run(id string) (conformance.Run, error) {
	if w.Account == "" {
		return conformance.Run{}, errors.New("say which account may be used: make conformance ACCOUNT=123456789012")
	}
	return conformance.Run{ID: id, Account: w.Account, Region: w.Region, Endpoint: w.Endpoint}, nil
}

// transport sends calls to AWS, as the SDK does: with the certificates of AWS_CA_BUNDLE, if it is set. Answers are not
// compressed, so that they can be recorded.
func transport() (http.RoundTripper, error) {
	c := awshttp.NewBuildableClient().GetTransport()
	c.DisableCompression = true
	path := os.Getenv("AWS_CA_BUNDLE")
	if path == "" {
		return c, nil
	}
	pem, err := os.ReadFile(path) //nolint:gosec // The user names it.
	if err != nil {
		return nil, fmt.Errorf("cannot read AWS_CA_BUNDLE: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM(pem)
	c.TLSClientConfig.RootCAs = roots
	return c, nil
}

// connected calls do with a configuration of clients of a run, whose calls pass a gate.
func connected(ctx context.Context, gate *conformance.Gate, do func(aws.Config, *awshttp.BuildableClient) error) error {
	next, err := transport()
	if err != nil {
		return err
	}
	gate.Next = next
	c, release := gate.HTTPClient()
	defer release()
	cfg, err := configure(ctx, gate.State.Run, c)
	if err != nil {
		return err
	}
	if err := conformance.Confirm(ctx, cfg, gate.State.Run.Account); err != nil {
		return err
	}
	return do(cfg, c)
}

// configure returns the configuration of clients of a run, whose calls pass a client: with the caller's credentials by
// the SDK's chain, or with placeholders for an emulator.
func configure(ctx context.Context, r conformance.Run, c config.HTTPClient) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{config.WithRegion(r.Region), config.WithHTTPClient(c)}
	if r.Endpoint != "" {
		options = append(options, config.WithBaseEndpoint(r.Endpoint),
			config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("none", "none", "")))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, fmt.Errorf("cannot find credentials of AWS: %w", err)
	}
	return cfg, nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/conformance"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

// runCommand runs the scenarios.
type runCommand struct {
	where

	Only          []string      `help:"Names of the scenarios to run. The default is all."`
	Role          string        `help:"ARN of a role for functions, which may use the queue of the run and must not write logs. The default is to make one."`
	Subnet        string        `help:"Subnet for the scenarios capacityprovider and network."`
	SecurityGroup string        `help:"Security group for these scenarios."`
	OperatorRole  string        `help:"ARN of the operator role for the scenario capacityprovider."`
	VPCRole       string        `name:"vpc-role" help:"ARN of a role for the scenario network, which may make network interfaces."`
	DriftQueue    string        `help:"ARN of a queue of drift events, for the scenario driftevents. It must have no other reader, since its messages are deleted."`
	Calls         int           `default:"3000" help:"Largest number of calls."`
	Within        time.Duration `default:"30m" help:"Longest time of the run."`
	DryRun        bool          `help:"Print what a run makes, the policy that it needs and what it costs, and end."`
	Debug         bool          `help:"Show the provider's log."`
}

// Run runs the command.
func (c *runCommand) Run(ctx context.Context) (err error) {
	r, err := c.run(conformance.NewID())
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.plan(r)
	}
	if err := connected(ctx, &conformance.Gate{State: &conformance.State{Run: r}},
		func(aws.Config, *awshttp.BuildableClient) error { return nil }); err != nil {
		return err
	}
	dir := filepath.Join(c.Dir, r.ID)
	if err := os.MkdirAll(filepath.Join(dir, "recordings"), 0o750); err != nil {
		return fmt.Errorf("cannot make the folder of the run: %w", err)
	}
	path := filepath.Join(dir, stateFile)
	state, err := conformance.NewState(path, r)
	if err != nil {
		return err
	}
	fmt.Printf(
		"Run %s in account %s, %s. If it is stopped, `make conformance-clean` removes what it has made, by %s.\n",
		r.ID, r.Account, r.Region, path)
	results, err := c.scenarios(ctx, state, dir)
	//nolint:contextcheck // The end has a time of its own.
	return errors.Join(err, failures(results), writeResults(dir, c.Endpoint, results), c.end(state, path))
}

// scenarios runs the scenarios, with a cluster and the provider in this process, which end with it.
func (c *runCommand) scenarios(
	ctx context.Context, state *conformance.State, dir string,
) (results []conformance.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Within)
	defer cancel()
	gate := &conformance.Gate{State: state, Calls: c.Calls}
	err = connected(ctx, gate, func(cfg aws.Config, httpClient *awshttp.BuildableClient) error {
		results, err = c.through(ctx, gate, cfg, httpClient, dir)
		return err
	})
	calls, _ := gate.Counts()
	fmt.Printf("%d calls. The recordings are in %s.\n", calls, filepath.Join(dir, "recordings"))
	return results, err
}

// through runs the scenarios with calls that pass a gate, which is closed in the end.
func (c *runCommand) through(
	ctx context.Context, gate *conformance.Gate, cfg aws.Config, httpClient *awshttp.BuildableClient, dir string,
) ([]conformance.Result, error) {
	defer gate.Close()
	r := gate.State.Run
	cluster, err := devcluster.Start(ctx, devcluster.Options{CRDs: []string{"package/crds"}, Controllers: true})
	if err != nil {
		return nil, err
	}
	defer cluster.Stop() //nolint:errcheck // It removes a folder of temporary files.
	kube, stop, err := startProvider(ctx, cluster, r, httpClient, c.DriftQueue, c.Debug)
	if err != nil {
		return nil, err
	}
	defer stop()
	runner := &conformance.Runner{
		Run: r, Kube: kube, AWS: cfg, Gate: gate, Role: c.Role, Given: c.given(),
		Open: func(scenario string) (io.WriteCloser, error) {
			return os.Create(filepath.Join(dir, "recordings", scenario+".jsonl")) //nolint:gosec // Names are ours.
		},
		Log: func(format string, args ...any) { fmt.Printf(format+"\n", args...) },
	}
	return runner.Scenarios(ctx, func(sc conformance.Scenario) bool {
		return len(c.Only) == 0 || slices.Contains(c.Only, sc.Name)
	})
}

// given returns the values that scenarios may need.
func (c *runCommand) given() map[string]string {
	return map[string]string{
		"subnet": c.Subnet, "securityGroup": c.SecurityGroup, "operatorRole": c.OperatorRole, "vpcRole": c.VPCRole,
		"driftQueue": c.DriftQueue,
	}
}

// end removes what the run has left, and then its state. It has a time of its own, so that Ctrl-C does not leave
// anything behind; a second one ends it.
func (c *runCommand) end(state *conformance.State, path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanWithin)
	defer cancel()
	return clean(ctx, state, path)
}

// startProvider starts the provider, and returns a client of the cluster and what stops the provider.
func startProvider(
	ctx context.Context, cluster *devcluster.Cluster, r conformance.Run, c *awshttp.BuildableClient, driftQueue string,
	debug bool,
) (client.Client, func(), error) {
	l := logr.Discard()
	if debug {
		l = zap.New(zap.UseDevMode(true))
	}
	log.SetLogger(l)
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		return nil, nil, err
	}
	kube, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, nil, err
	}
	if err := kube.Create(ctx, conformance.Config(r, driftQueue)); err != nil {
		return nil, nil, fmt.Errorf("cannot create the ClusterProviderConfig: %w", err)
	}
	mgr, err := conformance.NewProvider(ctx, cluster.Config, c, l)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := mgr.Start(ctx); err != nil {
			fmt.Fprintf(os.Stderr, "the provider has ended: %v\n", err)
		}
	}()
	return kube, func() { cancel(); <-done }, nil
}

// failures returns an error that names the scenarios that have failed.
func failures(results []conformance.Result) error {
	var errs []error
	for _, r := range results {
		if r.Error != "" {
			errs = append(errs, fmt.Errorf("scenario %s: %s", r.Scenario, r.Error))
		}
	}
	return errors.Join(errs...)
}

// writeResults writes the results of a run.
func writeResults(dir, endpoint string, results []conformance.Result) error {
	b, err := json.MarshalIndent(conformance.Report{Endpoint: endpoint, Results: results}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "results.json"), append(b, '\n'), 0o600)
}

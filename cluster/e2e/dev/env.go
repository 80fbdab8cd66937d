package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/rebuild"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// settings are the provider's settings. It polls often, so that drift is detected without waiting ten minutes.
// There is no leader election, so that it does not wait for the lease of a process that crashed.
var settings = []string{
	"PROVIDER_LAMBDA_DEBUG=true", "PROVIDER_LAMBDA_POLL=5s", "PROVIDER_LAMBDA_MIN_POLL=1s", "LEADER_ELECTION=false",
}

// env is the running environment.
type env struct {
	flags    flags
	out      io.Writer
	platform *platform.Platform
	folder   *process.Folder
	provider *rebuild.Provider
	loop     *rebuild.Loop
	logs     []*tail
}

// start starts everything. If it returns an error, it also returns what has been started.
func start(ctx context.Context, f flags) (*env, error) {
	e := &env{flags: f, out: os.Stdout}
	for _, step := range []func(context.Context) error{e.prepare, e.startPlatform, e.install} {
		if err := step(ctx); err != nil {
			return e, err
		}
	}
	return e, nil
}

// prepare creates two folders: a permanent one and a temporary one.
func (e *env) prepare(context.Context) (err error) {
	if e.flags.Folder, err = filepath.Abs(e.flags.Folder); err != nil {
		return err
	}
	if err := os.MkdirAll(e.flags.Folder, 0o750); err != nil {
		return fmt.Errorf("cannot make the folder for the kubeconfig: %w", err)
	}
	e.folder, err = process.NewFolder()
	return err
}

func (e *env) startPlatform(ctx context.Context) (err error) {
	e.sectionf("Starting a control plane, Crossplane, a registry and a double of AWS")
	began := time.Now()
	e.platform, err = platform.Start(ctx, platform.Options{
		Double:      awsdouble.Lifelike(),
		ProviderEnv: settings,
		Progress:    io.Discard,
		Trouble:     indented{e.out},
	})
	if err != nil {
		return err
	}
	e.platform.Double.PutExamples()
	if err := errors.Join(e.platform.Cluster.WriteKubeconfig(e.file("kubeconfig")), e.startLogs()); err != nil {
		return err
	}
	e.printf("    ready after %s", time.Since(began).Round(100*time.Millisecond))
	return nil
}

// install installs the provider of this working tree, and the composition function.
func (e *env) install(ctx context.Context) (err error) {
	e.sectionf("Building the provider's package from this working tree, and installing it")
	began := time.Now()
	e.provider = &rebuild.Provider{Platform: e.platform, Root: e.platform.Root, Folder: e.folder.Path}
	e.loop = &rebuild.Loop{Steps: e.provider, Out: e.out, Now: time.Now}
	sources, err := rebuild.Take(e.platform.Root, nil)
	if err != nil {
		return fmt.Errorf("cannot read the provider's sources: %w", err)
	}
	e.loop.Start(sources)
	if err := e.reporting(func() error { return e.provider.Install(ctx) }); err != nil {
		return err
	}
	e.printf("    Provider %s is healthy after %s", platform.Provider, time.Since(began).Round(100*time.Millisecond))
	if err := errors.Join(e.platform.InstallFunction(ctx), e.platform.Configure(ctx)); err != nil {
		return err
	}
	e.printf("    Function %s is healthy, ClusterProviderConfig default leads to the double of AWS", platform.Function)
	return nil
}

// reportEvery is the interval at which the duration of a step is printed.
const reportEvery = 10 * time.Second

// reporting runs a step that prints nothing itself, and prints from time to time that it goes on.
func (e *env) reporting(step func() error) error {
	began, ended := time.Now(), make(chan error, 1)
	go func() { ended <- step() }()
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			e.printf("    goes on, %s so far", time.Since(began).Round(time.Second))
		}
	}
}

// follow watches the sources and the logs until the context ends.
func (e *env) follow(ctx context.Context) error {
	e.printf("Save a change of the provider, and it is built and takes over; a change of its types comes with their " +
		"definitions.\nEverything stays up until Ctrl-C.")
	tick := time.NewTicker(rebuild.PollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		if ctx.Err() != nil {
			e.printf("\nStopping.")
			return nil
		}
		sources, err := rebuild.Take(e.platform.Root, e.loop.Last())
		if err != nil {
			return fmt.Errorf("cannot read the provider's sources: %w", err)
		}
		e.loop.Poll(ctx, sources)
		if err := e.platform.Ended(); err != nil {
			return err
		}
	}
}

// stop stops everything, and removes all files but the kubeconfig and the logs.
func (e *env) stop() error {
	var errs []error
	if e.platform != nil {
		errs = append(errs, e.platform.Stop())
	}
	for _, l := range e.logs {
		errs = append(errs, l.stop())
	}
	if e.folder != nil {
		errs = append(errs, e.folder.Remove())
	}
	return errors.Join(errs...)
}

func (e *env) file(name string) string { return filepath.Join(e.flags.Folder, name) }

func (e *env) sectionf(format string, args ...any) { e.printf("\n==> "+format, args...) }

func (e *env) printf(format string, args ...any) { _, _ = fmt.Fprintf(e.out, format+"\n", args...) }

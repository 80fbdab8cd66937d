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
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/process"
)

// arguments of the provider. It looks often, so that nobody has to wait ten minutes to see drift being found. Nobody
// stands by for it, so none waits for the lease of one that crashed.
var arguments = []string{"--debug", "--poll=5s", "--min-poll=1s", "--no-leader-election"}

// world is what runs.
type world struct {
	flags    flags
	out      io.Writer
	platform *platform.Platform
	folder   *process.Folder
	provider *rebuild.Provider
	loop     *rebuild.Loop
	logs     []*tail
}

// start everything. What has been started is returned with an error, too.
func start(ctx context.Context, f flags) (*world, error) {
	w := &world{flags: f, out: os.Stdout}
	for _, step := range []func(context.Context) error{w.prepare, w.startPlatform, w.install} {
		if err := step(ctx); err != nil {
			return w, err
		}
	}
	return w, nil
}

// prepare the folders: one that stays, and one that goes.
func (w *world) prepare(context.Context) (err error) {
	if w.flags.Folder, err = filepath.Abs(w.flags.Folder); err != nil {
		return err
	}
	if err := os.MkdirAll(w.flags.Folder, 0o750); err != nil {
		return fmt.Errorf("cannot make the folder for the kubeconfig: %w", err)
	}
	w.folder, err = process.NewFolder()
	return err
}

func (w *world) startPlatform(ctx context.Context) (err error) {
	w.sectionf("Starting a control plane, Crossplane, a registry and a double of AWS")
	began := time.Now()
	w.platform, err = platform.Start(ctx, platform.Options{
		Double:       awsdouble.Lifelike(),
		ProviderArgs: arguments,
		Progress:     io.Discard,
		Trouble:      indented{w.out},
	})
	if err != nil {
		return err
	}
	if err := errors.Join(w.platform.Double.PutExamples(), w.platform.Cluster.WriteKubeconfig(w.file("kubeconfig")), w.startLogs()); err != nil {
		return err
	}
	w.printf("    ready after %s", time.Since(began).Round(100*time.Millisecond))
	return nil
}

// install the provider of this working tree, and the composition function.
func (w *world) install(ctx context.Context) (err error) {
	w.sectionf("Building the provider's package from this working tree, and installing it")
	began := time.Now()
	w.provider = &rebuild.Provider{Platform: w.platform, Root: w.platform.Root, Folder: w.folder.Path}
	w.loop = &rebuild.Loop{Steps: w.provider, Out: w.out, Now: time.Now}
	sources, err := rebuild.Take(w.platform.Root, nil)
	if err != nil {
		return fmt.Errorf("cannot read the provider's sources: %w", err)
	}
	w.loop.Start(sources)
	if err := w.provider.Install(ctx); err != nil {
		return err
	}
	w.printf("    Provider %s is healthy after %s", platform.Provider, time.Since(began).Round(100*time.Millisecond))
	if err := errors.Join(w.platform.InstallFunction(ctx), w.platform.Configure(ctx)); err != nil {
		return err
	}
	w.printf("    Function %s is healthy, ClusterProviderConfig default leads to the double of AWS", platform.Function)
	return nil
}

// follow the sources and the logs until the end.
func (w *world) follow(ctx context.Context) error {
	w.printf("Save a change of the provider, and it is built and takes over; a change of its types comes with their definitions.\nEverything stays up until Ctrl-C.")
	tick := time.NewTicker(rebuild.Glance)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		if ctx.Err() != nil {
			w.printf("\nStopping.")
			return nil
		}
		sources, err := rebuild.Take(w.platform.Root, w.loop.Last())
		if err != nil {
			return fmt.Errorf("cannot read the provider's sources: %w", err)
		}
		w.loop.Look(ctx, sources)
		if err := w.platform.Ended(); err != nil {
			return err
		}
	}
}

// stop everything, and remove what it left but for the kubeconfig and the logs.
func (w *world) stop() error {
	var errs []error
	if w.platform != nil {
		errs = append(errs, w.platform.Stop())
	}
	for _, l := range w.logs {
		errs = append(errs, l.stop())
	}
	if w.folder != nil {
		errs = append(errs, w.folder.Remove())
	}
	return errors.Join(errs...)
}

func (w *world) file(name string) string { return filepath.Join(w.flags.Folder, name) }

func (w *world) sectionf(format string, args ...any) { w.printf("\n==> "+format, args...) }

func (w *world) printf(format string, args ...any) { _, _ = fmt.Fprintf(w.out, format+"\n", args...) }

// Command package builds the provider's Crossplane package, pushes and signs it, without a container engine. `make
// xpkg` and `make xpkg-push` run it. It also builds the plugin of kubectl for a release, which `make plugin` runs.
//
// A package is a container image for each platform with two parts: the provider, which runs, and package.yaml, which
// Crossplane reads. docs/design/package.md explains the design.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// commands of the program.
type commands struct {
	Build buildCommand `cmd:"" help:"Build the package for every platform."`
	Push  pushCommand  `cmd:"" help:"Push a built package."`

	Plugin pluginCommand `cmd:"" help:"Build the plugin of kubectl for every platform, and its manifest for Krew."`

	Licenses licensesCommand `cmd:"" help:"Check the licenses of what the provider and the plugin are compiled from."`
}

type buildCommand struct {
	Root     string   `default:"." help:"Folder of the repository." type:"existingdir"`
	Out      string   `default:"bin" help:"Folder to write to."`
	Version  string   `required:"" help:"Version of the provider: the package's tag."`
	Revision string   `help:"Git commit that is built."`
	Platform []string `default:"linux/amd64,linux/arm64" help:"Platforms to build for. Crossplane's package manager reads the package for linux/amd64."`
	Created  int64    `default:"0" env:"SOURCE_DATE_EPOCH" help:"Time of that commit, in seconds since 1970. It is the only time in the package."`

	BuilderID    string `env:"BUILDER_ID" help:"URI of the builder, for the provenance, such as a CI workflow. Default: a local build."`
	InvocationID string `env:"INVOCATION_ID" help:"URI of the build's run, for the provenance."`
}

// Run runs the command.
func (c buildCommand) Run(ctx context.Context, out io.Writer) error {
	platforms, err := parsePlatforms(c.Platform)
	if err != nil {
		return err
	}
	r := release{
		Root:       c.Root,
		Platforms:  platforms,
		Version:    c.Version,
		Revision:   c.Revision,
		Created:    time.Unix(c.Created, 0).UTC(),
		Builder:    c.BuilderID,
		Invocation: c.InvocationID,
	}
	p, err := build(ctx, r)
	if err != nil {
		return fmt.Errorf("cannot build the package: %w", err)
	}
	if err := p.write(c.Out, out); err != nil {
		return fmt.Errorf("cannot write the package: %w", err)
	}
	return nil
}

type pushCommand struct {
	Out     string `default:"bin" help:"Folder that the package was written to." type:"existingdir"`
	Version string `required:"" help:"Version of the provider: the package's tag."`
	Sign    string `help:"Sign the package with cosign: a key file, the URI of a key in a key management service, or keyless."`

	Registry string `arg:"" help:"Registry to push to: its host, and optionally a path."`
}

// Run runs the command.
func (c pushCommand) Run(ctx context.Context, out io.Writer) error {
	to := c.Registry + "/" + packageName + ":" + c.Version
	if err := c.push(ctx, to, out); err != nil {
		return fmt.Errorf("cannot push the package to %s: %w", to, err)
	}
	return nil
}

// push pushes the package, and signs it if requested. It checks that it can be signed before.
func (c pushCommand) push(ctx context.Context, to string, out io.Writer) error {
	tag, err := name.NewTag(to, name.StrictValidation)
	if err != nil {
		return err
	}
	if c.Sign == "" {
		return push(ctx, layoutPath(c.Out, c.Version), tag, out)
	}
	s, err := newSigner(c.Sign, out)
	if err != nil {
		return err
	}
	p, err := s.prepare(c.Out, c.Version)
	if err != nil {
		return err
	}
	if err := push(ctx, layoutPath(c.Out, c.Version), tag, out); err != nil {
		return err
	}
	return s.sign(ctx, p, tag.Context())
}

type pluginCommand struct {
	Root     string `default:"." help:"Folder of the repository." type:"existingdir"`
	Out      string `default:"bin" help:"Folder to write to."`
	Version  string `required:"" help:"Version of the plugin: a semantic version with v in front, which is the tag of its release."`
	Revision string `help:"Git commit that is built."`
	Created  int64  `default:"0" env:"SOURCE_DATE_EPOCH" help:"Time of that commit, in seconds since 1970. It is the only time in the bills of materials."`
	Sign     string `help:"Attest the archives with cosign: a key file, the URI of a key in a key management service, or keyless."`

	BuilderID    string `env:"BUILDER_ID" help:"URI of the builder, for the provenance, such as a CI workflow. Default: a local build."`
	InvocationID string `env:"INVOCATION_ID" help:"URI of the build's run, for the provenance."`
}

// Run runs the command.
func (c pluginCommand) Run(ctx context.Context, out io.Writer) error {
	r := release{
		Root: c.Root, Version: c.Version, Platforms: pluginPlatforms, Revision: c.Revision,
		Created: time.Unix(c.Created, 0).UTC(),
		Builder: c.BuilderID, Invocation: c.InvocationID,
	}
	var s *signer
	if c.Sign != "" {
		var err error
		if s, err = newSigner(c.Sign, out); err != nil {
			return err
		}
	}
	if err := buildPlugin(ctx, r, c.Out, s, out); err != nil {
		return fmt.Errorf("cannot build the plugin: %w", err)
	}
	return nil
}

type licensesCommand struct {
	Root     string   `default:"." help:"Folder of the repository." type:"existingdir"`
	Platform []string `default:"linux/amd64,linux/arm64" help:"Platforms that the package is built for."`
}

// Run runs the command.
func (c licensesCommand) Run(ctx context.Context, out io.Writer) error {
	platforms, err := parsePlatforms(c.Platform)
	if err != nil {
		return err
	}
	programs := map[string][]v1.Platform{providerProgram: platforms, pluginProgram: pluginPlatforms}
	for _, program := range slices.Sorted(maps.Keys(programs)) {
		for _, p := range programs[program] {
			components, err := thirdParties(ctx, c.Root, program, p)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", program, p, err)
			}
			_, _ = fmt.Fprintf(out, "licenses of %s on %s: %s\n", program, p, countLicenses(components))
		}
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	k := kong.Parse(&commands{}, kong.Name("package"),
		kong.Description("Builds, pushes and signs the provider's Crossplane package."))
	k.BindTo(ctx, (*context.Context)(nil))
	k.BindTo(os.Stdout, (*io.Writer)(nil))
	k.FatalIfErrorf(k.Run())
}

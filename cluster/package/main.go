// Command package builds the provider's Crossplane package and pushes it, without a
// container engine. `make xpkg` and `make xpkg-push` run it.
//
// A package is a container image for each platform that holds two things: the provider,
// which is what runs, and package.yaml, which Crossplane reads. docs/design/package.md
// says why it is built as it is.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// commands of the program.
type commands struct {
	Build buildCommand `cmd:"" help:"Build the package for every platform."`
	Push  pushCommand  `cmd:"" help:"Push a package that was built."`
}

type buildCommand struct {
	Root     string   `default:"." help:"Folder of the repository." type:"existingdir"`
	Out      string   `default:"bin" help:"Folder to write to."`
	Version  string   `required:"" help:"Version of the provider: the package's tag."`
	Revision string   `help:"Git commit that is built."`
	Platform []string `default:"linux/amd64,linux/arm64" help:"Platforms to build for. Crossplane's package manager reads the package for linux/amd64."`
	Created  int64    `default:"0" env:"SOURCE_DATE_EPOCH" help:"When that commit was made, in seconds since 1970. It is the only time that the package holds."`
}

// Run the command.
func (c buildCommand) Run(ctx context.Context, out io.Writer) error {
	platforms, err := parsePlatforms(c.Platform)
	if err != nil {
		return err
	}
	r := release{Root: c.Root, Platforms: platforms, Version: c.Version, Revision: c.Revision, Created: time.Unix(c.Created, 0).UTC()}
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

	Registry string `arg:"" help:"Where to push it: the registry's host, and folders in it if need be."`
}

// Run the command.
func (c pushCommand) Run(ctx context.Context, out io.Writer) error {
	tag := c.Registry + "/" + packageName + ":" + c.Version
	if err := push(ctx, layoutPath(c.Out, c.Version), tag, out); err != nil {
		return fmt.Errorf("cannot push the package to %s: %w", tag, err)
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	k := kong.Parse(&commands{}, kong.Name("package"), kong.Description("Builds and pushes the provider's Crossplane package."))
	k.BindTo(ctx, (*context.Context)(nil))
	k.BindTo(os.Stdout, (*io.Writer)(nil))
	k.FatalIfErrorf(k.Run())
}

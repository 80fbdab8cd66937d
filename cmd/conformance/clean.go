package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/crossplane-contrib/provider-lambda/internal/test/conformance"
)

const (
	// stateFile is the file in the folder of a run that says what it has made.
	stateFile = "state.jsonl"

	// cleanWithin is the longest time that the removal of what a run has left takes.
	cleanWithin = 10 * time.Minute
)

// cleanCommand removes what runs have left.
type cleanCommand struct {
	where

	All bool `help:"Also remove what runs have left whose states are not here, by names and tags. It would stop a run that is in progress elsewhere."`
}

// Run runs the command.
func (c *cleanCommand) Run(ctx context.Context) error {
	paths, err := filepath.Glob(filepath.Join(c.Dir, "*", stateFile))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		state, err := conformance.ReadState(path)
		if err == nil {
			err = clean(ctx, state, path)
		}
		errs = append(errs, err)
	}
	if c.All {
		errs = append(errs, c.leftovers(ctx))
	} else if len(paths) == 0 {
		fmt.Println("No run has left a state here. ALL=1 looks for what other runs have left.")
	}
	return errors.Join(errs...)
}

// leftovers removes what is found of any run.
func (c *cleanCommand) leftovers(ctx context.Context) error {
	r, err := c.run("00000000")
	if err != nil {
		return err
	}
	var ids []string
	err = connected(ctx, &conformance.Gate{State: &conformance.State{Run: r}},
		func(cfg aws.Config, _ *awshttp.BuildableClient) (err error) {
			ids, err = conformance.Leftovers(ctx, cfg)
			return err
		})
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range ids {
		r.ID = id
		errs = append(errs, clean(ctx, &conformance.State{Run: r}, ""))
	}
	return errors.Join(errs...)
}

// clean removes what a run has left, and its state at a path.
func clean(ctx context.Context, state *conformance.State, path string) error {
	var deleted []string
	err := connected(ctx, &conformance.Gate{State: state},
		func(cfg aws.Config, _ *awshttp.BuildableClient) (err error) {
			deleted, err = conformance.Clean(ctx, cfg, state)
			return err
		})
	for _, d := range deleted {
		fmt.Println("removed", d)
	}
	if err != nil {
		return err
	}
	fmt.Printf("nothing is left of run %s\n", state.Run.ID)
	if path == "" {
		return nil
	}
	return errors.Join(state.Close(), os.Remove(path))
}

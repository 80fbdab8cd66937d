package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/test/conformance"
)

// plan prints what a run would make, the policy that it needs and what it costs.
func (c *runCommand) plan(r conformance.Run) error {
	all, err := conformance.Planned(r, c.Role, c.given())
	if err != nil {
		return err
	}
	fmt.Printf("A run makes this in account %s, %s, and removes it. All names begin with plc- and the ID of the "+
		"run.\n\n",
		r.Account, r.Region)
	for i := range all {
		if missing := all[i].Missing(); missing != "" {
			fmt.Printf("%s: left out, since it needs %s\n", all[i].Name, missing)
			continue
		}
		fmt.Printf("%s: %s\n  %s\n", all[i].Name, all[i].About, strings.Join(all[i].Makes(), ", "))
	}
	policy, err := json.MarshalIndent(conformance.PolicyOf(r.Account, r.Region), "", "  ")
	if err != nil {
		return err
	}
	fmt.Printf("\nThe caller needs this policy, and iam:PassRole of roles that are given:\n\n%s\n\n", policy)
	fmt.Printf("At list prices, a run costs about %.3f USD:\n\n", conformance.Cost())
	for _, cost := range conformance.Costs {
		fmt.Printf("  %.4f  %s\n", cost.USD, cost.Of)
	}
	return nil
}

// compareCommand compares recordings with the double.
type compareCommand struct {
	Recordings []string `arg:"" help:"Files of recordings, or folders of them."`
}

// Run runs the command.
func (c *compareCommand) Run() error {
	var files []string
	for _, path := range c.Recordings {
		if filepath.Ext(path) == ".jsonl" {
			files = append(files, path)
			continue
		}
		found, err := filepath.Glob(filepath.Join(path, "*.jsonl"))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("there are no recordings in %s: %w", path, errors.Join(err, os.ErrNotExist))
		}
		files = append(files, found...)
	}
	differences := 0
	for _, file := range files {
		recording, err := conformance.ReadRecording(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, d := range conformance.Compare(strings.TrimSuffix(filepath.Base(file), ".jsonl"), recording) {
			fmt.Println(d)
			differences++
		}
	}
	if differences > 0 {
		return fmt.Errorf("AWS differs from the double in %d members of answers", differences)
	}
	fmt.Printf("AWS and the double answer the same in %d recordings\n", len(files))
	return nil
}

// tableCommand prints what works where.
type tableCommand struct {
	Results []string `arg:"" help:"Files of results, named by what they are of, such as moto.json."`
}

// Run runs the command.
func (c *tableCommand) Run() error {
	text, err := conformance.Table(c.Results)
	fmt.Print(text)
	return err
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// policyOfDocs is the IAM policy for all kinds that the documentation gives.
const policyOfDocs = "docs/iam-policy.json"

// keyOfProvider is the access key that the provider uses for a config whose credentials have the source None.
const keyOfProvider = "NONE"

// policyFile returns the path of the policy that the double applies to the provider's calls.
func (e *env) policyFile() string {
	return filepath.Join(filepath.Dir(e.kubeconfig()), "iam-policy.json")
}

// applyPolicy writes the policy of the documentation to a file for the user, and makes the double allow the
// provider only what the file allows, also after the user has edited it.
func (e *env) applyPolicy(ctx context.Context) error {
	applied, err := os.ReadFile(policyOfDocs)
	if err != nil {
		return fmt.Errorf("cannot read the IAM policy: %w", err)
	}
	if err := e.double.SetPolicyDocument(keyOfProvider, applied); err != nil {
		return err
	}
	if err := os.WriteFile(e.policyFile(), applied, 0o600); err != nil { //nolint:gosec // The path is a flag of the user.
		return fmt.Errorf("cannot write the IAM policy: %w", err)
	}
	go e.followPolicy(ctx, applied)
	return nil
}

// followPolicy applies the file whenever it has changed, until the context ends.
func (e *env) followPolicy(ctx context.Context, applied []byte) {
	wait.UntilWithContext(ctx, func(context.Context) {
		text, err := os.ReadFile(e.policyFile())
		if err != nil || bytes.Equal(text, applied) {
			return
		}
		applied = text
		if err := e.double.SetPolicyDocument(keyOfProvider, text); err != nil {
			fmt.Printf("\nThe former IAM policy stays: %v\n", err)
			return
		}
		fmt.Printf("\nThe IAM policy is that of %s now.\n", e.policyFile())
	}, time.Second)
}

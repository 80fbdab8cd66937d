package resourcepolicy

import (
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how a policy differs from the desired one, by statements. A policy that spec does not have, and which
// has no statements then, is not compared.
func compare(d reconcile.Desired[policy.Document], observed policy.Document) reconcile.Comparison[policy.Document] {
	c := reconcile.Comparison[policy.Document]{Target: d.Settings, Observed: observed}
	if len(d.Settings.Statements) > 0 {
		c.Changes = policy.Compare(d.Settings, observed)
	}
	return c
}

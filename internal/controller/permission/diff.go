package permission

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare compares a statement with spec.
func compare(d reconcile.Desired[policy.Grant], observed policy.Grant) reconcile.Comparison[policy.Grant] {
	return reconcile.Comparison[policy.Grant]{
		Target: d.Settings, Observed: observed, Changes: changes(d.Settings, observed),
	}
}

// changes returns how a statement differs from the desired one. An action or principal
// that spec does not name is ignored.
func changes(wanted, observed policy.Grant) diff.Changes {
	observed = observed.Like(wanted)
	if wanted.Action == "" {
		wanted.Action = observed.Action
	}
	if wanted.Principal == "" {
		wanted.Principal = observed.Principal
	}
	return diff.Compare(wanted.Normal(), observed)
}

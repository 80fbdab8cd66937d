package permission

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// settings is a statement in the form of spec.forProvider, in which the token is only a Secret.
type settings struct {
	policy.Grant

	Token diff.Secret `json:"eventSourceToken"`
}

func settingsOf(g policy.Grant) settings {
	s := settings{Grant: g, Token: diff.NewSecret(g.EventSourceToken)}
	s.EventSourceToken = ""
	return s
}

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
	return diff.Compare(settingsOf(wanted.Normal()), settingsOf(observed))
}

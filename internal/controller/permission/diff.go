package permission

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// settings is a statement in the form of spec.forProvider.
type settings struct {
	Action                string      `json:"action"`
	Principal             string      `json:"principal"`
	SourceArn             string      `json:"sourceArn"`
	SourceAccount         string      `json:"sourceAccount"`
	EventSourceToken      diff.Secret `json:"eventSourceToken"`
	FunctionURLAuthType   string      `json:"functionUrlAuthType"`
	PrincipalOrgID        string      `json:"principalOrgId"`
	InvokedViaFunctionURL string      `json:"invokedViaFunctionUrl"`

	// Rest is the part of a statement that spec has no field for.
	Rest string `json:"statement"`
}

func settingsOf(g policy.Grant) settings {
	return settings{
		Action:                g.Action,
		Principal:             g.Principal,
		SourceArn:             g.SourceArn,
		SourceAccount:         g.SourceAccount,
		EventSourceToken:      diff.NewSecret(g.EventSourceToken),
		FunctionURLAuthType:   g.FunctionURLAuthType,
		PrincipalOrgID:        g.PrincipalOrgID,
		InvokedViaFunctionURL: g.InvokedViaFunctionURL,
		Rest:                  g.Rest,
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

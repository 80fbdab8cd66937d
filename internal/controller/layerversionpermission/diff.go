package layerversionpermission

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/policy"
)

// observed is a statement in AWS.
type observed struct {
	at        place
	statement policy.Statement
	revision  string
}

// fromAWS returns what a statement grants.
func fromAWS(o observed) policy.Grant {
	return policy.GrantOf(o.statement, ":layer:"+o.at.holder())
}

// terms is a statement and its place in the form of spec.forProvider.
type terms struct {
	LayerName      string `json:"layerName"`
	VersionNumber  int64  `json:"versionNumber"`
	StatementID    string `json:"statementId"`
	Action         string `json:"action"`
	Principal      string `json:"principal"`
	OrganizationID string `json:"organizationId"`

	// Rest is the part of a statement that spec has no field for.
	Rest string `json:"statement"`
}

func termsOf(at place, g policy.Grant) terms {
	out := terms{LayerName: at.layer, VersionNumber: at.version, StatementID: at.sid, Action: g.Action, Principal: g.Principal, OrganizationID: g.PrincipalOrgID}
	g.Action, g.Principal, g.PrincipalOrgID = "", "", ""
	if out.Rest = g.Rest; out.Rest == "" && g != (policy.Grant{}) {
		out.Rest = "a condition of functions"
	}
	return out
}

// changes returns how a statement differs from the desired one. A principal that spec does
// not name is ignored.
func changes(at place, wanted policy.Grant, o observed) diff.Changes {
	is := fromAWS(o).Like(wanted)
	if wanted.Principal == "" {
		wanted.Principal = is.Principal
	}
	return diff.Compare(termsOf(at, wanted.Normal()), termsOf(o.at, is))
}

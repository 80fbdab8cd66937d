package layerversionpermission

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// settings is a statement and its place in the form of spec.forProvider.
type settings struct {
	LayerName      string `json:"layerName"`
	VersionNumber  int64  `json:"versionNumber"`
	StatementID    string `json:"statementId"`
	Action         string `json:"action"`
	Principal      string `json:"principal"`
	OrganizationID string `json:"organizationId"`

	// Rest is the part of a statement that spec has no field for.
	Rest string `json:"statement"`
}

func settingsOf(at statementKey, g policy.Grant) settings {
	out := settings{
		LayerName: at.layer, VersionNumber: at.version, StatementID: at.sid, Action: g.Action,
		Principal: g.Principal, OrganizationID: g.PrincipalOrgID,
	}
	g.Action, g.Principal, g.PrincipalOrgID = "", "", ""
	if out.Rest = g.Rest; out.Rest == "" && g != (policy.Grant{}) {
		out.Rest = "a condition of functions"
	}
	return out
}

// changes returns how a statement differs from the desired one. A principal that spec does not name is ignored.
func changes(at statementKey, wanted policy.Grant, o observed) diff.Changes {
	is := fromAWS(o).Like(wanted)
	if wanted.Principal == "" {
		wanted.Principal = is.Principal
	}
	return diff.Compare(settingsOf(at, wanted.Normal()), settingsOf(o.at, is))
}

package resourcepolicy

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// changes returns how a policy differs from the desired one, by statements.
func changes(wanted, observed policy.Document) diff.Changes {
	var cs diff.Changes
	for _, d := range policy.Compare(wanted, observed) {
		c := diff.Change{Path: "policy." + d.Part, Old: diff.Short(d.Observed), New: diff.Short(d.Wanted)}
		cs = append(cs, c)
	}
	return cs
}

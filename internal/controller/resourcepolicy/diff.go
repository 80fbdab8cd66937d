package resourcepolicy

import (
	"unicode/utf8"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// maxShown is the maximum length, in bytes, of a statement in a change.
const maxShown = 120

// changes returns how a policy differs from the desired one, by statements.
func changes(wanted, observed policy.Document) diff.Changes {
	var cs diff.Changes
	for _, d := range policy.Compare(wanted, observed) {
		c := diff.Change{Path: "policy." + d.Part, Old: short(d.Observed), New: short(d.Wanted)}
		cs = append(cs, c)
	}
	return cs
}

func short(text string) string {
	if len(text) <= maxShown {
		return text
	}
	end := maxShown
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

package codesigningconfig

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// desired is what the user wants, and what is Left alone once the configuration exists.
type desired struct {
	settings settings
	left     diff.Left
}

// want merges forProvider and initProvider. A policy that neither speaks of is AWS's
// default.
func want(forProvider, initProvider settings) desired {
	s, left := diff.Merge(forProvider, initProvider)
	if s.CodeSigningPolicies == nil {
		s.CodeSigningPolicies = defaultPolicies()
	}
	return desired{settings: s, left: left}
}

// comparison is what AWS shall come to and what it has, in one form.
type comparison struct {
	target, have settings
	changes      diff.Changes
}

// compare what is wanted with what was observed. What is left to AWS or to others is
// taken as it is there.
func compare(d desired, o observed, owner tagging.Owner) comparison {
	have := fromObserved(o)
	t := diff.Fill(d.settings, have, d.left)
	t.Tags = owner.Told(t.Tags, have.Tags)
	return comparison{target: t, have: have, changes: diff.Compare(t, have)}
}

// due is the call that comes first, and the changes that it brings about. Tags come
// before all else, since they say whose the configuration is.
func (c comparison) due() (string, diff.Changes) {
	if call := tagging.Due(c.target.Tags, c.have.Tags); call != "" {
		return call, c.changes.In("tags")
	}
	if len(c.changes) == 0 {
		return "", nil
	}
	return opUpdate, c.changes
}

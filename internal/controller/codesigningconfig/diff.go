package codesigningconfig

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// compare returns how spec differs from what was observed.
func compare(d flow.Desired[settings], observed settings, owner tagging.Owner) flow.Comparison[settings] {
	t := diff.Fill(d.Settings, observed, d.Left)
	t.Tags = owner.Told(t.Tags, observed.Tags)
	return flow.Compare(t, observed)
}

package codesigningconfig

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/tagging"
)

// compare returns how spec differs from what was observed.
func compare(d reconciler.Desired[settings], observed settings, owner tagging.Owner) reconciler.Comparison[settings] {
	t := diff.Fill(d.Settings, observed, d.Left)
	t.Tags = owner.TargetIfReturned(t.Tags, observed.Tags)
	return reconciler.Compare(t, observed)
}

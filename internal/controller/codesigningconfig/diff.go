package codesigningconfig

import (
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed.
func compare(d reconcile.Desired[settings], observed settings, owner tagging.Owner) reconcile.Comparison[settings] {
	t := diff.Fill(d.Settings, observed, d.Left)
	t.Tags = owner.TargetIfReturned(t.Tags, observed.Tags)
	return reconcile.Compare(t, observed)
}

package codesigningconfig

import (
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed. Publishers that spec does not name, which it must only to
// create a configuration, are left to AWS.
func compare(d reconcile.Desired[settings], observed settings, owner tagging.Owner) reconcile.Comparison[settings] {
	t := diff.Fill(d.Settings, observed, d.Left)
	if len(t.AllowedPublishers.SigningProfileVersionArns) == 0 {
		t.AllowedPublishers = observed.AllowedPublishers
	}
	t.Tags = owner.TargetIfReturned(t.Tags, observed.Tags)
	return reconcile.Compare(t, observed)
}

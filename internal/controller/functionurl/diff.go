package functionurl

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed. AWS replaces cors as a whole,
// so that no part of it is left to AWS.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	return reconcile.Compare(normal(diff.Fill(normal(d.Settings), observed, d.Left)), observed)
}

package functioneventinvokeconfig

import (
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed. What spec does not set is
// Lambda's default, and not left to AWS.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	return reconcile.Compare(diff.Keep(d.Settings, observed, d.Left), observed)
}

package functioneventinvokeconfig

import (
	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// fromSpec returns a block of spec in comparable form. The caller has resolved its references.
func fromSpec(block v1beta1.FunctionEventInvokeConfigSettings) (s settings) {
	specToSettings.Copy(&s, &block)
	return s
}

// compare returns how spec differs from what was observed. What spec does not set is
// Lambda's default, and not left to AWS.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	return reconcile.Compare(diff.Keep(d.Settings, observed, d.Left), observed)
}

package functioneventinvokeconfig

import (
	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// desired returns the settings of spec.
func desired(mg *v1beta1.FunctionEventInvokeConfig, read lookup) (forProvider, initProvider settings, err error) {
	forProvider, err = fromSpec(mg.Spec.ForProvider.FunctionEventInvokeConfigSettings, read.below("spec.forProvider"))
	if err != nil || mg.Spec.InitProvider == nil {
		return forProvider, initProvider, err
	}
	initProvider, err = fromSpec(*mg.Spec.InitProvider, read.below("spec.initProvider"))
	return forProvider, initProvider, err
}

// compare returns how spec differs from what was observed. What spec does not set is
// Lambda's default, and not left to AWS.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	return reconcile.Compare(diff.Keep(d.Settings, observed, d.Left), observed)
}

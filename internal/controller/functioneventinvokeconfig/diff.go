package functioneventinvokeconfig

import (
	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
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
	t := d.Settings
	for path, f := range map[string]struct{ to, from **int32 }{
		"maximumEventAgeInSeconds": {&t.MaximumEventAgeInSeconds, &observed.MaximumEventAgeInSeconds},
		"maximumRetryAttempts":     {&t.MaximumRetryAttempts, &observed.MaximumRetryAttempts},
	} {
		if d.Left.Covers(path) {
			*f.to = *f.from
		}
	}
	for path, f := range map[string]struct{ to, from *destination }{
		"destinationConfig.onFailure.destination": {
			&t.DestinationConfig.OnFailure,
			&observed.DestinationConfig.OnFailure,
		},
		"destinationConfig.onSuccess.destination": {
			&t.DestinationConfig.OnSuccess,
			&observed.DestinationConfig.OnSuccess,
		},
	} {
		if d.Left.Covers(path) {
			*f.to = *f.from
		}
	}
	return reconcile.Compare(t, observed)
}

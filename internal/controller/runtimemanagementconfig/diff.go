package runtimemanagementconfig

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// desired returns the settings of spec.
func desired(
	_ context.Context, mg *v1beta1.RuntimeManagementConfig,
) (forProvider, initProvider settings, err error) {
	return mg.Spec.ForProvider.RuntimeManagementConfigSettings, ptr.Deref(mg.Spec.InitProvider, settings{}), nil
}

// compare returns how spec differs from what was observed.
func compare(
	_ context.Context, _ *v1beta1.RuntimeManagementConfig, d reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	return reconcile.Compare(fitting(diff.Fill(fitting(d.Settings), o.Settings, d.Left)), o.Settings), nil
}

// fitting omits the runtime unless the mode is Manual: AWS accepts it with no other mode.
func fitting(s settings) settings {
	if ptr.Deref(s.UpdateRuntimeOn, "") != manual {
		s.RuntimeVersionArn = nil
	}
	return s
}

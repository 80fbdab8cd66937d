package runtimemanagementconfig

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	t := diff.Fill(fitting(d.Settings), observed, d.Left)
	t.RuntimeVersionArn = cmp.Or(t.RuntimeVersionArn, d.Settings.RuntimeVersionArn) // AWS has none with another mode.
	return reconcile.Compare(fitting(t), observed)
}

// fitting omits the runtime unless the mode is Manual: AWS accepts it with no other mode.
func fitting(s settings) settings {
	if ptr.Deref(s.UpdateRuntimeOn, "") != manual {
		s.RuntimeVersionArn = nil
	}
	return s
}

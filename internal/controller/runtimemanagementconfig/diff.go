package runtimemanagementconfig

import (
	"cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	t := diff.Fill(fitting(d.Settings), observed, d.Left)
	t.RuntimeVersionArn = cmp.Or(t.RuntimeVersionArn, d.Settings.RuntimeVersionArn) // AWS has none with another mode.
	return reconcile.Compare(fitting(t), observed)
}

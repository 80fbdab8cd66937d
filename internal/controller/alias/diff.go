package alias

import (
	"slices"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// desired returns the settings of spec. followed is the version that the Function
// published last, if the alias follows it.
func desired(a *v1beta1.Alias, followed *string) (forProvider, initProvider settings) {
	forProvider = fromSpec(a.Spec.ForProvider.AliasSettings)
	if followed != nil {
		forProvider.FunctionVersion = followed
	}
	if a.Spec.InitProvider != nil {
		initProvider = fromSpec(*a.Spec.InitProvider)
	}
	if a.Spec.ForProvider.RoutingConfig != nil {
		initProvider.RoutingConfig = nil // Empty weights in forProvider count as set.
	}
	return forProvider, initProvider
}

// withoutOwnWeight returns the settings without weights if one is of the alias's own version, as of initProvider: AWS
// rejects them.
func withoutOwnWeight(s settings) settings {
	if s.RoutingConfig.weighs(s.FunctionVersion) {
		s.RoutingConfig = nil
	}
	return s
}

// withoutPromoted returns the desired settings without weights of the version that the alias is to invoke, also if they
// are left to others: AWS rejects that version as long as it has a weight.
func withoutPromoted(d reconcile.Desired[settings], observed settings) reconcile.Desired[settings] {
	d.Settings = withoutOwnWeight(d.Settings)
	if !observed.RoutingConfig.weighs(d.Settings.FunctionVersion) || !d.Left.Covers("routingConfig") ||
		d.Left.Covers("functionVersion") {
		return d
	}
	d.Settings.RoutingConfig = nil
	d.Left = slices.DeleteFunc(slices.Clone(d.Left), func(path string) bool { return path == "routingConfig" })
	return d
}

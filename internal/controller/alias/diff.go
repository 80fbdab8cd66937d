package alias

import "github.com/crossplane-contrib/provider-lambda/apis/v1beta1"

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

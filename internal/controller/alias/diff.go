package alias

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// want merges forProvider and initProvider, with the version that is followed, if one
// is. A setting that initProvider alone names belongs to others after creation.
func want(a *v1beta1.Alias, followed string) (settings, diff.Left) {
	forProvider, initProvider := settingsOf(a.Spec.ForProvider.AliasSettings), settings{}
	if followed != "" {
		forProvider.FunctionVersion = ptr.To(followed)
	}
	if a.Spec.InitProvider != nil {
		initProvider = settingsOf(*a.Spec.InitProvider)
	}
	if a.Spec.ForProvider.RoutingConfig != nil {
		initProvider.RoutingConfig = nil // Weights of nothing are weights too.
	}
	return diff.Merge(forProvider, initProvider)
}

// target is the state that AWS shall come to: the wanted one, with what is left to AWS
// or to others taken as it is there.
func target(wanted settings, left diff.Left, have settings) settings {
	return diff.Fill(wanted, have, left)
}

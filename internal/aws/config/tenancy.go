package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Tenancy is what a ClusterProviderConfig says of the namespaces that share it. A
// ProviderConfig, which has one namespace, says nothing of the kind.
type Tenancy struct {
	// Trusting says that the namespaces trust each other.
	Trusting bool

	// FunctionNames say which functions the resources of a namespace may be about.
	FunctionNames []v1beta1.FunctionNameRule
}

func tenancyOf(c *v1beta1.ClusterProviderConfig) Tenancy {
	return Tenancy{
		Trusting:      c.Spec.NamespaceIsolation == v1beta1.NamespaceIsolationNone,
		FunctionNames: c.Spec.FunctionNames,
	}
}

// CheckFunctionName returns an error where the config does not let the resources of a
// namespace be about a function of this plain name.
func (s *Session) CheckFunctionName(namespace, name string) error {
	rules := s.Tenancy.FunctionNames
	if len(rules) == 0 {
		return nil
	}
	var allowed []string
	for _, r := range rules {
		if len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, namespace) {
			continue
		}
		for _, p := range r.Prefixes {
			prefix := strings.ReplaceAll(string(p), v1beta1.NamespacePlaceholder, namespace)
			if strings.HasPrefix(name, prefix) {
				return nil
			}
			allowed = append(allowed, fmt.Sprintf("%q", prefix))
		}
	}
	if len(allowed) == 0 {
		return fmt.Errorf("spec.functionNames of %s has no rule for namespace %q, so function %s is not allowed: ask the owner of the config to add one", s.Ref, namespace, name)
	}
	return fmt.Errorf("spec.functionNames of %s allows namespace %q only functions whose names start with %s, not %s: choose another name, or ask the owner of the config",
		s.Ref, namespace, strings.Join(allowed, " or "), name)
}

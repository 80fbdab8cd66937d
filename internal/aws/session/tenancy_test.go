package session

import (
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestCheckFunctionName(t *testing.T) {
	rule := func(prefix string, namespaces ...string) v1beta1.FunctionNameRule {
		return v1beta1.FunctionNameRule{
			Namespaces: namespaces,
			Prefixes:   []v1beta1.FunctionNamePrefix{v1beta1.FunctionNamePrefix(prefix)},
		}
	}
	cases := map[string]struct {
		reason    string
		rules     []v1beta1.FunctionNameRule
		namespace string
		name      string
		want      string
	}{
		"NoRules": {reason: "Without rules, all names are allowed.", namespace: "evil", name: "checkout"},
		"Placeholder": {
			reason: "The namespace is the prefix.",
			rules:  []v1beta1.FunctionNameRule{rule("{namespace}_")}, namespace: "shop", name: "shop_checkout",
		},
		"OtherPrefix": {
			reason:    "Another's prefix is refused, and the rule is named.",
			rules:     []v1beta1.FunctionNameRule{rule("{namespace}_")},
			namespace: "evil",
			name:      "shop_checkout",
			want:      `spec.functionNames of ClusterProviderConfig "aws" allows namespace "evil" only functions whose names start with "evil_"`,
		},
		"Injective": {
			reason: "No namespace has an underscore, so that shop is not shop-eu.",
			rules:  []v1beta1.FunctionNameRule{rule("{namespace}_")}, namespace: "shop", name: "shop-eu_checkout",
			want: "spec.functionNames",
		},
		"ForNamespace": {
			reason: "A rule may be for a namespace.",
			rules:  []v1beta1.FunctionNameRule{rule("legacy-", "shop")}, namespace: "shop", name: "legacy-pay",
		},
		"NotFor": {
			reason: "A rule for one namespace does not apply to another.",
			rules:  []v1beta1.FunctionNameRule{rule("legacy-", "shop")}, namespace: "evil", name: "legacy-pay",
			want: `spec.functionNames of ClusterProviderConfig "aws" has no rule for namespace "evil"`,
		},
		"Sum": {
			reason: "A namespace has the names of all its rules.",
			rules:  []v1beta1.FunctionNameRule{rule("legacy-", "shop"), rule("{namespace}_")}, namespace: "shop",
			name: "shop_pay",
		},
		"Any": {reason: "An empty prefix is of every name.", rules: []v1beta1.FunctionNameRule{rule("",
			"platform"), rule("{namespace}_")}, namespace: "platform", name: "x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Session{
				Ref:     Ref{Kind: v1beta1.ClusterProviderConfigKind, Name: "aws"},
				Tenancy: Tenancy{FunctionNames: tc.rules},
			}
			err := s.CheckFunctionName(tc.namespace, tc.name)
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\ngot %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

package versions

import (
	"context"
	"maps"
	"slices"
	"strings"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// withAliases returns the uses that lists of AWS have, and those of the function's Aliases: the versions that their
// specs name, which AWS may not show yet, and those of their rollouts. While a target version receives all invocations
// and is still observed, nothing in AWS names the stable one, to which a rollback returns. If the Alias of an alias
// can't be seen, it may need each of the versions.
func (p Pruner) withAliases(ctx context.Context, f Function, l lists, versions []string) (Uses, error) {
	if p.Aliases == nil {
		return l.uses, nil
	}
	aliases := &v1beta1.AliasList{}
	if err := p.Aliases.List(ctx, aliases); kmeta.IsNoMatchError(err) {
		return l.uses, nil // The kind is not active.
	} else if err != nil {
		return nil, errors.Wrap(err, "cannot list Aliases to check which versions they need")
	}
	out, managed := maps.Clone(l.uses), map[string]bool{}
	for i := range aliases.Items {
		a := &aliases.Items[i]
		arn := ptr.Deref(a.Status.AtProvider.AliasArn, "")
		name, ok := strings.CutPrefix(arn, f.ARN+":")
		if !ok && (arn != "" || !isToBeOf(a, f)) {
			continue
		}
		managed[name] = managed[name] || reconcile.Allows(a, xpv2.ManagementActionUpdate)
		for _, v := range NeededBy(a) {
			out.add(v, "Alias "+a.GetNamespace()+"/"+a.GetName())
		}
	}
	for _, name := range l.aliases {
		if !p.Limited || managed[name] {
			continue
		}
		for _, v := range versions {
			out.add(v, "perhaps an Alias of alias "+name+" in a namespace that this provider does not watch")
		}
	}
	return out, nil
}

// isToBeOf reports whether an Alias whose alias AWS does not have yet is one of a function, as far as spec tells.
func isToBeOf(a *v1beta1.Alias, f Function) bool {
	p := a.Spec.ForProvider
	name := ptr.Deref(p.FunctionName, "")
	if ref := p.FunctionNameRef; ref != nil && name == "" {
		name = ref.Name // Most Functions have the name of the function.
	}
	return name == f.Name && strings.Contains(f.ARN, ":"+p.Region+":")
}

// NeededBy returns the versions that an Alias's spec names, and those that its rollout may return to or move to.
func NeededBy(a *v1beta1.Alias) []string {
	p, s := a.Spec.ForProvider, a.Status.Rollout
	needed := []string{ptr.Deref(p.FunctionVersion, "")}
	if c := p.RoutingConfig; c != nil {
		needed = slices.AppendSeq(needed, maps.Keys(c.AdditionalVersionWeights))
	}
	if r := a.Spec.Rollout; r != nil && s != nil {
		needed = append(needed, s.Stable.FunctionVersion, s.Target.FunctionVersion)
		if w := r.RollbackWindow; w != nil {
			for _, h := range s.History[:min(len(s.History), int(w.Revisions))] {
				needed = append(needed, h.FunctionVersion)
			}
		}
	}
	return slices.DeleteFunc(needed, func(v string) bool { return v == "" })
}

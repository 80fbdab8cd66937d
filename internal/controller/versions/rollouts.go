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

// withRollouts returns the uses that lists of AWS have, and those of the rollouts of the function's Aliases. While a
// target version receives all invocations and is still observed, nothing in AWS names the stable one, to which a
// rollback returns. If the Alias of an alias can't be seen, its rollout may need each of the versions.
func (p Pruner) withRollouts(ctx context.Context, f Function, l lists, versions []string) (Uses, error) {
	if p.Aliases == nil {
		return l.uses, nil
	}
	aliases := &v1beta1.AliasList{}
	if err := p.Aliases.List(ctx, aliases); kmeta.IsNoMatchError(err) {
		return l.uses, nil // The kind is not active.
	} else if err != nil {
		return nil, errors.Wrap(err, "cannot list Aliases to check which versions their rollouts need")
	}
	out, managed := maps.Clone(l.uses), map[string]bool{}
	for i := range aliases.Items {
		a := &aliases.Items[i]
		name, ok := strings.CutPrefix(ptr.Deref(a.Status.AtProvider.AliasArn, ""), f.ARN+":")
		if !ok {
			continue
		}
		managed[name] = managed[name] || reconcile.Allows(a, xpv2.ManagementActionUpdate)
		for _, v := range NeededBy(a) {
			out.add(v, "the rollout of Alias "+a.GetNamespace()+"/"+a.GetName())
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

// NeededBy returns the versions that the rollout of an Alias may return to or move to.
func NeededBy(a *v1beta1.Alias) []string {
	spec, s := a.Spec.Rollout, a.Status.Rollout
	if spec == nil || s == nil {
		return nil
	}
	needed := []string{s.Stable.FunctionVersion, s.Target.FunctionVersion}
	if w := spec.RollbackWindow; w != nil {
		for _, r := range s.History[:min(len(s.History), int(w.Revisions))] {
			needed = append(needed, r.FunctionVersion)
		}
	}
	return slices.DeleteFunc(needed, func(v string) bool { return v == "" })
}

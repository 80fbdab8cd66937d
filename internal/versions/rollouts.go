package versions

import (
	"context"
	"slices"
	"strings"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// withRollouts returns the uses, with those of the rollouts of the function's Aliases. While a target
// version receives all invocations and is still observed, nothing in AWS names the stable one, to
// which a rollback returns.
func (p Pruner) withRollouts(ctx context.Context, f Function, u Uses) (Uses, error) {
	if p.Aliases == nil {
		return u, nil
	}
	aliases := &v1beta1.AliasList{}
	if err := p.Aliases.List(ctx, aliases); kmeta.IsNoMatchError(err) {
		return u, nil // The kind is not active.
	} else if err != nil {
		return nil, errors.Wrap(err, "cannot list Aliases to check which versions their rollouts need")
	}
	out := Uses{}
	for version, by := range u {
		out.add(version, by)
	}
	for i := range aliases.Items {
		a := &aliases.Items[i]
		if !strings.HasPrefix(ptr.Deref(a.Status.AtProvider.AliasArn, ""), f.ARN+":") {
			continue
		}
		for _, v := range NeededBy(a) {
			out.add(v, "the rollout of Alias "+a.GetNamespace()+"/"+a.GetName())
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

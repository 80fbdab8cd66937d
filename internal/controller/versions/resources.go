package versions

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// withResources returns the uses that lists of AWS have, and those of the function's Aliases and Versions.
func (p Pruner) withResources(ctx context.Context, l lists, versions []string) (Uses, error) {
	if p.Resources == nil {
		return l.uses, nil
	}
	l.uses = maps.Clone(l.uses)
	if err := p.addAliasResources(ctx, l, versions); err != nil {
		return nil, errors.Wrap(err, "cannot list Aliases to check which versions they need")
	}
	if err := p.addVersionResources(ctx, l.uses); err != nil {
		return nil, errors.Wrap(err, "cannot list Versions to check which versions they are of")
	}
	return l.uses, nil
}

// addAliasResources adds the versions that the specs of the function's Aliases name, which AWS may not show yet, and
// those of their rollouts. While a target version receives all invocations and is still observed, nothing in AWS names
// the stable one, to which a rollback returns. If the Alias of an alias can't be seen, it may need each of the
// versions.
func (p Pruner) addAliasResources(ctx context.Context, l lists, versions []string) error {
	aliases := &v1beta1.AliasList{}
	if err := p.Resources.List(ctx, aliases); err != nil {
		return resource.Ignore(kmeta.IsNoMatchError, err) // The kind may not be active.
	}
	managed := map[string]bool{}
	for i := range aliases.Items {
		a := &aliases.Items[i]
		fp, arn := a.Spec.ForProvider, ptr.Deref(a.Status.AtProvider.AliasArn, "")
		if !isOf(p.Function, arn, fp.Region, fp.FunctionName, fp.FunctionNameRef) {
			continue
		}
		if may, err := p.mayUse(ctx, a); err != nil {
			return err
		} else if !may {
			continue
		}
		name := strings.TrimPrefix(arn, p.Function.ARN+":")
		managed[name] = managed[name] || reconcile.Allows(a, xpv2.ManagementActionUpdate)
		for _, v := range NeededBy(a, p.time()) {
			l.uses.addResource(v, v1beta1.AliasKind, a)
		}
	}
	for _, name := range l.aliases {
		if !p.Limited || managed[name] {
			continue
		}
		for _, v := range versions {
			l.uses.add(v, "perhaps an Alias of alias "+name+" in a namespace that this provider does not watch")
		}
	}
	return nil
}

// time returns AWS's time, which the status of a rollout has.
func (p Pruner) time() time.Time {
	if o := p.Facts.Others; o != nil {
		return o.User.Session.Clock.Time(p.Facts.Now())
	}
	return p.Facts.Now()
}

// addVersionResources adds the versions that the function's other Versions are of: such a Version publishes its version
// again if that is deleted.
func (p Pruner) addVersionResources(ctx context.Context, uses Uses) error {
	list := &v1beta1.VersionList{}
	if err := p.Resources.List(ctx, list); err != nil {
		return resource.Ignore(kmeta.IsNoMatchError, err) // The kind may not be active.
	}
	for i := range list.Items {
		v := &list.Items[i]
		fp, s := v.Spec.ForProvider, v.Status.AtProvider
		arn := ptr.Deref(s.FunctionArn, "")
		if v.GetUID() == p.Version || !isOf(p.Function, arn, fp.Region, fp.FunctionName, fp.FunctionNameRef) {
			continue
		}
		if may, err := p.mayUse(ctx, v); err != nil {
			return err
		} else if !may {
			continue
		}
		for _, version := range []string{
			reconcile.ExternalName(v), ptr.Deref(s.Version, ""), ptr.Deref(s.PreparedVersion, ""),
		} {
			uses.addResource(version, v1beta1.VersionKind, v)
		}
	}
	return nil
}

// mayUse reports whether a resource may act on the function. One of another namespace that may not needs no version,
// whatever its spec says. If it shares a config with the owner that this reconcile does not use, they may trust each
// other.
func (p Pruner) mayUse(ctx context.Context, mg resource.ModernManaged) (bool, error) {
	o := p.Facts.Others
	if o == nil {
		return true, nil
	}
	u := tenancy.User{Resource: mg, Session: o.User.Session}
	if !ptr.Equal(mg.GetProviderConfigReference(), o.User.Resource.GetProviderConfigReference()) {
		u.Session = u.Session.Derive()
		u.Session.Tenancy.Trusting = true
	}
	for _, target := range tenancy.Functions(&p.Function.ARN) {
		if err := o.Registry.MayAct(ctx, u, target); err != nil {
			return false, resource.Ignore(tenancy.IsRefused, err)
		}
	}
	return true, nil
}

// addResource adds a version that a resource needs. Caches list resources in any order: of several of a kind, the first
// by name counts, so that it is the same one each time.
func (u Uses) addResource(version, kind string, mg metav1.Object) {
	by := kind + " " + mg.GetNamespace() + "/" + mg.GetName()
	if former := u[version]; strings.HasPrefix(former, kind+" ") && by < former {
		delete(u, version)
	}
	u.add(version, by)
}

// isOf reports whether a resource is one of a function, by its ARN, or as far as its spec tells if AWS does not have it
// yet.
func isOf(f Function, arn, region string, functionName *string, ref *xpv2.NamespacedReference) bool {
	if arn != "" {
		return strings.HasPrefix(arn, f.ARN+":")
	}
	name := ptr.Deref(functionName, "")
	if ref != nil && name == "" {
		name = ref.Name // Most Functions have the name of the function.
	}
	return name == functionname.Plain(f.Name) && strings.Contains(f.ARN, ":"+region+":")
}

// longestInvocation is the time for which a version that an alias has left may still run.
const longestInvocation = 15 * time.Minute

// NeededBy returns the versions that an Alias's spec names, and those that its rollout may return to or move to, or has
// just replaced, also the one that the user has chosen by a command that waits for it. Those of initProvider count
// until AWS has the alias.
func NeededBy(a *v1beta1.Alias, now time.Time) []string {
	s := a.Status.Rollout
	needed := namedBy(a.Spec.ForProvider.AliasSettings)
	if i := a.Spec.InitProvider; i != nil && a.Status.AtProvider.AliasArn == nil {
		needed = append(needed, namedBy(*i)...)
	}
	if r := a.Spec.Rollout; r != nil && s != nil {
		needed = append(needed, s.Stable.FunctionVersion, s.Target.FunctionVersion)
		needed = append(needed, rollout.Versions(s, a.GetAnnotations())...)
		kept := int(ptr.Deref(r.RollbackWindow, v1beta1.RolloutRollbackWindow{}).Revisions)
		for _, h := range s.History[:min(len(s.History), kept)] {
			needed = append(needed, h.FunctionVersion)
		}
		for _, r := range s.Replaced {
			if now.Sub(r.ReplacedAt.Time) < longestInvocation {
				needed = append(needed, r.FunctionVersion)
			}
		}
	}
	return slices.DeleteFunc(needed, func(v string) bool { return v == "" })
}

// namedBy returns the versions that the settings of an alias name.
func namedBy(s v1beta1.AliasSettings) []string {
	named := []string{ptr.Deref(s.FunctionVersion, "")}
	if c := s.RoutingConfig; c != nil {
		named = slices.AppendSeq(named, maps.Keys(c.AdditionalVersionWeights))
	}
	return named
}

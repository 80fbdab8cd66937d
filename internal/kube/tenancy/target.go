package tenancy

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Index is the field index from a region and a name in AWS to the resources that own them
// according to their status, or may be creating them.
const Index = "tenancy.owns"

// A Target is an AWS resource that one managed resource owns and others act on.
type Target struct {
	// Kind is the kind of the resource that owns it: Function, LayerVersion, CapacityProvider or CodeSigningConfig.
	Kind string

	// Region and Account are those of the target. They are empty for those of the session.
	Region, Account string

	// Name is the name of a function or a capacity provider, the id of a code signing
	// configuration, or the name of a layer, a colon, and the version's number.
	Name string

	// invalid reports whether the name is invalid.
	invalid bool

	// replaced reports whether the owner of a layer's version has published another one since.
	replaced bool
}

// Description returns a description of the target for users.
func (t Target) Description() string {
	switch t.Kind {
	case v1beta1.LayerVersionKind:
		return "layer version " + t.Name
	case v1beta1.CapacityProviderKind:
		return "capacity provider " + t.Name
	case v1beta1.CodeSigningConfigKind:
		return "code signing configuration " + t.Name
	}
	return "function " + t.Name
}

// Key returns the key of the target in Index.
func (t Target) Key() string { return strings.Join([]string{t.Kind, t.Region, t.Name}, "/") }

// in returns the target with the region and account of a session, if it has none. If the session's account is unknown,
// its identity is not an account id, and is not used. What a tenant's own config claims without AWS's word is no
// account either: otherwise, the tenant would be told who owns what in any account.
func (t Target) in(s *session.Session) Target {
	t.Region = cmp.Or(t.Region, s.AWS.Region)
	if t.Account = cmp.Or(t.Account, s.Identity.AccountID()); s.Scope.Config != "" {
		t.Account = ""
	}
	return t
}

// Functions returns the functions that references refer to. Each is a name or an ARN, with or without a qualifier, or
// nil or empty for none. AWS also accepts partial ARNs, such as function:cart: if a reference can be read in two ways,
// both are returned, and one that cannot be read is returned as invalid.
func Functions(refs ...*string) []Target {
	var out []Target
	for _, ref := range refs {
		if ptr.Deref(ref, "") == "" {
			continue
		}
		r, ok := functionname.ParseReference(*ref)
		if !ok {
			out = append(out, Target{Kind: v1beta1.FunctionKind, Name: *ref, invalid: true})
			continue
		}
		out = append(out, Target{Kind: v1beta1.FunctionKind, Region: r.Region, Account: r.Account, Name: r.Function})
		if r.IsAmbiguous() {
			out = append(out, Target{Kind: v1beta1.FunctionKind, Name: r.Qualifier})
		}
	}
	return out
}

// kinds are the kinds that own what an ARN names, by the type in the ARN.
var kinds = map[string]string{
	"layer":               v1beta1.LayerVersionKind,
	"capacity-provider":   v1beta1.CapacityProviderKind,
	"code-signing-config": v1beta1.CodeSigningConfigKind,
}

// Named returns what ARNs name: functions, versions of layers, capacity providers and code signing configurations. It
// ignores other strings, such as ARNs of queues. The number of a layer's version has no leading zeros, which AWS's
// pattern of the ARN allows.
func Named(arns ...*string) []Target {
	const service, region, account, typ, name = 2, 3, 4, 5, 6
	var out []Target
	for _, arn := range arns {
		parts := strings.SplitN(ptr.Deref(arn, ""), ":", name+1)
		switch {
		case len(parts) <= name || parts[service] != "lambda":
		case parts[typ] == "function":
			out = append(out, Functions(arn)...)
		// A layer has no owner.
		case kinds[parts[typ]] == v1beta1.LayerVersionKind && strings.Count(parts[name], ":") != 1:
		case kinds[parts[typ]] != "":
			t := Target{Kind: kinds[parts[typ]], Region: parts[region], Account: parts[account], Name: parts[name]}
			if layer, version, ok := strings.Cut(t.Name, ":"); ok && t.Kind == v1beta1.LayerVersionKind {
				t.Name = layer + ":" + strings.TrimLeft(version, "0")
			}
			out = append(out, t)
		}
	}
	return out
}

// CapacityProvider returns the capacity provider with a name or an ARN.
func CapacityProvider(name string) Target {
	for _, t := range Named(&name) {
		if t.Kind == v1beta1.CapacityProviderKind {
			return t
		}
	}
	return Target{Kind: v1beta1.CapacityProviderKind, Name: name}
}

// owned returns what a resource owns according to its status. A resource that only observes owns nothing.
func owned(o client.Object) []Target {
	if mg, ok := o.(resource.ModernManaged); !ok || ownership.ObserveOnly(mg) {
		return nil
	}
	switch r := o.(type) {
	case *v1beta1.Function:
		return Functions(r.Status.AtProvider.FunctionArn)
	case *v1beta1.LayerVersion:
		if ownership.WrittenName(r) == "" {
			return nil // It has only observed what status names, and a version has no tags that show its owner.
		}
		all := Named(r.Status.AtProvider.LayerVersionArn)
		for _, t := range all {
			old := r.Status.AtProvider.OldVersions
			for _, n := range old[max(len(old)-v1beta1.MaxOldVersions, 0):] {
				t.Name, t.replaced = fmt.Sprintf("%s:%d", t.claimed().Name, n), true
				all = append(all, t)
			}
		}
		return all
	case *v1beta1.CapacityProvider:
		return Named(r.Status.AtProvider.CapacityProviderArn)
	case *v1beta1.CodeSigningConfig:
		return Named(r.Status.AtProvider.CodeSigningConfigArn)
	}
	return nil
}

// IndexedBy returns the keys of a resource in Index: what it owns, and what it may be creating.
func IndexedBy(o client.Object) []string {
	keys := Owned(o)
	if t, ok := creatable(o); ok {
		keys = append(keys, claimKey(t))
	}
	return keys
}

// Owned returns the keys of the targets that a resource owns according to its status.
func Owned(o client.Object) []string {
	var keys []string
	for _, t := range owned(o) {
		keys = append(keys, t.Key())
	}
	return keys
}

// Layer returns all versions of a layer.
func Layer(name string) Target { return Target{Kind: v1beta1.LayerVersionKind, Name: name} }

// claimed returns the target as it is claimed: the number of a version of a layer is unknown before AWS gives it.
func (t Target) claimed() Target {
	if t.Kind == v1beta1.LayerVersionKind {
		t.Name, _, _ = strings.Cut(t.Name, ":")
	}
	return t
}

// exclusive reports whether only one resource can create the target. Many may publish versions of one layer.
func (t Target) exclusive() bool { return t.Kind != v1beta1.LayerVersionKind }

// claimKey returns the key in Index of the resources that may be creating a target.
func claimKey(t Target) string { return "creates/" + t.claimed().Key() }

// creatable returns what a resource may be creating, which its status does not name. A LayerVersion may publish another
// version at any time.
func creatable(o client.Object) (t Target, ok bool) {
	mg, ok := o.(resource.ModernManaged)
	if !ok || ownership.ObserveOnly(mg) {
		return Target{}, false
	}
	switch r := o.(type) {
	case *v1beta1.Function:
		t = Target{Kind: v1beta1.FunctionKind, Region: r.Spec.ForProvider.Region, Name: plainName(r)}
		return t, r.Status.AtProvider.FunctionArn == nil
	case *v1beta1.CapacityProvider:
		t = Target{Kind: v1beta1.CapacityProviderKind, Region: r.Spec.ForProvider.Region, Name: plainName(r)}
		return t, r.Status.AtProvider.CapacityProviderArn == nil
	case *v1beta1.LayerVersion:
		t = Layer(ptr.Deref(r.Spec.ForProvider.LayerName, r.GetName()))
		t.Region = r.Spec.ForProvider.Region
		return t, true
	}
	return Target{}, false
}

// plainName returns the name in AWS of what a resource manages or is going to create.
func plainName(o client.Object) string {
	name := cmp.Or(meta.GetExternalName(o), ownership.WrittenName(o), o.GetName())
	for _, t := range Named(&name) {
		return t.Name
	}
	return functionname.Plain(name)
}

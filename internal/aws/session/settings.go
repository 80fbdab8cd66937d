package session

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Ref names a config.
type Ref struct {
	// Kind is ProviderConfig or ClusterProviderConfig.
	Kind string
	// Namespace of a ProviderConfig, empty for a ClusterProviderConfig.
	Namespace string
	// Name of the config.
	Name string
	// UID of the config.
	UID types.UID
}

// String returns the kind, name and namespace of the config as messages have them.
func (r Ref) String() string {
	if r.Namespace == "" {
		return fmt.Sprintf("%s %q", r.Kind, r.Name)
	}
	return fmt.Sprintf("%s %q of namespace %q", r.Kind, r.Name, r.Namespace)
}

// settings are the spec of a config of either kind. The credentials of a ProviderConfig are in the
// form of those of a ClusterProviderConfig, with its own namespace in each reference.
type settings struct {
	v1beta1.ConnectionSpec

	ref         Ref
	generation  int64
	namespaced  bool
	allowed     *v1beta1.AllowedNamespaces
	tenancy     Tenancy
	credentials v1beta1.ClusterProviderCredentials
}

// settingsOf returns the settings of a ProviderConfig or ClusterProviderConfig.
func settingsOf(obj client.Object) (settings, error) {
	switch c := obj.(type) {
	case *v1beta1.ProviderConfig:
		return settings{
			ConnectionSpec: c.Spec.ConnectionSpec,
			ref: Ref{
				Kind: v1beta1.ProviderConfigKind, Namespace: c.GetNamespace(), Name: c.GetName(),
				UID: c.GetUID(),
			},
			generation:  c.GetGeneration(),
			namespaced:  true,
			credentials: inNamespace(c.GetNamespace(), c.Spec.Credentials),
		}, nil
	case *v1beta1.ClusterProviderConfig:
		return settings{
			ConnectionSpec: c.Spec.ConnectionSpec,
			ref:            Ref{Kind: v1beta1.ClusterProviderConfigKind, Name: c.GetName(), UID: c.GetUID()},
			generation:     c.GetGeneration(),
			allowed:        c.Spec.AllowedNamespaces,
			tenancy: Tenancy{
				Trusting:      c.Spec.NamespaceIsolation == v1beta1.NamespaceIsolationNone,
				FunctionNames: c.Spec.FunctionNames,
			},
			credentials: c.Spec.Credentials,
		}, nil
	default:
		return settings{}, fmt.Errorf("%T is not a provider config", obj)
	}
}

// inNamespace returns the credentials of a ProviderConfig with references into its namespace.
func inNamespace(namespace string, in v1beta1.ProviderCredentials) v1beta1.ClusterProviderCredentials {
	selector := func(s *v1beta1.LocalCredentialsSecretSelector) *v1beta1.CredentialsSecretSelector {
		if s == nil {
			return nil
		}
		return &v1beta1.CredentialsSecretSelector{Namespace: namespace, LocalCredentialsSecretSelector: *s}
	}
	out := v1beta1.ClusterProviderCredentials{Source: in.Source, SecretRef: selector(in.SecretRef), Profile: in.Profile}
	if w := in.WebIdentity; w != nil {
		out.WebIdentity = &v1beta1.ClusterWebIdentityOptions{WebIdentityRole: w.WebIdentityRole}
		if t := w.TokenConfig; t != nil {
			out.WebIdentity.TokenConfig = &v1beta1.ClusterWebIdentityTokenConfig{
				Source:    t.Source,
				SecretRef: selector(t.SecretRef), Fs: t.Fs,
			}
		}
	}
	return out
}

// webIdentity returns how a role is assumed with a token, zero if nothing is set.
func (s settings) webIdentity() v1beta1.ClusterWebIdentityOptions {
	return ptr.Deref(s.credentials.WebIdentity, v1beta1.ClusterWebIdentityOptions{})
}

// tokenSecret returns the Secret that has the web identity token, nil if none has.
func (s settings) tokenSecret() *v1beta1.CredentialsSecretSelector {
	if t := s.webIdentity().TokenConfig; t != nil && t.Source == v1beta1.CredentialsSourceSecret {
		return t.SecretRef
	}
	return nil
}

// SecretOf returns the name of the Secret that has the credentials or the token of a config, and
// false if they are not in a Secret.
func SecretOf(obj client.Object) (types.NamespacedName, bool) {
	s, err := settingsOf(obj)
	if err != nil {
		return types.NamespacedName{}, false
	}
	var ref *v1beta1.CredentialsSecretSelector
	switch s.credentials.Source {
	case v1beta1.CredentialsSourceSecret:
		ref = s.credentials.SecretRef
	case v1beta1.CredentialsSourceWebIdentity:
		ref = s.tokenSecret()
	default:
	}
	if ref == nil {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, true
}

// UsersOf returns the configs whose credentials or token are in a Secret: ProviderConfigs of its
// namespace, and ClusterProviderConfigs.
func UsersOf(ctx context.Context, kube client.Reader, secret client.Object) ([]Ref, error) {
	namespaced, cluster := &v1beta1.ProviderConfigList{}, &v1beta1.ClusterProviderConfigList{}
	if err := kube.List(ctx, namespaced, client.InNamespace(secret.GetNamespace()),
		client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	if err := kube.List(ctx, cluster, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	var users []Ref
	add := func(kind string, c client.Object) {
		if s, ok := SecretOf(c); ok && s == client.ObjectKeyFromObject(secret) {
			users = append(users, Ref{Kind: kind, Namespace: c.GetNamespace(), Name: c.GetName(), UID: c.GetUID()})
		}
	}
	for i := range namespaced.Items {
		add(v1beta1.ProviderConfigKind, &namespaced.Items[i])
	}
	for i := range cluster.Items {
		add(v1beta1.ClusterProviderConfigKind, &cluster.Items[i])
	}
	return users, nil
}

// Tenancy has the rules of a ClusterProviderConfig for the namespaces that share it. It is zero for a
// ProviderConfig, which has one namespace.
type Tenancy struct {
	// Trusting is true if the namespaces trust each other.
	Trusting bool

	// FunctionNames say which functions the resources of a namespace may refer to.
	FunctionNames []v1beta1.FunctionNameRule
}

// sessionTags say which resource a role is assumed for. Those that no role of the config asks for
// are empty, so that one session serves all resources.
type sessionTags struct {
	namespace, kind, name string
}

// tag returns the key of a resource tag by its name in the API, and where its value is.
func (t *sessionTags) tag(name string) (key string, value *string) {
	switch name {
	case v1beta1.ResourceTagNamespace:
		return v1beta1.SessionTagKeyNamespace, &t.namespace
	case v1beta1.ResourceTagKind:
		return v1beta1.SessionTagKeyKind, &t.kind
	case v1beta1.ResourceTagName:
		return v1beta1.SessionTagKeyName, &t.name
	default:
		return "", nil
	}
}

// tagsFor returns the session tags of a resource of a kind, as far as the config's roles ask for them.
func (s settings) tagsFor(mg metav1.Object, kind string) sessionTags {
	all, source := sessionTags{namespace: mg.GetNamespace(), kind: kind, name: mg.GetName()}, sessionTags{}
	for _, role := range s.AssumeRoleChain {
		for _, name := range role.ResourceTags {
			if _, to := source.tag(name); to != nil {
				_, from := all.tag(name)
				*to = *from
			}
		}
	}
	return source
}

// withoutResourceTags returns the settings with a chain of roles that ends before the first one that
// depends on the resource.
func (s settings) withoutResourceTags() settings {
	i := slices.IndexFunc(s.AssumeRoleChain, func(o v1beta1.AssumeRoleOptions) bool { return len(o.ResourceTags) > 0 })
	if i >= 0 {
		s.AssumeRoleChain = s.AssumeRoleChain[:i]
	}
	return s
}

package config

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

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

// String names the config in messages.
func (r Ref) String() string {
	if r.Namespace == "" {
		return fmt.Sprintf("%s %q", r.Kind, r.Name)
	}
	return fmt.Sprintf("%s %q of namespace %q", r.Kind, r.Name, r.Namespace)
}

// settings are a config of either kind.
type settings struct {
	v1beta1.ConnectionSpec

	ref        Ref
	generation int64
	namespaced bool
	allowed    *v1beta1.AllowedNamespaces
	tenancy    Tenancy

	source  xpv2.CredentialsSource
	secret  *secretKey
	env     *string
	path    *string
	profile string
	web     webIdentity
}

// A secretKey names a Secret, and the key in it where one is meant.
type secretKey struct {
	types.NamespacedName

	key string
}

// webIdentity is how a role is assumed with a token.
type webIdentity struct {
	roleARN     string
	sessionName string
	secret      *secretKey
	// path of the token in the provider's pod. With neither a Secret nor a path
	// it is that of AWS_WEB_IDENTITY_TOKEN_FILE.
	path *string
}

// settingsOf a config of either kind.
func settingsOf(obj client.Object) (settings, error) {
	switch c := obj.(type) {
	case *v1beta1.ProviderConfig:
		return ofNamespaced(c), nil
	case *v1beta1.ClusterProviderConfig:
		return ofCluster(c), nil
	default:
		return settings{}, fmt.Errorf("%T is not a provider config", obj)
	}
}

func ofNamespaced(c *v1beta1.ProviderConfig) settings {
	ns, in := c.GetNamespace(), c.Spec.Credentials
	s := settings{
		ConnectionSpec: c.Spec.ConnectionSpec,
		ref:            Ref{Kind: v1beta1.ProviderConfigKind, Namespace: ns, Name: c.GetName(), UID: c.GetUID()},
		generation:     c.GetGeneration(),
		namespaced:     true,
		source:         in.Source,
		secret:         local(ns, in.SecretRef),
		profile:        valueOf(in.Profile),
	}
	if w := in.WebIdentity; w != nil {
		s.web = webIdentity{roleARN: valueOf(w.RoleARN), sessionName: w.RoleSessionName}
		if t := w.TokenConfig; t != nil {
			s.web.path = pathOf(t.Source, t.Fs)
			if t.Source == v1beta1.CredentialsSourceSecret {
				s.web.secret = local(ns, t.SecretRef)
			}
		}
	}
	return s
}

func ofCluster(c *v1beta1.ClusterProviderConfig) settings {
	in := c.Spec.Credentials
	s := settings{
		ConnectionSpec: c.Spec.ConnectionSpec,
		ref:            Ref{Kind: v1beta1.ClusterProviderConfigKind, Name: c.GetName(), UID: c.GetUID()},
		generation:     c.GetGeneration(),
		allowed:        c.Spec.AllowedNamespaces,
		tenancy:        tenancyOf(c),
		source:         in.Source,
		secret:         anywhere(in.SecretRef),
		path:           pathOf(in.Source, in.Fs),
		profile:        valueOf(in.Profile),
	}
	if in.Env != nil {
		s.env = &in.Env.Name
	}
	if w := in.WebIdentity; w != nil {
		s.web = webIdentity{roleARN: valueOf(w.RoleARN), sessionName: w.RoleSessionName}
		if t := w.TokenConfig; t != nil {
			s.web.path = pathOf(t.Source, t.Fs)
			if t.Source == v1beta1.CredentialsSourceSecret {
				s.web.secret = anywhere(t.SecretRef)
			}
		}
	}
	return s
}

func local(namespace string, r *v1beta1.LocalCredentialsSecretSelector) *secretKey {
	if r == nil {
		return nil
	}
	return &secretKey{NamespacedName: types.NamespacedName{Namespace: namespace, Name: r.Name}, key: r.Key}
}

func anywhere(r *v1beta1.CredentialsSecretSelector) *secretKey {
	if r == nil {
		return nil
	}
	return local(r.Namespace, &r.LocalCredentialsSecretSelector)
}

// pathOf is the path of a source that reads files.
func pathOf(source xpv2.CredentialsSource, fs *xpv2.FsSelector) *string {
	if source != v1beta1.CredentialsSourceFilesystem || fs == nil {
		return nil
	}
	return &fs.Path
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// SecretOf is the Secret that a config's credentials or token are in, and false
// if they are not in a Secret.
func SecretOf(obj client.Object) (types.NamespacedName, bool) {
	s, err := settingsOf(obj)
	if err != nil {
		return types.NamespacedName{}, false
	}
	switch {
	case s.source == v1beta1.CredentialsSourceSecret && s.secret != nil:
		return s.secret.NamespacedName, true
	case s.source == v1beta1.CredentialsSourceWebIdentity && s.web.secret != nil:
		return s.web.secret.NamespacedName, true
	default:
		return types.NamespacedName{}, false
	}
}

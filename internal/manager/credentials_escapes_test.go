package manager

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestWaysOutOfANamespace tries everything that a tenant can create in the API server. The namespace next to it has a
// Secret with valid keys and a config that works; the tenant cannot use either to reach AWS.
func TestWaysOutOfANamespace(t *testing.T) {
	t.Parallel()
	r := newStrictEnv(t)
	next := suite.Cluster(t).Namespace(t)
	theirs, secret := r.pc("theirs"), r.keys("theirs", ciID, ciKey)
	theirs.SetNamespace(next)
	secret.SetNamespace(next)
	r.create(theirs, secret)

	web := func(o v1beta1.WebIdentityOptions) func(*v1beta1.ProviderConfigSpec) {
		o.RoleARN = ptr.To(hub)
		return func(s *v1beta1.ProviderConfigSpec) {
			s.Endpoint = nil
			s.Credentials = v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceWebIdentity, WebIdentity: &o}
		}
	}
	secretNamed := func(name string) func(*v1beta1.ProviderConfigSpec) {
		return func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef.Name = name }
	}
	source := func(src xpv2.CredentialsSource) func(*v1beta1.ProviderConfigSpec) {
		return func(s *v1beta1.ProviderConfigSpec) {
			s.Endpoint, s.Credentials = nil, v1beta1.ProviderCredentials{Source: src}
		}
	}
	const pod = "identity of the provider's own pod, which is not allowed in a namespaced config"
	for name, tc := range map[string]struct {
		change func(*v1beta1.ProviderConfigSpec)
		want   string
	}{
		"their-secret": {secretNamed("theirs"), "does not exist"},
		"secret-path":  {secretNamed(next + "/theirs"), "ecret"},
		"secret-dots":  {secretNamed("../../" + next + "/secrets/theirs"), "ecret"},
		"irsa":         {source(v1beta1.CredentialsSourceIRSA), pod},
		"pod-identity": {source(v1beta1.CredentialsSourcePodIdentity), pod},
		"pod-token":    {web(v1beta1.WebIdentityOptions{}), pod},
		"token-of-the-pod": {
			web(v1beta1.WebIdentityOptions{TokenConfig: &v1beta1.WebIdentityTokenConfig{
				Source: v1beta1.CredentialsSourceFilesystem,
				Fs:     &xpv2.FsSelector{Path: "/var/run/secrets/kubernetes.io/serviceaccount/token"},
			}}), pod,
		},
		"another-namespace": {
			roles(v1beta1.AssumeRoleOptions{
				RoleARN: ptr.To(spoke),
				Tags:    []v1beta1.SessionTag{{Key: "crossplane-namespace", Value: next}},
			}),
			"must not have the key crossplane-namespace",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := r.pc(name, tc.change), r.using(name, name)
			r.create(c, f)
			got := r.untilCondition(f, xpv2.TypeSynced, `cannot use ProviderConfig "`+name+`"`, tc.want)
			if got.Status != corev1.ConditionFalse {
				t.Errorf("Synced must be False, got %+v", got)
			}
			r.untilCondition(c, xpv2.TypeReady, tc.want)
		})
	}
	t.Run("their-config", func(*testing.T) {
		for ref, want := range map[string]string{
			"theirs":           "does not exist: create it, or correct spec.providerConfigRef",
			next + "/theirs":   "spec.providerConfigRef.name",
			"../" + next + "/": "spec.providerConfigRef.name",
		} {
			f := r.using(ref, "by-"+strings.Map(func(c rune) rune {
				if c == '/' || c == '.' {
					return 'x'
				}
				return c
			}, ref))
			r.create(f)
			r.untilCondition(f, xpv2.TypeSynced, want)
		}
	})
	for _, c := range r.double.Calls() {
		t.Errorf("%s of %s was called by %s", c.Operation, c.Service, c.AccessKey)
	}
}

// TestAllowedNamespaces checks that a ClusterProviderConfig refuses a namespace, by name and by label, and then
// allows it.
func TestAllowedNamespaces(t *testing.T) {
	t.Parallel()
	r := newStrictEnv(t)
	c := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: r.ns}}
	c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	c.Spec.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
		Namespace:                      r.ns,
		LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws"},
	}
	c.Spec.Endpoint = r.pc("").Spec.Endpoint
	c.Spec.AllowedNamespaces = &v1beta1.AllowedNamespaces{
		Names:    []string{"shop"},
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"aws": "shop"}},
	}
	f := r.using(r.ns, "f", func(f *v1beta1.Function) { f.Spec.ProviderConfigReference.Kind = "ClusterProviderConfig" })
	r.create(r.keys("aws", ciID, ciKey), c, f)
	got := r.untilCondition(f, xpv2.TypeSynced,
		`namespace "`+r.ns+`" is not among the allowedNamespaces of the config: ask its owner to allow it`,
		`(cannot use ClusterProviderConfig "`+r.ns+`")`)
	if got.Status != corev1.ConditionFalse || len(r.lambdaCalls()) > 0 {
		t.Errorf("nothing of AWS must be called for it, got %v, %+v", r.lambdaCalls(), got)
	}
	r.until("the owner allows it", func() bool {
		if err := r.kube.Get(t.Context(), client.ObjectKeyFromObject(c), c); err != nil {
			t.Fatal(err)
		}
		c.Spec.AllowedNamespaces.Names = append(c.Spec.AllowedNamespaces.Names, r.ns)
		return r.kube.Update(t.Context(), c) == nil
	})
	r.ready(f)
	r.remove(f)
	r.gone(f)
	if err := r.kube.Delete(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	r.until("the config is gone", func() bool {
		err := r.kube.Get(t.Context(), client.ObjectKeyFromObject(c), c)
		return err != nil && strings.Contains(err.Error(), "not found")
	})
}

package session

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestTenants tries to escape from a namespace. Each attempt is refused before anything is read or
// sent, unless the operator allows it.
func TestTenants(t *testing.T) {
	web := func(o v1beta1.WebIdentityOptions) func(*v1beta1.ProviderConfigSpec) {
		return func(s *v1beta1.ProviderConfigSpec) {
			s.Credentials = v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceWebIdentity, WebIdentity: &o}
		}
	}
	source := func(src xpv2.CredentialsSource) func(*v1beta1.ProviderConfigSpec) {
		return func(s *v1beta1.ProviderConfigSpec) { s.Credentials = v1beta1.ProviderCredentials{Source: src} }
	}
	endpoint := func(s *v1beta1.ProviderConfigSpec) { s.Endpoint = static("http://collector.example.org") }
	const pod = "identity of the provider's own pod"
	cases := map[string]struct {
		reason  string
		options Options
		strict  bool
		change  []func(*v1beta1.ProviderConfigSpec)
		want    string
	}{
		"IRSA": {
			reason: "The pod's role is the cluster's.",
			change: []func(*v1beta1.ProviderConfigSpec){source(v1beta1.CredentialsSourceIRSA)}, want: pod,
		},
		"PodIdentity": {
			reason: "Pod Identity belongs to the cluster.",
			change: []func(*v1beta1.ProviderConfigSpec){source(v1beta1.CredentialsSourcePodIdentity)}, want: pod,
		},
		"PodToken": {
			reason: "The token that the environment names belongs to the cluster.",
			change: []func(*v1beta1.ProviderConfigSpec){web(v1beta1.WebIdentityOptions{
				WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(roleOne)},
			})}, want: pod,
		},
		"TokenFile": {
			reason: "Files of the pod belong to the cluster.",
			change: []func(*v1beta1.ProviderConfigSpec){web(v1beta1.WebIdentityOptions{
				WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(roleOne)},
				TokenConfig: &v1beta1.WebIdentityTokenConfig{
					Source: v1beta1.CredentialsSourceFilesystem,
					Fs:     &xpv2.FsSelector{Path: "/var/run/secrets/kubernetes.io/serviceaccount/token"},
				},
			})}, want: pod,
		},
		"FileBesideSecret": {
			reason: "A Secret that is named too does not open the way to a file, nor a file's path that of a Secret.",
			change: []func(*v1beta1.ProviderConfigSpec){web(v1beta1.WebIdentityOptions{
				WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(roleOne)},
				TokenConfig: &v1beta1.WebIdentityTokenConfig{
					Source: v1beta1.CredentialsSourceFilesystem, Fs: &xpv2.FsSelector{Path: "/token"},
					SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
				},
			})}, want: pod,
		},
		"PodRole": {
			reason: "The role that the pod's environment names is the cluster's to give.",
			change: []func(*v1beta1.ProviderConfigSpec){web(v1beta1.WebIdentityOptions{
				TokenConfig: &v1beta1.WebIdentityTokenConfig{
					Source:    v1beta1.CredentialsSourceSecret,
					SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
				},
			})}, want: pod,
		},
		"Environment": {
			reason: "The API refuses this source; an object from before it did is refused too.",
			change: []func(*v1beta1.ProviderConfigSpec){source(v1beta1.CredentialsSourceEnvironment)}, want: pod,
		},
		"Filesystem": {
			reason: "Likewise.",
			change: []func(*v1beta1.ProviderConfigSpec){source(v1beta1.CredentialsSourceFilesystem)}, want: pod,
		},
		"TokenToCollector": {
			reason:  "Where the pod's identity is allowed, its token goes to no host of the tenant's.",
			options: Options{AllowNamespacedPodIdentity: true},
			change: []func(*v1beta1.ProviderConfigSpec){
				source(v1beta1.CredentialsSourceIRSA),
				endpoint,
			}, want: "endpoint is not allowed together",
		},
		"NamespaceTag": {
			reason:  "A tag by which roles tell namespaces apart is the provider's to set, however it is spelled.",
			options: Options{AllowNamespacedPodIdentity: true},
			change: []func(*v1beta1.ProviderConfigSpec){
				source(v1beta1.CredentialsSourceIRSA),
				func(s *v1beta1.ProviderConfigSpec) {
					r := role(roleOne)
					r.Tags = []v1beta1.SessionTag{{Key: "Crossplane-Namespace", Value: "team-b"}}
					s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{r}
				},
			},
			want: "tags of assumeRoleChain must not have the key Crossplane-Namespace",
		},
		"Endpoint": {
			reason: "Tenants do not have the provider call hosts of theirs, unless its operator lets them.",
			strict: true,
			change: []func(*v1beta1.ProviderConfigSpec){
				endpoint,
			}, want: "endpoint is not allowed in a namespaced config",
		},
		"AutoEndpoint": {
			reason: "An endpoint that names no host is AWS's own.",
			strict: true,
			change: []func(*v1beta1.ProviderConfigSpec){func(s *v1beta1.ProviderConfigSpec) {
				s.Endpoint = &v1beta1.EndpointConfig{
					URL:           v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeAuto},
					SigningRegion: new("us-east-1"),
				}
			}},
		},
		"OwnSecret": {
			reason: "A Secret of the namespace is the tenant's own.",
		},
		"AllowedPodToken": {
			reason:  "An operator may allow it.",
			options: Options{AllowNamespacedPodIdentity: true},
			change: []func(*v1beta1.ProviderConfigSpec){
				web(v1beta1.WebIdentityOptions{WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(roleOne)}}),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pc := namespaced(tc.change...)
			e := newEnv(t, tc.options, pc, secret(ns, "aws", map[string]string{"creds": ini}))
			e.options.AllowNamespacedEndpoints = !tc.strict
			e.environ["AWS_ROLE_ARN"], e.environ["AWS_WEB_IDENTITY_TOKEN_FILE"], e.files["/pod"], e.files["/token"] = roleTwo, "/pod", "jwt", "jwt"
			_, err := e.Resolve(t.Context(), function("ProviderConfig", "default"), region)
			_, identifyErr := e.Identify(t.Context(), pc)
			if tc.want == "" {
				if err != nil || identifyErr != nil {
					t.Errorf("\n%s\nResolve: %v, Identify: %v", tc.reason, err, identifyErr)
				}
				return
			}
			for _, err := range []error{err, identifyErr} {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("\n%s\ngot %v, want %q", tc.reason, err, tc.want)
				}
			}
			if len(e.sts.calls) != 0 {
				t.Errorf("\n%s\nSTS was called %d times", tc.reason, len(e.sts.calls))
			}
		})
	}
}

// TestOtherNamespaces has a resource that names configs of other namespaces.
func TestOtherNamespaces(t *testing.T) {
	foreign := namespaced()
	foreign.SetNamespace("team-b")
	e := newEnv(t, Options{}, foreign, secret("team-b", "aws", map[string]string{"creds": ini}))
	for _, name := range []string{"default", "team-b/default", "../team-b/default"} {
		if _, err := e.Resolve(t.Context(), function("ProviderConfig", name), region); err == nil {
			t.Errorf("a config of another namespace was used as %q", name)
		}
	}
	var secretReads []client.ObjectKey
	e.secrets = func(_ context.Context, k client.ObjectKey) (map[string][]byte, error) {
		secretReads = append(secretReads, k)
		return map[string][]byte{"creds": []byte(ini)}, nil
	}
	own := namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef.Name = "team-b/aws" })
	if err := e.kube.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	_, _ = e.Resolve(t.Context(), function("ProviderConfig", "default"), region)
	for _, k := range secretReads {
		if k.Namespace != ns {
			t.Errorf("a Secret of another namespace was read: %v", k)
		}
	}
}

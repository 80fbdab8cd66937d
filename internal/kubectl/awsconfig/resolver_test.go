package awsconfig

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// A host records what is sent to it.
type host struct {
	*httptest.Server

	got []string
}

// newHost returns a host that answers as STS does.
func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		h.got = append(h.got, r.Header.Get("Authorization")+r.Header.Get("X-Amz-Security-Token")+string(b))
		_, _ = io.WriteString(
			w,
			`<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws:iam::123456789012:user/ops</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`,
		)
	}))
	t.Cleanup(h.Close)
	return h
}

// machine gives the test a machine whose AWS configuration, its own endpoint included, is in the environment.
func machine(t *testing.T, endpoint string) {
	t.Helper()
	plugintest.SetMachine(t, endpoint, "operators-key")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAOPERATOR")
	t.Setenv("AWS_SESSION_TOKEN", "operators-token")
}

const tenantsConfig = `
metadata: {name: c, namespace: shop, uid: u}
spec:
  credentials: {source: Secret, secretRef: {name: own}}
  endpoint: {url: {type: Static, static: TENANT}}
`

const clusterConfig = `
metadata: {name: c, uid: u}
spec:
  credentials: {source: Secret, secretRef: {namespace: shop, name: own}}
  endpoint: {url: {type: Static, static: TENANT}}
`

// TestResolverKeepsCredentials resolves sessions through configs that name a host, and calls AWS.
func TestResolverKeepsCredentials(t *testing.T) {
	ini := "[default]\naws_access_key_id = AKIAOPERATOR\naws_secret_access_key = operators-key\n"
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte(ini), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(config, credentials string) string {
		return strings.Replace(config, "{source: Secret, secretRef: {namespace: shop, name: own}}", credentials, 1)
	}
	cases := map[string]struct {
		reason string
		kind   string
		config string
		flags  Flags

		// flag is true if the flag --aws-endpoint-url names a host.
		flag bool

		// wantErr is a part of the error of Resolve, and wantNote of what the user is told.
		wantErr, wantNote string

		// tenant, own and named are which key the host of the config, that of the machine's configuration and that of
		// the flag are sent.
		tenant, own, named string
	}{
		"MachineThroughTenants": {
			reason:  "A tenant's host gets nothing, as the provider sends it nothing.",
			kind:    v1beta1.ProviderConfigKind,
			config:  tenantsConfig,
			flags:   Flags{defaultChain: true},
			wantErr: "endpoint is not allowed in a namespaced config",
		},
		"MachineThroughCluster": {
			reason:   "The host of a ClusterProviderConfig is not the user's choice either.",
			kind:     v1beta1.ClusterProviderConfigKind,
			config:   clusterConfig,
			flags:    Flags{defaultChain: true},
			own:      "AKIAOPERATOR",
			wantNote: "warning: ClusterProviderConfig c names an endpoint, where credentials of this machine are not sent. Instead, AWS or the endpoint of this machine's AWS configuration is read.",
		},
		"MachineOfAnotherAccount": {
			reason:   "What another account has is not what the config manages.",
			kind:     v1beta1.ClusterProviderConfigKind,
			flags:    Flags{defaultChain: true},
			config:   "{metadata: {name: c, uid: u}, spec: {credentials: {source: IRSA}}, status: {accountId: '210987654321'}}",
			own:      "AKIAOPERATOR",
			wantNote: "warning: ClusterProviderConfig \"c\" reaches account 210987654321, and the credentials of this machine are of account 123456789012, which is read instead\n",
		},
		"MachineOfTheAccount": {
			reason: "The account is the same.",
			kind:   v1beta1.ClusterProviderConfigKind,
			flags:  Flags{defaultChain: true},
			config: "{metadata: {name: c, uid: u}, spec: {credentials: {source: IRSA}}, status: {accountId: '123456789012'}}",
			own:    "AKIAOPERATOR",
		},
		"MachineNamed": {
			reason: "The user has typed the host, and no other one is called.",
			kind:   v1beta1.ProviderConfigKind,
			config: tenantsConfig,
			flags:  Flags{defaultChain: true},
			flag:   true,
			named:  "AKIAOPERATOR",
		},
		"Tenants": {
			reason:  "What the provider rejects, the plugin rejects.",
			kind:    v1beta1.ProviderConfigKind,
			config:  tenantsConfig,
			wantErr: "endpoint is not allowed in a namespaced config",
		},
		"Cluster": {
			reason: "The config's own credentials are for its own host.",
			kind:   v1beta1.ClusterProviderConfigKind,
			config: clusterConfig,
			tenant: "AKIATENANT",
		},
		"TenantsNamed": {
			reason: "The URL of the flag replaces that of the config.",
			kind:   v1beta1.ProviderConfigKind,
			config: tenantsConfig,
			flag:   true,
			named:  "AKIATENANT",
		},
		"IRSA": {
			reason:  "The default chain of this machine is not the pod's.",
			kind:    v1beta1.ClusterProviderConfigKind,
			config:  with(clusterConfig, "{source: IRSA}"),
			wantErr: "the identity of the provider's pod, which this machine does not have",
		},
		"PodIdentity": {
			reason:  "The identity of the pod is not on this machine.",
			kind:    v1beta1.ClusterProviderConfigKind,
			config:  with(clusterConfig, "{source: PodIdentity}"),
			wantErr: "the identity of the provider's pod, which this machine does not have",
		},
		"Filesystem": {
			reason:  "A manifest must not read files of this machine.",
			kind:    v1beta1.ClusterProviderConfigKind,
			config:  with(clusterConfig, "{source: Filesystem, fs: {path: "+file+"}}"),
			wantErr: "a file of the provider's pod is not on this machine",
		},
		"TokenFile": {
			reason: "A config cannot send a file of this machine as a token.",
			kind:   v1beta1.ClusterProviderConfigKind,
			config: with(
				clusterConfig,
				"{source: WebIdentity, webIdentity: {roleARN: 'arn:aws:iam::123456789012:role/r', tokenConfig: {source: Filesystem, fs: {path: "+file+"}}}}",
			),
			wantErr: "a file of the provider's pod is not on this machine",
		},
		"Environment": {
			reason:  "A config cannot read the environment of this machine.",
			kind:    v1beta1.ClusterProviderConfigKind,
			config:  with(clusterConfig, "{source: Environment}"),
			wantErr: "the provider has no environment variable AWS_ACCESS_KEY_ID",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tenant, own, named := newHost(t), newHost(t), newHost(t)
			machine(t, own.URL)
			if tc.flag {
				tc.flags.endpoint = named.URL
			}
			var notes bytes.Buffer
			r := tc.flags.Resolver(
				cluster(t, tc.kind, strings.ReplaceAll(tc.config, "TENANT", tenant.URL)),
				time.Now,
				&notes,
			)
			mg := &v1beta1.Function{}
			mg.SetNamespace("shop")
			mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: tc.kind, Name: "c"})
			s, err := r.Resolve(t.Context(), mg, "eu-central-1")
			if tc.wantErr == "" && err != nil ||
				tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("%s\nerror %v, want %q", tc.reason, err, tc.wantErr)
			}
			if err == nil {
				_, _ = session.Client(s, lambda.NewFromConfig).ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
				_, _ = session.Client(s, s3.NewFromConfig).
					HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: new("code"), Key: new("k")})
			}
			if !strings.Contains(notes.String(), tc.wantNote) || tc.wantNote == "" && notes.Len() > 0 {
				t.Errorf("%s\nnotes %q, want %q", tc.reason, notes.String(), tc.wantNote)
			}
			for which, to := range map[string]struct {
				got  []string
				want string
			}{"the config's host": {tenant.got, tc.tenant}, "the machine's own": {own.got, tc.own}, "the named one": {named.got, tc.named}} {
				for _, request := range to.got {
					if to.want == "" || !strings.Contains(request, to.want) ||
						to.want != "AKIAOPERATOR" && strings.Contains(request, "perator") {
						t.Errorf("%s\n%s got %s, want only requests of %q", tc.reason, which, request, to.want)
					}
				}
				if to.want != "" && len(to.got) < 3 {
					t.Errorf("%s\n%s got %d requests, want those to STS, Lambda and S3", tc.reason, which, len(to.got))
				}
			}
		})
	}
}

// cluster returns a client that has a config.
func cluster(t *testing.T, kind, text string) client.Client {
	t.Helper()
	scheme, err := kubectl.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	var config client.Object = &v1beta1.ClusterProviderConfig{}
	if kind == v1beta1.ProviderConfigKind {
		config = &v1beta1.ProviderConfig{}
	}
	if err := yaml.UnmarshalStrict([]byte(text), config); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "own"},
		Data:       map[string][]byte{"aws_access_key_id": []byte("AKIATENANT"), "aws_secret_access_key": []byte("s")},
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(config, secret).Build()
}

// TestLoad calls AWS with the credentials of the machine.
func TestLoad(t *testing.T) {
	cases := map[string]struct {
		reason string
		region string

		// own is the endpoint of the machine's configuration, and flag that of --aws-endpoint-url. LOOPBACK is the URL
		// of a host that answers.
		own, flag string

		// service is the endpoint of STS in the machine's configuration.
		service string

		want string
	}{
		"Emulator":    {reason: "An emulator on this machine needs no encryption.", own: "LOOPBACK"},
		"Flag":        {reason: "The flag names it.", own: "http://192.0.2.1", flag: "LOOPBACK"},
		"FlagService": {reason: "The flag is for all services.", service: "http://192.0.2.1", flag: "LOOPBACK"},
		"Plain": {
			reason: "The machine's configuration is not enough to send credentials unencrypted.",
			own:    "http://192.0.2.1",
			want:   "192.0.2.1 is not encrypted, so nothing was sent: use https, or set --aws-endpoint-url to the URL",
		},
		"PlainOne": {
			reason:  "An endpoint of one service is not called either.",
			service: "http://aws.example.org",
			want:    "aws.example.org is not encrypted",
		},
		"Region": {
			reason: "A region is part of a host's name, and resources name regions.",
			region: "eu.example.org/",
			own:    "LOOPBACK",
			want:   `"eu.example.org/" is not an AWS region`,
		},
		"NoURL": {
			reason: "A host alone says nothing about encryption.",
			flag:   "aws.example.org",
			want:   `--aws-endpoint-url is "aws.example.org": it must be a URL`,
		},
		"UserInURL": {
			reason: "The host of such a URL is easily mistaken.",
			flag:   "https://aws.amazon.com@example.org",
			want:   "it must be a URL",
		},
		"OtherScheme": {reason: "AWS speaks HTTP.", flag: "ftp://example.org", want: "it must be a URL"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			at := func(s string) string { return strings.Replace(s, "LOOPBACK", h.URL, 1) }
			machine(t, at(tc.own))
			if tc.own == "" {
				unset(t, "AWS_ENDPOINT_URL")
			}
			if tc.service != "" {
				t.Setenv("AWS_ENDPOINT_URL_STS", tc.service)
			}
			f := Flags{endpoint: at(tc.flag)}
			if tc.region == "" {
				tc.region = "eu-central-1"
			}
			cfg, err := f.Load(t.Context(), tc.region)
			if err == nil {
				_, err = sts.NewFromConfig(cfg, func(o *sts.Options) { o.RetryMaxAttempts = 1 }).
					GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
			}
			if tc.want == "" && (err != nil || len(h.got) != 1) ||
				tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || len(h.got) > 0) {
				t.Errorf("%s\nerror %v, want %q; %d requests", tc.reason, err, tc.want, len(h.got))
			}
		})
	}
}

// unset removes a variable from the environment until the test ends.
func unset(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "") // It is restored.
	if err := os.Unsetenv(name); err != nil {
		t.Fatal(err)
	}
}

// TestResolverAdvice checks that the flags are only named to a user whom they can help.
func TestResolverAdvice(t *testing.T) {
	cases := map[string]struct {
		reason, region string
		want           bool
	}{
		"Credentials": {reason: "Those of the pod are not on this machine.", region: "eu-central-1", want: true},
		"Region":      {reason: "The region is wrong, whatever the credentials.", region: "eu-centrall-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			machine(t, "http://localhost:1")
			flags := Flags{}
			config := "{metadata: {name: c, uid: u}, spec: {credentials: {source: Environment}}}"
			r := flags.Resolver(cluster(t, v1beta1.ClusterProviderConfigKind, config), time.Now, io.Discard)
			mg := &v1beta1.Function{}
			mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{
				Kind: v1beta1.ClusterProviderConfigKind, Name: "c",
			})
			_, err := r.Resolve(t.Context(), mg, tc.region)
			if err == nil || strings.Contains(err.Error(), "--aws-default-chain") != tc.want {
				t.Errorf("%s\nerror %v, want it to name the flags: %t", tc.reason, err, tc.want)
			}
		})
	}
}

package session

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// static returns an endpoint at a URL for some services.
func static(url string, services ...string) *v1beta1.EndpointConfig {
	return &v1beta1.EndpointConfig{
		URL:      v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: &url},
		Services: services,
	}
}

// clusterSource returns a ClusterProviderConfig with a source of credentials, and changes.
func clusterSource(source xpv2.CredentialsSource,
	change ...func(*v1beta1.ClusterProviderConfigSpec),
) *v1beta1.ClusterProviderConfig {
	return cluster(append([]func(*v1beta1.ClusterProviderConfigSpec){func(s *v1beta1.ClusterProviderConfigSpec) {
		s.Credentials.Source = source
	}}, change...)...)
}

func TestSources(t *testing.T) {
	secretRef := func(key string) *v1beta1.LocalCredentialsSecretSelector {
		return &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: key}
	}
	cases := map[string]struct {
		reason string
		config client.Object
		secret map[string]string
		env    map[string]string
		files  map[string]string
		want   aws.Credentials
	}{
		"INI": {
			reason: "The default profile of an INI file.",
			config: namespaced(),
			secret: map[string]string{"creds": ini},
			want:   aws.Credentials{AccessKeyID: "AKIAONE", SecretAccessKey: "hunter2"},
		},
		"Profile": {
			reason: "A profile with a session token.",
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.Profile = new("ci") }),
			secret: map[string]string{"creds": ini},
			want:   aws.Credentials{AccessKeyID: "AKIACI", SecretAccessKey: "hunter3", SessionToken: "hunter4"},
		},
		"Untidy": {
			reason: "Files that people write: comments, odd spacing, DOS line ends, a BOM, values with = and #.",
			config: namespaced(),
			secret: map[string]string{"creds": "\ufeff# mine\r\n[ profile default ]\r\n; " +
				"x\r\nAWS_ACCESS_KEY_ID=AKIAX\r\n  aws_secret_access_key   =  a=b#c/d+  \r\nregion = eu-west-1\r\n"},
			want: aws.Credentials{AccessKeyID: "AKIAX", SecretAccessKey: "a=b#c/d+"},
		},
		"SeparateKeys": {
			reason: "An entry a key, with the line end that editors add.",
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef = secretRef("") }),
			secret: map[string]string{
				"AWS_ACCESS_KEY_ID": "AKIASEP\n", "aws_secret_access_key": "s\n",
				"aws_session_token": "t",
			},
			want: aws.Credentials{AccessKeyID: "AKIASEP", SecretAccessKey: "s", SessionToken: "t"},
		},
		"UsualKey": {
			reason: "No key named, and an INI file where it usually is.",
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef = secretRef("") }),
			secret: map[string]string{"credentials": ini},
			want:   aws.Credentials{AccessKeyID: "AKIAONE", SecretAccessKey: "hunter2"},
		},
		"None": {
			reason: "An endpoint that checks no signature.",
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Credentials = v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceNone}
				s.Endpoint = static("http://127.0.0.1:1", "lambda")
			}),
			want: placeholder,
		},
		"WebIdentityFromSecret": {
			reason: "A token of the namespace.",
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Credentials = v1beta1.ProviderCredentials{
					Source: v1beta1.CredentialsSourceWebIdentity,
					WebIdentity: &v1beta1.WebIdentityOptions{
						WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(roleOne), RoleSessionName: "ci"},
						TokenConfig: &v1beta1.WebIdentityTokenConfig{
							Source:    v1beta1.CredentialsSourceSecret,
							SecretRef: secretRef("token"),
						},
					},
				}
			}),
			secret: map[string]string{"token": "jwt.of.secret\n"},
			want:   aws.Credentials{AccessKeyID: "ASIA1", SecretAccessKey: "s", SessionToken: "t"},
		},
		"WebIdentityFromFile": {
			reason: "A projected token.",
			config: clusterSource(v1beta1.CredentialsSourceWebIdentity, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.Credentials.WebIdentity = &v1beta1.ClusterWebIdentityOptions{
					WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(roleOne)},
					TokenConfig: &v1beta1.ClusterWebIdentityTokenConfig{
						Source: v1beta1.CredentialsSourceFilesystem,
						Fs:     &xpv2.FsSelector{Path: "/token"},
					},
				}
			}),
			files: map[string]string{"/token": "jwt.of.file"},
			want:  aws.Credentials{AccessKeyID: "ASIA1", SecretAccessKey: "s", SessionToken: "t"},
		},
		"WebIdentityFromPod": {
			reason: "The token and the role that the pod's environment names.",
			config: clusterSource(v1beta1.CredentialsSourceWebIdentity),
			env:    map[string]string{"AWS_ROLE_ARN": roleOne, "AWS_WEB_IDENTITY_TOKEN_FILE": "/pod"},
			files:  map[string]string{"/pod": "jwt.of.pod"},
			want:   aws.Credentials{AccessKeyID: "ASIA1", SecretAccessKey: "s", SessionToken: "t"},
		},
		"Environment": {
			reason: "The keys of the provider's environment.",
			config: clusterSource(v1beta1.CredentialsSourceEnvironment),
			env:    map[string]string{"AWS_ACCESS_KEY_ID": "AKIAENV", "AWS_SECRET_ACCESS_KEY": "e"},
			want:   aws.Credentials{AccessKeyID: "AKIAENV", SecretAccessKey: "e"},
		},
		"EnvironmentINI": {
			reason: "An INI file in the provider's environment.",
			config: clusterSource(v1beta1.CredentialsSourceEnvironment, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.Credentials.Env, s.Credentials.Profile = &xpv2.EnvSelector{Name: "CREDS"}, new("ci")
			}),
			env:  map[string]string{"CREDS": ini},
			want: aws.Credentials{AccessKeyID: "AKIACI", SecretAccessKey: "hunter3", SessionToken: "hunter4"},
		},
		"Filesystem": {
			reason: "An INI file in the provider's pod.",
			config: clusterSource(v1beta1.CredentialsSourceFilesystem, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.Credentials.Fs = &xpv2.FsSelector{Path: "/creds"}
			}),
			files: map[string]string{"/creds": ini},
			want:  aws.Credentials{AccessKeyID: "AKIAONE", SecretAccessKey: "hunter2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objs := []client.Object{tc.config}
			if tc.secret != nil {
				objs = append(objs, secret(ns, "aws", tc.secret))
			}
			e := newEnv(t, Options{}, objs...)
			maps.Copy(e.environ, tc.env)
			maps.Copy(e.files, tc.files)
			kind := "ProviderConfig"
			if tc.config.GetNamespace() == "" {
				kind = "ClusterProviderConfig"
			}
			got, err := e.resolve(t, function(kind, "default")).AWS.Credentials.Retrieve(t.Context())
			if err != nil {
				t.Fatalf("\n%s\nRetrieve: %v", tc.reason, err)
			}
			got = aws.Credentials{
				AccessKeyID: got.AccessKeyID, SecretAccessKey: got.SecretAccessKey,
				SessionToken: got.SessionToken,
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ncredentials: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestIncompleteEnvironment lacks one of the two variables.
func TestIncompleteEnvironment(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		e := newEnv(t, Options{}, clusterSource(v1beta1.CredentialsSourceEnvironment))
		e.environ["AWS_ACCESS_KEY_ID"], e.environ["AWS_SECRET_ACCESS_KEY"] = "AKIAENV", "e"
		delete(e.environ, name)
		_, err := e.Resolve(t.Context(), function("ClusterProviderConfig", "default"), region)
		want := "the provider has no environment variable " + name + ": set it in the provider's DeploymentRuntimeConfig"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestRotatedToken writes a new token before the old one has expired, as the kubelet does.
func TestRotatedToken(t *testing.T) {
	e := newEnv(t, Options{}, clusterSource(v1beta1.CredentialsSourceWebIdentity))
	e.environ["AWS_ROLE_ARN"], e.environ["AWS_WEB_IDENTITY_TOKEN_FILE"] = roleOne, "/pod"
	e.files["/pod"] = "first"
	f := function("ClusterProviderConfig", "default")
	for _, token := range []string{"first", "first", "second", "second"} {
		e.files["/pod"] = token
		keyOf(t, e.resolve(t, f))
	}
	tokens := []string{}
	for _, c := range e.sts.of("AssumeRoleWithWebIdentity") {
		tokens = append(tokens, c.Get("WebIdentityToken")+" as "+c.Get("RoleSessionName"))
	}
	if diff := cmp.Diff([]string{"first as provider-lambda", "second as provider-lambda"}, tokens); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestRotatedTokenIsRefused writes a new token that STS does not accept at first. The credentials of the old one are
// used until they expire, and the new one at once after another rotation.
func TestRotatedTokenIsRefused(t *testing.T) {
	e := newEnv(
		t,
		Options{},
		clusterSource(v1beta1.CredentialsSourceWebIdentity, func(s *v1beta1.ClusterProviderConfigSpec) {
			s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleTwo)}
		}),
	)
	e.environ["AWS_ROLE_ARN"], e.environ["AWS_WEB_IDENTITY_TOKEN_FILE"] = roleOne, "/pod"
	f := function("ClusterProviderConfig", "default")
	use := func(token string) string {
		e.files["/pod"] = token
		s, err := e.Resolve(t.Context(), f, region)
		if err != nil {
			return "none"
		}
		c, err := s.AWS.Credentials.Retrieve(t.Context())
		if err != nil {
			return "none"
		}
		return c.AccessKeyID
	}
	first := use("first")
	if first == "none" {
		t.Fatal("the first token is accepted")
	}
	e.sts.refuseWith("AssumeRoleWithWebIdentity", "InternalFailure")
	for range 5 {
		if got := use("second"); got != first {
			t.Fatalf("signs with %s, want %s, which is valid still", got, first)
		}
	}
	e.wait(time.Hour)
	if got := use("second"); got != "none" {
		t.Errorf("signs with %s, which has expired", got)
	}
	e.sts.refuseWith("AssumeRoleWithWebIdentity", "")
	if got := use("second"); got != "none" {
		t.Errorf("signs with %s, but a failure counts for a while", got)
	}
	if got := use("third"); got == "none" {
		t.Error("a new token is tried at once")
	}
	if got := e.sts.callsOf("GetCallerIdentity"); got != 1 {
		t.Errorf("%d calls of GetCallerIdentity for one role, want 1", got)
	}
}

// cleanEnvironment hides the credentials of this machine from the SDK's default chain.
func cleanEnvironment(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		if k, _, _ := strings.Cut(kv, "="); strings.HasPrefix(k, "AWS_") {
			t.Setenv(k, "")
			_ = os.Unsetenv(k)
		}
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
}

// TestIRSA uses the SDK's own chain, with a token in a file.
func TestIRSA(t *testing.T) {
	cleanEnvironment(t)
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("jwt"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ROLE_ARN", roleOne)
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", path)
	e := newEnv(t, Options{}, clusterSource(v1beta1.CredentialsSourceIRSA, func(s *v1beta1.ClusterProviderConfigSpec) {
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleTwo)}
	}))
	f := function("ClusterProviderConfig", "default")
	for range 100 {
		keyOf(t, e.resolve(t, f))
	}
	web := e.sts.of("AssumeRoleWithWebIdentity")
	if len(web) != 1 || web[0].Get("RoleArn") != roleOne || web[0].Get("RoleSessionName") != "provider-lambda" {
		t.Errorf("AssumeRoleWithWebIdentity: %v", web)
	}
	if a := e.sts.of("AssumeRole"); len(a) != 1 || a[0].Get("RoleArn") != roleTwo || a[0].Get("signedBy") != "ASIA1" {
		t.Errorf("AssumeRole: %v", a)
	}
	e.wait(56 * time.Minute)
	keyOf(t, e.resolve(t, f))
	if w, a := e.sts.callsOf("AssumeRoleWithWebIdentity"), e.sts.callsOf("AssumeRole"); w != 2 || a != 2 {
		t.Errorf("%d and %d calls after an hour, want two each", w, a)
	}
}

// TestPodIdentity has an agent on the node that returns credentials by HTTP.
func TestPodIdentity(t *testing.T) {
	cleanEnvironment(t)
	calls := 0
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.Header.Get("Authorization") != "pod-token" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"AccessKeyId": fmt.Sprint("ASIAPOD", calls), "SecretAccessKey": "p", "Token": "t",
			"Expiration": epoch.Add(time.Duration(calls) * time.Hour).Format(time.RFC3339),
		})
	}))
	t.Cleanup(agent.Close)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("pod-token"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.URL+"/v1/credentials")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token)
	e := newEnv(t, Options{}, clusterSource(v1beta1.CredentialsSourcePodIdentity))
	f := function("ClusterProviderConfig", "default")
	for range 100 {
		if got := keyOf(t, e.resolve(t, f)); got != "ASIAPOD1" {
			t.Fatalf("signs with %q", got)
		}
	}
	e.wait(56 * time.Minute)
	if got := keyOf(t, e.resolve(t, f)); got != "ASIAPOD2" || calls != 2 {
		t.Errorf("signs with %q after %d calls of the agent", got, calls)
	}
}

// TestRefusedByAgent checks that the error says what AWS's agent answers, without the request ID in front of it: with
// that, each retry would be a new condition and a new event.
func TestRefusedByAgent(t *testing.T) {
	const (
		unusable = `cannot use ClusterProviderConfig "default": cannot get AWS credentials: `
		refusal  = "(AccessDeniedException): Unauthorized Exception! EKS does not have permissions to assume the " +
			"associated role., fault: client"
	)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("pod-token"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := token + "-missing"
	for name, tc := range map[string]struct{ token, want string }{
		"Refused": {token, unusable + refusal},
		"NoToken": {missing, unusable + "resolve auth token: failed to read authorization token from " + missing +
			": open " + missing + ": no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			cleanEnvironment(t)
			calls := 0
			agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				http.Error(w, fmt.Sprintf("[b69b1279-d140-4eee-b7ea-%012d]: %s", calls, refusal), http.StatusBadRequest)
			}))
			t.Cleanup(agent.Close)
			t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.URL+"/v1/credentials")
			t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", tc.token)
			e := newEnv(t, Options{}, clusterSource(v1beta1.CredentialsSourcePodIdentity))
			for range 2 {
				_, err := e.Resolve(t.Context(), function("ClusterProviderConfig", "default"), region)
				if err == nil || err.Error() != tc.want {
					t.Errorf("got  %v\nwant %s", err, tc.want)
				}
				e.wait(time.Hour)
			}
		})
	}
}

// TestNoCredentialsAnywhere checks that the error says what is missing, without the chain's details.
func TestNoCredentialsAnywhere(t *testing.T) {
	cleanEnvironment(t)
	e := newEnv(t, Options{}, clusterSource(v1beta1.CredentialsSourceIRSA))
	_, err := e.Resolve(t.Context(), function("ClusterProviderConfig", "default"), region)
	want := `cannot use ClusterProviderConfig "default": cannot get AWS credentials: no source of the default chain has credentials: ` +
		`give the provider's pod an IAM role (IRSA, Pod Identity or a node role), or choose another credentials.source`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// pemOf returns a server's certificate.
func pemOf(s *httptest.Server) string {
	return "-----BEGIN CERTIFICATE-----\n" + base64.StdEncoding.EncodeToString(
		s.Certificate().Raw) + "\n-----END CERTIFICATE-----\n"
}

// TestAuthorities has an endpoint whose certificate is issued by a custom authority, which the
// config or AWS_CA_BUNDLE names.
func TestAuthorities(t *testing.T) {
	cleanEnvironment(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(
			w,
			`<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/ci</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
		)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(bundle, []byte(pemOf(server)), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason   string
		caBundle *string
		env      string
		want     string
	}{
		"Untrusted": {
			reason: "No one vouches for it.",
			want:   "is not trusted: add its certificate authority to caBundle",
		},
		"Config":      {reason: "The config does.", caBundle: new(pemOf(server))},
		"Environment": {reason: "The provider's environment does.", env: bundle},
		"Both":        {reason: "Both do.", caBundle: new(pemOf(server)), env: bundle},
		"Broken": {
			reason:   "An invalid certificate is reported.",
			caBundle: new("-----BEGIN CERTIFICATE-----\nno\n"), want: "caBundle contains no readable certificate",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.env != "" {
				t.Setenv("AWS_CA_BUNDLE", tc.env)
			}
			e := newEnv(t, Options{}, namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Endpoint, s.CABundle = static(server.URL), tc.caBundle
			}), secret(ns, "aws", map[string]string{"creds": ini}))
			_, err := e.Resolve(t.Context(), function("ProviderConfig", "default"), region)
			if tc.want == "" && err != nil {
				t.Errorf("\n%s\n%v", tc.reason, err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("\n%s\ngot %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

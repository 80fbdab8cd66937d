package session

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestErrors has mistakes of users. Each error names the config, what is wrong and what to do, and no secret.
func TestErrors(t *testing.T) {
	data := func(v string) client.Object { return secret(ns, "aws", map[string]string{"creds": v}) }
	chain := func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne)} }
	const using = `cannot use ProviderConfig "default" of namespace "team-a": `
	cases := map[string]struct {
		config *v1beta1.ProviderConfig
		secret client.Object
		ref    *xpv2.ProviderConfigReference
		region string
		refuse [2]string
		want   string
	}{
		"NoConfig": {
			want: `ProviderConfig "default" of namespace "team-a" does not exist: create it, or correct spec.providerConfigRef`,
		},
		"NoClusterConfig": {
			ref:  &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"},
			want: `ClusterProviderConfig "default" does not exist: create it, or correct spec.providerConfigRef`,
		},
		"UnknownKind": {
			ref:  &xpv2.ProviderConfigReference{Kind: "Config", Name: "default"},
			want: `spec.providerConfigRef.kind is "Config": it must be ProviderConfig or ClusterProviderConfig`,
		},
		"NoRegion": {
			config: namespaced(),
			region: "-",
			want:   `"-" in spec.forProvider.region is not a region of AWS that this provider knows: delete this resource and create it with another region, or add the region to spec.regions of ProviderConfig "default" of namespace "team-a"`,
		},
		"NoSecret": {
			config: namespaced(),
			want:   using + `Secret team-a/aws does not exist: create it, or correct secretRef`,
		},
		"NoKey": {
			config: namespaced(),
			secret: secret(ns, "aws", map[string]string{"b": "hunter2", "a": "hunter2"}),
			want:   using + `Secret team-a/aws has no value at key "creds" (it has "a", "b"): add it, or correct secretRef.key`,
		},
		"NoKeyNamed": {
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef.Key = "" }),
			secret: secret(ns, "aws", map[string]string{"aws_access_key_id": "AKIA"}),
			want:   using + `Secret team-a/aws has no aws_secret_access_key: add it, or name in secretRef.key the key that holds an INI file (it has "aws_access_key_id")`,
		},
		"NoINI": {
			config: namespaced(), secret: data("hunter2"),
			want: using + `in key "creds" of Secret team-a/aws, line 1 is neither a [section] nor key = value`,
		},
		"NoSection": {
			config: namespaced(), secret: data("aws_access_key_id=hunter2"),
			want: using + `in key "creds" of Secret team-a/aws, line 1 is outside any section: start with [default]`,
		},
		"OpenSection": {
			config: namespaced(),
			secret: data("\n[default"),
			want:   using + `in key "creds" of Secret team-a/aws, line 2 opens a section without closing it: write [default]`,
		},
		"NoProfile": {
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Credentials.Profile = new(
					"prod")
			}),
			secret: data(ini),
			want:   using + `in key "creds" of Secret team-a/aws, profile "prod" does not exist (the file has "ci", "default"): set credentials.profile to one that exists`,
		},
		"Empty": {
			config: namespaced(),
			secret: data(""),
			want:   using + `in key "creds" of Secret team-a/aws, profile "default" does not exist (the file has no profiles): set credentials.profile to one that exists`,
		},
		"NoFileOfProfiles": {
			config: namespaced(),
			secret: data(`["hunter2"]`),
			want:   using + `in key "creds" of Secret team-a/aws, profile "default" does not exist (the file has no profiles): set credentials.profile to one that exists`,
		},
		"NoSecretKey": {
			config: namespaced(), secret: data("[default]\naws_access_key_id=AKIA\n"),
			want: using + `in key "creds" of Secret team-a/aws, profile "default" has no aws_secret_access_key`,
		},
		"NoneWithoutEndpoint": {
			config: namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Credentials = v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceNone}
			}),
			want: using + `credentials.source None requires endpoint, because AWS does not accept placeholder keys`,
		},
		"Denied": {
			config: namespaced(chain), secret: data(ini), refuse: [2]string{"AssumeRole", "AccessDenied"},
			want: using + `AccessDenied: arn:aws:iam::123456789012:user/ci may not sts:AssumeRole on ` + roleOne +
				`: allow sts:AssumeRole on ` + roleOne + ` for arn:aws:iam::123456789012:user/ci in its policy, ` +
				`and trust arn:aws:iam::123456789012:user/ci in the role's trust policy, with the external id and tags that it asks for`,
		},
		"WrongKeys": {
			config: namespaced(),
			secret: data(ini),
			refuse: [2]string{"GetCallerIdentity", "InvalidClientTokenId"},
			want:   using + `AWS does not accept the credentials: InvalidClientTokenId: AWS does not know the access key, or the session token does not match it: check the credentials`,
		},
		"Expired": {
			config: namespaced(),
			secret: data(ini),
			refuse: [2]string{"GetCallerIdentity", "ExpiredToken"},
			want:   using + `AWS does not accept the credentials: ExpiredToken: the credentials or the token have expired: renew them`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objs := []client.Object{}
			if tc.config != nil {
				objs = append(objs, tc.config)
			}
			if tc.secret != nil {
				objs = append(objs, tc.secret)
			}
			e := newEnv(t, Options{}, objs...)
			if tc.refuse[0] != "" {
				e.sts.refuseWith(tc.refuse[0], tc.refuse[1])
			}
			f := function("ProviderConfig", "default")
			if tc.ref != nil {
				f.SetProviderConfigReference(tc.ref)
			}
			where := region
			if tc.region != "" {
				where = tc.region
			}
			_, err := e.Resolve(t.Context(), f, where)
			if err == nil {
				t.Fatal("want an error")
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			for _, word := range []string{"hunter2", "hunter3", "hunter4"} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("the error shows a secret: %v", err)
				}
			}
			_, again := e.Resolve(t.Context(), f, where)
			if again == nil || again.Error() != err.Error() {
				t.Errorf("the error is another the next time: %v", again)
			}
		})
	}
}

// TestAnswerOfAProxy has a proxy answer for STS.
func TestAnswerOfAProxy(t *testing.T) {
	for name, page := range map[string]string{
		"Page": "<html>\n<head><title>403 Forbidden</title></head>\n<body><hr><center>nginx</center></body>\n</html>",
		"Text": "blocked", "Empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, page)
			}))
			defer proxy.Close()
			e := newEnv(t, Options{}, namespaced(), secret(ns, "aws", map[string]string{"creds": ini}))
			t.Setenv("AWS_ENDPOINT_URL_STS", proxy.URL)
			_, err := e.Resolve(t.Context(), function("ProviderConfig", "default"), region)
			if err == nil ||
				!strings.Contains(err.Error(), "the answer with HTTP status 403 cannot be read: check that the "+
					"endpoint is AWS") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestForbidden(t *testing.T) {
	e := newEnv(t, Options{}, namespaced())
	e.secrets = func(context.Context, types.NamespacedName) (map[string][]byte, error) {
		return nil, kerrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "aws", nil)
	}
	_, err := e.Resolve(t.Context(), function("ProviderConfig", "default"), region)
	if err == nil || !strings.Contains(err.Error(), "grant the provider's ServiceAccount get on secrets") {
		t.Errorf("got %v", err)
	}
}

func TestIdentify(t *testing.T) {
	tagged := role(roleTwo)
	tagged.ResourceTags = []string{"Namespace"}
	cases := map[string]struct {
		reason string
		change func(*v1beta1.ProviderConfigSpec)
		refuse string
		want   Identity
		calls  int
		err    bool
	}{
		"Asked": {reason: "STS returns the identity.", want: Identity{
			Account: "123456789012",
			ARN:     "arn:aws:iam::123456789012:user/ci",
		}, calls: 1},
		"Refused": {
			reason: "Credentials that AWS does not know are no use.", refuse: "InvalidClientTokenId",
			calls: 1, err: true,
		},
		"NotValidated": {
			reason: "Without validation, STS is called only for the account, and may fail.",
			change: func(s *v1beta1.ProviderConfigSpec) { s.SkipCredentialsValidation = true }, refuse: "AccessDenied",
			want: Identity{Account: "unknown"}, calls: 1,
		},
		"NotAsked": {
			reason: "STS is not there to ask.",
			change: func(s *v1beta1.ProviderConfigSpec) { s.SkipRequestingAccountID = true },
			want:   Identity{Account: "unknown"},
		},
		"OfRole": {reason: "A role's ARN has its account.", change: func(s *v1beta1.ProviderConfigSpec) {
			s.SkipRequestingAccountID, s.AssumeRoleChain = true, []v1beta1.AssumeRoleOptions{role(roleOne)}
		}, want: Identity{Account: "111111111111"}},
		"DependsOnCaller": {
			reason: "The role that depends on the resource is left to the resource.",
			change: func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{tagged} },
			want:   Identity{Account: "123456789012", ARN: "arn:aws:iam::123456789012:user/ci"}, calls: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pc := namespaced()
			if tc.change != nil {
				tc.change(&pc.Spec)
			}
			e := newEnv(t, Options{}, pc, secret(ns, "aws", map[string]string{"creds": ini}))
			if tc.refuse != "" {
				e.sts.refuseWith("GetCallerIdentity", tc.refuse)
			}
			got, err := e.Identify(t.Context(), pc)
			if (err != nil) != tc.err {
				t.Fatalf("\n%s\nIdentify: %v", tc.reason, err)
			}
			if strings.HasPrefix(got.Account, "unknown-") {
				got.Account = "unknown"
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nIdentify: -want, +got:\n%s", tc.reason, diff)
			}
			if got := e.sts.callsOf("GetCallerIdentity"); got != tc.calls {
				t.Errorf("\n%s\n%d calls of GetCallerIdentity, want %d", tc.reason, got, tc.calls)
			}
		})
	}
}

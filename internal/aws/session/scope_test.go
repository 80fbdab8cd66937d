package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// lied is an account that an endpoint claims.
const lied = "999988887777"

// claims returns an endpoint whose STS claims an account, and whose Lambda says that its quota is exhausted.
func claims(t *testing.T, account, arn string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("Action") == "GetCallerIdentity" {
			_, _ = fmt.Fprintf(
				w,
				`<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>%s</Arn><UserId>A</UserId><Account>%s</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
				arn,
				account,
			)
			return
		}
		w.Header().Set("X-Amzn-Errortype", "TooManyRequestsException")
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = fmt.Fprint(w, `{"message":"Rate exceeded"}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestScope checks by which scope the calls of a config are counted.
func TestScope(t *testing.T) {
	url := claims(t, lied, "arn:aws:iam::"+lied+":user/x")
	const emulator = "http://127.0.0.1:1"
	own := quota.Scope{Account: quota.Unverified, Region: region, Config: "pc1"}
	keys := func(s *v1beta1.ClusterProviderConfigSpec) {
		s.Credentials.Source = v1beta1.CredentialsSourceSecret
		s.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
			Namespace:                      ns,
			LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
		}
	}
	victim := role("arn:aws:iam::" + lied + ":role/any")
	cases := map[string]struct {
		reason string
		config client.Object
		want   quota.Scope
	}{
		"AWS": {"AWS's own STS is believed.", namespaced(), quota.Scope{Account: "123456789012", Region: region}},
		"ClaimedBySTS": {
			"An STS of the tenant's own may claim any account.",
			namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Endpoint = static(url)
			}), own,
		},
		"OnlySTS": {"So it may where the rest goes to AWS.", namespaced(func(s *v1beta1.ProviderConfigSpec) {
			s.Endpoint = static(url, "sts")
		}), own},
		"OnlyLambda": {
			"A Lambda of the tenant's own may say that the quota is used up.",
			namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Endpoint = static(url, "lambda")
			}), own,
		},
		"OnlyS3": {"S3 has nothing to do with it.", namespaced(func(s *v1beta1.ProviderConfigSpec) {
			s.Endpoint = static(url, "s3")
		}), quota.Scope{Account: "123456789012", Region: region}},
		"ClaimedByRole": {
			"Whoever names a role need not be allowed to assume it.",
			namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.SkipRequestingAccountID, s.AssumeRoleChain = true, []v1beta1.AssumeRoleOptions{victim}
			}), own,
		},
		"NotAsked": {"Who is not asked for is not known.", namespaced(func(s *v1beta1.ProviderConfigSpec) {
			s.SkipRequestingAccountID = true
		}), own},
		"Cluster": {
			"An administrator's config is as good as AWS's word.", cluster(keys),
			quota.Scope{Account: "123456789012", Region: region},
		},
		"ClusterRole": {"So is the role that it names.", cluster(keys, func(s *v1beta1.ClusterProviderConfigSpec) {
			s.SkipRequestingAccountID, s.AssumeRoleChain = true, []v1beta1.AssumeRoleOptions{victim}
		}), quota.Scope{Account: lied, Region: region}},
		"ClusterEndpoint": {
			"The account of an emulator is not that of AWS.",
			cluster(keys, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.Endpoint = static(url)
			}),
			quota.Scope{Account: lied, Region: region, Endpoint: url + url},
		},
		"ClusterVPCEndpoint": {
			"AWS counts calls through a VPC endpoint too.",
			cluster(keys, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.Endpoint = static("https://vpce-1.lambda.eu-west-1.vpce.amazonaws.com", "lambda")
			}),
			quota.Scope{Account: "123456789012", Region: region},
		},
		"ClusterEmulatorWithoutSTS": {
			"An emulator that is not asked for the account.",
			cluster(keys, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.Endpoint, s.SkipRequestingAccountID, s.AssumeRoleChain = static(emulator,
					"lambda"), true, []v1beta1.AssumeRoleOptions{victim}
			}),
			quota.Scope{Account: lied, Region: region, Endpoint: emulator},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{}, tc.config, secret(ns, "aws", map[string]string{"creds": ini}))
			kind := "ProviderConfig"
			if tc.config.GetNamespace() == "" {
				kind = "ClusterProviderConfig"
			}
			s := e.resolve(t, function(kind, "default"))
			if diff := cmp.Diff(tc.want, s.Scope); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoOneClosesAnothersQuota has an endpoint that claims an account and throttles calls.
func TestNoOneClosesAnothersQuota(t *testing.T) {
	e := newEnv(t, Options{}, namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.Endpoint = static(claims(t, lied, ""))
	}), secret(ns, "aws", map[string]string{"creds": ini}))
	s := e.resolve(t, function("ProviderConfig", "default"))
	if _, err := Client(s, lambda.NewFromConfig).ListAliases(t.Context(),
		&lambda.ListAliasesInput{FunctionName: new("x")}); err == nil {
		t.Fatal("want a throttle")
	}
	for _, op := range []string{"GetFunction", "CreateFunction"} {
		if wait := e.limiter.Reserve(quota.Scope{Account: lied, Region: region}, quota.Caller{ID: op},
			op); wait > 0 {
			t.Errorf("the account that was claimed waits %s with %s", wait, op)
		}
	}
}

// TestIdentityShowsNoMore has an endpoint that answers something other than an identity.
func TestIdentityShowsNoMore(t *testing.T) {
	config := namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Endpoint = static(claims(t, lied, "token hunter2")) })
	e := newEnv(t, Options{}, config, secret(ns, "aws", map[string]string{"creds": ini}))
	got, err := e.Identify(t.Context(), config)
	if diff := cmp.Diff(Identity{Account: lied}, got); err != nil || diff != "" {
		t.Errorf("%v, -want, +got:\n%s", err, diff)
	}
	config = namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Endpoint = static(claims(t, "hunter2", "")) })
	e = newEnv(t, Options{}, config, secret(ns, "aws", map[string]string{"creds": ini}))
	if got, err := e.Identify(t.Context(), config); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %+v, %v", got, err)
	}
}

// shared returns a ClusterProviderConfig with the keys of a Secret, and changes.
func shared(change func(*v1beta1.ConnectionSpec)) *v1beta1.ClusterProviderConfig {
	return cluster(func(s *v1beta1.ClusterProviderConfigSpec) {
		s.Credentials.Source = v1beta1.CredentialsSourceSecret
		s.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
			Namespace: ns, LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{
				Name: "aws",
				Key:  "creds",
			},
		}
		change(&s.ConnectionSpec)
	})
}

// TestRegionsComeAndGo has resources that name regions that do not exist.
func TestRegionsComeAndGo(t *testing.T) {
	tagged := role(roleTwo)
	tagged.ResourceTags = []string{"Name"}
	for name, chain := range map[string][]v1beta1.AssumeRoleOptions{"Shared": nil, "Tagged": {tagged}} {
		t.Run(name, func(t *testing.T) {
			b := newEnv(t, Options{}, shared(func(s *v1beta1.ConnectionSpec) {
				s.SkipRegionValidation, s.AssumeRoleChain = true, chain
			}), secret(ns, "aws", map[string]string{"creds": ini}))
			b.environ["AWS_REGION"] = region
			for i := range 300 {
				f := function("ClusterProviderConfig", "default")
				f.SetName(fmt.Sprintf("f%d", i))
				s, err := b.Resolve(t.Context(), f, "eu-"+strings.Repeat("x", i+1)+"-1")
				if err != nil {
					t.Fatal(err)
				}
				_, _ = Client(s, lambda.NewFromConfig), Client(s, s3.NewFromConfig)
				b.limiter.Reserve(s.Scope, quota.Caller{ID: "u"}, "GetFunction")
				b.limiter.Forget(s.Scope, "u")
				b.wait(time.Minute)
			}
			for range 30 {
				b.wait(10 * time.Minute)
				b.resolve(t, function("ClusterProviderConfig", "default"))
			}
			e := b.cache.configs["cpc1"]
			if len(e.sessions) != 1 || len(e.identities) > 2 || len(b.limiter.Stats()) != 0 {
				t.Errorf("%d sessions, %d identities and %d buckets are kept after the churn, want the one session "+
					"in use", len(e.sessions), len(e.identities), len(b.limiter.Stats()))
			}
		})
	}
}

// TestRegions checks which regions the resources of a config may name. Nothing is called or kept for others.
func TestRegions(t *testing.T) {
	const unknown, endpoint = "is not a region of AWS that this provider knows", "names an endpoint, not a region"
	tenant := func(change func(*v1beta1.ConnectionSpec)) client.Object {
		return namespaced(func(s *v1beta1.ProviderConfigSpec) { change(&s.ConnectionSpec) })
	}
	plain := func(*v1beta1.ConnectionSpec) {}
	listed := func(s *v1beta1.ConnectionSpec) { s.Regions = []v1beta1.Region{"eu-example-1"} }
	skips := func(s *v1beta1.ConnectionSpec) { s.SkipRegionValidation = true }
	cases := map[string]struct {
		reason string
		config client.Object
		region string
		want   string
	}{
		"Known":     {reason: "A region of AWS.", config: tenant(plain), region: "ap-southeast-7"},
		"Sovereign": {reason: "A region of another partition.", config: tenant(plain), region: "eusc-de-east-1"},
		"MadeUp": {
			reason: "Each region has a session and a circuit breaker.", config: tenant(plain),
			region: "eu-abc-1", want: unknown,
		},
		"Listed": {
			reason: "A region that is newer than the provider.", config: tenant(listed),
			region: "eu-example-1",
		},
		"NotListed": {
			reason: "Only the regions of the list are added.", config: tenant(listed),
			region: "eu-example-2", want: unknown,
		},
		"Skips": {
			reason: "The administrator trusts those who use the config.", config: shared(skips),
			region: "eu-abc-1",
		},
		"TenantSkips": {
			reason: "A tenant's own config could have any number of regions.", config: tenant(skips),
			region: "eu-abc-1", want: unknown,
		},
		"FIPS": {
			reason: "The SDK takes it for eu-central-1.", config: shared(skips),
			region: "eu-fips-central-1", want: endpoint,
		},
		"FIPSBefore": {
			reason: "The SDK takes it for us-east-1.", config: tenant(plain), region: "fips-us-east-1",
			want: endpoint,
		},
		"FIPSAfter": {
			reason: "The SDK takes it for us-east-1.", config: tenant(plain), region: "us-east-1-fips",
			want: endpoint,
		},
		"DualStack": {
			reason: "IPv6 is a setting.", config: tenant(plain), region: "dualstack-us-east-1",
			want: endpoint,
		},
		"ListedAsFIPS": {
			reason: "The API server refuses it in the list, too.",
			config: tenant(func(s *v1beta1.ConnectionSpec) { s.Regions = []v1beta1.Region{"fips-us-east-1"} }),
			region: "fips-us-east-1", want: endpoint,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{}, tc.config, secret(ns, "aws", map[string]string{"creds": ini}))
			kind := v1beta1.ProviderConfigKind
			if tc.config.GetNamespace() == "" {
				kind = v1beta1.ClusterProviderConfigKind
			}
			_, err := e.Resolve(t.Context(), function(kind, "default"), tc.region)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%s\n%v", tc.reason, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), "spec.forProvider.region") ||
				!strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s\nwant an error that names the field, got %v", tc.reason, err)
			case tc.want != "" && (e.sts.callsOf("GetCallerIdentity") > 0 || len(e.cache.configs) > 0):
				t.Errorf("%s\nAWS was called, or something was cached", tc.reason)
			}
			_, err = e.ResolveConfig(t.Context(), tc.config, tc.region)
			if got := fmt.Sprint(err); (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(got, tc.want) ||
				!strings.Contains(got, "spec.driftEvents.queueARN") || strings.Contains(got, "resource")) {
				t.Errorf("%s\nwant an error that names the field of the config, got %v", tc.reason, err)
			}
		})
	}
}

// TestSessionsAreBounded uses more regions in an hour than sessions are kept.
func TestSessionsAreBounded(t *testing.T) {
	e := newEnv(t, Options{}, shared(func(s *v1beta1.ConnectionSpec) { s.SkipRegionValidation = true }),
		secret(ns, "aws", map[string]string{"creds": ini}))
	f := function("ClusterProviderConfig", "default")
	used := e.resolve(t, f)
	for i := range 3 * maxSessions {
		if _, err := e.Resolve(t.Context(), f, fmt.Sprintf("eu-x-%d", i)); err != nil {
			t.Fatal(err)
		}
		e.wait(time.Second)
		if e.resolve(t, f) != used {
			t.Fatalf("after %d regions, a session in use is made again", i)
		}
	}
	if n := len(e.cache.configs["cpc1"].sessions); n > maxSessions {
		t.Errorf("%d sessions are kept, want %d", n, maxSessions)
	}
	if n := e.sts.callsOf("GetCallerIdentity"); n != 1 {
		t.Errorf("%d calls of STS, want 1", n)
	}
}

// TestIdentitiesAreBounded has a role that is assumed for each resource, and more resources than identities are kept.
func TestIdentitiesAreBounded(t *testing.T) {
	e := newEnv(t, Options{})
	entry, _ := e.cache.entry("cpc1", "1", "")
	used := e.cache.identity(entry, identityKey{})
	for i := range maxIdentities + 100 {
		e.cache.identity(entry, identityKey{tags: sessionTags{name: fmt.Sprint(i)}})
		e.wait(time.Millisecond)
		if e.cache.identity(entry, identityKey{}) != used {
			t.Fatalf("after %d resources, an identity in use is made again", i)
		}
	}
	if n := len(entry.identities); n > maxIdentities {
		t.Errorf("%d identities are kept, want %d", n, maxIdentities)
	}
}

// TestConfigsAreReleased uses a config once more after it was forgotten.
func TestConfigsAreReleased(t *testing.T) {
	e := newEnv(t, Options{}, namespaced(), secret(ns, "aws", map[string]string{"creds": ini}))
	e.resolve(t, function("ProviderConfig", "default"))
	e.Forget("pc1")
	e.resolve(t, function("ProviderConfig", "default"))
	e.wait(forgotten)
	e.cache.entry("another", "1", "")
	if _, ok := e.cache.configs["pc1"]; ok {
		t.Error("what nobody has looked at for a day is kept")
	}
}

// TestAccountIsAskedForAgain resolves a config that does without an answer of STS. STS is asked again after a while,
// because the account separates tenants and quotas, and all go on with what they have until it answers.
func TestAccountIsAskedForAgain(t *testing.T) {
	byResource := role(roleOne)
	byResource.ResourceTags = []string{"Namespace"}
	for name, tc := range map[string]struct {
		chain     []v1beta1.AssumeRoleOptions
		guess     string
		noAnswers bool
	}{
		"Rejected":  {guess: "unknown-"},
		"NoAnswers": {guess: "unknown-", noAnswers: true},
		"Role":      {chain: []v1beta1.AssumeRoleOptions{byResource}, guess: "111111111111"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{}, namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.SkipCredentialsValidation, s.AssumeRoleChain = true, tc.chain
			}), secret(ns, "aws", map[string]string{"creds": ini}))
			e.options.Breakers = breaker.New(e.now, func() float64 { return 0 })
			f := function("ProviderConfig", "default")
			if tc.noAnswers {
				e.sts.Config.Handler = http.HandlerFunc(
					func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
				)
			}
			e.sts.refuseWith("GetCallerIdentity", "AccessDenied")
			guessed := e.resolve(t, f)
			if !strings.HasPrefix(guessed.Identity.Account, tc.guess) {
				t.Errorf("without an answer of STS, the account is %s", guessed.Identity.Account)
			}
			for range 20 {
				for range 10 {
					if e.resolve(t, f) != guessed {
						t.Fatal("the session was replaced without an answer of STS")
					}
				}
				if _, err := e.Resolve(t.Context(), f, "us-east-1"); err != nil {
					t.Fatalf("another region: %v", err)
				}
				e.wait(longestBackoff)
			}
			if got := e.sts.callsOf("GetCallerIdentity"); got > 21 {
				t.Errorf("%d calls of STS in 20 minutes", got)
			}
			e.sts.Config.Handler = http.HandlerFunc(e.sts.serve)
			e.sts.refuseWith("GetCallerIdentity", "")
			known := e.resolve(t, f)
			if want := (quota.Scope{Account: "123456789012", Region: region}); known.Scope != want {
				t.Errorf("STS answers again: quotas are those of %v", known.Scope)
			}
			if e.resolve(t, f) != known {
				t.Error("a session is made once")
			}
		})
	}
}

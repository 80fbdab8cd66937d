package session

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

const (
	roleOne = "arn:aws:iam::111111111111:role/one"
	roleTwo = "arn:aws:iam::222222222222:role/two"
)

func TestResolveSession(t *testing.T) {
	e := newEnv(t, Options{},
		namespaced(func(s *v1beta1.ProviderConfigSpec) {
			s.Tags = map[string]v1beta1.TagValue{"team": "a"}
			s.IgnoreTags = &v1beta1.IgnoreTags{Keys: []string{"cost"}, KeyPrefixes: []string{"kubernetes.io/"}}
		}),
		secret(ns, "aws", map[string]string{"creds": ini}),
	)
	s := e.resolve(t, function("ProviderConfig", "default"))
	if diff := cmp.Diff(quota.Scope{Account: "123456789012", Region: region}, s.Scope); diff != "" {
		t.Errorf("Scope: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(Ref{Kind: "ProviderConfig", Namespace: ns, Name: "default", UID: "pc1"}, s.Ref); diff != "" {
		t.Errorf("Ref: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"team": "a"}, s.Tags); diff != "" {
		t.Errorf("Tags: -want, +got:\n%s", diff)
	}
	for key, want := range map[string]bool{
		"cost": true, "costs": false, "kubernetes.io/x": true,
		"aws:cloudformation:stack": true, "AWS:x": true, "team": false,
	} {
		if got := s.IgnoreTags.Match(key); got != want {
			t.Errorf("IgnoreTags.Match(%q): got %v", key, got)
		}
	}
	if s.Partition != "aws" || s.AWS.Region != region || s.Identity.ARN != "arn:aws:iam::123456789012:user/ci" {
		t.Errorf("partition %q, region %q, identity %q", s.Partition, s.AWS.Region, s.Identity.ARN)
	}
	if got := keyOf(t, s); got != "AKIAONE" {
		t.Errorf("signs with %q", got)
	}
	if c := Client(s, lambda.NewFromConfig); c != Client(s, lambda.NewFromConfig) {
		t.Error("a client is made once a session")
	}
	if e.resolve(t, function("ProviderConfig", "default")) != s {
		t.Error("a session is made once")
	}
}

// TestCache resolves a config very often, over changes and expiries, and counts the calls of STS.
func TestCache(t *testing.T) {
	pc := namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne), role(roleTwo)}
	})
	creds := secret(ns, "aws", map[string]string{"creds": ini})
	e := newEnv(t, Options{}, pc, creds)
	f := function("ProviderConfig", "default")
	use := func() string { return keyOf(t, e.resolve(t, f)) }
	expect := func(what string, assumed, identified int) {
		t.Helper()
		if got := e.sts.callsOf("AssumeRole"); got != assumed {
			t.Errorf("%s: %d calls of AssumeRole, want %d", what, got, assumed)
		}
		if got := e.sts.callsOf("GetCallerIdentity"); got != identified {
			t.Errorf("%s: %d calls of GetCallerIdentity, want %d", what, got, identified)
		}
	}

	first := use()
	for range 10_000 {
		if use() != first {
			t.Fatal("the credentials changed")
		}
	}
	expect("10,000 reconciles", 2, 1)

	if _, err := e.Resolve(t.Context(), f, "us-east-1"); err != nil {
		t.Fatal(err)
	}
	expect("another region", 2, 1)

	e.wait(50 * time.Minute)
	use()
	expect("before renewal is due", 2, 1)
	e.wait(6 * time.Minute)
	if use() == first {
		t.Error("credentials are renewed before they expire")
	}
	expect("renewal", 4, 1)

	e.update(t, creds, func() {
		creds.Data["creds"] = []byte("[default]\naws_access_key_id=AKIATWO\naws_secret_access_key=x\n")
	})
	use()
	expect("rotated Secret", 6, 2)
	if got := e.sts.of("AssumeRole")[4].Get("signedBy"); got != "AKIATWO" {
		t.Errorf("the first role is assumed by %q after the rotation", got)
	}
	if len(e.cache.configs) != 1 {
		t.Errorf("%d entries are kept of one config", len(e.cache.configs))
	}

	e.update(t, pc, func() { pc.Generation++; pc.Spec.AssumeRoleChain = nil })
	if got := use(); got != "AKIATWO" {
		t.Errorf("signs with %q without a chain", got)
	}
	expect("a changed config", 6, 3)

	e.Forget("pc1")
	if len(e.cache.configs) != 0 {
		t.Error("an entry outlives its config")
	}
}

// TestSecretWithBothSpellings resolves a config often whose Secret has the same entries in lower and in upper case.
func TestSecretWithBothSpellings(t *testing.T) {
	e := newEnv(t, Options{},
		namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef.Key = "" }),
		secret(ns, "aws", map[string]string{
			"aws_access_key_id": "AKIALOWER", "aws_secret_access_key": "lower",
			"AWS_ACCESS_KEY_ID": "AKIAUPPER", "AWS_SECRET_ACCESS_KEY": "upper",
		}))
	for range 100 {
		s := e.resolve(t, function("ProviderConfig", "default"))
		c, err := s.AWS.Credentials.Retrieve(t.Context())
		if err != nil || c.AccessKeyID != "AKIALOWER" || c.SecretAccessKey != "lower" {
			t.Fatalf(
				"the entries in lower case count, got key %s with secret %s, %v",
				c.AccessKeyID,
				c.SecretAccessKey,
				err,
			)
		}
	}
	if got := e.sts.callsOf("GetCallerIdentity"); got != 1 {
		t.Errorf("%d calls of STS, want 1", got)
	}
}

// TestConcurrentFirstUse has a hundred concurrent calls while STS is slow.
func TestConcurrentFirstUse(t *testing.T) {
	e := newEnv(t, Options{},
		namespaced(func(s *v1beta1.ProviderConfigSpec) {
			s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{
				role(roleOne),
			}
		}),
		secret(ns, "aws", map[string]string{"creds": ini}),
	)
	e.sts.unblock = make(chan struct{})
	var wg sync.WaitGroup
	// One caller gives up while it waits. That must not fail the others.
	impatient, cancel := context.WithCancel(t.Context())
	for i := range 100 {
		ctx := t.Context()
		if i == 0 {
			ctx = impatient
		}
		wg.Go(func() {
			f := function("ProviderConfig", "default")
			if _, err := e.Resolve(ctx, f, region); err != nil && i != 0 {
				t.Errorf("Resolve: %v", err)
			}
		})
	}
	for e.sts.callsOf("AssumeRole") == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	close(e.sts.unblock)
	wg.Wait()
	if a, g := e.sts.callsOf("AssumeRole"), e.sts.callsOf("GetCallerIdentity"); a != 1 || g != 1 {
		t.Errorf("%d calls of AssumeRole, %d of GetCallerIdentity, want 1 each", a, g)
	}
}

// TestRenewalWhileValid has an STS that fails, and then one that is slow, before credentials expire.
func TestRenewalWhileValid(t *testing.T) {
	e := newEnv(t, Options{},
		namespaced(func(s *v1beta1.ProviderConfigSpec) {
			s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{
				role(roleOne),
			}
		}),
		secret(ns, "aws", map[string]string{"creds": ini}),
	)
	s := e.resolve(t, function("ProviderConfig", "default"))
	first := keyOf(t, s)
	e.wait(56 * time.Minute)
	e.sts.refuseWith("AssumeRole", "AccessDenied")
	for range 5 {
		if keyOf(t, s) != first {
			t.Error("credentials in hand are valid still")
		}
	}
	if got := e.sts.callsOf("AssumeRole"); got != 2 {
		t.Errorf("%d calls of AssumeRole, want one more: a failure counts for a while", got)
	}
	e.wait(5 * time.Minute)
	if _, err := s.AWS.Credentials.Retrieve(t.Context()); err == nil {
		t.Error("credentials have expired, and there are no others")
	}
	e.sts.refuseWith("AssumeRole", "")
	e.wait(longestBackoff)
	if keyOf(t, s) == first {
		t.Error("credentials come again when STS gives them")
	}
}

func TestFailureCountsForAWhile(t *testing.T) {
	e := newEnv(t, Options{}, namespaced(), secret(ns, "aws", map[string]string{"creds": ini}))
	e.sts.refuseWith("GetCallerIdentity", "InvalidClientTokenId")
	f := function("ProviderConfig", "default")
	for range 100 {
		if _, err := e.Resolve(t.Context(), f, region); err == nil {
			t.Fatal("want an error")
		}
	}
	if got := e.sts.callsOf("GetCallerIdentity"); got != 1 {
		t.Errorf("%d calls for 100 resources of a broken config, want 1", got)
	}
	e.sts.refuseWith("GetCallerIdentity", "")
	e.wait(firstBackoff)
	e.resolve(t, f)
}

// TestWorkingConfigIsTriedAtOnce assumes a role that failed for long: once the config works, no
// resource has to wait because of an earlier failure.
func TestWorkingConfigIsTriedAtOnce(t *testing.T) {
	byResource := role(roleTwo)
	byResource.ResourceTags = []string{"Name"}
	c := namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne), byResource}
	})
	e := newEnv(t, Options{}, c, secret(ns, "aws", map[string]string{"creds": ini}))
	f := function("ProviderConfig", "default")
	e.sts.refuseWith("AssumeRole", "AccessDenied")
	for range 10 {
		if _, err := e.Resolve(t.Context(), f, region); err == nil {
			t.Fatal("want an error")
		}
		e.wait(longestBackoff)
	}
	if _, err := e.Resolve(t.Context(), f, region); err == nil {
		t.Fatal("want an error")
	}
	e.sts.refuseWith("AssumeRole", "")
	e.wait(30 * time.Second)
	if _, err := e.Resolve(t.Context(), f, region); err == nil {
		t.Fatal("a failure counts for a while")
	}
	e.wait(30 * time.Second)
	if _, err := e.Identify(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	e.resolve(t, f)
}

// TestChangedConfigIsProbed checks that the circuit breaker of a config lets a call pass after the
// config or its Secret has changed.
func TestChangedConfigIsProbed(t *testing.T) {
	aws := secret(ns, "aws", map[string]string{"creds": ini})
	c := namespaced()
	e := newEnv(t, Options{}, c, aws)
	e.options.Breakers = breaker.New(e.now, func() float64 { return 0 })
	k := breaker.Key{Config: c.GetUID(), Region: region}
	f := function("ProviderConfig", "default")
	e.resolve(t, f)
	open := func() {
		cfg := awssdk.Config{
			Region: region, HTTPClient: unanswering{},
			Credentials: credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
			Retryer:     func() awssdk.Retryer { return awssdk.NopRetryer{} },
		}
		cfg.APIOptions = append(cfg.APIOptions, middlewares{breakers: e.options.Breakers, breaker: k}.addTo)
		for range 5 {
			_, _ = lambda.NewFromConfig(cfg).ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
		}
	}
	wait := func() time.Duration {
		e.resolve(t, f)
		leave, wait := e.options.Breakers.Enter(k, "")
		leave()
		return wait
	}
	open()
	if wait() == 0 {
		t.Error("nothing has changed")
	}
	e.update(t, aws, func() { aws.Data["creds"] = []byte(strings.ReplaceAll(ini, "AKIAONE", "AKIATWO")) })
	if got := wait(); got != 0 {
		t.Errorf("the keys are others: waits %s", got)
	}
	open()
	e.update(t, c, func() { c.Spec.Tags, c.Generation = map[string]v1beta1.TagValue{"a": "b"}, c.Generation+1 })
	if got := wait(); got != 0 {
		t.Errorf("the config is another: waits %s", got)
	}
}

// unanswering is a network that never responds.
type unanswering struct{}

func (unanswering) Do(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }

func TestAssumeRoleChain(t *testing.T) {
	one := role(roleOne)
	one.ExternalID = new("ext")
	one.Tags = []v1beta1.SessionTag{{Key: "team", Value: "a"}}
	one.TransitiveTagKeys = []string{"team"}
	one.DurationSeconds = new(int32(7200))
	one.Policy = new(`{"Version":"2012-10-17"}`)
	one.PolicyARNs = []string{"arn:aws:iam::aws:policy/ReadOnlyAccess"}
	two := role(roleTwo)
	two.RoleSessionName = new("deploy")
	two.ResourceTags = []string{"Namespace", "Kind", "Name"}
	e := newEnv(t, Options{},
		namespaced(func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{one, two} }),
		secret(ns, "aws", map[string]string{"creds": ini}),
	)
	e.resolve(t, function("ProviderConfig", "default"))
	calls := e.sts.of("AssumeRole")
	want := []map[string]string{
		{
			"RoleArn":                    roleOne,
			"ExternalId":                 "ext",
			"DurationSeconds":            "7200",
			"RoleSessionName":            "provider-lambda",
			"signedBy":                   "AKIAONE",
			"Tags.member.1.Key":          "team",
			"Tags.member.1.Value":        "a",
			"TransitiveTagKeys.member.1": "team",
			"Policy":                     `{"Version":"2012-10-17"}`,
			"PolicyArns.member.1.arn":    "arn:aws:iam::aws:policy/ReadOnlyAccess",
		},
		{
			"RoleArn":             roleTwo,
			"ExternalId":          "",
			"DurationSeconds":     "3600",
			"RoleSessionName":     "deploy",
			"signedBy":            "ASIA1",
			"Tags.member.1.Key":   "crossplane-namespace",
			"Tags.member.1.Value": ns,
			"Tags.member.2.Key":   "crossplane-kind",
			"Tags.member.2.Value": "Function",
			"Tags.member.3.Key":   "crossplane-name",
			"Tags.member.3.Value": "orders",
		},
	}
	if len(calls) != len(want) {
		t.Fatalf("%d calls of AssumeRole", len(calls))
	}
	for i, w := range want {
		got := map[string]string{}
		for k := range w {
			got[k] = calls[i].Get(k)
		}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("call %d: -want, +got:\n%s", i, diff)
		}
	}

	// Each resource has a session of its own, and unused ones are dropped.
	other := function("ProviderConfig", "default")
	other.SetName("billing")
	other.SetUID("f2")
	e.resolve(t, other)
	e.resolve(t, other)
	if got := e.sts.callsOf("AssumeRole"); got != 3 {
		t.Errorf("%d calls of AssumeRole for two resources, want 3: the first role is that of both", got)
	}
	e.wait(3 * time.Hour)
	e.resolve(t, other)
	if got := len(e.cache.configs["pc1"].sessions); got != 1 {
		t.Errorf("%d sessions are kept, want that of the resource in use", got)
	}
}

func TestAllowedNamespaces(t *testing.T) {
	cases := map[string]struct {
		reason  string
		allowed *v1beta1.AllowedNamespaces
		want    bool
	}{
		"All":    {"Nothing said, all may.", nil, true},
		"None":   {"An empty list allows none.", &v1beta1.AllowedNamespaces{}, false},
		"Named":  {"A name that is listed may.", &v1beta1.AllowedNamespaces{Names: []string{"team-b", ns}}, true},
		"Others": {"A name that is not may not.", &v1beta1.AllowedNamespaces{Names: []string{"team-b"}}, false},
		"Matching": {
			"Labels that match may.",
			&v1beta1.AllowedNamespaces{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"aws": "yes"}}},
			true,
		},
		"Unmatching": {
			"Labels that do not match may not.",
			&v1beta1.AllowedNamespaces{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"aws": "no"}}},
			false,
		},
		"Either": {"One of both is enough.", &v1beta1.AllowedNamespaces{
			Names:    []string{ns},
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"aws": "no"}},
		}, true},
		"Everything": {
			"An empty selector matches all.", &v1beta1.AllowedNamespaces{Selector: &metav1.LabelSelector{}},
			true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{},
				cluster(func(s *v1beta1.ClusterProviderConfigSpec) {
					s.AllowedNamespaces = tc.allowed
					s.FunctionNames = []v1beta1.FunctionNameRule{
						{Prefixes: []v1beta1.FunctionNamePrefix{"{namespace}_"}},
					}
					s.Credentials.Source = v1beta1.CredentialsSourceSecret
					s.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
						Namespace: "crossplane-system",
						LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{
							Name: "aws",
							Key:  "creds",
						},
					}
				}),
				secret("crossplane-system", "aws", map[string]string{"creds": ini}),
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: map[string]string{"aws": "yes"}}},
			)
			f := function("ClusterProviderConfig", "default")
			_, err := e.Resolve(t.Context(), f, region)
			if (err == nil) != tc.want {
				t.Errorf("\n%s\nResolve: %v", tc.reason, err)
			}
			for name, want := range map[string]bool{"": !tc.want, ns + "_x": !tc.want, "x": true} {
				if got := e.Denies(t.Context(), f, name); got != want {
					t.Errorf("\n%s\nfunction %q is denied: %t", tc.reason, name, got)
				}
			}
			if !e.Denies(t.Context(), function("ClusterProviderConfig", "missing"), "") {
				t.Error("Nobody can use a config that does not exist.")
			}
		})
	}
}

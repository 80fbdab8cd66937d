package session

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestDoubleOncePerLifetime reconciles very often, and then each minute of a day.
func TestDoubleOncePerLifetime(t *testing.T) {
	b := newDoubleEnv(t, namespaced(chained), secret(ns, "aws", map[string]string{"creds": ini}))
	f := function("ProviderConfig", "default")
	for range 10_000 {
		keyOf(t, b.resolve(t, f))
	}
	b.expect(t, "10,000 resolves", map[string]int{"AssumeRole": 2, "GetCallerIdentity": 1})

	for range 24 * 60 {
		if err := b.call(t, f); err != nil {
			t.Fatalf("at %v: %v", b.now(), err)
		}
		b.wait(time.Minute)
	}
	// Credentials of an hour are renewed after 55 minutes: 27 times in a day, for two roles.
	b.expect(t, "a day", map[string]int{"AssumeRole": 2 * 27, "GetCallerIdentity": 1, "GetFunction": 24 * 60})
	for _, c := range b.double.Calls() {
		switch {
		case c.Operation == "GetFunction" && (c.ErrorCode != "ResourceNotFoundException" ||
			c.Account != "222222222222"):
			t.Fatalf("Lambda was called in account %s as %s: %s", c.Account, c.Caller, c.ErrorCode)
		case c.Resource == roleTwo && c.Caller != "arn:aws:sts::111111111111:assumed-role/one/provider-lambda":
			t.Fatalf("the second role was assumed by %s", c.Caller)
		}
	}
}

// TestDoubleConcurrentUse has many concurrent calls, at first and after an expiry.
func TestDoubleConcurrentUse(t *testing.T) {
	b := newDoubleEnv(t, namespaced(chained), secret(ns, "aws", map[string]string{"creds": ini}))
	for i := range 2 {
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				s, err := b.Resolve(t.Context(), function("ProviderConfig", "default"), region)
				if err != nil {
					t.Errorf("Resolve: %v", err)
					return
				}
				if _, err := s.AWS.Credentials.Retrieve(t.Context()); err != nil {
					t.Errorf("Retrieve: %v", err)
				}
			})
		}
		wg.Wait()
		b.expect(t, "concurrent use", map[string]int{"AssumeRole": 2 * (i + 1), "GetCallerIdentity": 1})
		b.wait(2 * time.Hour)
	}
}

// TestDoubleRotatedSecret replaces a key. AWS does not know the old one any more.
func TestDoubleRotatedSecret(t *testing.T) {
	for name, change := range map[string]func(*v1beta1.ProviderConfigSpec){
		"Keys":  func(*v1beta1.ProviderConfigSpec) {},
		"Roles": chained,
	} {
		t.Run(name, func(t *testing.T) {
			creds := secret(ns, "aws", map[string]string{"creds": ini})
			b := newDoubleEnv(t, namespaced(change), creds)
			f := function("ProviderConfig", "default")
			if err := b.call(t, f); err != nil {
				t.Fatal(err)
			}
			b.double.AddUser(awsdouble.User{
				ARN: userARN, AccessKeyID: "AKIANEW", SecretAccessKey: "new",
				MayAssume: []string{"*"},
			})
			b.double.RemoveKey("AKIAONE")
			if err := b.call(t, f); name == "Keys" && awserr.Code(err) != "UnrecognizedClientException" {
				t.Errorf("a key that was deleted is used still: %v", err)
			}
			b.update(t, creds, func() {
				creds.Data["creds"] = []byte("[default]\naws_access_key_id=AKIANEW\naws_secret_access_key=new\n")
			})
			if err := b.call(t, f); err != nil {
				t.Errorf("the new key must count at once: %v", err)
			}
		})
	}
}

// TestDoubleRotatedToken writes new tokens for a day as the kubelet does, each before the last one has expired.
func TestDoubleRotatedToken(t *testing.T) {
	b := newDoubleEnv(t, clusterSource(v1beta1.CredentialsSourceWebIdentity))
	b.environ["AWS_ROLE_ARN"], b.environ["AWS_WEB_IDENTITY_TOKEN_FILE"] = webRole, "/pod"
	f := function("ClusterProviderConfig", "default")
	for minute := range 24 * 60 {
		if minute%48 == 0 {
			b.files["/pod"] = b.token(t, "sts.amazonaws.com")
		}
		if err := b.call(t, f); err != nil {
			t.Fatalf("minute %d: %v", minute, err)
		}
		b.wait(time.Minute)
	}
	b.expect(t, "30 tokens in a day", map[string]int{"AssumeRoleWithWebIdentity": 30, "GetCallerIdentity": 1})
}

// TestDoubleSharedBeginning has resources of many namespaces, which the role distinguishes. What
// comes before that role is fetched once for all of them.
func TestDoubleSharedBeginning(t *testing.T) {
	tagged := role(roleTwo)
	tagged.ResourceTags = []string{"Namespace"}
	c := clusterSource(v1beta1.CredentialsSourceWebIdentity, func(s *v1beta1.ClusterProviderConfigSpec) {
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne), tagged}
	})
	b := newDoubleEnv(t, c)
	b.environ["AWS_ROLE_ARN"], b.environ["AWS_WEB_IDENTITY_TOKEN_FILE"] = webRole, "/pod"
	b.files["/pod"] = b.token(t, "sts.amazonaws.com")
	const namespaces = 50
	var wg sync.WaitGroup
	for i := range 4 * namespaces {
		wg.Go(func() {
			f := function("ClusterProviderConfig", "default")
			f.SetNamespace(fmt.Sprintf("team-%d", i%namespaces))
			if _, err := b.Resolve(t.Context(), f, region); err != nil {
				t.Errorf("Resolve: %v", err)
			}
		})
	}
	wg.Wait()
	if _, err := b.Identify(t.Context(), c); err != nil {
		t.Errorf("Identify: %v", err)
	}
	b.expect(t, "50 namespaces", map[string]int{
		"AssumeRoleWithWebIdentity": 1, "AssumeRole": 1 + namespaces,
		"GetCallerIdentity": namespaces + 1,
	})
}

// TestDoubleRefusedToken has resources that the last role distinguishes, and a token that AWS does not accept. What
// they share is tried once for all of them, until the failure no longer counts.
func TestDoubleRefusedToken(t *testing.T) {
	tagged := role(roleTwo)
	tagged.ResourceTags = []string{"Name"}
	b := newDoubleEnv(
		t,
		clusterSource(v1beta1.CredentialsSourceWebIdentity, func(s *v1beta1.ClusterProviderConfigSpec) {
			s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{tagged}
		}),
	)
	b.environ["AWS_ROLE_ARN"], b.environ["AWS_WEB_IDENTITY_TOKEN_FILE"] = webRole, "/pod"
	token, err := b.issuer.Token("system:serviceaccount:team-b:x", "sts.amazonaws.com", b.now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	b.files["/pod"] = token
	resolve := func(i int, region string) {
		f := function("ClusterProviderConfig", "default")
		f.SetName(fmt.Sprintf("function-%d", i))
		if _, err := b.Resolve(t.Context(), f, region); err == nil || !strings.Contains(err.Error(), "AccessDenied") {
			t.Errorf("Resolve: %v", err)
		}
	}
	for i := range 50 {
		resolve(i, region)
	}
	b.expect(t, "50 resources", map[string]int{"AssumeRoleWithWebIdentity": 1})
	resolve(50, "us-east-1")
	b.expect(
		t,
		"a resource of a region that the account may have enabled",
		map[string]int{"AssumeRoleWithWebIdentity": 2},
	)
	b.wait(firstBackoff)
	resolve(51, region)
	b.expect(t, "a while later", map[string]int{"AssumeRoleWithWebIdentity": 3})
}

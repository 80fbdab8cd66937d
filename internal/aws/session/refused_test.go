package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestDoubleRefusedSession ends a session of a role before it expires, as AWS does when the role is deleted and created
// again.
func TestDoubleRefusedSession(t *testing.T) {
	const unknown, denied = "UnrecognizedClientException", "AccessDeniedException"
	cases := map[string]struct {
		reason string
		age    time.Duration
		again  bool
		denied string
		want   []string
		calls  int
	}{
		"Revoked": {
			reason: "A policy denies everything to sessions that are older than it.", age: 10 * time.Minute,
			denied: "with an explicit deny in an identity-based policy", want: []string{denied, "", ""}, calls: 3,
		},
		"Denied": {
			reason: "Another session would have no more permissions.", age: 10 * time.Minute,
			denied: "because no identity-based policy allows the action", want: []string{denied, "", ""}, calls: 2,
		},
		"Old": {
			reason: "The role is assumed again, instead of in an hour.", age: 10 * time.Minute,
			want: []string{unknown, "", ""}, calls: 3,
		},
		"New": {
			reason: "Another session would be refused, too: the region may not be enabled.", age: time.Minute,
			want: []string{unknown, unknown, unknown}, calls: 2,
		},
		"Always": {
			reason: "However many calls are refused, the role is assumed once.", age: 10 * time.Minute, again: true,
			want: []string{unknown, unknown, unknown}, calls: 3,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newDoubleEnv(t, namespaced(chained), secret(ns, "aws", map[string]string{"creds": ini}))
			f := function("ProviderConfig", "default")
			if err := b.call(t, f); err != nil {
				t.Fatal(err)
			}
			b.wait(tc.age)
			if tc.denied == "" {
				b.double.RemoveKey(keyOf(t, b.resolve(t, f)))
			} else {
				b.double.Fail(
					awsdouble.Fault{Error: awsdouble.Error{Status: 403, Code: denied, Message: "User: arn:aws:sts::" +
						"123456789012:assumed-role/r/s is not authorized to perform: lambda:GetFunction " + tc.denied}},
				)
			}
			for i, want := range tc.want {
				if got := awserr.Code(b.call(t, f)); got != want {
					t.Errorf("%s\ncall %d: want %q, got %q", tc.reason, i+1, want, got)
				}
				if tc.again {
					b.double.RemoveKey(keyOf(t, b.resolve(t, f)))
				}
			}
			b.expect(t, tc.reason, map[string]int{"AssumeRole": tc.calls})
		})
	}
}

// TestDoubleRefusedBeginning ends the session by which the role of each namespace is assumed.
func TestDoubleRefusedBeginning(t *testing.T) {
	tagged := role(roleTwo)
	tagged.ResourceTags = []string{"Name"}
	b := newDoubleEnv(t, namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne), tagged}
	}), secret(ns, "aws", map[string]string{"creds": ini}))
	f := function("ProviderConfig", "default")
	if err := b.call(t, f); err != nil {
		t.Fatal(err)
	}
	b.wait(10 * time.Minute)
	first := b.cache.configs["pc1"].base[region].value
	b.double.RemoveKey(keyOf(t, &Session{AWS: first}))
	other := f.DeepCopy()
	other.SetName("invoices")
	if err := b.call(t, other); err == nil {
		t.Error("AWS does not know the session any more")
	}
	b.wait(firstBackoff)
	if err := b.call(t, other); err != nil {
		t.Errorf("the first role is to be assumed again: %v", err)
	}
}

// TestDoubleRefusedKeys deletes the access key of a config that was checked with success.
func TestDoubleRefusedKeys(t *testing.T) {
	c := namespaced()
	b := newDoubleEnv(t, c, secret(ns, "aws", map[string]string{"creds": ini}))
	f := function("ProviderConfig", "default")
	if _, err := b.Identify(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	b.wait(time.Hour)
	b.double.RemoveKey("AKIAONE")
	if err := b.call(t, f); err == nil {
		t.Fatal("AWS does not know the key any more")
	}
	if _, err := b.Identify(t.Context(), c); err == nil || !strings.Contains(err.Error(), "does not accept") {
		t.Errorf("the config does not work any more: %v", err)
	}
	b.double.AddUser(awsdouble.User{ARN: userARN, AccessKeyID: "AKIAONE", SecretAccessKey: "hunter2"})
	b.wait(firstBackoff)
	if _, err := b.Identify(t.Context(), c); err != nil {
		t.Errorf("the config works again: %v", err)
	}
}

// TestDoubleRefusedGuess deletes the access key of a config whose account is a guess.
func TestDoubleRefusedGuess(t *testing.T) {
	b := newDoubleEnv(t, namespaced(func(s *v1beta1.ProviderConfigSpec) { s.SkipCredentialsValidation = true }),
		secret(ns, "aws", map[string]string{"creds": ini}))
	b.double.RemoveKey("AKIAONE")
	for range 3 {
		if got := awserr.Code(b.call(t, function("ProviderConfig", "default"))); got != "UnrecognizedClientException" {
			t.Errorf("AWS does not know the key: got %q", got)
		}
	}
}

// TestDoubleRefusedFile replaces the keys in a file that the SDK's default chain reads.
func TestDoubleRefusedFile(t *testing.T) {
	cleanEnvironment(t)
	b := newDoubleEnv(t, clusterSource(v1beta1.CredentialsSourceIRSA))
	path := file(t, ini)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", path)
	f := function("ClusterProviderConfig", "default")
	if err := b.call(t, f); err != nil {
		t.Fatal(err)
	}
	b.wait(time.Hour)
	b.double.AddUser(awsdouble.User{ARN: userARN, AccessKeyID: "AKIANEW", SecretAccessKey: "hunter2"})
	b.double.RemoveKey("AKIAONE")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(ini, "AKIAONE", "AKIANEW")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.call(t, f); err == nil {
		t.Error("AWS does not know the old key any more")
	}
	if err := b.call(t, f); err != nil {
		t.Errorf("the file has a new key: %v", err)
	}
}

// TestExpiredAlready has a clock that is ahead of that of STS by more than the lifetime of credentials.
func TestExpiredAlready(t *testing.T) {
	e := newEnv(t, Options{}, namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.AssumeRoleChain, s.SkipRequestingAccountID = []v1beta1.AssumeRoleOptions{role(roleOne)}, true
	}), secret(ns, "aws", map[string]string{"creds": ini}))
	e.sts.lifetime = -time.Minute
	s := e.resolve(t, function("ProviderConfig", "default"))
	for range 100 {
		keyOf(t, s)
	}
	if got := e.sts.callsOf("AssumeRole"); got != 1 {
		t.Errorf("%d calls of AssumeRole for 100 calls of AWS, want 1", got)
	}
	e.wait(shortestUse)
	keyOf(t, s)
	if got := e.sts.callsOf("AssumeRole"); got != 2 {
		t.Errorf("%d calls of AssumeRole after a minute, want 2", got)
	}
}

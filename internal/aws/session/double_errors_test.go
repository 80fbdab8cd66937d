package session

import (
	"strings"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestDoubleErrors has AWS reject what is wrong in IAM, and checks the messages for users.
func TestDoubleErrors(t *testing.T) {
	const using = `cannot use ProviderConfig "default" of namespace "team-a": `
	long := role(roleOne)
	long.DurationSeconds = new(int32(43200))
	one := func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne)} }
	web := func(s *v1beta1.ProviderConfigSpec) {
		s.Credentials = v1beta1.ProviderCredentials{
			Source: v1beta1.CredentialsSourceWebIdentity,
			WebIdentity: &v1beta1.WebIdentityOptions{
				WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(webRole)},
				TokenConfig: &v1beta1.WebIdentityTokenConfig{
					Source:    v1beta1.CredentialsSourceSecret,
					SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
				},
			},
		}
	}
	jwt := func(subject, audience string, lasts time.Duration) func(*testing.T, *doubleEnv) string {
		return func(t *testing.T, b *doubleEnv) string {
			t.Helper()
			text, err := b.issuer.Token(subject, audience, b.now().Add(lasts))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	cases := map[string]struct {
		change func(*v1beta1.ProviderConfigSpec)
		role   *awsdouble.Role
		creds  func(*testing.T, *doubleEnv) string
		want   string
	}{
		"UnknownKey": {
			creds: func(*testing.T, *doubleEnv) string {
				return "[default]\naws_access_key_id=AKIANO\naws_secret_access_key=hunter2\n"
			},
			want: "InvalidClientTokenId: AWS does not know the access key, or the session token does not match it: " +
				"check the credentials",
		},
		"WrongSecret": {
			creds: func(*testing.T, *doubleEnv) string {
				return "[default]\naws_access_key_id=AKIAONE\naws_secret_access_key=hunter3\n"
			},
			want: "SignatureDoesNotMatch: the signature does not match: check the secret access key, the signing " +
				"region and the clock of the provider's node",
		},
		"NotTrusted": {
			change: one,
			role:   &awsdouble.Role{ARN: roleOne},
			want: "AccessDenied: " + userARN + " may not sts:AssumeRole on " + roleOne + ": allow sts:AssumeRole on " + roleOne + " for " + userARN + " in its policy, " +
				"and trust " + userARN + " in the role's trust policy, with the external id and tags that it asks for",
		},
		"TooLong": {
			change: func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{long} },
			want:   "ValidationError: The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
		},
		"TokenAudience": {
			change: web, creds: jwt(subject, "kubernetes", time.Hour),
			want: "InvalidIdentityToken: Incorrect token audience",
		},
		"TokenSubject": {
			change: web, creds: jwt("system:serviceaccount:team-b:x", "sts.amazonaws.com", time.Hour),
			want: "AccessDenied: ",
		},
		"TokenExpired": {
			change: web, creds: jwt(subject, "sts.amazonaws.com", -time.Minute),
			want: "ExpiredTokenException: the credentials or the token have expired: renew them",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := secret(ns, "aws", map[string]string{"creds": ini})
			change := tc.change
			if change == nil {
				change = func(*v1beta1.ProviderConfigSpec) {}
			}
			b := newDoubleEnv(t, namespaced(change), s)
			if tc.role != nil {
				b.double.AddRole(*tc.role)
			}
			if tc.creds != nil {
				b.update(t, s, func() { s.Data["creds"] = []byte(tc.creds(t, b)) })
			}
			err := b.call(t, function("ProviderConfig", "default"))
			if err == nil || !strings.HasPrefix(err.Error(), using) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got  %v\nwant %s%s", err, using, tc.want)
			}
			for _, word := range []string{"hunter2", "hunter3", string(s.Data["creds"])} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("the error shows a secret: %v", err)
				}
			}
		})
	}
}

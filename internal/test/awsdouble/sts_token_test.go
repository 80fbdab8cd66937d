package awsdouble

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

const subject = "system:serviceaccount:shop:deployer"

func newIssuer(t *testing.T, url, algorithm string) *Issuer {
	t.Helper()
	i, err := NewIssuer(url, algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func signToken(t *testing.T, i *Issuer, subject, audience string, expires time.Time) string {
	t.Helper()
	text, err := i.Token(subject, audience, expires)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// forged replaces one part of a token.
func forged(token string, part int, with string) string {
	parts := strings.Split(token, ".")
	parts[part] = base64.RawURLEncoding.EncodeToString([]byte(with))
	return strings.Join(parts, ".")
}

func TestWebIdentity(t *testing.T) {
	const (
		noJWT = "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)"
		noKey = "Couldn't retrieve verification key from your identity provider,  please reference " +
			"AssumeRoleWithWebIdentity documentation for requirements"
		denied = "Not authorized to perform sts:AssumeRoleWithWebIdentity"
	)
	rs, es, other := newIssuer(t, issuer, RS256), newIssuer(t, issuer, ES256), newIssuer(t,
		"https://elsewhere.example.org", ES256)
	now := newClock().now()
	later := now.Add(time.Hour)
	good := signToken(t, es, subject, "sts.amazonaws.com", later)
	cases := map[string]struct {
		reason  string
		issuer  *Issuer
		token   string
		role    string
		code    string
		message string
	}{
		"RS256": {
			reason: "A token of a cluster.", issuer: rs,
			token: signToken(t, rs, subject, "sts.amazonaws.com", later),
		},
		"ES256": {reason: "A token of another sort of key.", token: good},
		"NoJWT": {
			reason: "What is no token is said to be none.", token: "token", code: "InvalidIdentityToken",
			message: noJWT,
		},
		"NoBase64": {reason: "Nor is this.", token: "a.b.!", code: "InvalidIdentityToken", message: noJWT},
		"OtherKey": {reason: "A key of that issuer that it has not published.", token: signToken(t, newIssuer(t,
			issuer, ES256), subject, "sts.amazonaws.com", later), code: "InvalidIdentityToken", message: noKey},
		"ForgedClaim": {
			reason: "Another subject does not have the signature.",
			token: forged(good, 1, `{"iss":"`+issuer+`","sub":"`+subject+
				`","aud":"sts.amazonaws.com","exp":9999999999}`), code: "InvalidIdentityToken", message: noKey,
		},
		"Unsigned": {
			reason: "A token must not say that it needs no signature.",
			token:  forged(forged(good, 0, `{"alg":"none"}`), 2, ""), code: "InvalidIdentityToken", message: noKey,
		},
		"OtherIssuer": {
			reason: "The account knows no such issuer.", token: signToken(t, other, subject,
				"sts.amazonaws.com", later), code: "InvalidIdentityToken",
			message: "No OpenIDConnect provider found in your account for https://elsewhere.example.org",
		},
		"OtherAccount": {
			reason: "The issuer is known in one account, not in the other.", token: good, role: roleB,
			code: "InvalidIdentityToken", message: "No OpenIDConnect provider found in your account for " + issuer,
		},
		"Audience": {reason: "A token that is meant for something else.", token: signToken(t, es, subject,
			"kubernetes", later), code: "InvalidIdentityToken", message: "Incorrect token audience"},
		"RoleAudience": {
			reason: "The role asks for another of the audiences.",
			token:  signToken(t, es, subject, "second", later), code: "AccessDenied", message: denied,
		},
		"Subject": {reason: "Another ServiceAccount.", token: signToken(t, es, "system:serviceaccount:shop:default",
			"sts.amazonaws.com", later), code: "AccessDenied", message: denied},
		"Expired": {
			reason: "A token ends.", token: signToken(t, es, subject, "sts.amazonaws.com", now),
			code: "ExpiredTokenException",
		},
		"NoTrust": {
			reason: "A role that trusts no issuer.", token: good, role: roleA, code: "AccessDenied",
			message: denied,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, _ := strict(t)
			const web = "arn:aws:iam::123456789012:role/web"
			if tc.issuer == nil {
				tc.issuer = es
			}
			if tc.role == "" {
				tc.role = web
			}
			s.AddIssuer("123456789012", tc.issuer, "sts.amazonaws.com", "second")
			s.AddRole(Role{
				ARN:         web,
				WebIdentity: &WebIdentity{Issuer: issuer, Subject: subject, Audience: "sts.amazonaws.com"},
			})
			out, err := sts.NewFromConfig(as(s, aws.Credentials{})).AssumeRoleWithWebIdentity(t.Context(),
				&sts.AssumeRoleWithWebIdentityInput{
					RoleArn: aws.String(tc.role), RoleSessionName: aws.String("it"),
					WebIdentityToken: aws.String(tc.token),
				})
			if tc.code != "" {
				wantError(t, err, tc.code, tc.message)
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if got := whoami(t,
				as(s, keysOf(out.Credentials))); got != "arn:aws:sts::123456789012:assumed-role/web/it" {
				t.Errorf("%s: acts as %s", tc.reason, got)
			}
		})
	}
}

// TestPodIdentity uses the agent of EKS Pod Identity with the SDK's own client.
func TestPodIdentity(t *testing.T) {
	s, clock := strict(t)
	i := newIssuer(t, issuer, RS256)
	s.AddIssuer("123456789012", i, podAudience)
	s.AddPodIdentity(i, subject, roleA)
	later := clock.now().Add(24 * time.Hour)
	good := signToken(t, i, subject, podAudience, later)
	fetch := func(token string) (aws.Credentials, error) {
		return endpointcreds.New(s.URL()+"/v1/credentials", func(o *endpointcreds.Options) {
			o.AuthorizationToken, o.Retryer = token, aws.NopRetryer{}
		}).Retrieve(t.Context())
	}
	refused := func(what, token, want string) {
		t.Helper()
		if _, err := fetch(token); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", what, err, want)
		}
	}
	refused("a role that does not trust pods", good, "EKS does not have permissions to assume the associated role")
	s.AddRole(Role{ARN: roleA, Principals: []string{ServicePods}, TagSession: true, MayAssume: []string{roleB}})
	refused("no token", "", "Service account token cannot be empty")
	refused("no JWT", "x", "InvalidTokenException")
	refused("another ServiceAccount", signToken(t, i, "system:serviceaccount:shop:default", podAudience, later),
		"No associations found")
	refused("another audience", signToken(t, i, subject, "sts.amazonaws.com", later), "Incorrect token audience")
	refused("an expired token", signToken(t, i, subject, podAudience, clock.now()), "ExpiredTokenException")
	refused("another's signature", signToken(t, newIssuer(t, issuer, RS256), subject, podAudience, later),
		"InvalidIdentityToken")

	keys, err := fetch(good)
	if err != nil {
		t.Fatal(err)
	}
	if want := clock.now().Add(time.Hour); !keys.Expires.Equal(want) || keys.AccountID != "123456789012" {
		t.Errorf("of %s until %v, want %v", keys.AccountID, keys.Expires, want)
	}
	if got := whoami(t, as(s, keys)); got != "arn:aws:sts::123456789012:assumed-role/a/eks-double-pod" {
		t.Errorf("acts as %s", got)
	}
	// EKS tags the session, and the tags are transitive to any further role.
	_, err = assume(t, as(s, keys), &sts.AssumeRoleInput{RoleArn: aws.String(roleB)})
	wantError(t, err, "AccessDenied", "User: arn:aws:sts::123456789012:assumed-role/a/eks-double-pod is not "+
		"authorized to perform: sts:TagSession on resource: "+roleB)
}

// TestInstanceMetadata uses the role of a node with the SDK's own client.
func TestInstanceMetadata(t *testing.T) {
	s, _ := strict(t)
	fetch := func() (aws.Credentials, error) {
		return ec2rolecreds.New(func(o *ec2rolecreds.Options) {
			o.Client = imds.New(imds.Options{Endpoint: s.URL(), Retryer: aws.NopRetryer{}})
		}).Retrieve(t.Context())
	}
	if _, err := fetch(); err == nil {
		t.Error("a node without a role has credentials")
	}
	s.AddInstanceProfile(roleA)
	if _, err := fetch(); err == nil {
		t.Error("a role that does not trust EC2 is the node's")
	}
	s.AddRole(Role{ARN: roleA, Principals: []string{ServiceInstances}})
	keys, err := fetch()
	if err != nil {
		t.Fatal(err)
	}
	if got := whoami(t, as(s, keys)); got != "arn:aws:sts::123456789012:assumed-role/a/i-0123456789abcdef0" {
		t.Errorf("acts as %s", got)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/latest/meta-data/iam/security-credentials/", nil))
	if w.Code != http.StatusUnauthorized {
		t.Errorf("without a token (IMDSv1): %d, want %d", w.Code, http.StatusUnauthorized)
	}
}

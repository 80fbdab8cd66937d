package awsdouble

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	ecrtypes "github.com/aws/aws-sdk-go-v2/service/ecr/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/aws-sdk-go-v2/service/sts/types"
)

const (
	alice  = "arn:aws:iam::123456789012:user/alice"
	roleA  = "arn:aws:iam::123456789012:role/team/a"
	roleB  = "arn:aws:iam::210987654321:role/b"
	issuer = "https://oidc.example.org/id/1"
)

var aliceKey = aws.Credentials{AccessKeyID: "AKIAALICE", SecretAccessKey: "alice's"}

// strict returns a double with the user alice and a role in each of two accounts.
func strict(t *testing.T) (*Server, *clock) {
	t.Helper()
	c := newClock()
	s := start(t, Options{Now: c.now, StrictCredentials: true})
	s.AddUser(User{
		ARN: alice, AccessKeyID: aliceKey.AccessKeyID, SecretAccessKey: aliceKey.SecretAccessKey,
		MayAssume: []string{roleB},
	})
	s.AddRole(Role{ARN: roleA, Principals: []string{alice}, MayAssume: []string{roleB}})
	s.AddRole(Role{ARN: roleB, Principals: []string{"arn:aws:iam::123456789012:root"}})
	return s, c
}

// as returns a configuration that signs with some keys, and does not retry.
func as(s *Server, keys aws.Credentials) aws.Config {
	c := s.Config(testRegion)
	c.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return keys, nil })
	if keys.AccessKeyID == "" {
		c.Credentials = aws.AnonymousCredentials{}
	}
	c.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	return c
}

func assume(t *testing.T, c aws.Config, in *sts.AssumeRoleInput) (aws.Credentials, error) {
	t.Helper()
	if in.RoleSessionName == nil {
		in.RoleSessionName = aws.String("it")
	}
	out, err := sts.NewFromConfig(c).AssumeRole(t.Context(), in)
	if err != nil {
		return aws.Credentials{}, err
	}
	return keysOf(out.Credentials), nil
}

func keysOf(c *types.Credentials) aws.Credentials {
	return aws.Credentials{
		AccessKeyID: *c.AccessKeyId, SecretAccessKey: *c.SecretAccessKey,
		SessionToken: *c.SessionToken, Expires: *c.Expiration,
	}
}

func whoami(t *testing.T, c aws.Config) string {
	t.Helper()
	out, err := sts.NewFromConfig(c).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
	if err != nil {
		t.Fatalf("GetCallerIdentity: %v", err)
	}
	return *out.Arn
}

// TestSignaturesAreChecked checks that every service verifies the signature.
func TestSignaturesAreChecked(t *testing.T) {
	s, clock := strict(t)
	s.CreateBucket("b", false)
	services := map[string]func(aws.Config) error{
		"lambda": func(c aws.Config) error {
			_, err := lambda.NewFromConfig(c).ListTags(t.Context(),
				&lambda.ListTagsInput{Resource: aws.String("arn:aws:lambda:eu-west-1:123456789012:function:f")})
			if err != nil && strings.Contains(err.Error(), "ResourceNotFoundException") {
				return nil
			}
			return err
		},
		"s3": func(c aws.Config) error {
			_, err := s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true }).PutObject(t.Context(),
				&s3.PutObjectInput{
					Bucket: aws.String("b"), Key: aws.String("a dir/ä+k"), Body: bytes.NewReader([]byte("x")),
				})
			return err
		},
		"sts": func(c aws.Config) error {
			_, err := sts.NewFromConfig(c).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
			return err
		},
		"ecr": func(c aws.Config) error {
			_, err := ecr.NewFromConfig(c).BatchGetImage(t.Context(),
				&ecr.BatchGetImageInput{RepositoryName: aws.String(
					"r"), ImageIds: []ecrtypes.ImageIdentifier{{ImageTag: aws.String("t")}}})
			return err
		},
	}
	session, err := assume(t, as(s, aliceKey), &sts.AssumeRoleInput{RoleArn: aws.String(roleA)})
	if err != nil {
		t.Fatal(err)
	}
	expired, err := assume(t, as(s, aliceKey),
		&sts.AssumeRoleInput{RoleArn: aws.String(roleA), DurationSeconds: aws.Int32(900)})
	if err != nil {
		t.Fatal(err)
	}
	clock.move(15 * time.Minute)
	cases := map[string]struct {
		keys aws.Credentials
		// want by service; lambda's is that of ecr too.
		lambda, sts, s3 string
	}{
		"User":    {keys: aliceKey},
		"Session": {keys: session},
		"Anonymous": {
			aws.Credentials{},
			"MissingAuthenticationTokenException", "MissingAuthenticationToken",
			"AccessDenied",
		},
		"UnknownKey": {
			aws.Credentials{AccessKeyID: "AKIANOBODY", SecretAccessKey: "x"},
			"UnrecognizedClientException", "InvalidClientTokenId", "InvalidAccessKeyId",
		},
		"WrongSecret": {
			aws.Credentials{AccessKeyID: "AKIAALICE", SecretAccessKey: "bob's"},
			"InvalidSignatureException", "SignatureDoesNotMatch", "SignatureDoesNotMatch",
		},
		"NoToken": {
			aws.Credentials{AccessKeyID: session.AccessKeyID, SecretAccessKey: session.SecretAccessKey},
			"UnrecognizedClientException", "InvalidClientTokenId", "InvalidAccessKeyId",
		},
		"ForeignToken": {
			aws.Credentials{
				AccessKeyID: session.AccessKeyID, SecretAccessKey: session.SecretAccessKey,
				SessionToken: expired.SessionToken,
			},
			"UnrecognizedClientException", "InvalidClientTokenId", "InvalidAccessKeyId",
		},
		"Expired": {expired, "ExpiredTokenException", "ExpiredToken", "ExpiredToken"},
	}
	for name, tc := range cases {
		for service, want := range map[string]string{
			"lambda": tc.lambda, "ecr": tc.lambda, "sts": tc.sts,
			"s3": tc.s3,
		} {
			t.Run(name+"/"+service, func(t *testing.T) {
				err := services[service](as(s, tc.keys))
				if want != "" {
					wantError(t, err, want, "")
				} else if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A doer is an HTTP client.
type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// TestChangedCallsAreRefused checks that the signature does not match a call that was changed on its way.
func TestChangedCallsAreRefused(t *testing.T) {
	s, _ := strict(t)
	for what, change := range map[string]func(*http.Request){
		"the body": func(r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			b = bytes.Replace(b, []byte("python3.12"), []byte("python3.13"), 1)
			r.Body = io.NopCloser(bytes.NewReader(b))
		},
		"the query":  func(r *http.Request) { r.URL.RawQuery = "Qualifier=1" },
		"the path":   func(r *http.Request) { r.URL.Path += "/" },
		"a header":   func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"the method": func(r *http.Request) { r.Method = http.MethodPut; r.URL.Path += "/f/code" },
	} {
		t.Run(what, func(t *testing.T) {
			c := as(s, aliceKey)
			c.HTTPClient = doer(func(r *http.Request) (*http.Response, error) {
				change(r)
				return http.DefaultClient.Do(r)
			})
			_, err := lambda.NewFromConfig(c).CreateFunction(t.Context(), zipFunction(t, "f"))
			wantError(t, err, "InvalidSignatureException", signatureMismatch)
		})
	}
	create(t, clientOf(as(s, aliceKey)), zipFunction(t, "f"))
}

func TestAssumeRole(t *testing.T) {
	denied := func(action string) string {
		return "User: " + alice + " is not authorized to perform: " + action + " on resource: " + roleB
	}
	tag := func(kv ...string) []types.Tag {
		tags := []types.Tag{}
		for i := 0; i < len(kv); i += 2 {
			tags = append(tags, types.Tag{Key: aws.String(kv[i]), Value: aws.String(kv[i+1])})
		}
		return tags
	}
	cases := map[string]struct {
		role    Role
		in      sts.AssumeRoleInput
		code    string
		message string
	}{
		"Account": {role: Role{Principals: []string{"arn:aws:iam::123456789012:root"}}},
		"Itself":  {role: Role{Principals: []string{alice}}},
		"Stranger": {
			role: Role{Principals: []string{"arn:aws:iam::999999999999:root"}}, code: "AccessDenied",
			message: denied("sts:AssumeRole"),
		},
		"Nobody": {code: "AccessDenied", message: denied("sts:AssumeRole")},
		"ExternalID": {
			role: Role{Principals: []string{alice}, ExternalID: "x1"},
			in:   sts.AssumeRoleInput{ExternalId: aws.String("x1")},
		},
		"NoExternalID": {
			role: Role{Principals: []string{alice}, ExternalID: "x1"}, code: "AccessDenied",
			message: denied("sts:AssumeRole"),
		},
		"Tags": {
			role: Role{Principals: []string{alice}, TagSession: true},
			in:   sts.AssumeRoleInput{Tags: tag("team", "a"), TransitiveTagKeys: []string{"team"}},
		},
		"NoTagSession": {
			role: Role{Principals: []string{alice}}, in: sts.AssumeRoleInput{Tags: tag("team", "a")},
			code: "AccessDenied", message: denied("sts:TagSession"),
		},
		"OtherTag": {
			role: Role{Principals: []string{alice}, TagSession: true, TagKeys: []string{"app"}},
			in:   sts.AssumeRoleInput{Tags: tag("team", "a")}, code: "AccessDenied", message: denied("sts:TagSession"),
		},
		"TagAsked": {role: Role{
			Principals: []string{alice}, TagSession: true,
			RequestTags: map[string]string{
				"team": "a",
				"app":  "*",
			},
		}, in: sts.AssumeRoleInput{Tags: tag("team", "a", "app", "b")}},
		"TagMissing": {role: Role{
			Principals: []string{alice}, TagSession: true,
			RequestTags: map[string]string{"team": "a"},
		}, code: "AccessDenied", message: denied("sts:AssumeRole")},
		"TagOther": {role: Role{
			Principals: []string{alice}, TagSession: true,
			RequestTags: map[string]string{"team": "a"},
		}, in: sts.AssumeRoleInput{Tags: tag(
			"team", "b")}, code: "AccessDenied", message: denied("sts:AssumeRole")},
		"TagTwice": {
			role: Role{Principals: []string{alice}, TagSession: true},
			in:   sts.AssumeRoleInput{Tags: tag("team", "a", "Team", "b")}, code: "InvalidParameterValue",
		},
		"NotATag": {
			role: Role{Principals: []string{alice}, TagSession: true},
			in:   sts.AssumeRoleInput{TransitiveTagKeys: []string{"team"}}, code: "InvalidParameterValue",
			message: "The specified transitive tag key must be included in the requested tags.",
		},
		"Long": {
			role: Role{Principals: []string{alice}, MaxSessionDuration: 2 * time.Hour},
			in:   sts.AssumeRoleInput{DurationSeconds: aws.Int32(7200)},
		},
		"TooLong": {
			role: Role{Principals: []string{alice}}, in: sts.AssumeRoleInput{DurationSeconds: aws.Int32(3601)},
			code:    "ValidationError",
			message: "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
		},
		"TooShort": {
			role: Role{Principals: []string{alice}}, in: sts.AssumeRoleInput{DurationSeconds: aws.Int32(60)},
			code: "ValidationError",
		},
		"NoPolicy": {
			role: Role{Principals: []string{alice}}, in: sts.AssumeRoleInput{Policy: aws.String("{")},
			code: "MalformedPolicyDocument",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, _ := strict(t)
			tc.role.ARN, tc.in.RoleArn = roleB, aws.String(roleB)
			s.AddRole(tc.role)
			keys, err := assume(t, as(s, aliceKey), &tc.in)
			if tc.code != "" {
				wantError(t, err, tc.code, tc.message)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := whoami(t, as(s, keys)), "arn:aws:sts::210987654321:assumed-role/b/it"; got != want {
				t.Errorf("acts as %s, want %s", got, want)
			}
		})
	}
}

// TestRoleChains covers roles that assume roles: a session of an hour at most, with the transitive tags, in the
// account of the last role.
func TestRoleChains(t *testing.T) {
	s, _ := strict(t)
	s.AddRole(Role{ARN: roleA, Principals: []string{alice}, MayAssume: []string{roleB}, TagSession: true})
	s.AddRole(Role{ARN: roleB, Principals: []string{roleA}, MaxSessionDuration: 12 * time.Hour})
	team := []types.Tag{{Key: aws.String("team"), Value: aws.String("a")}}

	_, err := assume(t, as(s, aliceKey), &sts.AssumeRoleInput{RoleArn: aws.String(roleB)})
	wantError(t, err, "AccessDenied", "")
	first, err := assume(t, as(s, aliceKey),
		&sts.AssumeRoleInput{RoleArn: aws.String(roleA), Tags: team, TransitiveTagKeys: []string{"team"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = assume(t, as(s, first), &sts.AssumeRoleInput{RoleArn: aws.String(roleB)})
	wantError(t, err, "AccessDenied", "User: arn:aws:sts::123456789012:assumed-role/a/it is not authorized to "+
		"perform: sts:TagSession on resource: "+roleB)

	s.AddRole(Role{ARN: roleB, Principals: []string{roleA}, TagSession: true, MaxSessionDuration: 12 * time.Hour})
	_, err = assume(t, as(s, first), &sts.AssumeRoleInput{RoleArn: aws.String(roleB), Tags: team})
	wantError(t, err, "InvalidParameterValue", "One of the specified transitive tag keys can't be set because it "+
		"conflicts with a transitive tag key from the calling session.")
	_, err = assume(t, as(s, first), &sts.AssumeRoleInput{RoleArn: aws.String(roleB), DurationSeconds: aws.Int32(7200)})
	wantError(t, err, "ValidationError",
		"The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining")
	second, err := assume(t, as(s, first), &sts.AssumeRoleInput{RoleArn: aws.String(roleB)})
	if err != nil {
		t.Fatal(err)
	}

	in := zipFunction(t, "f")
	in.Role = aws.String("arn:aws:iam::210987654321:role/r")
	if out := create(t, clientOf(as(s, second)), in); !strings.Contains(*out.FunctionArn, ":210987654321:") {
		t.Errorf("made %s", *out.FunctionArn)
	}
	_, err = clientOf(as(s, first)).GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException", "")
	calls := s.Calls()
	if c := calls[len(calls)-2]; c.Caller != "arn:aws:sts::210987654321:assumed-role/b/it" ||
		c.Account != "210987654321" {
		t.Errorf("logged %+v", c)
	}
	if n := len(s.IssuedSecrets()); n != 4 {
		t.Errorf("%d secrets of two sessions, want 4", n)
	}
	s.RemoveKey(aliceKey.AccessKeyID)
	_, err = assume(t, as(s, aliceKey), &sts.AssumeRoleInput{RoleArn: aws.String(roleA)})
	wantError(t, err, "InvalidClientTokenId", "")
}

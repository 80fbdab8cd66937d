package awsdouble

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// provider is an OpenID Connect provider in the IAM of an account.
type provider struct {
	audiences []string
	keys      map[string]crypto.PublicKey
}

// AddIssuer adds an issuer to an account as an OpenID Connect provider, for tokens of some audiences. Only its public
// keys are kept.
func (s *Server) AddIssuer(account string, i *Issuer, audiences ...string) {
	s.AddIssuerKeys(account, i.URL, i.PublicKeys(), audiences...)
}

// AddIssuerKeys adds an external issuer, such as a cluster, by the keys that it publishes.
func (s *Server) AddIssuerKeys(account, url string, keys map[string]crypto.PublicKey, audiences ...string) {
	defer s.lock()()
	s.iam.providers[account+" "+url] = provider{audiences: audiences, keys: keys}
}

// identifyToken verifies a token's signature, issuer, audience and expiry against an account's provider.
func (s *Server) identifyToken(account, token string) (jwt.Claims, error) {
	t, c, err := parseToken(token)
	if err != nil {
		return c, stsError400("InvalidIdentityToken",
			"The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)")
	}
	p, ok := s.iam.providers[account+" "+c.Issuer]
	if !ok {
		return c, stsError400("InvalidIdentityToken", "No OpenIDConnect provider found in your account for %s",
			c.Issuer)
	}
	if t.Claims(p.keys[t.Headers[0].KeyID]) != nil {
		return c, stsError400("InvalidIdentityToken", "Couldn't retrieve verification key from your identity "+
			"provider,  please reference AssumeRoleWithWebIdentity documentation for requirements")
	}
	if now := s.options.Now(); !now.Before(c.Expiry.Time()) {
		return c, stsError400("ExpiredTokenException", "Token expired: current date/time %d must be before "+
			"the expiration date/time %d", now.Unix(), c.Expiry.Time().Unix())
	}
	if !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(p.audiences, a) }) {
		return c, stsError400("InvalidIdentityToken", "Incorrect token audience")
	}
	return c, nil
}

// accepts returns an error if a role does not trust a token's claims.
func (r *Role) accepts(c jwt.Claims) {
	w := r.WebIdentity
	if w == nil || w.Issuer != c.Issuer || w.Subject != "" && w.Subject != c.Subject || w.Audience != "" &&
		!slices.Contains(c.Audience, w.Audience) {
		panic(apiError(http.StatusForbidden, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity"))
	}
}

// parseToken parses a token without verifying it, whatever its algorithm is.
func parseToken(token string) (t *jwt.JSONWebToken, c jwt.Claims, err error) {
	t, err = jwt.ParseSigned(token, []jose.SignatureAlgorithm{RS256, ES256, "none"})
	if err == nil {
		err = t.UnsafeClaimsWithoutVerification(&c)
	}
	return t, c, err
}

// The algorithms of an Issuer's signatures.
const (
	RS256 = "RS256"
	ES256 = "ES256"
)

const rsaBits = 2048

// An Issuer signs tokens as an OpenID Connect issuer does, such as a cluster for its ServiceAccounts.
type Issuer struct {
	// URL of the issuer, the iss of its tokens.
	URL string

	keyID  string
	key    crypto.Signer
	signer jose.Signer
}

// NewIssuer returns an issuer with a new key, for RS256 or ES256.
func NewIssuer(url, algorithm string) (*Issuer, error) {
	i := &Issuer{URL: url, keyID: newUUID()}
	var err error
	switch algorithm {
	case RS256:
		i.key, err = rsa.GenerateKey(rand.Reader, rsaBits)
	case ES256:
		i.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		return nil, fmt.Errorf("cannot sign by %q: use RS256 or ES256", algorithm)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make the key of an issuer: %w", err)
	}
	i.signer, err = jose.NewSigner(jose.SigningKey{
		Algorithm: jose.SignatureAlgorithm(algorithm), Key: jose.JSONWebKey{Key: i.key, KeyID: i.keyID},
	}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return nil, fmt.Errorf("cannot sign by the key of an issuer: %w", err)
	}
	return i, nil
}

// PublicKeys returns the public keys by their IDs, as an issuer publishes them.
func (i *Issuer) PublicKeys() map[string]crypto.PublicKey {
	return map[string]crypto.PublicKey{i.keyID: i.key.Public()}
}

// Token returns a signed JWT for a subject and an audience, valid until it expires.
func (i *Issuer) Token(subject, audience string, expires time.Time) (string, error) {
	text, err := jwt.Signed(i.signer).Claims(jwt.Claims{
		Issuer: i.URL, Subject: subject, Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(expires),
	}).Serialize()
	if err != nil {
		return "", fmt.Errorf("cannot sign a token: %w", err)
	}
	return text, nil
}

// podAudience is the audience of tokens for EKS Pod Identity.
const podAudience = "pods.eks.amazonaws.com"

// AddPodIdentity associates a ServiceAccount with a role, as EKS does. Its pods get the role's credentials at
// URL()/v1/credentials for a token of the issuer, which must have been added with AddIssuer to the role's account
// with the audience pods.eks.amazonaws.com. The role must trust ServicePods and have TagSession.
func (s *Server) AddPodIdentity(issuer *Issuer, subject, role string) {
	defer s.lock()()
	s.iam.pods[issuer.URL+" "+subject] = role
}

// AddInstanceProfile gives the node a role. The instance metadata service at URL() returns its credentials. The role
// must trust ServiceInstances.
func (s *Server) AddInstanceProfile(role string) {
	defer s.lock()()
	s.iam.instance = role
}

// containerCredentials is the response that SDKs expect both of a container credentials endpoint and of the metadata
// service.
type containerCredentials struct {
	Code            string `json:",omitempty"`
	Type            string `json:",omitempty"`
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	Token           string
	AccountID       string `json:"AccountId"`
	Expiration      string
}

// podCredentials responds as the agent of EKS Pod Identity on a node does.
func podCredentials(s *Server, r *request) any {
	token := r.http.Header.Get("Authorization")
	if token == "" {
		panic(podRefusal(http.StatusBadRequest, "InvalidRequestException", "Service account token cannot be empty"))
	}
	c, role := s.pod(token)
	parts := strings.Split(c.Subject, ":")
	w := wish{name: "eks-double-pod", duration: defaultSession, tags: map[string]string{}}
	if len(parts) == 4 {
		w.tags["kubernetes-namespace"], w.tags["kubernetes-service-account"] = parts[2], parts[3]
		w.transitive = []string{"kubernetes-namespace", "kubernetes-service-account"}
	}
	return s.containerKeys(role, w)
}

// pod returns the claims of a pod's token, and the pod's role.
func (s *Server) pod(token string) (jwt.Claims, Role) {
	_, c, err := parseToken(token)
	if err != nil {
		panic(podRefusal(http.StatusBadRequest, "InvalidTokenException",
			"The token included in the request is invalid."))
	}
	arn, ok := s.iam.pods[c.Issuer+" "+c.Subject]
	if !ok {
		panic(podRefusal(http.StatusNotFound, "ResourceNotFoundException",
			"No associations found for the service account"))
	}
	if _, err := s.identifyToken(accountOfArn(arn), token); err != nil {
		e := asError(err)
		panic(podRefusal(http.StatusBadRequest, e.Code, e.Message))
	}
	role := s.iam.roles[arn]
	if !slices.Contains(c.Audience, podAudience) || !slices.Contains(role.Principals, ServicePods) || !role.TagSession {
		panic(podRefusal(http.StatusForbidden, "AccessDeniedException",
			"Unauthorized Exception! EKS does not have permissions to assume the associated role."))
	}
	return c, role
}

// podRefusal returns a refusal of the agent, which begins with the ID of the request.
func podRefusal(status int, code, message string) *Error {
	message = fmt.Sprintf("[%s]: (%s): %s, fault: client", newUUID(), code, message)
	return &Error{Status: status, Code: code, Message: message, Fields: map[string]string{"code": code}}
}

func (s *Server) containerKeys(role Role, w wish) containerCredentials {
	id, k := s.issue(role, w, nil)
	return containerCredentials{
		AccessKeyID: id, SecretAccessKey: k.secret, Token: k.token,
		AccountID: k.who.account, Expiration: k.expires.Format(time.RFC3339),
	}
}

// metadataToken starts a session with the metadata service (IMDSv2).
func metadataToken(s *Server, r *request) any {
	ttl := r.http.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds")
	if ttl == "" {
		panic(&Error{Status: http.StatusBadRequest, Code: "BadRequest"})
	}
	s.iam.metadata = "double-metadata-token-" + newUUID()
	return &answer{
		body: []byte(s.iam.metadata), header: http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {ttl}},
	}
}

// node returns the node's role, for a session with the metadata service.
func (s *Server) node(r *request) Role {
	if s.iam.metadata == "" || r.http.Header.Get("X-Aws-Ec2-Metadata-Token") != s.iam.metadata {
		panic(&Error{Status: http.StatusUnauthorized, Code: "Unauthorized"})
	}
	role, ok := s.iam.roles[s.iam.instance]
	if !ok || !slices.Contains(role.Principals, ServiceInstances) {
		panic(&Error{Status: http.StatusNotFound, Code: "NotFound"})
	}
	return role
}

func instanceRole(s *Server, r *request) any {
	role := s.node(r)
	return []byte(role.ARN[strings.LastIndex(role.ARN, "/")+1:])
}

func instanceCredentials(s *Server, r *request) any {
	role := s.node(r)
	c := s.containerKeys(role, wish{name: "i-0123456789abcdef0", duration: defaultSession})
	c.Code, c.Type = "Success", "AWS-HMAC"
	return c
}

package awsdouble

import (
	"crypto"
	"net/http"
	"slices"

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

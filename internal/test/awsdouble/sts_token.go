package awsdouble

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"
)

// provider is an OpenID Connect provider in the IAM of an account.
type provider struct {
	audiences []string
	keys      map[string]crypto.PublicKey
}

// claims are the claims of a token.
type claims struct {
	Issuer   string    `json:"iss"`
	Subject  string    `json:"sub"`
	Audience audiences `json:"aud"`
	Expires  int64     `json:"exp"`
}

// audiences are one string or several in a token.
type audiences []string

// UnmarshalJSON accepts either form.
func (a *audiences) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*a = audiences{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(a))
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
func (s *Server) identifyToken(account, token string) (claims, error) {
	t, err := parseToken(token)
	if err != nil {
		return claims{}, stsError400("InvalidIdentityToken",
			"The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)")
	}
	p, ok := s.iam.providers[account+" "+t.claims.Issuer]
	if !ok {
		return claims{}, stsError400("InvalidIdentityToken", "No OpenIDConnect provider found in your account for %s",
			t.claims.Issuer)
	}
	if !t.signedBy(p.keys[t.header.KeyID]) {
		return claims{}, stsError400("InvalidIdentityToken", "Couldn't retrieve verification key from your identity "+
			"provider,  please reference AssumeRoleWithWebIdentity documentation for requirements")
	}
	if now := s.options.Now(); !now.Before(time.Unix(t.claims.Expires, 0)) {
		return claims{}, stsError400("ExpiredTokenException", "Token expired: current date/time %d must be before "+
			"the expiration date/time %d", now.Unix(), t.claims.Expires)
	}
	if !slices.ContainsFunc(t.claims.Audience, func(a string) bool { return slices.Contains(p.audiences, a) }) {
		return claims{}, stsError400("InvalidIdentityToken", "Incorrect token audience")
	}
	return t.claims, nil
}

// accepts returns an error if a role does not trust a token's claims.
func (r *Role) accepts(c claims) {
	w := r.WebIdentity
	if w == nil || w.Issuer != c.Issuer || w.Subject != "" && w.Subject != c.Subject || w.Audience != "" &&
		!slices.Contains(c.Audience, w.Audience) {
		panic(apiError(http.StatusForbidden, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity"))
	}
}

// jwt is a token, parsed but not verified.
type jwt struct {
	header struct {
		Algorithm string `json:"alg"`
		KeyID     string `json:"kid"`
	}
	claims    claims
	signed    string
	signature []byte
}

var errNoToken = errors.New("a token has three parts")

func parseToken(token string) (*jwt, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errNoToken
	}
	t := &jwt{signed: parts[0] + "." + parts[1]}
	for i, into := range []any{&t.header, &t.claims} {
		b, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, into); err != nil {
			return nil, err
		}
	}
	var err error
	t.signature, err = base64.RawURLEncoding.DecodeString(parts[2])
	return t, err
}

// signedBy reports whether the token was signed with the private half of a key, with the algorithm for that type of
// key.
func (t *jwt) signedBy(k crypto.PublicKey) bool {
	sum := sha256.Sum256([]byte(t.signed))
	switch k := k.(type) {
	case *rsa.PublicKey:
		return t.header.Algorithm == "RS256" && rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], t.signature) == nil
	case *ecdsa.PublicKey:
		if t.header.Algorithm != "ES256" || len(t.signature) != 2*ecHalf {
			return false
		}
		return ecdsa.Verify(k, sum[:], new(big.Int).SetBytes(t.signature[:ecHalf]),
			new(big.Int).SetBytes(t.signature[ecHalf:]))
	default:
		return false
	}
}

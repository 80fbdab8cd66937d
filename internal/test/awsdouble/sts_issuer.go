package awsdouble

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

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

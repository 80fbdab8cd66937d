package awsdouble

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// The algorithms of an Issuer's signatures.
const (
	RS256 = "RS256"
	ES256 = "ES256"
)

const (
	rsaBits = 2048
	// ecHalf is the length of either number of an ES256 signature, in bytes.
	ecHalf = 32
)

// An Issuer signs tokens as an OpenID Connect issuer does, such as a cluster for its ServiceAccounts.
type Issuer struct {
	// URL of the issuer, the iss of its tokens.
	URL string

	algorithm, keyID string
	key              crypto.Signer
}

// NewIssuer returns an issuer with a new key, for RS256 or ES256.
func NewIssuer(url, algorithm string) (*Issuer, error) {
	i := &Issuer{URL: url, algorithm: algorithm, keyID: newUUID()}
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
	return i, nil
}

// PublicKeys returns the public keys by their IDs, as an issuer publishes them.
func (i *Issuer) PublicKeys() map[string]crypto.PublicKey {
	return map[string]crypto.PublicKey{i.keyID: i.key.Public()}
}

// Token returns a signed JWT for a subject and an audience, valid until it expires.
func (i *Issuer) Token(subject, audience string, expires time.Time) (string, error) {
	header, err := json.Marshal(map[string]string{"alg": i.algorithm, "kid": i.keyID, "typ": "JWT"})
	if err != nil {
		return "", fmt.Errorf("cannot write a token's header: %w", err)
	}
	body, err := json.Marshal(map[string]any{
		"iss": i.URL, "sub": subject, "aud": []string{audience},
		"exp": expires.Unix(),
	})
	if err != nil {
		return "", fmt.Errorf("cannot write a token's claims: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(body)
	signature, err := i.sign(sha256.Sum256([]byte(text)))
	if err != nil {
		return "", fmt.Errorf("cannot sign a token: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func (i *Issuer) sign(sum [sha256.Size]byte) ([]byte, error) {
	k, ok := i.key.(*ecdsa.PrivateKey)
	if !ok {
		return i.key.Sign(rand.Reader, sum[:], crypto.SHA256)
	}
	r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
	if err != nil {
		return nil, err
	}
	signature := make([]byte, 2*ecHalf)
	r.FillBytes(signature[:ecHalf])
	s.FillBytes(signature[ecHalf:])
	return signature, nil
}

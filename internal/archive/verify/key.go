package verify

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"time"

	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/signature"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

const (
	// maxKeys is the number of keys that a text may have.
	maxKeys = 16

	// minRSA is the least number of bits of a key of RSA.
	minRSA = 2048
)

var errOtherKey = errors.New("a signature is not by the key that is trusted, or does not match what it signs")

// A key is a public key that is trusted.
type key struct {
	id string
	// verifiers differ in the hash function. cosign has used SHA-256 for all keys, and uses that of the key's size.
	verifiers []signature.Verifier
}

// WithKeys returns a Verifier that trusts each of the public keys in a PEM text, as `cosign public-key` prints them:
// ECDSA, RSA of 2048 bits or more, or Ed25519. It does not ask for an entry in a transparency log.
func WithKeys(text []byte) (*Verifier, error) {
	var keys []key
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		k, err := parseKey(block)
		if err != nil {
			return nil, err
		}
		if keys = append(keys, k); len(keys) > maxKeys {
			return nil, errors.New("there are more than 16 public keys")
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no public key: put the text there that cosign public-key prints")
	}
	return &Verifier{verify: func(digest []byte, s oci.Signature) (Identity, error) {
		err := errOtherKey
		for _, k := range keys {
			for _, by := range k.verifiers {
				if err = verifyByKey(by, digest, s); err == nil {
					return Identity{KeyID: k.id}, nil
				}
			}
		}
		return Identity{}, err
	}}, nil
}

func parseKey(block *pem.Block) (key, error) {
	if block.Type != "PUBLIC KEY" {
		return key{}, errors.New("it holds a PEM block that is not a PUBLIC KEY")
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return key{}, errors.New("a public key is damaged")
	}
	if r, ok := public.(*rsa.PublicKey); ok && r.N.BitLen() < minRSA {
		return key{}, errors.New("a public key of RSA has less than 2048 bits")
	}
	first, err := signature.LoadVerifier(public, crypto.SHA256)
	if err != nil {
		return key{}, errors.New("a public key is of a kind that is not supported")
	}
	second, err := signature.LoadDefaultVerifier(public)
	if err != nil {
		return key{}, errors.New("a public key is of a kind that is not supported")
	}
	sum := sha256.Sum256(block.Bytes)
	return key{id: hex.EncodeToString(sum[:]), verifiers: []signature.Verifier{first, second}}, nil
}

// verifyByKey returns an error unless a signature is by a key.
func verifyByKey(by signature.Verifier, digest []byte, s oci.Signature) error {
	if s.Bundle != nil {
		return verifyBundleByKey(by, digest, s.Bundle)
	}
	if err := checkPayload(s.Payload, digest); err != nil {
		return err
	}
	sig, err := signatureOf(s.Annotations)
	if err != nil {
		return err
	}
	if by.VerifySignature(bytes.NewReader(sig), bytes.NewReader(s.Payload)) != nil {
		return errOtherKey
	}
	return nil
}

func verifyBundleByKey(by signature.Verifier, digest, text []byte) error {
	b, err := parseBundle(text, digest)
	if err != nil {
		return err
	}
	// The hint in a bundle names a key. It is not signed, and not needed.
	trusted := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return root.NewExpiringKey(by, time.Time{}, time.Time{}), nil
	})
	v, err := verify.NewVerifier(trusted, verify.WithNoObserverTimestamps())
	if err != nil {
		return err
	}
	result, err := v.Verify(b, verify.NewPolicy(verify.WithArtifactDigest("sha256", digest), verify.WithKey()))
	if err != nil {
		return errOtherKey
	}
	return checkStatement(result.Statement, digest)
}

package verify

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/test/cosign"
)

const (
	artifact = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	other    = "sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

// must returns a value, or fails the test.
func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// keys returns a key of each kind.
func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	p256 := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	p384 := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	large := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"P-256": p256, "P-384": p384, "RSA": large, "Ed25519": edwards}
}

func keyID(t *testing.T, public []byte) string {
	t.Helper()
	block, _ := pem.Decode(public)
	sum := sha256.Sum256(block.Bytes)
	return hex.EncodeToString(sum[:])
}

// TestKeys verifies signatures of both forms by keys of all kinds.
func TestKeys(t *testing.T) {
	for name, k := range keys(t) {
		t.Run(name, func(t *testing.T) {
			public := must[[]byte](t)(cosign.PublicKey(k))
			v := must[*Verifier](t)(WithKeys(public))
			older := must[oci.Signature](t)(cosign.Sign(k, artifact))
			bundle := must[oci.Signature](t)(cosign.SignBundle(k, cosign.Statement(artifact, oci.PredicateSignature)))
			want := Identity{KeyID: keyID(t, public)}
			for form, s := range map[string]oci.Signature{"older": older, "bundle": bundle} {
				got, err := v.Verify(artifact, []oci.Signature{s})
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%s: %v: -want, +got:\n%s", form, err, diff)
				}
				if _, err := v.Verify(other, []oci.Signature{s}); err == nil ||
					!strings.HasSuffix(err.Error(), errOtherArtifact.Error()) {
					t.Errorf("%s: a signature of another artifact must be refused, got %v", form, err)
				}
			}
		})
	}
}

// TestKeyRefuses verifies what the holder of a registry may put there.
func TestKeyRefuses(t *testing.T) {
	ours := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	theirs := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	sign := must[oci.Signature](t)
	valid := sign(cosign.Sign(ours, artifact))
	with := func(s oci.Signature, change func(s *oci.Signature)) oci.Signature {
		s.Annotations = maps.Clone(s.Annotations)
		change(&s)
		return s
	}
	bundle := func(key crypto.Signer, digest, predicate string) oci.Signature {
		return sign(cosign.SignBundle(key, cosign.Statement(digest, predicate)))
	}
	honest := bundle(ours, artifact, oci.PredicateSignature)
	changed := oci.Signature{Bundle: []byte(strings.Replace(string(honest.Bundle), signatureIn(t, honest),
		signatureIn(t, bundle(ours, other, oci.PredicateSignature)), 1))}

	sigstore := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	certified := sign(sigstore.SignBundle("a@example.com", "https://issuer.example",
		cosign.Statement(artifact, oci.PredicateSignature), soon()))

	cases := map[string]struct {
		reason     string
		signatures []oci.Signature
		want       error
	}{
		"None": {"What is not signed is not trusted.", nil, ErrUnsigned},
		"OtherKey": {
			"A key that was replaced is not trusted any more.",
			[]oci.Signature{sign(cosign.Sign(theirs, artifact))},
			errOtherKey,
		},
		"OtherKeyBundle": {
			"Nor in a bundle.", []oci.Signature{bundle(theirs, artifact, oci.PredicateSignature)}, errOtherKey,
		},
		"OtherPayload": {
			"A signature is for its payload.",
			[]oci.Signature{with(sign(cosign.Sign(ours, other)), func(s *oci.Signature) { s.Payload = valid.Payload })},
			errOtherKey,
		},
		"OtherPayloadBundle": {"Also in a bundle.", []oci.Signature{changed}, errOtherKey},
		"OtherArtifact": {
			"A valid signature of another artifact says nothing of this one.",
			[]oci.Signature{sign(cosign.Sign(ours, other))},
			errOtherArtifact,
		},
		"Attestation": {
			"Provenance is signed too, and does not approve an artifact.",
			[]oci.Signature{bundle(ours, artifact, "https://slsa.dev/provenance/v1")},
			errAttestation,
		},
		"OtherKind": {
			"A payload of another kind was signed for another purpose.",
			[]oci.Signature{with(valid, func(s *oci.Signature) {
				s.Payload = []byte(strings.Replace(string(s.Payload), payloadKind, "other", 1))
			})},
			errUnreadable,
		},
		"Certificate": {"A certificate is not the key.", []oci.Signature{certified}, errOtherKey},
		"NoSignature": {
			"A payload alone is no signature.",
			[]oci.Signature{with(valid, func(s *oci.Signature) { s.Annotations = nil })},
			errUnreadable,
		},
		"Empty": {"A registry may hold anything.", []oci.Signature{{}}, errUnreadable},
		"Text":  {"Also as a bundle.", []oci.Signature{{Bundle: []byte("{")}}, errUnreadable},
	}
	v := must[*Verifier](t)(WithKeys(must[[]byte](t)(cosign.PublicKey(ours))))
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := v.Verify(artifact, tc.signatures)
			if err == nil || !strings.HasSuffix(err.Error(), tc.want.Error()) || got != (Identity{}) {
				t.Errorf("%s\nwant %v, got %v: %v", tc.reason, tc.want, got, err)
			}
			// One valid signature suffices, whatever else there is.
			if _, err := v.Verify(artifact, append(tc.signatures, valid)); err != nil {
				t.Errorf("%s\nwant the valid signature to suffice, got %v", tc.reason, err)
			}
		})
	}

	mixed := []oci.Signature{sign(cosign.Sign(ours, other)), sign(cosign.Sign(theirs, artifact)), {}}
	_, first := v.Verify(artifact, mixed)
	_, second := v.Verify(artifact, []oci.Signature{mixed[2], mixed[1], mixed[0], mixed[0]})
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("registries list signatures in any order, and the text must be the same: %v, %v", first, second)
	}
	if _, err := v.Verify("sha512:11", []oci.Signature{valid}); err == nil {
		t.Error("a digest of another kind must be refused")
	}
	if _, err := v.Verify(artifact, nil); !errors.Is(err, ErrUnsigned) {
		t.Errorf("want ErrUnsigned, got %v", err)
	}
}

// TestLongKeys verifies signatures that hold keys of their own, or are to be verified by them, which take long.
func TestLongKeys(t *testing.T) {
	const bits = 1 << 16
	public := &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), bits-1), E: 1<<31 - 1}
	public.N.Add(public.N, big.NewInt(1))
	der := must[[]byte](t)(x509.MarshalPKIXPublicKey(public))
	base64Of := base64.StdEncoding.EncodeToString
	body := fmt.Sprintf(`{"apiVersion":"0.0.1","kind":"hashedrekord","spec":{"data":{"hash":{"algorithm":"sha256",`+
		`"value":"%064x"}},"signature":{"content":%q,"publicKey":{"content":%q}}}}`, 1, base64Of(make([]byte, bits/8)),
		base64Of(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	ours := keys(t)["P-256"]
	s := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	statement := cosign.Statement(artifact, oci.PredicateSignature)
	logged := must[oci.Signature](t)(s.SignBundle(subject, issuer, statement, soon()))
	bundle := regexp.MustCompile(`"canonicalizedBody": ?"[^"]*"`).ReplaceAll(logged.Bundle,
		[]byte(`"canonicalizedBody":"`+base64Of([]byte(body))+`"`))
	older := must[oci.Signature](t)(s.Sign(subject, issuer, artifact, soon()))
	older.Annotations[noteLog] = fmt.Sprintf(`{"Payload":{"body":%q}}`, base64Of([]byte(body)))

	root := must[[]byte](t)(s.TrustedRoot(cosign.Log))
	byIdentity := must[*Verifier](t)(Keyless(root, Signer{Issuer: issuer, Subject: subject}))
	byKey := must[*Verifier](t)(WithKeys(must[[]byte](t)(cosign.PublicKey(ours))))
	for name, err := range map[string]error{
		"Bundle":       second(byIdentity.Verify(artifact, []oci.Signature{{Bundle: bundle}})),
		"BundleAndKey": second(byKey.Verify(artifact, []oci.Signature{{Bundle: bundle}})),
		"Older":        second(byIdentity.Verify(artifact, []oci.Signature{older})),
	} {
		if err == nil || !strings.HasSuffix(err.Error(), errTooLong.Error()) {
			t.Errorf("%s: want %v, got %v", name, errTooLong, err)
		}
	}
	long := regexp.MustCompile(`"rawBytes": ?"[^"]*"`).ReplaceAll(root, []byte(`"rawBytes":"`+base64Of(der)+`"`))
	if _, err := Keyless(long, Signer{Issuer: issuer, Subject: subject}); err == nil ||
		!strings.Contains(err.Error(), "more than 4 KB") {
		t.Errorf("want that the trusted root is not used, got %v", err)
	}
}

func second(_ Identity, err error) error { return err }

func TestWithKeys(t *testing.T) {
	weak := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 1024)) //nolint:gosec // It has to be refused.
	first := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	second := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	pemOf := must[[]byte](t)
	both := append(pemOf(cosign.PublicKey(first)), pemOf(cosign.PublicKey(second))...)

	v := must[*Verifier](t)(WithKeys(both))
	for _, k := range []crypto.Signer{first, second} {
		if _, err := v.Verify(artifact, []oci.Signature{must[oci.Signature](t)(cosign.Sign(k, artifact))}); err != nil {
			t.Errorf("each key is trusted, as when one replaces another: %v", err)
		}
	}
	for name, text := range map[string]string{
		"Empty": "",
		"Text":  "ssh-ed25519 AAAA",
		"Private": "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nc2VjcmV0\n" +
			"-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n",
		"Damaged": "-----BEGIN PUBLIC KEY-----\nc2VjcmV0\n-----END PUBLIC KEY-----\n",
		"Weak":    string(pemOf(cosign.PublicKey(weak))),
		"Many":    strings.Repeat(string(pemOf(cosign.PublicKey(first))), maxKeys+1),
	} {
		if _, err := WithKeys([]byte(text)); err == nil || strings.Contains(err.Error(), "c2V") {
			t.Errorf("%s: want an error without the text, got %v", name, err)
		}
	}
}

package verify

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/test/cosign"
)

// A pool has parts of signatures, none of which approves the artifact.
type pool struct {
	*rand.Rand

	signatures []oci.Signature
}

// next returns a signature whose parts are of several ones, and some of them damaged.
func (p pool) next() oci.Signature {
	s := p.signatures[p.IntN(len(p.signatures))]
	if s.Bundle != nil {
		return oci.Signature{Bundle: p.mix(s.Bundle, func(s oci.Signature) []byte { return s.Bundle })}
	}
	c := oci.Signature{Payload: p.mix(s.Payload, func(s oci.Signature) []byte { return s.Payload })}
	c.Annotations = map[string]string{}
	for _, name := range []string{noteSignature, noteCertificate, noteLog, noteTimestamp} {
		part := func(s oci.Signature) []byte { return []byte(s.Annotations[name]) }
		if b := p.mix(part(s), part); len(b) > 0 {
			c.Annotations[name] = string(b)
		}
	}
	return c
}

// mix returns a part of a signature, that of another one, or one with bytes of both.
func (p pool) mix(own []byte, part func(oci.Signature) []byte) []byte {
	other := part(p.signatures[p.IntN(len(p.signatures))])
	switch p.IntN(8) {
	case 0, 1:
		return other
	case 2:
		if len(own) == 0 || len(other) == 0 {
			return other
		}
		b := slices.Clone(own)
		for range 1 + p.IntN(4) {
			b[p.IntN(len(b))] = other[p.IntN(len(other))]
		}
		return b
	case 3:
		return own[:p.IntN(len(own)+1)]
	}
	return own
}

// TestRandom verifies signatures that are put together at random of those that whoever may push to a registry can find:
// of other artifacts, by other keys and of other Sigstores, and what is damaged. None approves the artifact.
func TestRandom(t *testing.T) {
	const byKey, byIdentity = 10_000, 2_000
	sign := must[oci.Signature](t)
	ours := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), crand.Reader))
	theirs := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), crand.Reader))
	sigstore := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	foreign := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	statement := func(digest string) []byte { return cosign.Statement(digest, oci.PredicateSignature) }
	provenance := cosign.Statement(artifact, "https://slsa.dev/provenance/v1")
	p := pool{Rand: rand.New(rand.NewPCG(1, 2)), signatures: []oci.Signature{ //nolint:gosec // It repeats itself.
		sign(cosign.Sign(ours, other)), sign(cosign.Sign(theirs, artifact)),
		sign(cosign.SignBundle(ours, statement(other))), sign(cosign.SignBundle(theirs, statement(artifact))),
		sign(cosign.SignBundle(ours, provenance)),
		sign(sigstore.Sign(subject, issuer, other, soon())), sign(foreign.Sign(subject, issuer, artifact, soon())),
		sign(sigstore.Sign("mallory@shop.example", issuer, artifact, soon())),
		sign(sigstore.SignBundle(subject, issuer, statement(other), soon())),
		sign(foreign.SignBundle(subject, issuer, statement(artifact), soon())),
		sign(sigstore.SignBundle(subject, issuer, provenance, soon())),
	}}
	verifiers := map[*Verifier]int{
		must[*Verifier](t)(WithKeys(must[[]byte](t)(cosign.PublicKey(ours)))): byKey,
		must[*Verifier](t)(Keyless(must[[]byte](t)(sigstore.TrustedRoot(cosign.Log)),
			Signer{Issuer: issuer, Subject: subject})): byIdentity,
	}
	reasons := map[string]int{}
	for v, n := range verifiers {
		for range n {
			s := p.next()
			who, err := v.Verify(artifact, []oci.Signature{s})
			if err == nil {
				t.Fatalf("%s has not signed this artifact: %s %s %v", who, s.Bundle, s.Payload, s.Annotations)
			}
			reason, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "no signature is trusted: "), " by ")
			reasons[reason]++
		}
	}
	// What is damaged beyond recognition would show nothing.
	for _, want := range []error{errOtherArtifact, errOtherKey, errLog, errAttestation} {
		if reason, _, _ := strings.Cut(want.Error(), " by "); reasons[reason] < 100 {
			t.Errorf("want many that are refused because %q, got %d of %v", want, reasons[reason], reasons)
		}
	}
	t.Log(reasons)
}

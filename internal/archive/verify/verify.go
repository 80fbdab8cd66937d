// Package verify checks who signed an artifact in an OCI registry, by the signatures that cosign stores. It makes no
// requests: keys, and what is trusted of Sigstore, are given as bytes. It is pure.
package verify

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

// An Identity is a signer: the holder of a key, or somebody whom an OpenID Connect issuer identified.
type Identity struct {
	// KeyID is the SHA-256 hash, as hexadecimal, of the public key in the form PKIX. It is empty for signatures
	// with a certificate.
	KeyID string

	// Issuer identified Subject, such as https://token.actions.githubusercontent.com and the URL of a workflow. They
	// are empty for signatures with a key.
	Issuer, Subject string
}

// String returns the identity in one line.
func (i Identity) String() string {
	if i.KeyID != "" {
		return "key sha256:" + i.KeyID
	}
	return i.Subject + " (" + i.Issuer + ")"
}

// A Verifier checks signatures. It is safe for concurrent use.
type Verifier struct {
	// verify checks one signature of an artifact. digest is without its algorithm. Its errors are the same for the
	// same signature.
	verify func(digest []byte, s oci.Signature) (Identity, error)
}

// Errors of Verify.
var (
	// ErrUnsigned says that an artifact has no signature.
	ErrUnsigned = errors.New("it has no signature of cosign")

	errOtherArtifact = errors.New("a signature is for another artifact")
	errAttestation   = errors.New("an attestation does not approve the artifact")
	errUnreadable    = errors.New("a signature is not in a form of cosign")
)

// Verify returns who signed the artifact of a digest, such as sha256:0f3a. One signature has to be valid, and of
// somebody that the Verifier trusts. Otherwise it returns an error that says why none is, or ErrUnsigned. The error
// does not depend on the order of the signatures.
func (v *Verifier) Verify(digest string, signatures []oci.Signature) (Identity, error) {
	sum, err := hex.DecodeString(strings.TrimPrefix(digest, "sha256:"))
	if err != nil || !strings.HasPrefix(digest, "sha256:") {
		return Identity{}, fmt.Errorf("%q is not a SHA-256 digest", digest)
	}
	if len(signatures) == 0 {
		return Identity{}, ErrUnsigned
	}
	var trusted []Identity
	var reasons []string
	for _, s := range signatures {
		var who Identity
		err := checkTexts(s)
		if err == nil {
			who, err = v.verify(sum, s)
		}
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		trusted = append(trusted, who)
	}
	if len(trusted) > 0 {
		return slices.MinFunc(trusted, func(a, b Identity) int { return strings.Compare(a.String(), b.String()) }), nil
	}
	slices.Sort(reasons)
	return Identity{}, fmt.Errorf("no signature is trusted: %s", strings.Join(slices.Compact(reasons), "; "))
}

// Annotations of signatures in the older form.
const (
	noteSignature   = "dev.cosignproject.cosign/signature"
	noteCertificate = "dev.sigstore.cosign/certificate"
	noteLog         = "dev.sigstore.cosign/bundle"
	noteTimestamp   = "dev.sigstore.cosign/rfc3161timestamp"
)

// payloadKind is the type of what cosign signs in the older form.
const payloadKind = "cosign container image signature"

// A payload is the text that is signed in the older form.
type payload struct {
	Critical struct {
		Type  string `json:"type"`
		Image struct {
			Digest string `json:"docker-manifest-digest"`
		} `json:"image"`
	} `json:"critical"`
}

// checkPayload returns an error unless a payload approves the artifact of a digest.
func checkPayload(text, digest []byte) error {
	var p payload
	if json.Unmarshal(text, &p) != nil || p.Critical.Type != payloadKind {
		return errUnreadable
	}
	if p.Critical.Image.Digest != "sha256:"+hex.EncodeToString(digest) {
		return errOtherArtifact
	}
	return nil
}

// signatureOf returns the bytes of a signature in the older form.
func signatureOf(annotations map[string]string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(annotations[noteSignature])
	if err != nil || len(b) == 0 {
		return nil, errUnreadable
	}
	return b, nil
}

// Texts are bounded before anything is parsed, because parsing verifies what a registry has by keys that the registry
// has too. The time that a key of RSA takes grows with the square of its length, and nothing can end it: with one of
// 64 KB it is half a minute.
const (
	// maxText is the length up to which a text in a signature is read, in bytes. Entries in a log and timestamps have
	// some 5 KB.
	maxText = 12 << 10

	// maxRootText is the same of a trusted root, whose texts are keys and single certificates.
	maxRootText = 4 << 10
)

var errTooLong = errors.New("a signature has a text that is too long")

// checkTexts returns an error if a signature has a text that is too long.
func checkTexts(s oci.Signature) error {
	for _, note := range []string{noteSignature, noteCertificate, noteLog, noteTimestamp} {
		if len(s.Annotations[note]) > maxText {
			return errTooLong
		}
	}
	if s.Bundle == nil {
		return nil
	}
	return checkJSON(s.Bundle, maxText)
}

// checkJSON returns an error if a text of JSON is too long, or if it is no JSON.
func checkJSON(text []byte, most int) error {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errUnreadable
		}
		if s, ok := token.(string); ok && len(s) > most {
			return errTooLong
		}
	}
}

// parseBundle parses a bundle, and returns an error unless its statement approves the artifact of a digest. Whether
// the statement is signed is not checked.
func parseBundle(text, digest []byte) (*bundle.Bundle, error) {
	b := &bundle.Bundle{}
	if b.UnmarshalJSON(text) != nil {
		return nil, errUnreadable
	}
	envelope, err := b.Envelope()
	if err != nil {
		return nil, errUnreadable
	}
	statement, err := envelope.Statement()
	if err != nil {
		return nil, errUnreadable
	}
	return b, checkStatement(statement, digest)
}

func checkStatement(s *intoto.Statement, digest []byte) error {
	if s.GetPredicateType() != oci.PredicateSignature {
		return errAttestation
	}
	if !slices.ContainsFunc(s.GetSubject(), func(r *intoto.ResourceDescriptor) bool {
		return r.GetDigest()["sha256"] == hex.EncodeToString(digest)
	}) {
		return errOtherArtifact
	}
	return nil
}

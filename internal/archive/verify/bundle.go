package verify

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"

	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

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

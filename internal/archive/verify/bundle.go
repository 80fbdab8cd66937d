package verify

import (
	"encoding/hex"
	"slices"

	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

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

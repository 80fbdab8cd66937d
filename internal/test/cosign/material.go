package cosign

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"

	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
)

// A material is the verification material of a signature with a certificate.
type material struct {
	signature   []byte
	certificate *x509.Certificate
	entry       *rekorpb.TransparencyLogEntry
	timestamp   []byte
}

// materialOf returns what belongs to a signature.
func (s *Sigstore) materialOf(e *ca.TestEntity) (material, error) {
	content, err := e.SignatureContent()
	if err != nil {
		return material{}, err
	}
	verification, err := e.VerificationContent()
	if err != nil {
		return material{}, err
	}
	entries, err := e.TlogEntries()
	if err != nil {
		return material{}, err
	}
	timestamps, err := e.Timestamps()
	if err != nil {
		return material{}, err
	}
	if len(entries) == 0 || len(timestamps) == 0 || verification.Certificate() == nil {
		return material{}, errNoMaterial
	}
	entry := entries[0].TransparencyLogEntry()
	return material{
		signature: content.Signature(), certificate: verification.Certificate(), entry: entry, timestamp: timestamps[0],
	}, s.complete(entry)
}

// complete adds to an entry what the library keeps beside it: its kind, and the promise of the log.
func (s *Sigstore) complete(entry *rekorpb.TransparencyLogEntry) error {
	var kind struct {
		Kind    string `json:"kind"`
		Version string `json:"apiVersion"`
	}
	if err := json.Unmarshal(entry.GetCanonicalizedBody(), &kind); err != nil {
		return err
	}
	entry.KindVersion = &rekorpb.KindVersion{Kind: kind.Kind, Version: kind.Version}
	promise, err := s.ca.RekorSignPayload(tlog.RekorPayload{
		Body:           base64.StdEncoding.EncodeToString(entry.GetCanonicalizedBody()),
		IntegratedTime: entry.GetIntegratedTime(), LogIndex: entry.GetLogIndex(),
		LogID: hex.EncodeToString(entry.GetLogId().GetKeyId()),
	})
	entry.InclusionPromise = &rekorpb.InclusionPromise{SignedEntryTimestamp: promise}
	return err
}

package verify

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"

	bundlepb "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	commonpb "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

// olderBundle is the media type of the first bundles, which hold what signatures in the older form have.
const olderBundle = "application/vnd.dev.sigstore.bundle+json;version=0.1"

// errNoCertificate is the error of a signature that has none.
var errNoCertificate = errors.New("a signature is by a key, and not by an identity that an issuer confirms")

// bundleOf returns a signature in the older form, with a certificate, as a bundle.
func bundleOf(s oci.Signature) (*bundle.Bundle, error) {
	sig, err := signatureOf(s.Annotations)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(s.Annotations[noteCertificate]))
	if block == nil {
		return nil, errNoCertificate
	}
	entries, err := logEntries(s.Annotations[noteLog])
	if err != nil {
		return nil, err
	}
	timestamps, err := timestampsOf(s.Annotations[noteTimestamp])
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(s.Payload)
	b, err := bundle.NewBundle(&bundlepb.Bundle{
		MediaType: olderBundle,
		VerificationMaterial: &bundlepb.VerificationMaterial{
			Content: &bundlepb.VerificationMaterial_X509CertificateChain{
				X509CertificateChain: &commonpb.X509CertificateChain{
					Certificates: []*commonpb.X509Certificate{{RawBytes: block.Bytes}},
				},
			},
			TlogEntries: entries, TimestampVerificationData: timestamps,
		},
		Content: &bundlepb.Bundle_MessageSignature{MessageSignature: &commonpb.MessageSignature{
			MessageDigest: &commonpb.HashOutput{Algorithm: commonpb.HashAlgorithm_SHA2_256, Digest: sum[:]},
			Signature:     sig,
		}},
	})
	if err != nil {
		return nil, errUnreadable
	}
	return b, nil
}

// logEntries returns the entry in the transparency log that an annotation holds, if any.
func logEntries(text string) ([]*rekorpb.TransparencyLogEntry, error) {
	if text == "" {
		return nil, nil
	}
	var log struct {
		SignedEntryTimestamp []byte `json:"SignedEntryTimestamp"`
		Payload              struct {
			Body           string `json:"body"`
			IntegratedTime int64  `json:"integratedTime"`
			LogIndex       int64  `json:"logIndex"`
			LogID          string `json:"logID"`
		} `json:"Payload"`
	}
	if json.Unmarshal([]byte(text), &log) != nil {
		return nil, errUnreadable
	}
	body, err := base64.StdEncoding.DecodeString(log.Payload.Body)
	if err != nil {
		return nil, errUnreadable
	}
	id, err := hex.DecodeString(log.Payload.LogID)
	if err != nil {
		return nil, errUnreadable
	}
	var kind struct {
		Kind    string `json:"kind"`
		Version string `json:"apiVersion"`
	}
	if json.Unmarshal(body, &kind) != nil {
		return nil, errUnreadable
	}
	return []*rekorpb.TransparencyLogEntry{{
		LogIndex: log.Payload.LogIndex, LogId: &commonpb.LogId{KeyId: id},
		KindVersion:    &rekorpb.KindVersion{Kind: kind.Kind, Version: kind.Version},
		IntegratedTime: log.Payload.IntegratedTime, CanonicalizedBody: body,
		InclusionPromise: &rekorpb.InclusionPromise{SignedEntryTimestamp: log.SignedEntryTimestamp},
	}}, nil
}

// timestampsOf returns the signed timestamp that an annotation holds, if any.
func timestampsOf(text string) (*bundlepb.TimestampVerificationData, error) {
	if text == "" {
		return nil, nil
	}
	var t struct {
		Signed []byte `json:"SignedRFC3161Timestamp"`
	}
	if json.Unmarshal([]byte(text), &t) != nil {
		return nil, errUnreadable
	}
	return &bundlepb.TimestampVerificationData{
		Rfc3161Timestamps: []*commonpb.RFC3161SignedTimestamp{{SignedTimestamp: t.Signed}},
	}, nil
}

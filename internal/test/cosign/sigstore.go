package cosign

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	bundlepb "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	commonpb "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
	"github.com/sigstore/sigstore/pkg/cryptoutils"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

// A Sigstore issues certificates to identities, and has a transparency log and a timestamp authority.
type Sigstore struct{ ca *ca.VirtualSigstore }

// NewSigstore returns a Sigstore with keys of its own.
func NewSigstore() (*Sigstore, error) {
	v, err := ca.NewVirtualSigstoreWithExistingRekorEntry()
	return &Sigstore{ca: v}, err
}

// A Part is a part of a Sigstore that a trusted root may have.
type Part int

// The parts of a trusted root, besides the certificate authority.
const (
	Log Part = 1 << iota
	Timestamps
	CertificateLog
)

// TrustedRoot returns the trusted root with some parts.
func (s *Sigstore) TrustedRoot(parts Part) ([]byte, error) {
	var certificates, log map[string]*root.TransparencyLog
	var timestamps []root.TimestampingAuthority
	if parts&Log != 0 {
		log = binary(s.ca.RekorLogs())
	}
	if parts&Timestamps != 0 {
		timestamps = s.ca.TimestampingAuthorities()
	}
	if parts&CertificateLog != 0 {
		certificates = binary(s.ca.CTLogs())
		for _, l := range certificates {
			l.SignatureHashFunc = l.HashFunc
		}
	}
	r, err := root.NewTrustedRoot(root.TrustedRootMediaType01, s.ca.FulcioCertificateAuthorities(), certificates,
		timestamps, log)
	if err != nil {
		return nil, err
	}
	return r.MarshalJSON()
}

// binary returns logs with the form of their IDs that a trusted root has.
func binary(logs map[string]*root.TransparencyLog) map[string]*root.TransparencyLog {
	for id, l := range logs {
		l.ID, _ = hex.DecodeString(id)
	}
	return logs
}

// Sign signs the artifact of a digest as a subject that an issuer has identified, in the older form. at is the time
// of its entry in the transparency log. The certificate is valid for ten minutes from now.
func (s *Sigstore) Sign(subject, issuer, digest string, at time.Time) (oci.Signature, error) {
	e, err := s.ca.SignAtTime(subject, issuer, Payload(digest), at)
	if err != nil {
		return oci.Signature{}, err
	}
	m, err := s.materialOf(e)
	if err != nil {
		return oci.Signature{}, err
	}
	certificate, err := cryptoutils.MarshalCertificateToPEM(m.certificate)
	if err != nil {
		return oci.Signature{}, err
	}
	log, err := json.Marshal(map[string]any{
		"SignedEntryTimestamp": m.entry.GetInclusionPromise().GetSignedEntryTimestamp(),
		"Payload": map[string]any{
			"body":           base64.StdEncoding.EncodeToString(m.entry.GetCanonicalizedBody()),
			"integratedTime": m.entry.GetIntegratedTime(),
			"logIndex":       m.entry.GetLogIndex(),
			"logID":          hex.EncodeToString(m.entry.GetLogId().GetKeyId()),
		},
	})
	if err != nil {
		return oci.Signature{}, err
	}
	timestamp, err := json.Marshal(map[string][]byte{"SignedRFC3161Timestamp": m.timestamp})
	return oci.Signature{Payload: Payload(digest), Annotations: map[string]string{
		noteSignature:                          base64.StdEncoding.EncodeToString(m.signature),
		"dev.sigstore.cosign/certificate":      string(certificate),
		"dev.sigstore.cosign/bundle":           string(log),
		"dev.sigstore.cosign/rfc3161timestamp": string(timestamp),
	}}, err
}

// SignBundle signs a statement as a subject that an issuer has identified, as a bundle. at is as for Sign.
func (s *Sigstore) SignBundle(subject, issuer string, statement []byte, at time.Time) (oci.Signature, error) {
	e, err := s.ca.AttestAtTime(subject, issuer, statement, at, true)
	if err != nil {
		return oci.Signature{}, err
	}
	m, err := s.materialOf(e)
	if err != nil {
		return oci.Signature{}, err
	}
	return marshal(&bundlepb.Bundle{
		MediaType: bundleType,
		VerificationMaterial: &bundlepb.VerificationMaterial{
			Content: &bundlepb.VerificationMaterial_Certificate{Certificate: &commonpb.X509Certificate{
				RawBytes: m.certificate.Raw,
			}},
			TlogEntries: []*rekorpb.TransparencyLogEntry{m.entry},
			TimestampVerificationData: &bundlepb.TimestampVerificationData{
				Rfc3161Timestamps: []*commonpb.RFC3161SignedTimestamp{{SignedTimestamp: m.timestamp}},
			},
		},
		Content: envelope(statement, m.signature),
	})
}

var errNoMaterial = errors.New("the signature has no certificate, no entry in a log, or no timestamp")

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

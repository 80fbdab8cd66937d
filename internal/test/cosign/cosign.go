// Package cosign signs artifacts in the forms of cosign, by a key or by a Sigstore of its own, for tests and the demo.
package cosign

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	bundlepb "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	commonpb "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	dssepb "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	"github.com/sigstore/sigstore/pkg/signature"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

const (
	bundleType    = "application/vnd.dev.sigstore.bundle.v0.3+json"
	payloadType   = "application/vnd.dev.cosign.simplesigning.v1+json"
	statementType = "application/vnd.in-toto+json"
	noteSignature = "dev.cosignproject.cosign/signature"
)

// PublicKey returns the public key of a key as PEM.
func PublicKey(key crypto.Signer) ([]byte, error) {
	b, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b}), nil
}

// Payload returns what cosign signs for the artifact of a digest, in the older form.
func Payload(digest string) []byte {
	return fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":""},"image":{"docker-manifest-digest":%q},`+
		`"type":"cosign container image signature"},"optional":null}`, digest)
}

// Statement returns what cosign signs for the artifact of a digest in a bundle, or a statement of another predicate.
func Statement(digest, predicate string) []byte {
	return fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"","digest":`+
		`{"sha256":%q}}],"predicateType":%q,"predicate":{}}`, strings.TrimPrefix(digest, "sha256:"), predicate)
}

// Sign signs the artifact of a digest by a key, in the older form.
func Sign(key crypto.Signer, digest string) (oci.Signature, error) {
	s, err := signature.LoadSigner(key, crypto.SHA256)
	if err != nil {
		return oci.Signature{}, err
	}
	sig, err := s.SignMessage(bytes.NewReader(Payload(digest)))
	return oci.Signature{
		Payload:     Payload(digest),
		Annotations: map[string]string{noteSignature: base64.StdEncoding.EncodeToString(sig)},
	}, err
}

// SignBundle signs a statement by a key, as a bundle.
func SignBundle(key crypto.Signer, statement []byte) (oci.Signature, error) {
	s, err := signature.LoadSigner(key, crypto.SHA256)
	if err != nil {
		return oci.Signature{}, err
	}
	sig, err := s.SignMessage(bytes.NewReader(dsse.PAE(statementType, statement)))
	if err != nil {
		return oci.Signature{}, err
	}
	return marshal(&bundlepb.Bundle{
		MediaType: bundleType,
		VerificationMaterial: &bundlepb.VerificationMaterial{Content: &bundlepb.VerificationMaterial_PublicKey{
			PublicKey: &commonpb.PublicKeyIdentifier{Hint: "a hint"},
		}},
		Content: envelope(statement, sig),
	})
}

func envelope(statement, sig []byte) *bundlepb.Bundle_DsseEnvelope {
	return &bundlepb.Bundle_DsseEnvelope{DsseEnvelope: &dssepb.Envelope{
		Payload: statement, PayloadType: statementType, Signatures: []*dssepb.Signature{{Sig: sig}},
	}}
}

func marshal(b *bundlepb.Bundle) (oci.Signature, error) {
	text, err := protojson.Marshal(b)
	return oci.Signature{Bundle: text}, err
}

// Attach pushes a signature of the artifact of a digest, as cosign does.
func Attach(ctx context.Context, r *registry.Registry, repository, digest string, s oci.Signature) error {
	if s.Bundle != nil {
		_, err := r.Push(ctx, repository, "", registry.Manifest{
			ArtifactType: bundleType, Subject: digest,
			Annotations: map[string]string{"dev.sigstore.bundle.predicateType": predicateOf(s.Bundle)},
			Layers:      []registry.Layer{{MediaType: bundleType, Content: s.Bundle}},
		})
		return err
	}
	_, err := r.Push(ctx, repository, strings.Replace(digest, ":", "-", 1)+".sig", registry.Manifest{
		Layers: []registry.Layer{{MediaType: payloadType, Content: s.Payload, Annotations: s.Annotations}},
	})
	return err
}

func predicateOf(bundle []byte) string {
	var b struct {
		DSSEEnvelope struct {
			Payload []byte `json:"payload"`
		} `json:"dsseEnvelope"`
	}
	var s struct {
		PredicateType string `json:"predicateType"`
	}
	if json.Unmarshal(bundle, &b) != nil || json.Unmarshal(b.DSSEEnvelope.Payload, &s) != nil {
		return ""
	}
	return s.PredicateType
}

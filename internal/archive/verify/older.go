package verify

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
)

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

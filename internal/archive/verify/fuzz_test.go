package verify

import (
	"encoding/hex"
	"os"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

// testdata has the trusted root of the public Sigstore, and the provenance of the npm package sigstore 2.0.0, which a
// workflow on GitHub signed.
const (
	workflow        = "https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@refs/heads/main"
	gitHub          = "https://token.actions.githubusercontent.com"
	provenanceOfNPM = "46d4e2f74c4877316640000a6fdf8a8b59f1e0847667973e9859f774dd31b8f1" +
		"e0937813b777fb66a2ac67d50540fe34640966eee9fc2ccca387082b4c85cd3c"
)

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPublicGood verifies what the public Sigstore issued, with all that its trusted root has.
func TestPublicGood(t *testing.T) {
	tr := must[*root.TrustedRoot](t)(root.NewTrustedRootFromJSON(readFile(t, "public-good.json")))
	if len(tr.RekorLogs()) == 0 || len(tr.CTLogs()) == 0 {
		t.Fatal("the trusted root has no logs")
	}
	v := must[*verify.Verifier](t)(newVerifier(tr))
	id := must[verify.CertificateIdentity](t)(Signer{Issuer: gitHub, Subject: workflow}.identity())
	b := &bundle.Bundle{}
	if err := b.UnmarshalJSON(readFile(t, "provenance.json")); err != nil {
		t.Fatal(err)
	}
	sum := must[[]byte](t)(hex.DecodeString(provenanceOfNPM))
	_, err := v.Verify(b, verify.NewPolicy(verify.WithArtifactDigest("sha512", sum),
		verify.WithCertificateIdentity(id)))
	if err != nil {
		t.Errorf("want a valid attestation, got %v", err)
	}

	keyless := must[*Verifier](t)(Keyless(readFile(t, "public-good.json"), Signer{Issuer: gitHub, Subject: workflow}))
	if _, err := keyless.Verify(artifact, []oci.Signature{{Bundle: readFile(t, "provenance.json")}}); err == nil {
		t.Error("an attestation must not be a signature")
	}
}

// FuzzVerify verifies anything. Nothing may be accepted.
func FuzzVerify(f *testing.F) {
	v, err := Keyless(readFile(f, "public-good.json"), Signer{Issuer: gitHub, SubjectRegExp: ".*"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(readFile(f, "provenance.json"), []byte(`{"critical":{"image":{"docker-manifest-digest":"`+artifact+
		`"},"type":"cosign container image signature"}}`), "c2ln",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		`{"SignedEntryTimestamp":"c2ln","Payload":{"body":"e30=","integratedTime":1,"logIndex":1,"logID":"00"}}`,
		`{"SignedRFC3161Timestamp":"c2ln"}`)
	f.Fuzz(func(t *testing.T, bundle, payload []byte, sig, certificate, log, timestamp string) {
		for _, s := range []oci.Signature{{Bundle: bundle}, {Payload: payload, Annotations: map[string]string{
			noteSignature: sig, noteCertificate: certificate, noteLog: log, noteTimestamp: timestamp,
		}}} {
			if who, err := v.Verify(artifact, []oci.Signature{s}); err == nil {
				t.Errorf("%s has not signed this artifact", who)
			}
		}
	})
}

package verify

import (
	"bytes"
	"encoding/asn1"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/test/cosign"
)

const (
	subject = "release@shop.example"
	issuer  = "https://issuer.example"
)

// soon returns a time at which a certificate that is issued now is valid.
func soon() time.Time { return time.Now().Add(5 * time.Minute) }

// signatureIn returns the signature in a bundle.
func signatureIn(t *testing.T, s oci.Signature) string {
	t.Helper()
	var b struct {
		DSSEEnvelope struct {
			Signatures []struct {
				Sig string `json:"sig"`
			} `json:"signatures"`
		} `json:"dsseEnvelope"`
	}
	if err := json.Unmarshal(s.Bundle, &b); err != nil || len(b.DSSEEnvelope.Signatures) != 1 {
		t.Fatalf("the bundle has no signature: %v", err)
	}
	return b.DSSEEnvelope.Signatures[0].Sig
}

// TestKeyless verifies signatures by trusted roots with various parts.
func TestKeyless(t *testing.T) {
	s := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	statement := cosign.Statement(artifact, oci.PredicateSignature)
	forms := map[string]oci.Signature{
		"older":  must[oci.Signature](t)(s.Sign(subject, issuer, artifact, soon())),
		"bundle": must[oci.Signature](t)(s.SignBundle(subject, issuer, statement, soon())),
	}
	for name, parts := range map[string]cosign.Part{
		"Log": cosign.Log, "Timestamps": cosign.Timestamps, "Both": cosign.Log | cosign.Timestamps,
	} {
		root := must[[]byte](t)(s.TrustedRoot(parts))
		v := must[*Verifier](t)(Keyless(root, Signer{Issuer: issuer, Subject: subject}))
		for form, signature := range forms {
			got, err := v.Verify(artifact, []oci.Signature{signature})
			if diff := cmp.Diff(Identity{Issuer: issuer, Subject: subject}, got); diff != "" || err != nil {
				t.Errorf("%s, %s: %v: -want, +got:\n%s", name, form, err, diff)
			}
		}
	}
}

func TestSigner(t *testing.T) {
	s := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	root := must[[]byte](t)(s.TrustedRoot(cosign.Log))
	signature := must[oci.Signature](t)(s.Sign(subject, issuer, artifact, soon()))
	const refused = "a signature is by release@shop.example (https://issuer.example)"
	cases := map[string]struct {
		reason string
		signer Signer
		want   string
	}{
		"Exact":        {"Texts are compared.", Signer{Issuer: issuer, Subject: subject}, ""},
		"RegExp":       {"Or matched.", Signer{Issuer: issuer, SubjectRegExp: `.*@shop\.example`}, ""},
		"OtherSubject": {"Another subject.", Signer{Issuer: issuer, Subject: "other@shop.example"}, refused},
		"OtherIssuer": {
			"Another issuer may give the same name to somebody else.",
			Signer{Issuer: "https://other.example", Subject: subject},
			refused,
		},
		"Start": {
			"A regular expression matches the whole text: another host may begin in the same way.",
			Signer{Issuer: issuer, SubjectRegExp: "release@shop"},
			refused,
		},
		"Middle": {"Or have it in the middle.", Signer{Issuer: issuer, SubjectRegExp: "shop"}, refused},
		"Or":     {"Also if there are alternatives.", Signer{Issuer: issuer, SubjectRegExp: "release@|x"}, refused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := must[*Verifier](t)(Keyless(root, tc.signer))
			_, err := v.Verify(artifact, []oci.Signature{signature})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if !strings.HasSuffix(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// overlapping returns a timestamp whose values end behind the ones that they are in.
func overlapping(t *testing.T) string {
	t.Helper()
	values := slices.Concat(bytes.Repeat([]byte{0x30, 62, 0x30, 32}, 500), bytes.Repeat([]byte{5, 0}, 40))
	response := must[[]byte](t)(asn1.Marshal(struct {
		Status struct{ Status int }
		Token  asn1.RawValue
	}{Token: asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: values}}))
	return string(must[[]byte](t)(json.Marshal(map[string]any{"SignedRFC3161Timestamp": response})))
}

// TestKeylessRefuses verifies what the holder of a registry, or of another Sigstore, may put there.
func TestKeylessRefuses(t *testing.T) {
	s := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	foreign := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	sign := must[oci.Signature](t)
	statement := cosign.Statement(artifact, oci.PredicateSignature)
	valid := sign(s.Sign(subject, issuer, artifact, soon()))
	without := func(annotation string) oci.Signature {
		c := valid
		c.Annotations = maps.Clone(valid.Annotations)
		delete(c.Annotations, annotation)
		return c
	}
	of := func(from oci.Signature, annotation string) oci.Signature {
		c := without(annotation)
		c.Annotations[annotation] = from.Annotations[annotation]
		return c
	}
	key := keys(t)["P-256"]
	late := soon().Add(30 * time.Minute)
	cases := map[string]struct {
		reason    string
		signature oci.Signature
		parts     cosign.Part
		want      error
	}{
		"Foreign": {
			"Anybody can run a Sigstore.", sign(foreign.Sign(subject, issuer, artifact, soon())), cosign.Log, errLog,
		},
		"ForeignBundle": {
			"Also in a bundle.", sign(foreign.SignBundle(subject, issuer, statement, soon())), cosign.Log, errLog,
		},
		"OverlappingTimestamp": {
			"A timestamp that takes all memory to read is not read.",
			of(oci.Signature{Annotations: map[string]string{noteTimestamp: overlapping(t)}}, noteTimestamp),
			cosign.Timestamps, errUnreadable,
		},
		"ForeignAuthority": {
			"Also with a timestamp of another authority.", sign(foreign.Sign(subject, issuer, artifact, soon())),
			cosign.Timestamps, errTime,
		},
		"Late": {
			"A certificate that has expired before its signature was logged may have been stolen.",
			sign(s.Sign(subject, issuer, artifact, late)), cosign.Log, errLog,
		},
		"LateBundle": {
			"Also in a bundle.", sign(s.SignBundle(subject, issuer, statement, late)), cosign.Log, errLog,
		},
		"NoLog": {"What is not logged cannot be noticed by its subject.", without(noteLog), cosign.Log, errLog},
		"NoTime": {
			"Without a log, a time has to be confirmed.", without(noteTimestamp), cosign.Timestamps, errTime,
		},
		"OtherLog": {
			"The entry of another signature confirms nothing.",
			of(sign(s.Sign(subject, issuer, artifact, soon())), noteLog), cosign.Log, errLog,
		},
		"OtherCertificate": {
			"The certificate of somebody else does not fit.",
			of(sign(s.Sign(subject, issuer, artifact, soon())), noteCertificate), cosign.Log, errLog,
		},
		"OtherArtifact": {
			"A valid signature of another artifact says nothing of this one.",
			sign(s.Sign(subject, issuer, other, soon())), cosign.Log, errOtherArtifact,
		},
		"OtherArtifactBundle": {
			"Also in a bundle.",
			sign(s.SignBundle(subject, issuer, cosign.Statement(other, oci.PredicateSignature), soon())), cosign.Log,
			errOtherArtifact,
		},
		"Attestation": {
			"The same workflow signs provenance too.",
			sign(s.SignBundle(subject, issuer, cosign.Statement(artifact, "https://slsa.dev/provenance/v1"), soon())),
			cosign.Log, errAttestation,
		},
		"NotInCertificateLog": {
			"A certificate that is not logged was not issued openly.", valid, cosign.Log | cosign.CertificateLog,
			errCertificate,
		},
		"Key": {
			"A key has no identity.", sign(cosign.Sign(key, artifact)), cosign.Log, errNoCertificate,
		},
		"KeyBundle": {
			"Also in a bundle.", sign(cosign.SignBundle(key, statement)), cosign.Log, errNoCertificate,
		},
		"Damaged": {
			"A registry may hold anything.",
			of(oci.Signature{Annotations: map[string]string{noteLog: "{"}}, noteLog), cosign.Log, errUnreadable,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := must[[]byte](t)(s.TrustedRoot(tc.parts))
			v := must[*Verifier](t)(Keyless(root, Signer{Issuer: issuer, Subject: subject}))
			got, err := v.Verify(artifact, []oci.Signature{tc.signature})
			if err == nil || !strings.HasSuffix(err.Error(), tc.want.Error()) {
				t.Errorf("%s\nwant %v, got %v: %v", tc.reason, tc.want, got, err)
			}
		})
	}
}

func TestNewKeyless(t *testing.T) {
	s := must[*cosign.Sigstore](t)(cosign.NewSigstore())
	good := Signer{Issuer: issuer, Subject: subject}
	root := must[[]byte](t)(s.TrustedRoot(cosign.Log))
	cases := map[string]struct {
		reason  string
		root    []byte
		signers []Signer
	}{
		"Text": {"It is no JSON.", []byte("trusted"), []Signer{good}},
		"Empty": {
			"It has no authority.", []byte(`{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}`),
			[]Signer{good},
		},
		"NoTime":    {"It confirms no time.", must[[]byte](t)(s.TrustedRoot(0)), []Signer{good}},
		"NoSigner":  {"Nobody is trusted.", root, nil},
		"NoIssuer":  {"Any issuer would be trusted.", root, []Signer{{Subject: subject}}},
		"NoSubject": {"Any subject would be trusted.", root, []Signer{{Issuer: issuer}}},
		"Both": {
			"It is unclear which one counts.", root, []Signer{{Issuer: issuer, Subject: subject, SubjectRegExp: "."}},
		},
		"RegExp": {"It is no regular expression.", root, []Signer{{Issuer: issuer, SubjectRegExp: "("}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Keyless(tc.root, tc.signers...); err == nil {
				t.Errorf("%s Want an error.", tc.reason)
			}
		})
	}
}

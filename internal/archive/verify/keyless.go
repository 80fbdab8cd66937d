package verify

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
)

// A Signer is somebody that is trusted, whom an OpenID Connect issuer identifies.
type Signer struct {
	Issuer string

	// Exactly one of Subject and SubjectRegExp is set. The regular expression has to match the whole subject, unlike
	// that of cosign, so that nobody can add something before or after.
	Subject, SubjectRegExp string
}

// Errors of signatures with a certificate.
var (
	errLog = errors.New("a signature has no entry in the transparency log of the trusted root that fits it and the " +
		"lifetime of its certificate")
	errTime        = errors.New("a signature has no time that the trusted root confirms")
	errCertificate = errors.New("a signature does not match what it signs, or its certificate is not one of the " +
		"trusted root, has expired when it was used, or is not in the log of certificates")
)

// Keyless returns a Verifier that trusts each of the signers. trustedRoot is the trusted root of Sigstore as JSON,
// which `cosign trusted-root create` and `gh attestation trusted-root` print: the certificate authorities, and the
// logs and timestamp authorities. What the trusted root has is demanded: an entry in a transparency log, a
// timestamp, and an entry in a log of certificates.
func Keyless(trustedRoot []byte, signers ...Signer) (*Verifier, error) {
	if errors.Is(checkJSON(trustedRoot, maxRootText), errTooLong) {
		return nil, errors.New("the trusted root has a certificate, a key or another text of more than 4 KB")
	}
	tr, err := root.NewTrustedRootFromJSON(trustedRoot)
	if err != nil {
		return nil, errors.New("the trusted root is not JSON as Sigstore's: put the text there that cosign " +
			"trusted-root create prints")
	}
	v, err := newVerifier(tr)
	if err != nil {
		return nil, err
	}
	var trusted []verify.PolicyOption
	for _, s := range signers {
		id, err := s.identity()
		if err != nil {
			return nil, err
		}
		trusted = append(trusted, verify.WithCertificateIdentity(id))
	}
	if len(trusted) == 0 {
		return nil, errors.New("there is no identity to trust")
	}
	k := keyless{verifier: v, trusted: trusted}
	return &Verifier{verify: k.verify}, nil
}

// newVerifier returns a verifier that demands what a trusted root has.
func newVerifier(tr *root.TrustedRoot) (*verify.Verifier, error) {
	if len(tr.FulcioCertificateAuthorities()) == 0 {
		return nil, errors.New("the trusted root has no certificate authority")
	}
	if len(tr.RekorLogs()) == 0 && len(tr.TimestampingAuthorities()) == 0 {
		return nil, errors.New("the trusted root has neither a transparency log nor a timestamp authority, so that " +
			"the time of a signature is not known")
	}
	demanded := []verify.VerifierOption{verify.WithObserverTimestamps(1)}
	if len(tr.RekorLogs()) > 0 {
		demanded = append(demanded, verify.WithTransparencyLog(1))
	}
	if len(tr.CTLogs()) > 0 {
		demanded = append(demanded, verify.WithSignedCertificateTimestamps(1))
	}
	return verify.NewVerifier(tr, demanded...)
}

// identity returns what is compared with a certificate.
func (s Signer) identity() (verify.CertificateIdentity, error) {
	if s.Issuer == "" || (s.Subject == "") == (s.SubjectRegExp == "") {
		return verify.CertificateIdentity{}, errors.New("an identity takes an issuer, and a subject or a regular " +
			"expression of subjects")
	}
	id, err := verify.NewShortCertificateIdentity(s.Issuer, "", s.Subject, whole(s.SubjectRegExp))
	if err != nil {
		return id, errors.New("subjectRegExp is not a regular expression in the syntax of RE2")
	}
	return id, nil
}

// whole returns a regular expression that matches whole texts.
func whole(re string) string {
	if re == "" {
		return ""
	}
	return "^(?:" + re + ")$"
}

// A keyless verifies signatures with a certificate.
type keyless struct {
	verifier *verify.Verifier
	trusted  []verify.PolicyOption
}

func (k keyless) verify(digest []byte, s oci.Signature) (Identity, error) {
	b, signed, err := k.parse(digest, s)
	if err != nil {
		return Identity{}, err
	}
	content, err := b.VerificationContent()
	if err != nil || content.Certificate() == nil {
		return Identity{}, errNoCertificate
	}
	times, err := b.Timestamps()
	if err != nil || slices.ContainsFunc(times, func(t []byte) bool { return !isDER(t) }) {
		return Identity{}, errUnreadable
	}
	result, err := k.verifier.Verify(b, verify.NewPolicy(signed, k.trusted...))
	if err != nil {
		return Identity{}, k.reason(b, content, err)
	}
	if s.Bundle != nil {
		if err := checkStatement(result.Statement, digest); err != nil {
			return Identity{}, err
		}
	}
	return identityOf(*result.Signature.Certificate), nil
}

// isDER reports whether each value in a text of ASN.1 ends within the one that it is in. The library that reads
// timestamps accepts others, and reads what is behind the end of a value again for each: of 2 KB, it makes a tree that
// no memory has room for.
func isDER(text []byte) bool {
	for len(text) > 0 {
		var v asn1.RawValue
		rest, err := asn1.Unmarshal(text, &v)
		if err != nil || v.IsCompound && !isDER(v.Bytes) {
			return false
		}
		text = rest
	}
	return true
}

// parse returns a signature as a bundle, and what has to be signed.
func (k keyless) parse(digest []byte, s oci.Signature) (*bundle.Bundle, verify.ArtifactPolicyOption, error) {
	if s.Bundle != nil {
		b, err := parseBundle(s.Bundle, digest)
		return b, verify.WithArtifactDigest("sha256", digest), err
	}
	if err := checkPayload(s.Payload, digest); err != nil {
		return nil, nil, err
	}
	b, err := bundleOf(s)
	return b, verify.WithArtifact(bytes.NewReader(s.Payload)), err
}

// reason returns why a signature is refused. The library's errors hold times and values of the registry.
func (k keyless) reason(b *bundle.Bundle, content verify.VerificationContent, err error) error {
	if _, ok := errors.AsType[*verify.ErrNoMatchingCertificateIdentity](err); ok {
		summary, err := certificate.SummarizeCertificate(content.Certificate())
		if err != nil {
			return errCertificate
		}
		return fmt.Errorf("a signature is by %s", identityOf(summary))
	}
	times, err := k.verifier.VerifyTransparencyLogInclusion(b)
	if err != nil {
		return errLog
	}
	if _, err := k.verifier.VerifyObserverTimestamps(b, times); err != nil {
		return errTime
	}
	return errCertificate
}

func identityOf(c certificate.Summary) Identity {
	return Identity{Issuer: printable(c.Issuer), Subject: printable(c.SubjectAlternativeName)}
}

// printable returns a text without what a terminal may interpret.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

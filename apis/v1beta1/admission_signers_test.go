package v1beta1

import "testing"

func TestSignersRefused(t *testing.T) {
	const root = "trustedRootRef: {configMapKeyRef: {name: sigstore, key: root.json}}"
	keyless := func(signer string) string {
		return `oci: {reference: "ghcr.io/acme/orders:v1", verify: {cosign: {keyless: {` + signer + `, ` + root + `}}}}`
	}
	testRefusals(t, zipFunction, map[string]refusal{
		"NoSubject": {
			reason: "Anybody whom the issuer knows would be trusted.",
			change: code(keyless("issuer: https://issuer.example")),
			want: "spec.forProvider.code.oci.verify.cosign.keyless: Invalid value: set exactly one of subject and " +
				"subjectRegExp",
		},
		"TwoSubjects": {
			reason: "It would be unclear which one counts.",
			change: code(keyless("issuer: https://issuer.example, subject: a, subjectRegExp: b")),
			want: "spec.forProvider.code.oci.verify.cosign.keyless: Invalid value: set exactly one of subject and " +
				"subjectRegExp",
		},
	})
}

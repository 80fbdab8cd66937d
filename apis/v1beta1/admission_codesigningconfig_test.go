package v1beta1

import "testing"

const signingConfig = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: CodeSigningConfig
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    allowedPublishers: {signingProfileVersionArns: ["arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/v"]}
`

func TestCodeSigningConfigRefused(t *testing.T) {
	testRefusals(t, signingConfig, map[string]refusal{
		"NoRegion": {
			reason: "It lies in a region.",
			change: forProvider(`region: null`),
			want:   `spec.forProvider.region: Required value`,
		},
		"NoPublishers": {
			reason: "Someone has to sign.",
			change: forProvider(`allowedPublishers: null`),
			want:   `spec.forProvider.allowedPublishers: Required value: set signingProfileVersionArns to the signing profile versions that may sign code (set it in spec.initProvider if another tool manages it later)`,
		},
		"NobodyAllowed": {
			reason: "Someone has to sign.",
			change: forProvider(`allowedPublishers: {signingProfileVersionArns: null}`),
			want:   `spec.forProvider.allowedPublishers: Invalid value: set exactly one of signingProfileVersionArns and signingProfileVersionArnsFrom`,
		},
		"Both": {
			reason: "They come from one place.",
			change: forProvider(
				`allowedPublishers: {signingProfileVersionArnsFrom: [{apiVersion: v1, kind: K, name: one, fieldPath: f}]}`,
			),
			want: `spec.forProvider.allowedPublishers: Invalid value: set exactly one of signingProfileVersionArns and signingProfileVersionArnsFrom`,
		},
		"ProfileWithoutVersion": {
			reason: "A profile has versions.",
			change: forProvider(
				`allowedPublishers: {signingProfileVersionArns: ["arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p"]}`,
			),
			want: `spec.forProvider.allowedPublishers.signingProfileVersionArns: Invalid value: a signing profile version must be an ARN that includes the version: use the form arn:aws:signer:region:123456789012:/signing-profiles/name/version`,
		},
		"ProfileName": {
			reason: "A name is no ARN.",
			change: forProvider(`allowedPublishers: {signingProfileVersionArns: [p]}`),
			want:   `spec.forProvider.allowedPublishers.signingProfileVersionArns: Invalid value: a signing profile version must be an ARN that includes the version: use the form arn:aws:signer:region:123456789012:/signing-profiles/name/version`,
		},
		"Twice": {
			reason: "Once is enough.",
			change: forProvider(
				`allowedPublishers: {signingProfileVersionArns: ["arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/v", "arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/v"]}`,
			),
			want: `spec.forProvider.allowedPublishers.signingProfileVersionArns: Invalid value: a signing profile version is listed twice: remove one of the two entries`,
		},
		"Policy": {
			reason: "AWS has two.",
			change: forProvider(`codeSigningPolicies: {untrustedArtifactOnDeployment: Allow}`),
			want:   `spec.forProvider.codeSigningPolicies.untrustedArtifactOnDeployment: Unsupported value: "Allow": supported values: "Warn", "Enforce"`,
		},
		"TagOfAWS": {
			reason: "AWS keeps these to itself.",
			change: forProvider(`tags: {"aws:x": one}`),
			want:   `spec.forProvider.tags: Invalid value: tag keys that start with aws: are reserved by AWS: remove them`,
		},
		"TagOfOurs": {
			reason: "They say whose it is.",
			change: forProvider(`tags: {crossplane-name: one}`),
			want:   `spec.forProvider.tags: Invalid value: tag keys that start with crossplane- are reserved by the provider: remove them`,
		},
	})
}

func TestCodeSigningConfigUpdates(t *testing.T) {
	testUpdates(t, signingConfig, map[string]update{
		"Region": {
			reason: "It stays where it is.",
			first:  forProvider(`region: eu-central-1`),
			then:   forProvider(`region: eu-west-1`),
			want:   `spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"Description": {
			reason: "It can be changed.",
			first:  forProvider(`description: a`),
			then:   forProvider(`description: b`),
			want:   ``,
		},
	})
}

func TestCodeSigningConfigAccepted(t *testing.T) {
	testAcceptances(t, signingConfig, map[string]acceptance{
		"Observed": {
			"To look, the region is enough.",
			`spec: {managementPolicies: [Observe], forProvider: {allowedPublishers: null}}`,
		},
		"FromOthers": {
			"Another object may tell.",
			forProvider(
				`allowedPublishers: {signingProfileVersionArns: null, signingProfileVersionArnsFrom: [{apiVersion: signer.example.org/v1, kind: SigningProfile, name: one, fieldPath: status.arn}]}`,
			),
		},
		"AtCreation": {
			"Another tool may keep them.",
			`spec: {forProvider: {allowedPublishers: null}, initProvider: {allowedPublishers: {signingProfileVersionArns: ["arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/v"]}}}`,
		},
	})
}

package v1beta1

import "testing"

const inlineLayer = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: LayerVersion
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    content: {inline: {python/m.py: x}}
`

func TestLayerVersionRefused(t *testing.T) {
	testRefusals(t, inlineLayer, map[string]refusal{
		"NoRegion": {
			reason: "A layer lies in a region.",
			change: forProvider(`region: null`),
			want:   `spec.forProvider.region: Required value`,
		},
		"NoContent": {
			reason: "A layer is its content.",
			change: forProvider(`content: null`),
			want:   `spec.forProvider.content: Required value: set exactly one source: s3Bucket and s3Key, inline, configMapRef, zipFileFrom, sourceRef or oci`,
		},
		"NoSource": {
			reason: "Content comes from somewhere.",
			change: forProvider(`content: {inline: null}`),
			want:   `spec.forProvider.content: Invalid value: content has no source: set exactly one of s3Bucket and s3Key, inline, configMapRef, zipFileFrom, sourceRef or oci`,
		},
		"TwoSources": {
			reason: "Content comes from one place.",
			change: forProvider(`content: {configMapRef: {name: c}}`),
			want:   `spec.forProvider.content: Invalid value: content has more than one source: set exactly one of s3Bucket and s3Key, inline, configMapRef, zipFileFrom, sourceRef or oci`,
		},
		"BucketAlone": {
			reason: "AWS needs bucket and key.",
			change: forProvider(`content: {inline: null, s3Bucket: my-layers}`),
			want:   `spec.forProvider.content: Invalid value: s3Bucket and s3Key must be set together: set both`,
		},
		"VersionAlone": {
			reason: "A version is a version of an object.",
			change: forProvider(`content: {s3ObjectVersion: v}`),
			want:   `spec.forProvider.content: Invalid value: s3ObjectVersion needs s3Bucket and s3Key: set them, or remove s3ObjectVersion`,
		},
		"StorageAlone": {
			reason: "Only an object in S3 can be referenced.",
			change: forProvider(`content: {s3ObjectStorageMode: COPY}`),
			want:   `spec.forProvider.content: Invalid value: s3ObjectStorageMode needs s3Bucket and s3Key: set them, or remove s3ObjectStorageMode`,
		},
		"InlinePath": {
			reason: "A file lies below the layer.",
			change: forProvider(`content: {inline: {/opt/x: one}}`),
			want:   `spec.forProvider.content.inline: Invalid value: /opt/x is not a relative path of a file: use one such as python/util.py or bin/tool, of letters, digits and . _ @ + -`,
		},
		"Prefix": {
			reason: "A prefix is a folder.",
			change: forProvider(`content: {inline: null, configMapRef: {name: c, filePrefix: python}}`),
			want:   `spec.forProvider.content.configMapRef.filePrefix: Invalid value: "python": filePrefix must be a relative path that ends in a slash, such as python/ or nodejs/node_modules/`,
		},
		"Pin": {
			reason: "The first digits are no pin.",
			change: forProvider(`content: {sha256: abc}`),
			want:   `spec.forProvider.content.sha256: Invalid value: "abc": sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters`,
		},
		"NameARN": {
			reason: "A name is no ARN.",
			change: forProvider(`layerName: "arn:aws:lambda:eu-central-1:123456789012:layer:l"`),
			want:   `spec.forProvider.layerName: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:layer:l": layerName must be the plain name of a layer: use letters, digits, hyphens and underscores, without an ARN or a version`,
		},
		"Architecture": {
			reason: "AWS has two.",
			change: forProvider(`compatibleArchitectures: [amd64]`),
			want:   `spec.forProvider.compatibleArchitectures[0]: Unsupported value: "amd64": supported values: "x86_64", "arm64"`,
		},
		"Runtime": {
			reason: "A language is no runtime.",
			change: forProvider(`compatibleRuntimes: [python]`),
			want:   `spec.forProvider.compatibleRuntimes: Invalid value: a compatible runtime must be a Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023`,
		},
		"OldVersions": {
			reason: "They are kept or deleted.",
			change: forProvider(`oldVersions: Forget`),
			want:   `spec.forProvider.oldVersions: Unsupported value: "Forget": supported values: "Keep", "DeleteUnused", "Delete"`,
		},
	})
}

func TestLayerVersionUpdates(t *testing.T) {
	testUpdates(t, inlineLayer, map[string]update{
		"Region": {
			reason: "It stays where it is.",
			first:  forProvider(`region: eu-central-1`),
			then:   forProvider(`region: eu-west-1`),
			want:   `spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"LayerName": {
			reason: "Another layer is another resource.",
			first:  forProvider(`layerName: a`),
			then:   forProvider(`layerName: b`),
			want:   `spec.forProvider.layerName: Forbidden: layerName can't be changed: create a new LayerVersion for the other layer`,
		},
		"LayerNameRemoved": {
			reason: "metadata.name is another name.",
			first:  forProvider(`layerName: a`),
			then:   forProvider(`layerName: null`),
			want:   `spec.forProvider.layerName: Forbidden: layerName can't be changed: create a new LayerVersion for the other layer`,
		},
		"Content": {
			reason: "It is published.",
			first:  forProvider(`oldVersions: Keep`),
			then:   forProvider(`oldVersions: DeleteUnused, content: {inline: {python/m.py: z}}`),
			want:   ``,
		},
	})
}

func TestLayerVersionAccepted(t *testing.T) {
	testAcceptances(t, inlineLayer, map[string]acceptance{
		"Observed": {
			"To look, the region is enough.",
			`spec: {managementPolicies: [Observe], forProvider: {content: null}}`,
		},
		"Prefix": {
			"Folders may lie in folders.",
			forProvider(`content: {inline: null, configMapRef: {name: c, filePrefix: nodejs/node_modules/}}`),
		},
		"NewRuntime": {"AWS adds runtimes.", forProvider(`compatibleRuntimes: [python3.99, java8.al2]`)},
	})
}

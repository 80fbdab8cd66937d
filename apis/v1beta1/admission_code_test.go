package v1beta1

import (
	"strings"
	"testing"
)

func TestCodeRefused(t *testing.T) {
	testRefusals(t, zipFunction, map[string]refusal{
		"None": {
			reason: "A function is made of code.",
			change: forProvider(`code: null`),
			want:   "spec.forProvider.code: Required value: set exactly one source: s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci (set it in spec.initProvider if another tool deploys code later)",
		},
		"Empty": {
			reason: "Code that names no source is none.",
			change: forProvider(`code: {inline: null}`),
			want:   "spec.forProvider.code: Invalid value: code has no source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci",
		},
		"BucketAlone": {
			reason: "AWS needs bucket and key.",
			change: code(`s3Bucket: my-code`),
			want:   "spec.forProvider.code: Invalid value: s3Bucket and s3Key must be set together: set both",
		},
		"KeyAlone": {
			reason: "AWS needs bucket and key.",
			change: code(`s3Key: app.zip`),
			want:   "spec.forProvider.code: Invalid value: s3Bucket and s3Key must be set together: set both",
		},
		"VersionAlone": {
			reason: "A version is a version of an object.",
			change: forProvider(`code: {s3ObjectVersion: abc}`),
			want:   "spec.forProvider.code: Invalid value: s3ObjectVersion needs s3Bucket and s3Key: set them, or remove s3ObjectVersion",
		},
		"StorageModeAlone": {
			reason: "Only an object in S3 can be referenced.",
			change: forProvider(`code: {s3ObjectStorageMode: REFERENCE}`),
			want:   "spec.forProvider.code: Invalid value: s3ObjectStorageMode needs s3Bucket and s3Key: set them, or remove s3ObjectStorageMode",
		},
		"StorageModeUnknown": {
			reason: "AWS has two modes.",
			change: code(`s3Bucket: my-code, s3Key: app.zip, s3ObjectStorageMode: MOVE`),
			want:   `spec.forProvider.code.s3ObjectStorageMode: Unsupported value: "MOVE": supported values: "COPY", "REFERENCE"`,
		},
		"BucketTooShort": {
			reason: "The shortest bucket name has 3 characters.",
			change: code(`s3Bucket: ab, s3Key: app.zip`),
			want:   `spec.forProvider.code.s3Bucket: Invalid value: "ab": spec.forProvider.code.s3Bucket in body should be at least 3 chars long`,
		},
		"BucketTooLong": {
			reason: "The longest bucket name has 63 characters.",
			change: code(`s3Bucket: ` + strings.Repeat("b", 64) + `, s3Key: app.zip`),
			want:   "spec.forProvider.code.s3Bucket: Too long: may not be more than 63 bytes",
		},
		"BucketURL": {
			reason: "Users paste what the console shows.",
			change: code(`s3Bucket: "s3://my-code", s3Key: app.zip`),
			want:   `spec.forProvider.code.s3Bucket: Invalid value: "s3://my-code": s3Bucket is not a bucket name: use the name alone, without s3:// and without a path`,
		},
		"BucketTrailingSlash": {
			reason: "The slash belongs to a URL.",
			change: code(`s3Bucket: my-code/, s3Key: app.zip`),
			want:   `spec.forProvider.code.s3Bucket: Invalid value: "my-code/": s3Bucket is not a bucket name: use the name alone, without s3:// and without a path`,
		},
		"BucketTrailingDot": {
			reason: "AWS refuses a dot at the end.",
			change: code(`s3Bucket: my-code., s3Key: app.zip`),
			want:   `spec.forProvider.code.s3Bucket: Invalid value: "my-code.": s3Bucket is not a bucket name: use the name alone, without s3:// and without a path`,
		},
		"BucketARN": {
			reason: "An ARN is no name.",
			change: code(`s3Bucket: "arn:aws:s3:::my-code", s3Key: app.zip`),
			want:   `spec.forProvider.code.s3Bucket: Invalid value: "arn:aws:s3:::my-code": s3Bucket is not a bucket name: use the name alone, without s3:// and without a path`,
		},
		"KeyEmpty": {
			reason: "An object has a key.",
			change: code(`s3Bucket: my-code, s3Key: ""`),
			want:   `spec.forProvider.code.s3Key: Invalid value: "": spec.forProvider.code.s3Key in body should be at least 1 chars long`,
		},
		"KeyTooLong": {
			reason: "The longest key has 1024 characters.",
			change: code(`s3Bucket: my-code, s3Key: ` + strings.Repeat("k", 1025)),
			want:   "spec.forProvider.code.s3Key: Too long: may not be more than 1024 bytes",
		},
		"VersionEmpty": {
			reason: "An empty version is a mistake in a template.",
			change: code(`s3Bucket: my-code, s3Key: app.zip, s3ObjectVersion: ""`),
			want:   `spec.forProvider.code.s3ObjectVersion: Invalid value: "": spec.forProvider.code.s3ObjectVersion in body should be at least 1 chars long`,
		},
		"SourceKeyNoARN": {
			reason: "AWS takes no alias or id here.",
			change: forProvider(`code: {sourceKmsKeyArn: alias/code}`),
			want:   `spec.forProvider.code.sourceKmsKeyArn: Invalid value: "alias/code": sourceKmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id`,
		},
		"TrackTagWithoutImage": {
			reason: "There is no tag to follow.",
			change: forProvider(`code: {trackImageTag: true}`),
			want:   "spec.forProvider.code: Invalid value: trackImageTag needs imageUri: set it, or remove trackImageTag",
		},
		"ImageOfZip": {
			reason: "An image makes an image function.",
			change: code(`imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"`),
			want:   "spec: Invalid value: code.imageUri is for container images: set packageType: Image",
		},
		"SHA256Short": {
			reason: "The first digits are no pin.",
			change: forProvider(`code: {sha256: 9f86d081884c7d65}`),
			want:   `spec.forProvider.code.sha256: Invalid value: "9f86d081884c7d65": sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters`,
		},
		"SHA256Prefixed": {
			reason: "An image's digest has a prefix, a hash has none.",
			change: forProvider(
				`code: {sha256: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f0"}`,
			),
			want: `spec.forProvider.code.sha256: Invalid value: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f0": sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters`,
		},
		"SHA256NoBase64": {
			reason: "44 characters alone make no base64.",
			change: forProvider(`code: {sha256: "-86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b8="}`),
			want:   `spec.forProvider.code.sha256: Invalid value: "-86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b8=": sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters`,
		},
		"SHA256TooLong": {
			reason: "65 digits are one too many.",
			change: forProvider(`code: {sha256: ` + strings.Repeat("a", 65) + `}`),
			want: `spec.forProvider.code.sha256: Invalid value: "` + strings.Repeat(
				"a",
				65,
			) + `": sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters`,
		},
		"InlineEmpty": {
			reason: "An archive without a file runs nothing.",
			change: forProvider(`code: {inline: {index.py: null}}`),
			want:   "spec.forProvider.code.inline: Invalid value: 0: spec.forProvider.code.inline in body should have at least 1 properties",
		},
		"InlineAbsolute": {
			reason: "A file lies below the function's root.",
			change: forProvider(`code: {inline: {/etc/passwd: x}}`),
			want:   "spec.forProvider.code.inline: Invalid value: /etc/passwd is not a relative path of a file: use one such as index.py or lib/util.js, of letters, digits and . _ @ + -",
		},
		"InlineParent": {
			reason: "A file lies below the function's root.",
			change: forProvider(`code: {inline: {lib/../../x.py: x}}`),
			want:   "spec.forProvider.code.inline: Invalid value: lib/../../x.py is not a relative path of a file: use one such as index.py or lib/util.js, of letters, digits and . _ @ + -",
		},
		"InlineFolder": {
			reason: "A folder comes about by its files.",
			change: forProvider(`code: {inline: {lib/: x}}`),
			want:   "spec.forProvider.code.inline: Invalid value: lib/ is not a relative path of a file: use one such as index.py or lib/util.js, of letters, digits and . _ @ + -",
		},
		"InlineBackslash": {
			reason: "A zip separates by slashes.",
			change: forProvider(`code: {inline: {'lib\x.py': x}}`),
			want:   `spec.forProvider.code.inline: Invalid value: lib\x.py is not a relative path of a file: use one such as index.py or lib/util.js, of letters, digits and . _ @ + -`,
		},
		"ConfigMapWithoutName": {
			reason: "A reference has a name.",
			change: code(`configMapRef: {}`),
			want:   "spec.forProvider.code.configMapRef.name: Required value",
		},
		"ConfigMapEmptyName": {
			reason: "A reference has a name.",
			change: code(`configMapRef: {name: ""}`),
			want:   `spec.forProvider.code.configMapRef.name: Invalid value: "": spec.forProvider.code.configMapRef.name in body should be at least 1 chars long`,
		},
		"ZipFromNothing": {
			reason: "The archive lies in one of the two.",
			change: code(`zipFileFrom: {}`),
			want:   "spec.forProvider.code.zipFileFrom: Invalid value: set exactly one of secretKeyRef and configMapKeyRef in zipFileFrom",
		},
		"ZipFromBoth": {
			reason: "The archive lies in one of the two.",
			change: code(`zipFileFrom: {secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}`),
			want:   "spec.forProvider.code.zipFileFrom: Invalid value: set exactly one of secretKeyRef and configMapKeyRef in zipFileFrom",
		},
		"ZipWithoutKey": {
			reason: "The archive is one key.",
			change: code(`zipFileFrom: {secretKeyRef: {name: a}}`),
			want:   "spec.forProvider.code.zipFileFrom.secretKeyRef.key: Required value",
		},
		"ZipWithoutName": {
			reason: "The key is that of an object.",
			change: code(`zipFileFrom: {configMapKeyRef: {key: a}}`),
			want:   "spec.forProvider.code.zipFileFrom.configMapKeyRef.name: Required value",
		},
		"UnknownField": {
			reason: "The field is AWS's, not ours: the bytes come from the cluster.",
			change: code(`zipFile: UEsDBA==`),
			want:   `Function in version "v1beta1" cannot be handled as a Function: strict decoding error: unknown field "spec.forProvider.code.zipFile"`,
		},
	})
}

func TestImageRefused(t *testing.T) {
	testRefusals(t, imageFunction, map[string]refusal{
		"NoRegistry": {
			reason: "Lambda pulls from Amazon ECR alone.",
			change: forProvider(`code: {imageUri: nginx:latest}`),
			want:   `spec.forProvider.code.imageUri: Invalid value: "nginx:latest": imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag`,
		},
		"PublicRegistry": {
			reason: "Lambda pulls from private repositories alone.",
			change: forProvider(`code: {imageUri: public.ecr.aws/lambda/python:3.13}`),
			want:   `spec.forProvider.code.imageUri: Invalid value: "public.ecr.aws/lambda/python:3.13": imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag`,
		},
		"URL": {
			reason: "An image has no scheme.",
			change: forProvider(`code: {imageUri: "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"}`),
			want:   `spec.forProvider.code.imageUri: Invalid value: "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1": imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag`,
		},
		"UpperCaseRepository": {
			reason: "Repositories are lower case.",
			change: forProvider(`code: {imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/Hello:v1"}`),
			want:   `spec.forProvider.code.imageUri: Invalid value: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/Hello:v1": imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag`,
		},
		"ShortDigest": {
			reason: "A digest is whole.",
			change: forProvider(
				`code: {imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello@sha256:9f86d0"}`,
			),
			want: `spec.forProvider.code.imageUri: Invalid value: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello@sha256:9f86d0": imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag`,
		},
		"SHA256": {
			reason: "An image is pinned by its own digest.",
			change: forProvider(`code: {sha256: ` + strings.Repeat("a", 64) + `}`),
			want:   "spec.forProvider.code: Invalid value: sha256 is for .zip archives only: pin an image by its digest, as in repository@sha256:...",
		},
		"SourceKey": {
			reason: "The key is the repository's.",
			change: forProvider(`code: {sourceKmsKeyArn: "arn:aws:kms:eu-central-1:123456789012:key/1234"}`),
			want:   "spec.forProvider.code: Invalid value: sourceKmsKeyArn is for .zip archives only: remove it, since an image is encrypted in its repository",
		},
		"ObjectVersion": {
			reason: "An image is no object.",
			change: forProvider(`code: {s3ObjectVersion: abc}`),
			want:   "spec.forProvider.code: Invalid value: s3ObjectVersion needs s3Bucket and s3Key: set them, or remove s3ObjectVersion",
		},
		"ZipCode": {
			reason: "The type says image, the code is a zip.",
			change: forProvider(`code: {imageUri: null, s3Bucket: my-code, s3Key: app.zip}`),
			want:   "spec: Invalid value: packageType Image needs code.imageUri: set it, or set packageType: Zip",
		},
		"ZipCodeAtCreation": {
			reason: "initProvider's code has to fit, too.",
			change: forProvider(`code: null}, initProvider: {code: {s3Bucket: my-code, s3Key: app.zip}`),
			want:   "spec: Invalid value: packageType Image needs code.imageUri: set it, or set packageType: Zip",
		},
		"CodeSigning": {
			reason: "AWS signs archives only.",
			change: forProvider(
				`codeSigningConfigArn: "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0"`,
			),
			want: "spec.forProvider.codeSigningConfigArn: Forbidden: code signing is for .zip archives only: remove the code signing config, or set packageType: Zip",
		},
		"CodeSigningByReferenceAtCreation": {
			reason: "However it is named.",
			change: `spec: {initProvider: {codeSigningConfigArnRef: {name: a}}}`,
			want:   "spec.forProvider.codeSigningConfigArn: Forbidden: code signing is for .zip archives only: remove the code signing config, or set packageType: Zip",
		},
		"Handler": {
			reason: "The image has it.",
			change: forProvider(`handler: index.handler`),
			want:   "spec: Invalid value: handler, runtime and layers are for packageType Zip only: remove them, and use imageConfig to override the image's entry point",
		},
		"Runtime": {
			reason: "The image has it.",
			change: forProvider(`runtime: python3.13`),
			want:   "spec: Invalid value: handler, runtime and layers are for packageType Zip only: remove them, and use imageConfig to override the image's entry point",
		},
		"RuntimeAtCreation": {
			reason: "The image has it.",
			change: `spec: {initProvider: {runtime: python3.13}}`,
			want:   "spec: Invalid value: handler, runtime and layers are for packageType Zip only: remove them, and use imageConfig to override the image's entry point",
		},
		"Layers": {
			reason: "AWS adds no layers to an image.",
			change: forProvider(`layers: ["arn:aws:lambda:eu-central-1:123456789012:layer:a:1"]`),
			want:   "spec: Invalid value: handler, runtime and layers are for packageType Zip only: remove them, and use imageConfig to override the image's entry point",
		},
		"NoCode": {
			reason: "A function is made of code.",
			change: forProvider(`code: null`),
			want:   "spec.forProvider.code: Required value: set exactly one source: s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci (set it in spec.initProvider if another tool deploys code later)",
		},
		"WorkingDirectoryTooLong": {
			reason: "AWS takes 1000 characters.",
			change: forProvider(`imageConfig: {workingDirectory: /` + strings.Repeat("d", 1000) + `}`),
			want:   "spec.forProvider.imageConfig.workingDirectory: Too long: may not be more than 1000 bytes",
		},
	})
}

// TestTwoSourcesRefused checks that any two sources of code are rejected.
func TestTwoSourcesRefused(t *testing.T) {
	sources := map[string]string{
		"S3":        "s3Bucket: my-code, s3Key: app.zip",
		"Image":     `imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"`,
		"Inline":    `inline: {index.py: ""}`,
		"ConfigMap": "configMapRef: {name: app}",
		"Zip":       "zipFileFrom: {secretKeyRef: {name: app, key: app.zip}}",
	}
	const (
		twice = "spec.forProvider.code: Invalid value: code has more than one source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci"
		image = "spec: Invalid value: code.imageUri is for container images: set packageType: Image"
	)
	base := strings.ReplaceAll(zipFunction, `      inline:
        index.py: "def handler(event, context): return event"
`, "")
	cases := map[string]refusal{}
	for a, source := range sources {
		for b, other := range sources {
			if a >= b {
				continue
			}
			tc := refusal{
				reason: "AWS takes one source.",
				change: forProvider("code: {" + source + ", " + other + "}"),
				want:   twice,
			}
			if a == "Image" || b == "Image" {
				tc.want += "\n" + image
			}
			cases[a+"And"+b] = tc
		}
	}
	testRefusals(t, base, cases)
}

func TestInlineLimitsRefused(t *testing.T) {
	files := numbered(101, `f%d.py: ""`)
	testRefusals(t, zipFunction, map[string]refusal{
		"TooLarge": {
			reason: "Kubernetes keeps no larger objects.",
			change: forProvider(
				"code: {inline: {index.py: " + strings.Repeat(
					"a",
					512<<10,
				) + ", data.py: " + strings.Repeat(
					"b",
					512<<10+1,
				) + "}}",
			),
			want: "spec.forProvider.code.inline: Invalid value: inline must have at most 1 MB in total: put larger code in S3 or in an image",
		},
		"TooManyFiles": {
			reason: "A package of many files is built elsewhere.",
			change: forProvider("code: {inline: {" + files + "}}"),
			want:   "spec.forProvider.code.inline: Too many: 102: must have at most 100 items",
		},
	})
}

func TestCodeSourcesRefused(t *testing.T) {
	const form = "reference must have a registry, a repository, and a tag or a digest: use the form ghcr.io/acme/orders:v1, without oci://"
	testRefusals(t, zipFunction, map[string]refusal{
		"Two": {
			reason: "There is one source.",
			change: code(`sourceRef: {kind: GitRepository, name: shop}, s3Bucket: my-code, s3Key: app.zip`),
			want:   "spec.forProvider.code: Invalid value: code has more than one source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci",
		},
		"Kind": {
			reason: "Flux's other kinds have no artifacts of code.",
			change: code(`sourceRef: {kind: HelmChart, name: shop}`),
			want:   `spec.forProvider.code.sourceRef.kind: Unsupported value: "HelmChart": supported values: "GitRepository", "OCIRepository", "Bucket", "ExternalArtifact"`,
		},
		"APIVersion": {
			reason: "Only Flux's group has sources.",
			change: code(`sourceRef: {apiVersion: v1, kind: GitRepository, name: shop}`),
			want:   `spec.forProvider.code.sourceRef.apiVersion: Invalid value: "v1": apiVersion is not of Flux's sources: use source.toolkit.fluxcd.io/v1, or remove it`,
		},
		"PathUp": {
			reason: "A path stays in the artifact.",
			change: code(`sourceRef: {kind: GitRepository, name: shop, path: a/../../b}`),
			want:   `spec.forProvider.code.sourceRef.path: Invalid value: "a/../../b": path must be relative and must not contain ..: use one such as functions/checkout`,
		},
		"PathAbsolute": {
			reason: "A path stays in the artifact.",
			change: code(`oci: {reference: "ghcr.io/acme/orders:v1", path: /etc}`),
			want:   `spec.forProvider.code.oci.path: Invalid value: "/etc": path must be relative and must not contain ..: use one such as functions/checkout`,
		},
		"Pin": {
			reason: "An artifact has a digest of its own.",
			change: code(`sourceRef: {kind: GitRepository, name: shop}, sha256: ` + strings.Repeat("a", 64)),
			want:   "spec.forProvider.code: Invalid value: sha256 is not for sourceRef and oci, whose artifacts have a digest: remove sha256, and pin the commit or the digest in the source",
		},
		"StagingAlone": {
			reason: "Other sources are not staged.",
			change: code(`s3Bucket: my-code, s3Key: app.zip, staging: {s3Bucket: my-code}`),
			want:   "spec.forProvider.code: Invalid value: staging is for code from sourceRef or oci only: remove it",
		},
		"NoTag": {
			reason: "Nobody knows what latest is.", change: code(`oci: {reference: ghcr.io/acme/orders}`),
			want: `spec.forProvider.code.oci.reference: Invalid value: "ghcr.io/acme/orders": ` + form,
		},
		"Scheme": {
			reason: "Flux writes it with a scheme.", change: code(`oci: {reference: "oci://ghcr.io/acme/orders:v1"}`),
			want: `spec.forProvider.code.oci.reference: Invalid value: "oci://ghcr.io/acme/orders:v1": ` + form,
		},
		"TrackedDigest": {
			reason: "A digest does not move.",
			change: code(
				`oci: {reference: "ghcr.io/acme/orders@sha256:` + strings.Repeat("a", 64) + `", trackTag: true}`,
			),
			want: "spec.forProvider.code.oci: Invalid value: trackTag needs a reference with a tag: remove it, or the digest",
		},
		"Signers": {
			reason: "There is one way to tell who signs.",
			change: code(`oci: {reference: "ghcr.io/acme/orders:v1", verify: {cosign: {}}}`),
			want:   "spec.forProvider.code.oci.verify.cosign: Invalid value: set exactly one of keyRef and keyless in cosign",
		},
	})
}

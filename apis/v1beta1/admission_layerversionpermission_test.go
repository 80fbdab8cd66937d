package v1beta1

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const layerPermission = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: LayerVersionPermission
metadata: {name: partner, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    layerName: base
    versionNumber: 1
    principal: "111122223333"
`

func TestLayerVersionPermissionRefused(t *testing.T) {
	const together = "spec.forProvider.versionNumber: Invalid value: layerName and versionNumber must be set together: set both, or remove both and set layerVersionArn, layerVersionArnRef or layerVersionArnSelector"
	testRefusals(t, layerPermission, map[string]refusal{
		"NoRegion": {
			reason: "A layer lies in a region.",
			change: forProvider(`region: null`),
			want:   "spec.forProvider.region: Required value",
		},
		"NoVersion": {reason: "A policy is of a version.", change: forProvider(`versionNumber: null`), want: together},
		"NoLayer":   {reason: "A version is of a layer.", change: forProvider(`layerName: null`), want: together},
		"Neither": {
			reason: "A policy is of something.",
			change: forProvider(`layerName: null, versionNumber: null`),
			want:   "spec.forProvider.layerVersionArn: Required value: set layerName and versionNumber, or set layerVersionArn, or set layerVersionArnRef or layerVersionArnSelector to a LayerVersion",
		},
		"Twice": {
			reason: "One of them would be ignored.",
			change: forProvider(`layerVersionArnRef: {name: base}`),
			want:   "spec.forProvider.layerName: Forbidden: the layer version is set twice: set either layerName and versionNumber, or one of layerVersionArn, layerVersionArnRef and layerVersionArnSelector",
		},
		"LayerArn": {
			reason: "Region and account are known.",
			change: forProvider(`layerName: "arn:aws:lambda:eu-central-1:123456789012:layer:base"`),
			want:   `spec.forProvider.layerName: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:layer:base": layerName must be the plain name of a layer: use letters, digits, hyphens and underscores, without an ARN or a version`,
		},
		"Zero": {
			reason: "Versions are counted from 1.",
			change: forProvider(`versionNumber: 0`),
			want:   "spec.forProvider.versionNumber: Invalid value: 0: spec.forProvider.versionNumber in body should be greater than or equal to 1",
		},
		"UnversionedArn": {
			reason: "A policy is of a version.",
			change: forProvider(
				`layerName: null, versionNumber: null, layerVersionArn: "arn:aws:lambda:eu-central-1:123456789012:layer:base"`,
			),
			want: `spec.forProvider.layerVersionArn: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:layer:base": layerVersionArn is not the ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version`,
		},
		"ArnOfNoVersion": {
			reason: "Versions are counted from 1.",
			change: forProvider(
				`layerName: null, versionNumber: null, layerVersionArn: "arn:aws:lambda:eu-central-1:123456789012:layer:base:0"`,
			),
			want: `spec.forProvider.layerVersionArn: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:layer:base:0": layerVersionArn is not the ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version`,
		},
		"ArnElsewhere": {
			reason: "A layer of the same name in this region is another one.",
			change: forProvider(
				`layerName: null, versionNumber: null, layerVersionArn: "arn:aws:lambda:us-east-1:123456789012:layer:base:1"`,
			),
			want: "spec.forProvider.layerVersionArn: Invalid value: layerVersionArn is in another region: set region to the region of the ARN, or use a layer version in region",
		},
		"StatementID": {
			reason: "AWS takes no dots.",
			change: forProvider(`statementId: a.b`),
			want:   `spec.forProvider.statementId: Invalid value: "a.b": statementId must have 1 to 100 letters, digits, hyphens and underscores`,
		},
		"LongName": {
			reason: "It would be the statement's id.",
			change: `metadata: {name: a123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-a}`,
			want:   "metadata: Invalid value: metadata.name is the statement's ID in AWS, which has at most 100 characters: shorten it, or set spec.forProvider.statementId",
		},
		"NoPrincipal": {
			reason: "AWS needs it.",
			change: forProvider(`principal: null`),
			want:   "spec.forProvider.principal: Required value: set principal to the account that receives the permission, for example to '111122223333'",
		},
		"Role": {
			reason: "AWS permits accounts.",
			change: forProvider(`principal: "arn:aws:iam::111122223333:role/r"`),
			want:   `spec.forProvider.principal: Invalid value: "arn:aws:iam::111122223333:role/r": principal is not valid: use the 12 digits of an account, the ARN of its root user, or *`,
		},
		"Action": {
			reason: "AWS permits one.", change: forProvider(`action: "*"`),
			want: `spec.forProvider.action: Unsupported value: "*": supported values: "lambda:GetLayerVersion"`,
		},
		"AccountOfOrganization": {
			reason: "AWS takes it with anyone.",
			change: forProvider(`organizationId: o-a1b2c3d4e5`),
			want:   "spec.forProvider.organizationId: Forbidden: organizationId is for principal * only: remove it, or set principal to *",
		},
		"Organization": {
			reason: "That is none.",
			change: forProvider(`principal: "*", organizationId: ours`),
			want:   `spec.forProvider.organizationId: Invalid value: "ours": organizationId is not an organization ID: use the form o-a1b2c3d4e5`,
		},
		"Name": {
			reason: "It would be the statement's id.",
			change: `metadata: {name: a.b}`,
			want:   "metadata: Invalid value: metadata.name is the statement's ID in AWS, which cannot contain dots: use hyphens, or set spec.forProvider.statementId",
		},
	})
}

func TestLayerVersionPermissionAccepted(t *testing.T) {
	c := strictClient(t)
	for name, change := range map[string]string{
		"Least":        ``,
		"Arn":          forProvider(`layerName: null, versionNumber: null, layerVersionArn: "arn:aws:lambda:eu-central-1:123456789012:layer:base:3"`),
		"Ref":          forProvider(`layerName: null, versionNumber: null, layerVersionArnRef: {name: base}`),
		"Selector":     forProvider(`layerName: null, versionNumber: null, layerVersionArnSelector: {matchLabels: {app: base}}`),
		"Root":         forProvider(`principal: "arn:aws:iam::111122223333:root", action: lambda:GetLayerVersion`),
		"Organization": forProvider(`principal: "*", organizationId: o-a1b2c3d4e5`),
		"Government":   forProvider(`region: us-gov-west-1, layerName: null, versionNumber: null, layerVersionArn: "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:layer:base:3"`),
		"DottedName":   `{metadata: {name: a.b}, spec: {forProvider: {statementId: a-b}}}`,
		"Observed":     `spec: {managementPolicies: [Observe], forProvider: {principal: null}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := complaints(
				c.Create(t.Context(), manifest(t, layerPermission, change), client.DryRunAll),
			); got != "" {
				t.Errorf("refused:\n%s", got)
			}
		})
	}
}

func TestLayerVersionPermissionUpdate(t *testing.T) {
	cases := map[string]struct{ first, then, want string }{
		"Region": {
			then: forProvider(`region: eu-west-1`),
			want: "spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region",
		},
		"StatementID": {
			first: forProvider(`statementId: a`),
			then:  forProvider(`statementId: b`),
			want:  "spec.forProvider.statementId: Forbidden: statementId can't be changed: create a new LayerVersionPermission",
		},
		"NoPrincipal": {
			then: forProvider(`principal: null`),
			want: "spec.forProvider.principal: Required value: set principal to the account that receives the permission, for example to '111122223333'",
		},
		"Version": {then: forProvider(`layerName: lib, versionNumber: 2`)},
		"Ref":     {then: forProvider(`layerName: null, versionNumber: null, layerVersionArnRef: {name: base}`)},
		"Rest": {
			then: forProvider(
				`principal: "*", organizationId: o-a1b2c3d4e5, action: lambda:GetLayerVersion, statementId: partner`,
			),
		},
	}
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := manifest(t, layerPermission, tc.first)
			create(t, c, ns, p)
			if got := complaintsOfUpdate(t, c, p, tc.then); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

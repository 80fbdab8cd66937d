package v1beta1

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const bucketPermission = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Permission
metadata: {name: bucket, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    action: lambda:InvokeFunction
    principal: s3.amazonaws.com
`

func TestPermissionRefused(t *testing.T) {
	testRefusals(t, bucketPermission, map[string]refusal{
		"NoRegion": {
			reason: "A function lies in a region.",
			change: forProvider(`region: null`),
			want:   "spec.forProvider.region: Required value",
		},
		"RegionZone": {
			reason: "A zone is no region.",
			change: forProvider(`region: eu-central-1a`),
			want:   `spec.forProvider.region: Invalid value: "eu-central-1a": region is not an AWS region name: use one such as eu-central-1`,
		},
		"NoFunction": {
			reason: "A policy is of a function.",
			change: forProvider(`functionName: null`),
			want:   "spec.forProvider.functionName: Required value: set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function",
		},
		"NoFunctionObserved": {
			reason: "Without it there is nothing to look at either.",
			change: `spec: {managementPolicies: [Observe], forProvider: {functionName: null, action: null, principal: null}}`,
			want:   "spec.forProvider.functionName: Required value: set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function",
		},
		"FunctionArn": {
			reason: "Region and account are known.",
			change: forProvider(`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:hello"`),
			want:   `spec.forProvider.functionName: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello": functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version`,
		},
		"FunctionQualified": {
			reason: "There is a field for that.",
			change: forProvider(`functionName: "hello:live"`),
			want:   `spec.forProvider.functionName: Invalid value: "hello:live": functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version`,
		},
		"Latest": {
			reason: "AWS takes no policy for $LATEST.",
			change: forProvider(`qualifier: $LATEST`),
			want:   `spec.forProvider.qualifier: Invalid value: "$LATEST": $LATEST has no policy: remove qualifier to grant the permission on the unqualified function`,
		},
		"Qualifier": {
			reason: "Neither a version nor an alias is called so.",
			change: forProvider(`qualifier: "a.b"`),
			want:   `spec.forProvider.qualifier: Invalid value: "a.b": qualifier must be a version number, the name of an alias, or $LATEST.PUBLISHED`,
		},
		"NoAction": {
			reason: "AWS needs it.",
			change: forProvider(`action: null`),
			want:   "spec.forProvider.action: Required value: set action, for example to lambda:InvokeFunction",
		},
		"ActionOfOthers": {
			reason: "A function's policy permits what Lambda does.",
			change: forProvider(`action: "s3:GetObject"`),
			want:   `spec.forProvider.action: Invalid value: "s3:GetObject": action is not an action of Lambda: use one such as lambda:InvokeFunction, or lambda:* for all of them`,
		},
		"ActionPattern": {
			reason: "AWS takes a whole name or all.",
			change: forProvider(`action: "lambda:Invoke*"`),
			want:   `spec.forProvider.action: Invalid value: "lambda:Invoke*": action is not an action of Lambda: use one such as lambda:InvokeFunction, or lambda:* for all of them`,
		},
		"NoPrincipal": {
			reason: "AWS needs it.",
			change: forProvider(`principal: null`),
			want:   "spec.forProvider.principal: Required value: set principal to the service, account or role that receives the permission, for example to s3.amazonaws.com",
		},
		"PrincipalName": {
			reason: "AWS finds no such principal.",
			change: forProvider(`principal: admin`),
			want:   `spec.forProvider.principal: Invalid value: "admin": principal is not valid: use a service such as s3.amazonaws.com, the 12 digits of an account, the ARN of a user or role, or *`,
		},
		"PrincipalBucket": {
			reason: "A bucket is a source, not who acts.",
			change: forProvider(`principal: "arn:aws:s3:::uploads"`),
			want:   `spec.forProvider.principal: Invalid value: "arn:aws:s3:::uploads": principal is not valid: use a service such as s3.amazonaws.com, the 12 digits of an account, the ARN of a user or role, or *`,
		},
		"SourceName": {
			reason: "AWS takes the ARN.",
			change: forProvider(`sourceArn: uploads`),
			want:   `spec.forProvider.sourceArn: Invalid value: "uploads": sourceArn is not an ARN: use the form arn:aws:s3:::bucket or arn:aws:events:region:123456789012:rule/name`,
		},
		"SourceTwice": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`sourceArn: "arn:aws:s3:::uploads", sourceArnFrom: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, name: uploads, fieldPath: status.atProvider.arn}`,
			),
			want: "spec.forProvider.sourceArnFrom: Forbidden: sourceArn is also set: set only one of sourceArn and sourceArnFrom",
		},
		"SourceAccount": {
			reason: "An account has 12 digits.",
			change: forProvider(`sourceAccount: "12345"`),
			want:   `spec.forProvider.sourceAccount: Invalid value: "12345": sourceAccount is not an account ID: use 12 digits`,
		},
		"Token": {
			reason: "AWS takes no such token.",
			change: forProvider(`eventSourceToken: "a b"`),
			want:   `spec.forProvider.eventSourceToken: Invalid value: "a b": eventSourceToken must have 1 to 256 letters, digits, dots, hyphens and underscores`,
		},
		"URLAuthType": {
			reason: "AWS knows two.",
			change: forProvider(`action: lambda:InvokeFunctionUrl, functionUrlAuthType: IAM`),
			want:   `spec.forProvider.functionUrlAuthType: Unsupported value: "IAM": supported values: "AWS_IAM", "NONE"`,
		},
		"URLWithoutAuthType": {
			reason: "AWS refuses it.",
			change: forProvider(`action: lambda:InvokeFunctionUrl, principal: "*"`),
			want:   "spec.forProvider.functionUrlAuthType: Required value: set functionUrlAuthType to the authType of the function URL, which AWS requires for principal *",
		},
		"URLAuthTypeOfInvoke": {
			reason: "AWS takes it with the other action.",
			change: forProvider(`functionUrlAuthType: NONE`),
			want:   "spec.forProvider.functionUrlAuthType: Forbidden: functionUrlAuthType is for action lambda:InvokeFunctionUrl only: remove it, or set action to lambda:InvokeFunctionUrl",
		},
		"ViaURLOfURL": {
			reason: "It is what limits the other action.",
			change: forProvider(`action: lambda:InvokeFunctionUrl, invokedViaFunctionUrl: true`),
			want:   "spec.forProvider.invokedViaFunctionUrl: Forbidden: invokedViaFunctionUrl is for action lambda:InvokeFunction only: remove it, or set action to lambda:InvokeFunction",
		},
		"Organization": {
			reason: "That is an account.",
			change: forProvider(`principalOrgId: "123456789012"`),
			want:   `spec.forProvider.principalOrgId: Invalid value: "123456789012": principalOrgId is not an organization ID: use the form o-a1b2c3d4e5`,
		},
		"StatementID": {
			reason: "AWS takes no dots.",
			change: forProvider(`statementId: a.b`),
			want:   `spec.forProvider.statementId: Invalid value: "a.b": statementId must have 1 to 100 letters, digits, hyphens and underscores`,
		},
		"Name": {
			reason: "It would be the statement's id.",
			change: `metadata: {name: a.b}`,
			want:   "metadata: Invalid value: metadata.name is the statement's ID in AWS, which cannot contain dots: use hyphens, or set spec.forProvider.statementId",
		},
		"LongName": {
			reason: "It would be the statement's id.",
			change: `metadata: {name: a123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-a}`,
			want:   "metadata: Invalid value: metadata.name is the statement's ID in AWS, which has at most 100 characters: shorten it, or set spec.forProvider.statementId",
		},
	})
}

func TestPermissionAccepted(t *testing.T) {
	c := strictClient(t)
	for name, change := range map[string]string{
		"Least":        ``,
		"Ref":          forProvider(`functionName: null, functionNameRef: {name: hello}, qualifierRef: {name: live}`),
		"Selector":     forProvider(`functionName: null, functionNameSelector: {matchLabels: {app: hello}}, qualifierSelector: {matchControllerRef: true}`),
		"Version":      forProvider(`qualifier: "3"`),
		"Published":    forProvider(`qualifier: $LATEST.PUBLISHED`),
		"Account":      forProvider(`principal: "111122223333"`),
		"Root":         forProvider(`principal: "arn:aws:iam::111122223333:root"`),
		"Role":         forProvider(`principal: "arn:aws-us-gov:iam::111122223333:role/path/r"`),
		"Anyone":       forProvider(`principal: "*", principalOrgId: o-a1b2c3d4e5`),
		"Alexa":        forProvider(`principal: alexa-appkit.amazon.com, eventSourceToken: amzn1.ask.skill.a-b`),
		"Wildcard":     forProvider(`principal: apigateway.amazonaws.com, sourceArn: "arn:aws:execute-api:eu-central-1:123456789012:abc/*/GET/"`),
		"Bucket":       forProvider(`sourceArn: "arn:aws:s3:::uploads", sourceAccount: "123456789012"`),
		"SourceFrom":   forProvider(`sourceArnFrom: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, name: uploads, fieldPath: status.atProvider.arn}`),
		"URL":          forProvider(`action: lambda:InvokeFunctionUrl, principal: "*", functionUrlAuthType: NONE`),
		"ViaURL":       forProvider(`principal: "*", invokedViaFunctionUrl: true`),
		"AllActions":   forProvider(`action: "lambda:*", principal: "111122223333"`),
		"StatementID":  forProvider(`statementId: AllowUploads_1`),
		"DottedName":   `{metadata: {name: a.b}, spec: {forProvider: {statementId: a-b}}}`,
		"ObservedOnly": `spec: {managementPolicies: [Observe], forProvider: {action: null, principal: null}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := complaints(
				c.Create(t.Context(), manifest(t, bucketPermission, change), client.DryRunAll),
			); got != "" {
				t.Errorf("refused:\n%s", got)
			}
		})
	}
}

func TestPermissionUpdate(t *testing.T) {
	cases := map[string]struct{ first, then, want string }{
		"Region": {
			then: forProvider(`region: eu-west-1`),
			want: "spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region",
		},
		"Function": {
			then: forProvider(`functionName: other`),
			want: "spec.forProvider.functionName: Forbidden: functionName can't be changed: create another resource for the other function",
		},
		"Qualifier": {
			first: forProvider(`qualifier: live`),
			then:  forProvider(`qualifier: next`),
			want:  "spec.forProvider.qualifier: Forbidden: qualifier can't be changed: create a new Permission for the other version or alias",
		},
		"StatementID": {
			first: forProvider(`statementId: a`),
			then:  forProvider(`statementId: b`),
			want:  "spec.forProvider.statementId: Forbidden: statementId can't be changed: create a new Permission",
		},
		"Rest": {
			then: forProvider(
				`action: lambda:GetFunction, principal: "111122223333", sourceArn: "arn:aws:s3:::b", sourceAccount: "111122223333", principalOrgId: o-a1b2c3d4e5, eventSourceToken: t`,
			),
		},
	}
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := manifest(t, bucketPermission, tc.first)
			create(t, c, ns, p)
			if got := complaintsOfUpdate(t, c, p, tc.then); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

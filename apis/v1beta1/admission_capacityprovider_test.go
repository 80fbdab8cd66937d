package v1beta1

import "testing"

const webCapacity = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: CapacityProvider
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    vpcConfig: {subnetIds: [subnet-1], securityGroupIds: [sg-1]}
    permissionsConfig: {capacityProviderOperatorRoleArn: "arn:aws:iam::123456789012:role/r"}
`

func TestCapacityProviderRefused(t *testing.T) {
	testRefusals(t, webCapacity, map[string]refusal{
		"NoRegion": {
			reason: "It lies in a region.",
			change: forProvider(`region: null`),
			want:   `spec.forProvider.region: Required value`,
		},
		"NoVPC": {
			reason: "Instances are launched somewhere.",
			change: forProvider(`vpcConfig: null`),
			want:   `spec.forProvider.vpcConfig: Required value: set vpcConfig to the subnets and security groups of the instances`,
		},
		"NoSubnets": {
			reason: "Instances are launched somewhere.",
			change: forProvider(`vpcConfig: {subnetIds: null}`),
			want:   `spec.forProvider.vpcConfig: Invalid value: vpcConfig needs subnets: set exactly one of subnetIds and subnetIdsFrom`,
		},
		"SubnetName": {
			reason: "A subnet has an ID.",
			change: forProvider(`vpcConfig: {subnetIds: [private]}`),
			want:   `spec.forProvider.vpcConfig.subnetIds: Invalid value: a subnet must be an ID: use the form subnet-0123456789abcdef0`,
		},
		"NoPermissions": {
			reason: "AWS needs a role.",
			change: forProvider(`permissionsConfig: null`),
			want:   `spec.forProvider.permissionsConfig: Required value: set capacityProviderOperatorRoleArn to the role that AWS uses to manage instances`,
		},
		"RoleName": {
			reason: "A name is no ARN.",
			change: forProvider(`permissionsConfig: {capacityProviderOperatorRoleArn: r}`),
			want:   `spec.forProvider.permissionsConfig.capacityProviderOperatorRoleArn: Invalid value: "r": capacityProviderOperatorRoleArn is not an IAM role ARN: use the form arn:aws:iam::123456789012:role/name`,
		},
		"KeyTwice": {
			reason: "The key comes from one place.",
			change: forProvider(
				`kmsKeyArn: "arn:aws:kms:eu-central-1:123456789012:key/k", kmsKeyArnFrom: {apiVersion: v1, kind: K, name: one, fieldPath: f}`,
			),
			want: `spec.forProvider.kmsKeyArnFrom: Forbidden: kmsKeyArn is also set: set only one of kmsKeyArn and kmsKeyArnFrom`,
		},
		"BothLists": {
			reason: "One list says it all.",
			change: forProvider(
				`instanceRequirements: {allowedInstanceTypes: [m7g.large], excludedInstanceTypes: [m7g.xlarge]}`,
			),
			want: `spec.forProvider.instanceRequirements: Invalid value: allowedInstanceTypes already excludes all other instance types: set only one of allowedInstanceTypes and excludedInstanceTypes`,
		},
		"FewVCPUs": {
			reason: "The least is 2.",
			change: forProvider(`capacityProviderScalingConfig: {maxVCpuCount: 1}`),
			want:   `spec.forProvider.capacityProviderScalingConfig.maxVCpuCount: Invalid value: 1: spec.forProvider.capacityProviderScalingConfig.maxVCpuCount in body should be greater than or equal to 2`,
		},
		"PoliciesOfAuto": {
			reason: "Auto needs none.",
			change: forProvider(
				`capacityProviderScalingConfig: {scalingPolicies: [{predefinedMetricType: LambdaCapacityProviderAverageCPUUtilization, targetValue: "50"}]}`,
			),
			want: `spec.forProvider.capacityProviderScalingConfig.scalingPolicies: Forbidden: scalingPolicies need scalingMode Manual: set scalingMode to Manual, or remove scalingPolicies`,
		},
		"ManualWithoutPolicies": {
			reason: "Manual needs one.",
			change: forProvider(`capacityProviderScalingConfig: {scalingMode: Manual}`),
			want:   `spec.forProvider.capacityProviderScalingConfig.scalingPolicies: Required value: scalingMode Manual needs scalingPolicies: set at least one`,
		},
		"Target": {
			reason: "It is a percentage.",
			change: forProvider(
				`capacityProviderScalingConfig: {scalingMode: Manual, scalingPolicies: [{predefinedMetricType: LambdaCapacityProviderAverageCPUUtilization, targetValue: "101"}]}`,
			),
			want: `spec.forProvider.capacityProviderScalingConfig.scalingPolicies[0].targetValue: Invalid value: "101": targetValue must be a decimal number from 0 to 100, in quotes`,
		},
		"TagsOfNone": {
			reason: "Tags are explicit.",
			change: forProvider(`propagateTags: {mode: None, explicitTags: {a: b}}`),
			want:   `spec.forProvider.propagateTags: Invalid value: explicitTags and mode Explicit must be set together: set both, or use mode None without explicitTags`,
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

func TestCapacityProviderUpdates(t *testing.T) {
	const created = `status: {atProvider: {capacityProviderArn: "arn:aws:lambda:eu-central-1:123456789012:capacity-provider:hello"}}`
	testUpdates(t, webCapacity, map[string]update{
		"Region": {
			reason: "It stays where it is.",
			first:  forProvider(`region: eu-central-1`),
			then:   forProvider(`region: eu-west-1`),
			want:   `spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"Subnets": {
			reason: "They are fixed.",
			first:  created,
			then:   forProvider(`vpcConfig: {subnetIds: [subnet-2]}`),
			want:   `spec.forProvider.vpcConfig: Forbidden: vpcConfig can't be changed after creation: create a new CapacityProvider`,
		},
		"Role": {
			reason: "It is fixed.",
			first:  created,
			then: forProvider(
				`permissionsConfig: {capacityProviderOperatorRoleArn: "arn:aws:iam::123456789012:role/other"}`,
			),
			want: `spec.forProvider.permissionsConfig: Forbidden: permissionsConfig can't be changed after creation: create a new CapacityProvider`,
		},
		"Instances": {
			reason: "They are fixed.",
			first:  created,
			then:   forProvider(`instanceRequirements: {architectures: [arm64]}`),
			want:   `spec.forProvider.instanceRequirements: Forbidden: instanceRequirements can't be changed after creation: create a new CapacityProvider`,
		},
		"Uncreated": {
			reason: "A creation that AWS refused can be corrected.",
			then: forProvider(
				`vpcConfig: {subnetIds: [subnet-2]}, permissionsConfig: {capacityProviderOperatorRoleArn: "arn:aws:iam::123456789012:role/other"}, instanceRequirements: {architectures: [arm64]}`,
			),
			want: ``,
		},
		"Scaling": {
			reason: "It can be changed.",
			first:  created,
			then:   forProvider(`capacityProviderScalingConfig: {maxVCpuCount: 64}`),
			want:   ``,
		},
	})
}

func TestCapacityProviderAccepted(t *testing.T) {
	testAcceptances(t, webCapacity, map[string]acceptance{
		"Observed": {
			"To look, the region is enough.",
			`spec: {managementPolicies: [Observe], forProvider: {vpcConfig: null, permissionsConfig: null}}`,
		},
		"InitPolicies": {
			"What is needed may be in the other block.",
			`spec: {forProvider: {capacityProviderScalingConfig: {scalingMode: Manual}}, initProvider: {capacityProviderScalingConfig: {scalingPolicies: [{predefinedMetricType: LambdaCapacityProviderAverageCPUUtilization, targetValue: "50"}]}}}`,
		},
		"Manual": {
			"All of it.",
			forProvider(
				`capacityProviderScalingConfig: {scalingMode: Manual, maxVCpuCount: 15000, scalingPolicies: [{predefinedMetricType: LambdaCapacityProviderAverageCPUUtilization, targetValue: "70.5"}]}`,
			),
		},
	})
}

package v1beta1

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAccepted(t *testing.T) {
	const vpc = `vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}`
	cases := map[string]struct {
		reason string
		base   string
		change string
	}{
		"Zip":              {"The least is enough.", zipFunction, ``},
		"Image":            {"The least is enough.", imageFunction, ``},
		"ManagedInstances": {"The least is enough.", managedInstancesFunction, ``},
		"Observed":         {"Who only observes names the region.", observedFunction, ``},
		"ObservedUpdated": {
			"Who never creates names only what to keep.",
			observedFunction,
			`spec: {managementPolicies: [Observe, Update, LateInitialize], forProvider: {memorySize: 512}}`,
		},
		"NeverUpdated": {
			"Who creates names what creation needs.",
			zipFunction,
			`spec: {managementPolicies: [Observe, Create, Delete]}`,
		},
		"Namespaced": {
			"Teams have their own credentials.",
			zipFunction,
			`spec: {providerConfigRef: {kind: ProviderConfig, name: team}}`,
		},
		"ConnectionSecret": {
			"Crossplane's field is there.",
			zipFunction,
			`spec: {writeConnectionSecretToRef: {name: hello}}`,
		},
		"NameOf64": {
			"AWS takes 64 characters.",
			zipFunction,
			`metadata: {name: ` + strings.Repeat("n", 64) + `}`,
		},

		"CodeAtCreation": {
			"Another tool deploys code later.",
			zipFunction,
			`spec: {forProvider: {code: null}, initProvider: {code: {s3Bucket: my-code, s3Key: first.zip}}}`,
		},
		"ImageAtCreation": {
			"Another tool deploys images later.",
			imageFunction,
			`spec: {forProvider: {code: null}, initProvider: {code: {imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"}}}`,
		},
		"TypeAtCreation": {
			"Either block may say it.",
			imageFunction,
			`spec: {forProvider: {packageType: null}, initProvider: {packageType: Image, imageConfig: {command: [run]}}}`,
		},
		"EverythingAtCreation": {
			"Region alone has to be in forProvider.",
			zipFunction,
			`spec: {forProvider: {runtime: null, handler: null, role: null, code: null},
			initProvider: {runtime: python3.13, handler: index.handler, roleFrom: {apiVersion: v1, kind: ConfigMap, name: a, fieldPath: data.role}, code: {inline: {index.py: ""}}}}`,
		},
		"LimitsOfOtherBlock": {
			"What allows more may be in the other block.",
			managedInstancesFunction,
			`spec: {initProvider: {timeout: 5400, memorySize: 32768, functionScalingConfig: {}}}`,
		},
		"VPCOfOtherBlock": {
			"What is needed may be in the other block.",
			zipFunction,
			`spec: {forProvider: {` + vpc + `}, initProvider: {fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /mnt/a}]}}`,
		},

		"LogLevelOfOtherBlock": {
			"What is needed may be in the other block.",
			zipFunction,
			`spec: {forProvider: {loggingConfig: {logFormat: JSON}}, initProvider: {loggingConfig: {applicationLogLevel: DEBUG}}}`,
		},
		"LogFormatOfOtherBlock": {
			"What is needed may be in the other block.",
			zipFunction,
			`spec: {forProvider: {loggingConfig: {systemLogLevel: WARN}}, initProvider: {loggingConfig: {logFormat: JSON}}}`,
		},
		"GroupsOfOtherBlock": {
			"What is needed may be in the other block.",
			zipFunction,
			`spec: {forProvider: {vpcConfig: {subnetIds: [subnet-0a]}}, initProvider: {vpcConfig: {securityGroupIds: [sg-0a]}}}`,
		},
		"ConcurrencyOfOtherBlock": {
			"What is needed may be in the other block.",
			managedInstancesFunction,
			`spec: {initProvider: {capacityProviderConfig: {lambdaManagedInstancesCapacityProviderConfig: {perExecutionEnvironmentMaxConcurrency: 10}}}}`,
		},

		"S3": {"Bucket and key.", zipFunction, code(`s3Bucket: my-code, s3Key: path/to/app.zip`)},
		"S3Everything": {
			"With all that goes with it.",
			zipFunction,
			code(
				`s3Bucket: My.Code_1-x, s3Key: a, s3ObjectVersion: "1", s3ObjectStorageMode: REFERENCE, sha256: ` + strings.Repeat(
					"a0",
					32,
				) + `, sourceKmsKeyArn: "arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/mrk-1"`,
			),
		},
		"ConfigMap": {"A ConfigMap's files.", zipFunction, code(`configMapRef: {name: app}`)},
		"ZipInSecret": {
			"A Secret's zip.",
			zipFunction,
			code(`zipFileFrom: {secretKeyRef: {name: app, key: app.zip}}`),
		},
		"ZipInConfigMap": {
			"A ConfigMap's zip.",
			zipFunction,
			code(`zipFileFrom: {configMapKeyRef: {name: app, key: app.zip, optional: true}}`),
		},
		"SHA256Base64": {
			"As AWS tells it.",
			zipFunction,
			forProvider(`code: {sha256: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="}`),
		},
		"SHA256Upper": {
			"As PowerShell prints it.",
			zipFunction,
			forProvider(`code: {sha256: ` + strings.Repeat("A0", 32) + `}`),
		},
		"InlineNames": {
			"Files as languages name them.",
			zipFunction,
			forProvider(
				`code: {inline: {bootstrap: "", lib/a-b_c.d.js: "", node_modules/@aws-sdk/c++/index.mjs: "", .env: "", .config/x: "", __init__.py: ""}}`,
			),
		},
		"InlineLarge": {
			"1 MB in 100 files.",
			zipFunction,
			forProvider(
				`code: {inline: {index.py: ` + strings.Repeat("a", 1<<20) + `, ` + numbered(99, `f%d.py: ""`) + `}}`,
			),
		},
		"Digest": {
			"An image by digest.",
			imageFunction,
			forProvider(
				`code: {imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/a/b-c@sha256:` + strings.Repeat(
					"0f",
					32,
				) + `"}`,
			),
		},
		"TagAndDigest": {
			"An image by both, in China.",
			imageFunction,
			forProvider(
				`code: {imageUri: "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/hello:v1.0_x@sha256:` + strings.Repeat(
					"0f",
					32,
				) + `"}`,
			),
		},
		"DualStack": {
			"Amazon ECR's other host names.",
			imageFunction,
			forProvider(`code: {imageUri: "123456789012.dkr-ecr.eu-central-1.on.aws/hello"}`),
		},
		"TrackedTag": {"A tag that moves.", imageFunction, forProvider(`code: {trackImageTag: true}`)},
		"ImageConfig": {
			"Another entry point.",
			imageFunction,
			forProvider(
				`imageConfig: {command: [app.handler], entryPoint: [/lambda-entrypoint.sh], workingDirectory: /var/task}, architectures: [arm64]`,
			),
		},

		"RegionGov": {
			"Partitions differ.",
			zipFunction,
			forProvider(`region: us-gov-west-1, role: "arn:aws-us-gov:iam::123456789012:role/a"`),
		},
		"RegionSovereign": {
			"Partitions differ.",
			zipFunction,
			forProvider(`region: eusc-de-east-1, role: "arn:aws-eusc:iam::123456789012:role/service-role/a"`),
		},
		"RoleFrom": {
			"A role of another provider.",
			zipFunction,
			forProvider(
				`role: null, roleFrom: {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, name: hello, fieldPath: status.atProvider.arn}`,
			),
		},
		"KMSKeyNone": {
			"Empty goes back to AWS's own key.",
			zipFunction,
			forProvider(`kmsKeyArn: "", codeSigningConfigArn: ""`),
		},
		"KMSKeyFrom": {
			"A key of another provider.",
			zipFunction,
			forProvider(
				`kmsKeyArnFrom: {apiVersion: kms.aws.m.upbound.io/v1beta1, kind: Key, name: k, fieldPath: status.atProvider.arn}`,
			),
		},
		"Least": {
			"The lower bounds.",
			zipFunction,
			forProvider(
				`memorySize: 128, timeout: 1, ephemeralStorage: {size: 512}, reservedConcurrentExecutions: -1, description: ""`,
			),
		},
		"Most": {
			"The upper bounds.",
			zipFunction,
			forProvider(
				`memorySize: 10240, timeout: 900, ephemeralStorage: {size: 10240}, reservedConcurrentExecutions: 0, description: ` + strings.Repeat(
					"d",
					256,
				),
			),
		},
		"MostOfManagedInstances": {
			"The upper bounds there.",
			managedInstancesFunction,
			forProvider(`memorySize: 32768, timeout: 5400, publishTo: LATEST_PUBLISHED, publish: true,
			functionScalingConfig: {minExecutionEnvironments: 15000, maxExecutionEnvironments: 15000}`),
		},
		"MemoryPerVCPU": {
			"The upper bounds there.",
			managedInstancesFunction,
			managedInstances(
				`executionEnvironmentMemoryGiBPerVCpu: "8.0", perExecutionEnvironmentMaxConcurrency: 1600`,
			),
		},
		"LayersFive": {
			"AWS takes five, its own included.",
			zipFunction,
			forProvider(
				`layers: [` + numbered(
					4,
					`"arn:aws:lambda:eu-central-1:123456789012:layer:l%d:1"`,
				) + `, "arn:aws:lambda:::awslayer:AmazonLinux1803"]`,
			),
		},
		"Emptied": {
			"Empty is as good as absent.",
			zipFunction,
			forProvider(`layers: [], tags: {}, environment: {}, fileSystemConfigs: [], loggingConfig: {}`),
		},
		"Tags": {
			"The most of AWS's, and characters that it takes.",
			zipFunction,
			forProvider(`tags: {` + numbered(43, `k%d: ""`) + `, "a b/c:d=e+f@g": ` + strings.Repeat("v", 256) + `}`),
		},
		"CodeSigning": {
			"By ARN.",
			zipFunction,
			forProvider(
				`codeSigningConfigArn: "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0"`,
			),
		},
		"Recursion": {"Both ways.", zipFunction, forProvider(`recursiveLoop: Allow`)},

		"Environment": {
			"All three sources.",
			zipFunction,
			forProvider(
				`environment: {variables: {LOG_LEVEL: debug, Ab: ""}, variablesFrom: [{name: TOKEN, valueFrom: {configMapKeyRef: {name: a, key: b}}}],
			envFrom: [{secretRef: {name: a, optional: true}, prefix: APP_}, {configMapRef: {name: a}, prefix: ""}]}`,
			),
		},
		"EnvironmentFull": {
			"4096 bytes to the last.",
			zipFunction,
			forProvider(`environment: {variables: {LARGE: ` + strings.Repeat("v", 4091) + `}}`),
		},
		"EnvironmentMany": {
			"As many as fit.",
			zipFunction,
			forProvider(`environment: {variables: {` + numbered(500, `k%03d: ""`) + `}}`),
		},

		"VPC": {
			"Subnets and security groups.",
			zipFunction,
			forProvider(
				`vpcConfig: {subnetIds: [subnet-0a, subnet-0b], securityGroupIds: [sg-0A], ipv6AllowedForDualStack: true}`,
			),
		},
		"ReplaceGroups": {
			"Before the deletion.",
			zipFunction,
			forProvider(`replaceSecurityGroupsOnDestroy: true, replacementSecurityGroupIds: [sg-0a, sg-0b]`),
		},
		"ReplaceFrom": {
			"By what is there then.",
			zipFunction,
			forProvider(
				`replaceSecurityGroupsOnDestroy: true, replacementSecurityGroupIdsFrom: [{apiVersion: ec2.aws.m.upbound.io/v1beta1, kind: SecurityGroup, name: default, fieldPath: status.atProvider.id}]`,
			),
		},
		"ReplaceNot": {
			"As upjet's users may have it.",
			zipFunction,
			forProvider(`replaceSecurityGroupsOnDestroy: false, detachFromVpcOnDestroy: true`),
		},
		"VPCFrom": {
			"Of another provider.",
			zipFunction,
			forProvider(
				`vpcConfig: {subnetIdsFrom: [{apiVersion: ec2.aws.m.upbound.io/v1beta1, kind: Subnet, name: a, fieldPath: status.atProvider.id}], securityGroupIds: [sg-0a]}`,
			),
		},
		"DeadLetterQueue": {
			"A queue.",
			zipFunction,
			forProvider(`deadLetterConfig: {targetArn: "arn:aws:sqs:eu-central-1:123456789012:failed.fifo"}`),
		},
		"DeadLetterTopic": {
			"A topic.",
			zipFunction,
			forProvider(`deadLetterConfig: {targetArn: "arn:aws:sns:eu-central-1:123456789012:failed"}`),
		},
		"FileSystem": {
			"Amazon EFS.",
			zipFunction,
			forProvider(
				vpc + `, fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /mnt/a-b_c.d}]`,
			),
		},
		"FileSystemS3": {
			"Amazon S3 Files.",
			zipFunction,
			forProvider(
				vpc + `, fileSystemConfigs: [{arn: "arn:aws:s3files:eu-central-1:123456789012:file-system/fs-0123456789abcdef0/access-point/fsap-0123456789abcdef0", localMountPath: /mnt/a, s3FilesConfig: {directS3Read: DISABLED}}]`,
			),
		},
		"LogsJSON": {
			"With levels.",
			zipFunction,
			forProvider(
				`loggingConfig: {logFormat: JSON, applicationLogLevel: FATAL, systemLogLevel: WARN, logGroup: /my/logs.a_b-c#d}`,
			),
		},
		"LogsText": {"Without levels.", zipFunction, forProvider(`loggingConfig: {logFormat: Text}`)},
		"Modes": {
			"Tracing and SnapStart.",
			zipFunction,
			forProvider(`tracingConfig: {mode: Active}, snapStart: {applyOn: PublishedVersions}`),
		},
		"ModesOff": {
			"Tracing and SnapStart.",
			zipFunction,
			forProvider(`tracingConfig: {mode: PassThrough}, snapStart: {applyOn: None}`),
		},
		"FixedAtCreation": {
			"Tenancy and durability.",
			zipFunction,
			forProvider(
				tenancy + `, durableConfig: {executionTimeout: 31622400, retentionPeriodInDays: 90, kmsKeyArn: "arn:aws:kms:eu-central-1:123456789012:key/1"}`,
			),
		},
		"PublishedOnce": {
			"And later by another tool.",
			managedInstancesFunction,
			`spec: {forProvider: {publishTo: LATEST_PUBLISHED}, initProvider: {publish: true}}`,
		},
		"PublishedVersion": {"With each change of the code.", zipFunction, forProvider(`publish: true`)},
		"HistoryLimit":     {"Of which some are kept.", zipFunction, forProvider(`publish: true, historyLimit: 100`)},
	}
	c := strictClient(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := complaints(c.Create(t.Context(), manifest(t, tc.base, tc.change), client.DryRunAll)); got != "" {
				t.Errorf("\n%s\nCreate(): refused:\n%s", tc.reason, got)
			}
		})
	}
}

// TestRuntimesAccepted checks that the families in the API's pattern cover every runtime in the SDK.
func TestRuntimesAccepted(t *testing.T) {
	c := strictClient(t)
	for _, r := range append(
		types.Runtime("").Values(), "python3.19", "nodejs38.x", "java33", "dotnet14", "ruby5.1", "provided.al2029",
	) {
		spec := "runtime: " + string(r)
		if r == types.RuntimeCustom {
			spec += ", " + customRuntime
		}
		if got := complaints(
			c.Create(t.Context(), manifest(t, zipFunction, forProvider(spec)), client.DryRunAll),
		); got != "" {
			t.Errorf("a runtime of Lambda was refused:\n%s", got)
		}
	}
}

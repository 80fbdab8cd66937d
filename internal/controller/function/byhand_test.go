package function

import (
	"context"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// others are the calls by which somebody else changes a function, by the call that puts it back.
func (e *env) others() map[string]func(ctx context.Context, input string) error {
	const name = `{"FunctionName":"f"}`
	return map[string]func(context.Context, string) error{
		string(opUpdateConfiguration): testenv.Calling(e.Lambda.UpdateFunctionConfiguration, name),
		string(opUpdateCode):          testenv.Calling(e.Lambda.UpdateFunctionCode, name),
		string(opPutConcurrency):      testenv.Calling(e.Lambda.PutFunctionConcurrency, name),
		string(opPutCodeSigning):      testenv.Calling(e.Lambda.PutFunctionCodeSigningConfig, name),
		string(opPutRecursion):        testenv.Calling(e.Lambda.PutFunctionRecursionConfig, name),
		string(opPutScaling): testenv.Calling(
			e.Lambda.PutFunctionScalingConfig, `{"FunctionName":"f","Qualifier":"$LATEST.PUBLISHED"}`,
		),
		tagging.OpTag: testenv.Calling(e.Lambda.TagResource, `{"Resource":"`+testARN+`"}`),
	}
}

// TestEveryFieldByHand checks what happens to each field that somebody else changes or that is removed from spec.
func TestEveryFieldByHand(t *testing.T) {
	const (
		layer     = `"arn:aws:lambda:eu-central-1:580247275435:layer:`
		image     = `"packageType":"Image","runtime":null,"handler":null,"code":null`
		network   = `"vpcConfig":{"subnetIds":["subnet-0"],"securityGroupIds":["sg-0"]`
		provider  = `"arn:aws:lambda:eu-central-1:123456789012:capacity-provider:`
		instances = `"memorySize":2048,"capacityProviderConfig":{"lambdaManagedInstancesCapacityProviderConfig":{"capacityProviderArn":` + provider + `a"`
		efs       = `"arn":"arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef`
		s3Files   = `"fileSystemConfigs":[{"arn":"arn:aws:s3files:eu-central-1:123456789012:file-system/fs-0123456789abcdef0/access-point/fsap-0123456789abcdef0","localMountPath":"/mnt/a"`
		key       = `"arn:aws:kms:eu-central-1:123456789012:key/`
		object    = `"s3Bucket":"bucket","s3Key":"k1.zip"`
		durable   = `"durableConfig":{"executionTimeout":60`
		runtime   = `"runtime":"custom","runtimeConfig":{"runtimeAlias":"`
		runtimeOf = `","runtimeArn":"arn:aws:lambda:eu-central-1:123456789012:runtime/`
		signing   = `"codeSigningConfigArn":"arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0000000000000000`
	)
	cases := map[string]testenv.FieldCase{
		"runtime": {
			With:   `{"runtime":null}`,
			Spec:   `{"runtime":"python3.12"}`,
			ByHand: `{"runtime":"python3.13"}`,
			Left:   true,
		},
		"runtimeConfig.runtimeArn": {
			With:   `{"runtime":null}`,
			Spec:   `{` + runtime + `a` + runtimeOf + `a"}}`,
			ByHand: `{` + runtime + `a` + runtimeOf + `b"}}`,
			Left:   true,
		},
		"runtimeConfig.runtimeAlias": {
			With:   `{"runtime":null}`,
			Spec:   `{` + runtime + `a` + runtimeOf + `a"}}`,
			ByHand: `{` + runtime + `b` + runtimeOf + `a"}}`,
			Left:   true,
		},
		"handler": {
			With:   `{"handler":null}`,
			Spec:   `{"handler":"a.b"}`,
			ByHand: `{"handler":"c.d"}`,
			Left:   true,
		},
		"role": {
			With:   `{"role":null}`,
			Spec:   `{"role":"arn:aws:iam::123456789012:role/a"}`,
			ByHand: `{"role":"arn:aws:iam::123456789012:role/b"}`,
			Left:   true,
		},
		"architectures": {
			With:   `{"code":{"inline":null,` + object + `}}`,
			Spec:   `{"architectures":["arm64"]}`,
			ByHand: `{"architectures":["x86_64"],` + object + `}`,
			Left:   true,
		},
		"description": {Spec: `{"description":"a"}`, ByHand: `{"description":"b"}`, Left: true},
		"memorySize":  {Spec: `{"memorySize":256}`, ByHand: `{"memorySize":512}`, Left: true},
		"timeout":     {Spec: `{"timeout":6}`, ByHand: `{"timeout":7}`, Left: true},
		"kmsKeyArn": {
			With:   `{"environment":{"variables":{"AA":"1"}}}`,
			Spec:   `{"kmsKeyArn":` + key + `a"}`,
			ByHand: `{"kmsKeyArn":` + key + `b"}`,
			Left:   true,
		},
		"code.s3Bucket": {
			With:   `{"code":null}`,
			Spec:   `{"code":{` + object + `}}`,
			ByHand: `{"s3Bucket":"other","s3Key":"k2.zip"}`,
			Left:   true,
		},
		"code.s3Key": {
			With:   `{"code":null}`,
			Spec:   `{"code":{` + object + `}}`,
			ByHand: `{"s3Bucket":"bucket","s3Key":"k2.zip"}`,
			Left:   true,
		},
		"code.s3ObjectStorageMode": {
			With:   `{"code":{"inline":null,` + object + `}}`,
			Spec:   `{"code":{"s3ObjectStorageMode":"COPY"}}`,
			ByHand: `{` + object + `,"s3ObjectStorageMode":"REFERENCE"}`,
			Left:   true,
		},
		"code.sourceKmsKeyArn": {
			With:   `{"code":{"inline":null,` + object + `}}`,
			Spec:   `{"code":{"sourceKmsKeyArn":` + key + `a"}}`,
			ByHand: `{` + object + `,"sourceKmsKeyArn":` + key + `b"}`,
			Left:   true,
		},
		"code.imageUri": {
			With:   `{` + image + `}`,
			Spec:   `{"code":{"imageUri":"` + testImage + `:1"}}`,
			ByHand: `{"imageUri":"` + testImage + `:2"}`,
			Left:   true,
		},
		"code.inline": {
			With:   `{"code":null}`,
			Spec:   `{"code":{"inline":{"index.py":"x"}}}`,
			ByHand: `{` + object + `}`,
			Left:   true,
		},
		"environment.variables": {
			Spec:   `{"environment":{"variables":{"AA":"1"}}}`,
			ByHand: `{"environment":{"variables":{"AA":"2"}}}`,
		},
		"layers": {
			Spec:   `{"layers":[` + layer + `a:1"]}`,
			ByHand: `{"layers":[` + layer + `a:1",` + layer + `b:1"]}`,
		},
		"vpcConfig.subnetIds": {
			Spec:   `{` + network + `}}`,
			ByHand: `{"vpcConfig":{"subnetIds":["subnet-1"],"securityGroupIds":["sg-0"]}}`,
		},
		"vpcConfig.securityGroupIds": {
			Spec:   `{` + network + `}}`,
			ByHand: `{"vpcConfig":{"subnetIds":["subnet-0"],"securityGroupIds":["sg-1"]}}`,
		},
		"vpcConfig.ipv6AllowedForDualStack": {
			With: `{` + network + `}}`, Spec: `{"vpcConfig":{"ipv6AllowedForDualStack":false}}`,
			ByHand: `{` + network + `,"ipv6AllowedForDualStack":true}}`, Left: true,
		},
		"deadLetterConfig.targetArn": {
			Spec:   `{"deadLetterConfig":{"targetArn":"arn:aws:sqs:eu-central-1:123456789012:a"}}`,
			ByHand: `{"deadLetterConfig":{"targetArn":"arn:aws:sqs:eu-central-1:123456789012:b"}}`,
		},
		"ephemeralStorage.size": {
			Spec:   `{"ephemeralStorage":{"size":1024}}`,
			ByHand: `{"ephemeralStorage":{"size":2048}}`,
		},
		"fileSystemConfigs.arn": {
			With:   `{` + network + `}}`,
			Spec:   `{"fileSystemConfigs":[{` + efs + `0","localMountPath":"/mnt/a"}]}`,
			ByHand: `{"fileSystemConfigs":[{` + efs + `1","localMountPath":"/mnt/a"}]}`,
		},
		"fileSystemConfigs.localMountPath": {
			With:   `{` + network + `}}`,
			Spec:   `{"fileSystemConfigs":[{` + efs + `0","localMountPath":"/mnt/a"}]}`,
			ByHand: `{"fileSystemConfigs":[{` + efs + `0","localMountPath":"/mnt/b"}]}`,
		},
		"fileSystemConfigs.s3FilesConfig.directS3Read": {
			With: `{` + network + `}}`, Spec: `{` + s3Files + `,"s3FilesConfig":{"directS3Read":"AUTO"}}]}`,
			ByHand: `{` + s3Files + `,"s3FilesConfig":{"directS3Read":"DISABLED"}}]}`,
		},
		"imageConfig.command": {
			With:   `{` + image + `,"code":{"imageUri":"` + testImage + `:1"}}`,
			Spec:   `{"imageConfig":{"command":["a"]}}`,
			ByHand: `{"imageConfig":{"command":["b"]}}`,
		},
		"imageConfig.entryPoint": {
			With:   `{` + image + `,"code":{"imageUri":"` + testImage + `:1"}}`,
			Spec:   `{"imageConfig":{"entryPoint":["a"]}}`,
			ByHand: `{"imageConfig":{"entryPoint":["b"]}}`,
		},
		"imageConfig.workingDirectory": {
			With:   `{` + image + `,"code":{"imageUri":"` + testImage + `:1"}}`,
			Spec:   `{"imageConfig":{"workingDirectory":"/a"}}`,
			ByHand: `{"imageConfig":{"workingDirectory":"/b"}}`,
		},
		"loggingConfig.logFormat": {
			Spec:   `{"loggingConfig":{"logFormat":"Text"}}`,
			ByHand: `{"loggingConfig":{"logFormat":"JSON"}}`,
		},
		"loggingConfig.logGroup": {
			Spec:   `{"loggingConfig":{"logGroup":"/a"}}`,
			ByHand: `{"loggingConfig":{"logGroup":"/b"}}`,
		},
		"loggingConfig.applicationLogLevel": {
			With:   `{"loggingConfig":{"logFormat":"JSON"}}`,
			Spec:   `{"loggingConfig":{"applicationLogLevel":"WARN"}}`,
			ByHand: `{"loggingConfig":{"applicationLogLevel":"ERROR"}}`,
			Left:   true,
		},
		"loggingConfig.systemLogLevel": {
			With:   `{"loggingConfig":{"logFormat":"JSON"}}`,
			Spec:   `{"loggingConfig":{"systemLogLevel":"WARN"}}`,
			ByHand: `{"loggingConfig":{"systemLogLevel":"DEBUG"}}`,
			Left:   true,
		},
		"tracingConfig.mode": {
			Spec:   `{"tracingConfig":{"mode":"PassThrough"}}`,
			ByHand: `{"tracingConfig":{"mode":"Active"}}`,
		},
		"snapStart.applyOn": {
			Spec:   `{"snapStart":{"applyOn":"None"}}`,
			ByHand: `{"snapStart":{"applyOn":"PublishedVersions"}}`,
		},
		"durableConfig.executionTimeout": {
			Spec:   `{` + durable + `}}`,
			ByHand: `{"durableConfig":{"executionTimeout":90}}`,
			Left:   true,
		},
		"durableConfig.retentionPeriodInDays": {
			With:   `{` + durable + `}}`,
			Spec:   `{"durableConfig":{"retentionPeriodInDays":3}}`,
			ByHand: `{"durableConfig":{"retentionPeriodInDays":4}}`,
			Left:   true,
		},
		"durableConfig.kmsKeyArn": {
			With:   `{` + durable + `}}`,
			Spec:   `{"durableConfig":{"kmsKeyArn":` + key + `a"}}`,
			ByHand: `{"durableConfig":{"kmsKeyArn":` + key + `b"}}`,
			Left:   true,
		},
		"capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn": {
			Spec:   `{` + instances + `}}}`,
			ByHand: `{"capacityProviderConfig":{"lambdaManagedInstancesCapacityProviderConfig":{"capacityProviderArn":` + provider + `b"}}}`,
			Left:   true,
		},
		"capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.executionEnvironmentMemoryGiBPerVCpu": {
			With:   `{` + instances + `}}}`,
			Spec:   `{"capacityProviderConfig":{"lambdaManagedInstancesCapacityProviderConfig":{"executionEnvironmentMemoryGiBPerVCpu":"2.0"}}}`,
			ByHand: `{` + instances + `,"executionEnvironmentMemoryGiBPerVCpu":4}}}`,
			Left:   true,
		},
		"capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.perExecutionEnvironmentMaxConcurrency": {
			With:   `{` + instances + `}}}`,
			Spec:   `{"capacityProviderConfig":{"lambdaManagedInstancesCapacityProviderConfig":{"perExecutionEnvironmentMaxConcurrency":8}}}`,
			ByHand: `{` + instances + `,"perExecutionEnvironmentMaxConcurrency":9}}}`,
			Left:   true,
		},
		"reservedConcurrentExecutions": {
			Spec:   `{"reservedConcurrentExecutions":1}`,
			ByHand: `{"reservedConcurrentExecutions":2}`,
			Left:   true,
		},
		"codeSigningConfigArn": {Spec: `{` + signing + `1"}`, ByHand: `{` + signing + `2"}`, Left: true},
		"recursiveLoop": {
			Spec:   `{"recursiveLoop":"Allow"}`,
			ByHand: `{"recursiveLoop":"Terminate"}`,
			Left:   true,
		},
		"functionScalingConfig.minExecutionEnvironments": {
			With:   `{` + instances + `}},"publish":true,"publishTo":"LATEST_PUBLISHED","functionScalingConfig":{"maxExecutionEnvironments":9}}`,
			Spec:   `{"functionScalingConfig":{"minExecutionEnvironments":4}}`,
			ByHand: `{"functionScalingConfig":{"minExecutionEnvironments":5,"maxExecutionEnvironments":9}}`,
			Left:   true,
		},
		"functionScalingConfig.maxExecutionEnvironments": {
			With:   `{` + instances + `}},"publish":true,"publishTo":"LATEST_PUBLISHED","functionScalingConfig":{"minExecutionEnvironments":4}}`,
			Spec:   `{"functionScalingConfig":{"maxExecutionEnvironments":9}}`,
			ByHand: `{"functionScalingConfig":{"minExecutionEnvironments":4,"maxExecutionEnvironments":10}}`,
			Left:   true,
		},
		"tags": {Spec: `{"tags":{"a":"1"}}`, ByHand: `{"tags":{"a":"2"}}`},
	}
	for path, c := range cases {
		for _, f := range fields {
			for _, by := range f.by {
				if strings.HasPrefix(path+".", f.path+".") {
					c.By = append(c.By, string(by))
				}
			}
		}
		cases[path] = c
	}
	var e *env
	testenv.FieldTest[*v1beta1.Function, v1beta1.FunctionSettings]{
		New: func(t testing.TB) (*testenv.Env[*v1beta1.Function], *v1beta1.Function) {
			t.Helper()
			e = newEnv(t)
			e.codeSigning()
			e.Double.PutObject("other", "k2.zip", awsdouble.Zip(map[string]string{"index.py": "other"}))
			return e.Env, testFunction()
		},
		Spec: func(f *v1beta1.Function) *v1beta1.FunctionSettings { return &f.Spec.ForProvider.FunctionSettings },
		ByHand: func(_ *testenv.Env[*v1beta1.Function], c testenv.FieldCase) {
			e.Must(e.others()[c.By[0]](e.Context(), c.ByHand))
		},
		Cases: cases,
		Without: map[string]string{
			"packageType":          "AWS accepts it only at creation",
			"tenancyConfig":        "AWS accepts it only at creation",
			"code.s3ObjectVersion": "AWS does not return it, but the hash of what it has",
			"code.trackImageTag":   "says how the code is found",
			"code.oci":             "says how the code is found",
			"code.staging":         "says how the code is sent",
			"code.sha256":          "says which code is accepted",
			"publish":              "asks for a version, which AWS does not change",
			"publishTo":            "asks for a version, which AWS does not change",
		},
	}.Run(t)
}

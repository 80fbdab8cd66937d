package fingerprint

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

// full returns a configuration with a value in each block, and none in some members of them.
func full() *types.FunctionConfiguration {
	return &types.FunctionConfiguration{
		FunctionName: ptr.To("f"), CodeSha256: ptr.To("a"),
		Architectures: []types.Architecture{types.ArchitectureArm64},
		CapacityProviderConfig: &types.CapacityProviderConfig{
			LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
				CapacityProviderArn: ptr.To("cp"), ExecutionEnvironmentMemoryGiBPerVCpu: ptr.To(2.5),
			},
		},
		DeadLetterConfig:  &types.DeadLetterConfig{TargetArn: ptr.To("q")},
		Description:       ptr.To("<d>"),
		DurableConfig:     &types.DurableConfig{ExecutionTimeout: ptr.To[int32](60)},
		Environment:       &types.EnvironmentResponse{Variables: map[string]string{"B": "2", "A": "1"}},
		EphemeralStorage:  &types.EphemeralStorage{Size: ptr.To[int32](512)},
		FileSystemConfigs: []types.FileSystemConfig{{Arn: ptr.To("fs"), LocalMountPath: ptr.To("/mnt/a")}},
		Handler:           ptr.To("h"),
		ImageConfigResponse: &types.ImageConfigResponse{ImageConfig: &types.ImageConfig{
			Command: []string{"c"}, WorkingDirectory: ptr.To("/w"),
		}},
		KMSKeyArn:     ptr.To("k"),
		Layers:        []types.Layer{{Arn: ptr.To("l:1")}},
		LoggingConfig: &types.LoggingConfig{LogFormat: types.LogFormatJson},
		MemorySize:    ptr.To[int32](128), PackageType: types.PackageTypeZip, Role: ptr.To("r"),
		Runtime: types.RuntimePython312, SnapStart: &types.SnapStartResponse{ApplyOn: types.SnapStartApplyOnNone},
		TenancyConfig: &types.TenancyConfig{TenantIsolationMode: types.TenantIsolationModePerTenant},
		Timeout:       ptr.To[int32](3), TracingConfig: &types.TracingConfigResponse{Mode: types.TracingModeActive},
		VpcConfig: &types.VpcConfigResponse{SubnetIds: []string{"s"}},
	}
}

// TestStored compares fingerprints with those that the first release stored in resources.
func TestStored(t *testing.T) {
	unreadable := Content{
		FunctionName:        ptr.To("f"),
		ImageConfigResponse: &types.ImageConfigResponse{Error: &types.ImageConfigError{ErrorCode: ptr.To("E")}},
		FileSystemConfigs:   []types.FileSystemConfig{{S3FilesConfig: &types.S3FilesConfig{}}},
	}
	noVariables := Content{
		FunctionName: ptr.To("f"),
		Environment:  &types.EnvironmentResponse{Error: &types.EnvironmentError{ErrorCode: ptr.To("E")}},
	}
	empty := Read(&types.FunctionConfiguration{FunctionName: ptr.To("f")})
	with := Content{FunctionName: ptr.To("f")}.FingerprintWith(struct{ Memory int }{128})
	cases := map[string]struct {
		reason string
		got    string
		want   string
	}{
		"Full": {
			reason: "Values in all blocks have the fingerprint that is stored for them.",
			got:    Read(full()).Fingerprint(), want: "d6402ae2e2b474ff5073a99797222e05",
		},
		"Empty": {
			reason: "A function without any setting has the fingerprint that is stored for it.",
			got:    empty.Fingerprint(), want: "17328cd65dfd89771aa251bcd30cb144",
		},
		"Settings": {
			reason: "Settings beside the content are part of the stored fingerprint.",
			got:    with, want: "f47cc9b7bb0dc36cc9c2801dff26af27",
		},
		"NoVariables": {
			reason: "An environment that AWS cannot decrypt has the fingerprint that is stored for it.",
			got:    noVariables.Fingerprint(), want: "db56c5c7c0d2fc5d69577bfca5cdbd0f",
		},
		"Unreadable": {
			reason: "Errors and empty blocks in AWS's answer have the fingerprint that is stored for them.",
			got:    unreadable.Fingerprint(), want: "4c076cba32c07643124bbfe8a7e2c20f",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.got != tc.want {
				t.Errorf("%s\nfingerprint %s, want %s: resources have stored the latter", tc.reason, tc.got, tc.want)
			}
		})
	}
}

// TestUpgrade adds members to what is fingerprinted, as a later release or a later SDK does. A struct that is
// declared in a function has the name that it is given there, so these stand for the later structs.
func TestUpgrade(t *testing.T) {
	type LoggingConfig struct {
		LogFormat types.LogFormat
		NewLevel  types.SystemLogLevel // An enum that AWS does not return is empty, not nil.
		LogGroup  *string
	}
	type NewConfig struct{ Size *int32 }
	type Content struct {
		FunctionName  *string
		LoggingConfig *LoggingConfig
		NewConfig     *NewConfig
		NewList       []string
		Timeout       *int32
	}
	const stored = `{"FunctionName":"f","LoggingConfig":{"LogFormat":"JSON","LogGroup":null},"Timeout":null}`
	cases := map[string]struct {
		reason string
		later  Content
		want   string
	}{
		"Unused": {
			reason: "Members that AWS does not return leave what is fingerprinted as it was.",
			later:  Content{FunctionName: ptr.To("f"), LoggingConfig: &LoggingConfig{LogFormat: types.LogFormatJson}},
			want:   stored,
		},
		"UsedInABlock": {
			reason: "A new member of the SDK that has a value is content like any other.",
			later:  Content{LoggingConfig: &LoggingConfig{NewLevel: types.SystemLogLevelWarn}},
			want: `{"FunctionName":null,"LoggingConfig":{"LogFormat":"","NewLevel":"WARN","LogGroup":null},` +
				`"Timeout":null}`,
		},
		"UsedBlock": {
			reason: "A new block that AWS returns is content, even if its own members have no values.",
			later:  Content{NewConfig: &NewConfig{}},
			want:   `{"FunctionName":null,"LoggingConfig":null,"NewConfig":{},"Timeout":null}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, string(encode(tc.later))); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

package fingerprint

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// alwaysEncoded names the members that are encoded even if they have no value, by the name of their struct. All other
// members are left out then, so that a new member, of Content or of a struct of the SDK, leaves the fingerprints of the
// functions that do not use it as they are. Resources store fingerprints: if one changed without a change in AWS, a
// function with publish: true would publish a version for nothing.
//
// The list is what the first release encoded. Nothing is ever added to it or removed from it.
var alwaysEncoded = map[string][]string{
	"Content": {
		"FunctionName", "CodeSha256", "Architectures", "CapacityProviderConfig", "DeadLetterConfig", "Description",
		"DurableConfig", "Environment", "EphemeralStorage", "FileSystemConfigs", "Handler", "ImageConfigResponse",
		"KMSKeyArn", "Layers", "LoggingConfig", "MemorySize", "PackageType", "Role", "Runtime", "SnapStart",
		"TenancyConfig", "Timeout", "TracingConfig", "VpcConfig",
	},
	"CapacityProviderConfig": {"LambdaManagedInstancesCapacityProviderConfig"},
	"LambdaManagedInstancesCapacityProviderConfig": {
		"CapacityProviderArn", "ExecutionEnvironmentMemoryGiBPerVCpu", "PerExecutionEnvironmentMaxConcurrency",
	},
	"DeadLetterConfig":      {"TargetArn"},
	"DurableConfig":         {"ExecutionTimeout", "KMSKeyArn", "RetentionPeriodInDays"},
	"EnvironmentResponse":   {"Error", "Variables"},
	"EnvironmentError":      {"ErrorCode", "Message"},
	"EphemeralStorage":      {"Size"},
	"FileSystemConfig":      {"Arn", "LocalMountPath", "S3FilesConfig"},
	"S3FilesConfig":         {"DirectS3Read"},
	"ImageConfigResponse":   {"Error", "ImageConfig"},
	"ImageConfig":           {"Command", "EntryPoint", "WorkingDirectory"},
	"ImageConfigError":      {"ErrorCode", "Message"},
	"Layer":                 {"Arn", "CodeSize", "SigningJobArn", "SigningProfileVersionArn"},
	"LoggingConfig":         {"ApplicationLogLevel", "LogFormat", "LogGroup", "SystemLogLevel"},
	"SnapStartResponse":     {"ApplyOn", "OptimizationStatus"},
	"TenancyConfig":         {"TenantIsolationMode"},
	"TracingConfigResponse": {"Mode"},
	"VpcConfigResponse":     {"Ipv6AllowedForDualStack", "SecurityGroupIds", "SubnetIds", "VpcId"},
}

// encode returns a content or a part of one as JSON, without the members that have no value and are not in
// alwaysEncoded.
func encode(v any) []byte {
	var b bytes.Buffer
	encodeValue(&b, reflect.ValueOf(v))
	return b.Bytes()
}

func encodeValue(b *bytes.Buffer, v reflect.Value) {
	switch k := v.Kind(); {
	case k == reflect.Struct:
		encodeStruct(b, v)
	case k == reflect.Pointer && !v.IsNil():
		encodeValue(b, v.Elem())
	case k == reflect.Slice && !v.IsNil():
		b.WriteByte('[')
		for i := range v.Len() {
			separate(b)
			encodeValue(b, v.Index(i))
		}
		b.WriteByte(']')
	default:
		b.Write(marshal(v.Interface()))
	}
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) {
	always := alwaysEncoded[v.Type().Name()]
	b.WriteByte('{')
	for f, member := range v.Fields() {
		if !f.IsExported() || member.IsZero() && !slices.Contains(always, f.Name) {
			continue
		}
		separate(b)
		b.Write(marshal(f.Name))
		b.WriteByte(':')
		encodeValue(b, member)
	}
	b.WriteByte('}')
}

// separate writes a comma, unless a list or an object has just begun.
func separate(b *bytes.Buffer) {
	if last := b.Bytes()[b.Len()-1]; last != '[' && last != '{' {
		b.WriteByte(',')
	}
}

// marshal returns the JSON of a value that consists of texts, numbers, lists and maps, which cannot fail.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

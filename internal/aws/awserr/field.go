package awserr

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/smithy-go"
)

// The ways in which messages name a parameter.
var (
	constraintPattern = regexp.MustCompile(`at '([A-Za-z0-9_.\[\]]+)' failed to satisfy constraint`)
	valuePattern      = regexp.MustCompile(`^'([A-Z][A-Za-z]+)' value failed to satisfy constraint`)
	requiredPattern   = regexp.MustCompile(`Required '([A-Za-z.]+)' parameter is missing`)
	unsupportedParam  = regexp.MustCompile(`Unsupported ([A-Z][A-Za-z]+) parameter`)
	listIndex         = regexp.MustCompile(`\.member|\.\d+|\[\d+\]`)
)

// knownFields maps parts of messages, in lower case, to fields. The first one that fits counts.
var knownFields = []struct{ part, field string }{
	{"cannot be assumed by lambda", "role"},
	{"execution role does not have permissions", "role"},
	{"ensure the role can perform", "role"},
	{"lambda as a trusted entity", "role"},
	{"operator role", "permissionsConfig"},
	{"provided principal", "principal"},
	{"destination arn", "destinationConfig"},
	{"provided destination config", "destinationConfig"},
	{"resource tag limit", "tags"},
	{"maximum batch window", "maximumBatchingWindowInSeconds"},
	{"additionalversionweights", "routingConfig"},
	{"included in routing configuration", "routingConfig"},
	{"alias pointing to more than 1 version", "routingConfig"},
	{"stream not found", "eventSourceArn"},
	{"security group ids are invalid", "vpcConfig.securityGroupIds"},
	{"subnet ids are invalid", "vpcConfig.subnetIds"},
	{"cross-account pass role", "role"},
	{"kms key", "kmsKeyArn"},
	{"configure your environment variables", "environment.variables"},
	{"runtime parameter of", "runtime"},
	{"nosuchbucket", "code.s3Bucket"},
	{"nosuchkey", "code.s3Key"},
	{"nosuchversion", "code.s3ObjectVersion"},
	{"while getobject", "code"},
	{"zipped size", "code"},
	{"request must be smaller", "code"},
	{"could not unzip", "code"},
	{"imageuri", "code.imageUri"},
	{"source image", "code.imageUri"},
	{"codesha256", "codeSha256"},
	{"layer version", "layers"},
	{"layers", "layers"},
	{"same layer", "layers"},
	{"describesubnets", "vpcConfig.subnetIds"},
	{"invalidsubnet", "vpcConfig.subnetIds"},
	{"describesecuritygroups", "vpcConfig.securityGroupIds"},
	{"invalidsecuritygroup", "vpcConfig.securityGroupIds"},
	{"invalidgroup", "vpcConfig.securityGroupIds"},
	{"reservedconcurrentexecutions", "reservedConcurrentExecutions"},
	{"specified concurrentexecutions", "provisionedConcurrentExecutions"},
	{"requested provisioned concurrency", "provisionedConcurrentExecutions"},
	{"provisioned concurrency configs cannot", "qualifier"},
	{"alloworigins", "cors.allowOrigins"},
	{"destination for itself", "destinationConfig"},
	{"snapstart", "snapStart"},
	{"efs file system", "fileSystemConfigs"},
	{"dead letter", "deadLetterConfig"},
	{"unrecognized event source", "eventSourceArn"},
	{"sqs error code", "eventSourceArn"},
	{"filter pattern", "filterCriteria"},
	{"function does not exist", "functionName"},
	{"derived qualifier", "functionName"},
	{"aliases and versions", "functionName"},
	{"not reachable in this region", "region"},
}

// fieldOfCode maps codes that concern one field, whatever the message.
var fieldOfCode = map[string]string{
	"InvalidZipFileException":            "code",
	"InvalidRuntimeException":            "runtime",
	"CodeStorageExceededException":       "code",
	"CodeVerificationFailedException":    "code",
	"InvalidCodeSignatureException":      "code",
	"CodeSigningConfigNotFoundException": "codeSigningConfigArn",
	"InvalidSecurityGroupIDException":    "vpcConfig.securityGroupIds",
	"InvalidSubnetIDException":           "vpcConfig.subnetIds",
	"RequestEntityTooLargeException":     "code",
	"RequestTooLargeException":           "code",
}

// Field returns the field that an error most likely concerns, as a path under spec.forProvider,
// such as "memorySize" or "vpcConfig.subnetIds". It is empty if the error does not say.
func Field(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[smithy.InvalidParamsError](err); ok {
		return fieldOfParams(e)
	}
	m := Message(err)
	for _, p := range []*regexp.Regexp{constraintPattern, valuePattern, requiredPattern, unsupportedParam} {
		if found := p.FindStringSubmatch(m); found != nil {
			return fieldPath(found[1])
		}
	}
	if Code(err) == "" || IsAccessDenied(err) || IsNotFound(err) || IsConflict(err) {
		return ""
	}
	for _, k := range knownFields {
		if contains(m, k.part) {
			return k.field
		}
	}
	return fieldOfCode[Code(err)]
}

// fieldOfParams returns the first field that the SDK itself found missing, without the name of the
// operation's input before it.
func fieldOfParams(e smithy.InvalidParamsError) string {
	for _, err := range e.Errs() {
		var p smithy.InvalidParamError
		ok := errors.As(err, &p)
		if !ok {
			continue
		}
		return fieldPath(strings.TrimPrefix(p.Field(), e.Context+"."))
	}
	return ""
}

// acronyms replaces acronyms that spec writes as words.
var acronyms = strings.NewReplacer("KMSKeyArn", "KmsKeyArn", "kMSKeyArn", "kmsKeyArn")

// fieldPath spells an AWS path as spec does: each part begins with a small letter, and has no index of a list.
func fieldPath(path string) string {
	path = acronyms.Replace(listIndex.ReplaceAllString(path, ""))
	parts := strings.Split(path, ".")
	for i, p := range parts {
		r, size := utf8.DecodeRuneInString(p)
		parts[i] = string(unicode.ToLower(r)) + p[size:]
	}
	return strings.Join(parts, ".")
}

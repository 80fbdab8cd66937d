package awserr

import (
	"errors"
	"regexp"
	"strconv"
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
	unsupportedParam  = regexp.MustCompile(`Unsupported '?([A-Za-z]+)'? parameter`)
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
	{"non-empty zip", "code"},
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

// The ways in which a message quotes the value that it rejects. The value may be an environment
// variable or a policy, so it is removed. The name of the field says enough. Only the value of an enum is kept, if it
// is a word: no secret belongs there, and the values that AWS accepts do not say which one was wrong.
var (
	violation = regexp.MustCompile(`(?s)(?:; )?Value (.*?) at '([A-Za-z0-9_.\[\]]+)' failed to satisfy constraint: `)
	word      = regexp.MustCompile(`^'?\[?([A-Za-z0-9_.:-]{1,64})\]?'?$`)
	// A payload that AWS cannot read as JSON is quoted at its end, and what it begins with in the reason.
	measured = regexp.MustCompile(`(?s)\s*(?:String measured: |at \[Source: ).*`)
	token    = regexp.MustCompile(`(?s)(Unrecognized token) '.*'(: was expecting)`)
	counted  = regexp.MustCompile(`^\d+ validation errors? detected: `)
)

func redact(m string) string {
	m = measured.ReplaceAllString(m, "")
	m = token.ReplaceAllString(m, "$1$2")
	m = counted.ReplaceAllString(m, "")
	found := violation.FindAllStringSubmatchIndex(m, -1)
	if len(found) == 0 {
		return m
	}
	lines := make([]string, 0, len(found))
	for i, f := range found {
		end := len(m)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		rule := constraint(m[f[1]:end])
		lines = append(lines, fieldPath(m[f[4]:f[5]])+": "+quoted(m[f[2]:f[3]], rule)+rule)
	}
	return strings.Join(lines, "; ")
}

// quoted returns the value that violates the rule of an enum, and empty text for other rules.
func quoted(value, rule string) string {
	found := word.FindStringSubmatch(value)
	if found == nil || found[1] == "null" || !strings.Contains(rule, "satisfy enum value set") {
		return ""
	}
	return strconv.Quote(found[1]) + " "
}

// constraint returns the rule that a value violates, if it is in the words of AWS.
func constraint(s string) string {
	if rest, ok := strings.CutPrefix(s, "Member must "); ok {
		return "must " + strings.TrimPrefix(rest, "satisfy constraint: ")
	}
	return "invalid value"
}

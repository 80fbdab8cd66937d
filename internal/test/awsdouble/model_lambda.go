package awsdouble

import "slices"

// The patterns of Lambda's model, as its messages print them.
const (
	regionPattern    = `(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}`
	namePrefix       = `(arn:(aws[a-zA-Z-]*)?:lambda:)?(` + regionPattern + `:)?(\d{12}:)?(function:)?`
	namePattern      = namePrefix + `([a-zA-Z0-9-_]+)(:(\$LATEST|[a-zA-Z0-9-_]+))?`
	plainPattern     = namePrefix + `([a-zA-Z0-9-_]+)`
	dottedPattern    = namePrefix + `([a-zA-Z0-9-_\.]+)(:(\$LATEST(\.PUBLISHED)?|[a-zA-Z0-9-_]+))?`
	qualifierPattern = `\$(LATEST(\.PUBLISHED)?)|[a-zA-Z0-9-_$]+`
	rolePattern      = `arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+`
	anyArnPattern    = `(arn:(aws[a-zA-Z-]*)?:[a-z0-9-.]+:.*)|()`
	layerPattern     = `(arn:(aws[a-zA-Z-]*)?:lambda:` + regionPattern +
		`:\d{12}:layer:[a-zA-Z0-9-_]+:[0-9]+)|(arn:[a-zA-Z0-9-]+:lambda:::awslayer:[a-zA-Z0-9-_]+)`
	mountPattern = `arn:aws[a-zA-Z-]*:elasticfilesystem:[a-z]{2}((-gov)|(-iso(b?)))?-[a-z]+-\d{1}:\d{12}:` +
		`access-point/fsap-[a-f0-9]{17}$|^arn:aws[-a-z]*:s3files:[0-9a-z-:]+:file-system/fs-[0-9a-f]{17,40}/` +
		`access-point/fsap-[0-9a-f]{17,40}`
	signingPattern   = `arn:(aws[a-zA-Z-]*)?:lambda:` + regionPattern + `:\d{12}:code-signing-config:csc-[a-z0-9]{17}`
	profilePattern   = `arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:([a-z]{2}(-gov)?-[a-z]+-\d{1})?:(\d{12})?:(.*)`
	layerNamePattern = `(arn:[a-zA-Z0-9-]+:lambda:[a-zA-Z0-9-]+:\d{12}:layer:[a-zA-Z0-9-_]+)|[a-zA-Z0-9-_]+`
	providerPattern  = `arn:aws[a-zA-Z-]*:lambda:` + regionPattern + `:\d{12}:capacity-provider:[a-zA-Z0-9-_]+`
	holderPattern    = `arn:(aws[a-zA-Z-]*)?:lambda:` + regionPattern +
		`:\d{12}:function:[a-zA-Z0-9-_]+(:(\$LATEST(\.PUBLISHED)?|[a-zA-Z0-9-_])+)?`
	capacityPattern = `(` + providerPattern + `)|[a-zA-Z0-9-_]+`
	taggablePattern = `arn:(aws[a-zA-Z-]*):lambda:` + regionPattern + `:\d{12}:(function:[a-zA-Z0-9-_]+(:(\$LATEST|` +
		`[a-zA-Z0-9-_]+))?|layer:([a-zA-Z0-9-_]+)|code-signing-config:csc-[a-z0-9]{17}|event-source-mapping:` +
		`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|capacity-provider:[a-zA-Z0-9-_]+)`
)

var (
	// Operations name functions in three ways: with or without a qualifier, and with the dots of namespaced names.
	qualified  = of("functionName", longest(140), shortest(1), pattern(namePattern))
	plain      = of("functionName", longest(140), shortest(1), pattern(plainPattern))
	namespaced = of("functionName", longest(256), shortest(1), pattern(dottedPattern))
	qualifier  = of("qualifier", longest(128), shortest(1), pattern(qualifierPattern))
	published  = of("qualifier", notNull, longest(128), shortest(1), pattern(`(\$LATEST\.PUBLISHED|[0-9]+)`))
	maxItems   = of("maxItems", highest(10000), lowest(1))
	taggable   = of("resource", longest(256), shortest(1), pattern(taggablePattern))
	signing    = of("codeSigningConfigArn", longest(200), pattern(signingPattern))

	// An alias's name must not be a version number.
	aliasRules = []rule{
		notNull, longest(128), shortest(1),
		patternAs(`(?!^[0-9]+$)([a-zA-Z0-9-_]+)`, `[0-9]*[a-zA-Z_-][a-zA-Z0-9_-]*`),
	}
	aliasOf      = of("name", aliasRules...)
	versionRules = []rule{longest(1024), shortest(1), pattern(`(\$LATEST(\.PUBLISHED)?|[0-9]+)`)}
	aliasWeights = member{
		path:   "routingConfig.additionalVersionWeights",
		keys:   []rule{longest(1024), shortest(1), pattern(`[0-9]+`), notNull},
		values: []rule{weight, lowestFraction(0), notNull}, fractions: true,
	}

	capacityMember  = of("capacityProviderName", longest(140), shortest(1), pattern(capacityPattern))
	instanceType    = []rule{longest(30), shortest(1), pattern(`[a-zA-Z0-9\.\-]+`), notNull}
	layerName       = of("layerName", longest(140), shortest(1), pattern(layerNamePattern))
	fewItems        = of("maxItems", highest(50), lowest(1))
	forRuntime      = of("compatibleRuntime", anyRuntime)
	forArchitecture = of("compatibleArchitecture", oneOf("x86_64", "arm64"))

	policyHolder = of("resourceArn", longest(256), pattern(holderPattern))

	statementID   = of("statementId", notNull, longest(100), shortest(1), pattern(`([a-zA-Z0-9-_]+)`))
	description   = of("description", longest(256))
	architectures = of("architectures", longest(1), shortest(1)).
			withElements(oneOf("x86_64", "arm64"), notNull)
	publishTo       = of("publishTo", oneOf("LATEST_PUBLISHED"))
	signingProfiles = of("allowedPublishers.signingProfileVersionArns", notNull, longest(20), shortest(1)).
			withElements(pattern(profilePattern), notNull)
	signingPolicy = of("codeSigningPolicies.untrustedArtifactOnDeployment", oneOf("Enforce", "Warn"))
)

// model has the constraints of each operation's input. They are those of the API's public model, as in botocore and
// the SDKs; patterns, and the order of enums if one was observed, are as AWS's own messages print them.
var model = map[string][]member{
	"CreateFunction": slices.Concat([]member{
		of("functionName", notNull, longest(140), shortest(1), pattern(namePattern)),
		of("role", notNull, pattern(rolePattern)),
		of("code", notNull),
		of("code.sourceKMSKeyArn", pattern(anyArnPattern)),
		of("packageType", oneOf("Zip", "Image")),
		of("codeSigningConfigArn", longest(200), pattern(signingPattern)),
		of("tenancyConfig.tenantIsolationMode", notNull, oneOf("PER_TENANT")),
		architectures, publishTo,
	}, codeMembers("code."), configuration),
	"UpdateFunctionConfiguration": slices.Concat([]member{
		qualified,
		of("role", pattern(rolePattern)),
	}, configuration),
	"UpdateFunctionCode": slices.Concat([]member{
		qualified, architectures, publishTo,
		of("sourceKMSKeyArn", pattern(anyArnPattern)),
	}, codeMembers("")),
	"GetFunction":              {qualifier, namespaced},
	"GetFunctionConfiguration": {qualifier, namespaced},
	"Invoke": {
		qualifier, namespaced,
		of("invocationType", oneOf("Event", "RequestResponse", "DryRun")),
		of("logType", oneOf("None", "Tail")),
		of("tenantId", longest(256), shortest(1), pattern(`[a-zA-Z0-9\._:\/=+\-@ ]+`)),
		of("durableExecutionName", longest(64), shortest(1), pattern(`[a-zA-Z0-9-_]+`)),
	},
	"ListDurableExecutionsByFunction": {namespaced, maxItems},
	"GetDurableExecution":             {},
	"StopDurableExecution":            {},
	"InvokeWithResponseStream": {
		qualifier, namespaced,
		of("invocationType", oneOf("RequestResponse", "DryRun")),
		of("logType", oneOf("None", "Tail")),
		of("tenantId", longest(256), shortest(1), pattern(`[a-zA-Z0-9\._:\/=+\-@ ]+`)),
	},
	"DeleteFunction": {qualifier, namespaced},
	"ListFunctions": {
		of("masterRegion", pattern(`ALL|[a-z]{2}(-gov)?-[a-z]+-\d{1}`)),
		of("functionVersion", oneOf("ALL")),
		maxItems,
	},
	"CreateAlias": {
		qualified, description,
		of("name", aliasRules...),
		of("functionVersion", slices.Concat([]rule{notNull}, versionRules)...),
		aliasWeights,
	},
	"UpdateAlias": {
		qualified, description, aliasOf,
		of("functionVersion", versionRules...),
		aliasWeights,
	},
	"GetAlias":    {qualified, aliasOf},
	"DeleteAlias": {qualified, aliasOf},
	"ListAliases": {
		qualified,
		of("functionVersion", versionRules...),
		maxItems,
	},
	"PublishVersion":            {qualified, description, publishTo},
	"ListVersionsByFunction":    {namespaced, maxItems},
	"PutFunctionConcurrency":    {qualified},
	"GetFunctionConcurrency":    {qualified},
	"DeleteFunctionConcurrency": {qualified},
	"TagResource":               {taggable, of("tags", notNull)},
	"UntagResource":             {taggable, of("tagKeys", notNull)},
	"ListTags":                  {taggable},
	"PutFunctionCodeSigningConfig": {
		namespaced,
		of("codeSigningConfigArn", notNull, longest(200), pattern(signingPattern)),
	},
	"GetFunctionCodeSigningConfig":    {namespaced},
	"DeleteFunctionCodeSigningConfig": {namespaced},
	"CreateCodeSigningConfig": {
		description,
		of("allowedPublishers", notNull),
		signingProfiles,
		signingPolicy,
	},
	"GetCodeSigningConfig":             {signing},
	"DeleteCodeSigningConfig":          {signing},
	"UpdateCodeSigningConfig":          {signing, description, signingProfiles, signingPolicy},
	"ListCodeSigningConfigs":           {maxItems},
	"ListFunctionsByCodeSigningConfig": {signing, maxItems},
	"PublishLayerVersion": slices.Concat([]member{
		layerName, description,
		of("content", notNull),
		of("compatibleRuntimes", longest(15)).withElements(anyRuntime, notNull),
		of("compatibleArchitectures", longest(2)).withElements(oneOf("x86_64", "arm64"), notNull),
		of("licenseInfo", longest(512)),
	}, codeMembers("content.")),
	"GetLayerVersion":    {layerName},
	"GetAccountSettings": {},
	"ListLayers":         {forRuntime, forArchitecture, fewItems},
	"ListLayerVersions":  {layerName, forRuntime, forArchitecture, fewItems},
	"DeleteLayerVersion": {layerName},
	"AddLayerVersionPermission": {
		layerName, statementID,
		of("action", notNull, longest(22), pattern(`lambda:GetLayerVersion`)),
		of("principal", notNull, pattern(`\d{12}|\*|arn:(aws[a-zA-Z-]*):iam::\d{12}:root`)),
		of("organizationId", longest(34), pattern(`o-[a-z0-9]{10,32}`)),
	},
	"RemoveLayerVersionPermission": {
		layerName,
		of("statementId", longest(100), shortest(1), pattern(`([a-zA-Z0-9-_]+)`)),
	},
	"GetLayerVersionPolicy": {layerName},
	"CreateCapacityProvider": slices.Concat([]member{
		of("capacityProviderName", notNull, longest(140), shortest(1), pattern(capacityPattern)),
		of("vpcConfig", notNull),
		of("vpcConfig.subnetIds", notNull, longest(16), shortest(1)),
		of("vpcConfig.securityGroupIds", notNull, longest(5)),
		of("permissionsConfig", notNull),
		of("permissionsConfig.capacityProviderOperatorRoleArn", notNull, pattern(rolePattern)),
		of("instanceRequirements.architectures", longest(1), shortest(1)).
			withElements(oneOf("x86_64", "arm64"), notNull),
		of("instanceRequirements.allowedInstanceTypes", longest(400)).withElements(instanceType...),
		of("instanceRequirements.excludedInstanceTypes", longest(400)).withElements(instanceType...),
		of("kmsKeyArn", pattern(anyArnPattern)),
	}, capacitySettings),
	"GetCapacityProvider":    {capacityMember},
	"UpdateCapacityProvider": slices.Concat([]member{capacityMember}, capacitySettings),
	"DeleteCapacityProvider": {capacityMember},
	"ListCapacityProviders":  {of("state", oneOf("Pending", "Active", "Failed", "Deleting")), fewItems},
	"PutFunctionRecursionConfig": {
		plain,
		of("recursiveLoop", notNull, oneOf("Terminate", "Allow")),
	},
	"GetFunctionRecursionConfig": {plain},
	"PutFunctionScalingConfig": {
		published, plain,
		of("functionScalingConfig.minExecutionEnvironments", highest(15000), lowest(0)),
		of("functionScalingConfig.maxExecutionEnvironments", highest(15000), lowest(0)),
	},
	"GetFunctionScalingConfig": {published, plain},
	"AddPermission": {
		qualifier, namespaced, statementID,
		of("action", notNull, pattern(`(lambda:[*]|lambda:[a-zA-Z]+|[*])`)),
		of("principal", notNull, pattern(`[^\s]+`)),
		of("sourceArn", pattern(profilePattern)),
		of("sourceAccount", longest(12), pattern(`\d{12}`)),
		of("eventSourceToken", longest(256), pattern(`[a-zA-Z0-9._\-]+`)),
		of("principalOrgID", longest(34), shortest(12), pattern(`o-[a-z0-9]{10,32}`)),
		of("functionUrlAuthType", oneOf("NONE", "AWS_IAM")),
	},
	"RemovePermission": {
		qualifier, namespaced,
		of("statementId", longest(100), shortest(1), pattern(`([a-zA-Z0-9-_.]+)`)),
	},
	"GetPolicy":            {qualifier, namespaced},
	"PutResourcePolicy":    {policyHolder, of("policy", notNull)},
	"GetResourcePolicy":    {policyHolder},
	"DeleteResourcePolicy": {policyHolder},
	"CreateEventSourceMapping": slices.Concat([]member{
		of("functionName", slices.Concat([]rule{notNull}, mappedFunction)...),
		of("eventSourceArn", pattern(profilePattern)),
		of("startingPosition", oneOf("LATEST", "AT_TIMESTAMP", "TRIM_HORIZON")),
		of("topics", longest(1), shortest(1)).
			withElements(longest(249), shortest(1), pattern(`[^.]([a-zA-Z0-9\-_.]+)`), notNull),
		of("queues", longest(1), shortest(1)).withElements(longest(1000), shortest(1), notNull),
		{path: "selfManagedEventSource.endpoints", keys: []rule{oneOf("KAFKA_BOOTSTRAP_SERVERS"), notNull}},
		of("selfManagedEventSource.endpoints.KAFKA_BOOTSTRAP_SERVERS", longest(10), shortest(1)).
			withElements(longest(300), shortest(1), pattern(serverPattern), notNull),
	}, mappingMembers),
	"UpdateEventSourceMapping": slices.Concat([]member{mappingUUID, of("functionName", mappedFunction...)},
		mappingMembers),
	"GetEventSourceMapping":    {mappingUUID},
	"DeleteEventSourceMapping": {mappingUUID},
	"ListEventSourceMappings": {
		of("eventSourceArn", pattern(profilePattern)),
		of("functionName", mappedFunction...),
		maxItems,
	},

	"CreateFunctionUrlConfig": slices.Concat([]member{
		aliased, qualified,
		of("authType", notNull, oneOf("NONE", "AWS_IAM")),
	}, urlMembers),
	"UpdateFunctionUrlConfig": slices.Concat([]member{
		aliased, qualified,
		of("authType", oneOf("NONE", "AWS_IAM")),
	}, urlMembers),
	"GetFunctionUrlConfig":            {aliased, qualified},
	"DeleteFunctionUrlConfig":         {aliased, qualified},
	"ListFunctionUrlConfigs":          {qualified, fewItems},
	"PutFunctionEventInvokeConfig":    slices.Concat([]member{qualifier, namespaced}, eventMembers),
	"UpdateFunctionEventInvokeConfig": slices.Concat([]member{qualifier, namespaced}, eventMembers),
	"GetFunctionEventInvokeConfig":    {qualifier, namespaced},
	"DeleteFunctionEventInvokeConfig": {qualifier, namespaced},
	"ListFunctionEventInvokeConfigs":  {namespaced, fewItems},
	"PutProvisionedConcurrencyConfig": {
		provisioned, qualified,
		of("provisionedConcurrentExecutions", notNull, lowest(1)),
	},
	"GetProvisionedConcurrencyConfig":    {provisioned, qualified},
	"DeleteProvisionedConcurrencyConfig": {provisioned, qualified},
	"ListProvisionedConcurrencyConfigs":  {qualified, fewItems},
	"PutRuntimeManagementConfig": {
		qualifier, namespaced,
		of("updateRuntimeOn", notNull, oneOf("Auto", "Manual", "FunctionUpdate")),
		of("runtimeVersionArn",
			longest(2048), shortest(26), pattern(`arn:(aws[a-zA-Z-]*):lambda:`+regionPattern+`::runtime:.+`)),
	},
	"GetRuntimeManagementConfig": {qualifier, namespaced},
}

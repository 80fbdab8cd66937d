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
	qualified = member{
		path: "functionName", in: inPath, required: true,
		rules: []rule{longest(140), shortest(1), pattern(namePattern)},
	}
	plain = member{
		path: "functionName", in: inPath, required: true,
		rules: []rule{longest(140), shortest(1), pattern(plainPattern)},
	}
	namespaced = member{
		path: "functionName", in: inPath, required: true,
		rules: []rule{longest(256), shortest(1), pattern(dottedPattern)},
	}
	qualifier = member{
		path: "qualifier", in: inQuery,
		rules: []rule{longest(128), shortest(1), pattern(qualifierPattern)},
	}
	published = member{
		path: "qualifier", in: inQuery, required: true,
		rules: []rule{longest(128), shortest(1), pattern(`(\$LATEST\.PUBLISHED|[0-9]+)`)},
	}
	maxItems = member{path: "maxItems", in: inQuery, rules: []rule{highest(10000), lowest(1)}}
	taggable = member{
		path: "resource", in: inPath, required: true,
		rules: []rule{longest(256), shortest(1), pattern(taggablePattern)},
	}
	signing = member{
		path: "codeSigningConfigArn", in: inPath, required: true,
		rules: []rule{longest(200), pattern(signingPattern)},
	}

	// An alias's name must not be a version number.
	aliasRules = []rule{
		longest(128), shortest(1),
		patternAs(`(?!^[0-9]+$)([a-zA-Z0-9-_]+)`, `[0-9]*[a-zA-Z_-][a-zA-Z0-9_-]*`),
	}
	aliasOf      = member{path: "name", in: inPath, required: true, rules: aliasRules}
	versionRules = []rule{longest(1024), shortest(1), pattern(`(\$LATEST(\.PUBLISHED)?|[0-9]+)`)}
	aliasWeights = member{
		path:   "routingConfig.additionalVersionWeights",
		keys:   []rule{longest(1024), shortest(1), pattern(`[0-9]+`), notNull},
		values: []rule{weight, lowestFraction(0), notNull}, fractions: true,
	}

	capacityMember = member{
		path: "capacityProviderName", in: inPath, required: true,
		rules: []rule{longest(140), shortest(1), pattern(capacityPattern)},
	}
	instanceType = []rule{longest(30), shortest(1), pattern(`[a-zA-Z0-9\.\-]+`), notNull}
	layerName    = member{
		path: "layerName", in: inPath, required: true,
		rules: []rule{longest(140), shortest(1), pattern(layerNamePattern)},
	}
	fewItems        = member{path: "maxItems", in: inQuery, rules: []rule{highest(50), lowest(1)}}
	forRuntime      = member{path: "compatibleRuntime", in: inQuery, rules: []rule{anyRuntime}}
	forArchitecture = member{path: "compatibleArchitecture", in: inQuery, rules: []rule{oneOf("x86_64", "arm64")}}

	policyHolder = member{
		path: "resourceArn", in: inPath, required: true,
		rules: []rule{longest(256), pattern(holderPattern)},
	}

	statementID = member{
		path: "statementId", required: true,
		rules: []rule{longest(100), shortest(1), pattern(`([a-zA-Z0-9-_]+)`)},
	}
	description   = member{path: "description", rules: []rule{longest(256)}}
	architectures = member{
		path: "architectures", rules: []rule{longest(1), shortest(1)},
		each: []rule{oneOf("x86_64", "arm64"), notNull},
	}
	publishTo       = member{path: "publishTo", rules: []rule{oneOf("LATEST_PUBLISHED")}}
	signingProfiles = member{
		path: "allowedPublishers.signingProfileVersionArns", required: true,
		rules: []rule{longest(20), shortest(1)}, each: []rule{pattern(profilePattern), notNull},
	}
	signingPolicy = member{
		path:  "codeSigningPolicies.untrustedArtifactOnDeployment",
		rules: []rule{oneOf("Enforce", "Warn")},
	}
)

// model has the constraints of each operation's input. They are those of the API's public model, as in botocore and
// the SDKs; patterns, and the order of enums if one was observed, are as AWS's own messages print them.
var model = map[string][]member{
	"CreateFunction": slices.Concat([]member{
		{path: "functionName", required: true, rules: []rule{longest(140), shortest(1), pattern(namePattern)}},
		{path: "role", required: true, rules: []rule{pattern(rolePattern)}},
		{path: "code", required: true},
		{path: "packageType", rules: []rule{oneOf("Zip", "Image")}},
		{path: "codeSigningConfigArn", rules: []rule{longest(200), pattern(signingPattern)}},
		{path: "tenancyConfig.tenantIsolationMode", required: true, rules: []rule{oneOf("PER_TENANT")}},
		architectures, publishTo,
	}, codeMembers("code."), configuration),
	"UpdateFunctionConfiguration": slices.Concat([]member{
		qualified,
		{path: "role", rules: []rule{pattern(rolePattern)}},
	}, configuration),
	"UpdateFunctionCode":       slices.Concat([]member{qualified, architectures, publishTo}, codeMembers("")),
	"GetFunction":              {qualifier, namespaced},
	"GetFunctionConfiguration": {qualifier, namespaced},
	"Invoke": {
		qualifier, namespaced,
		{path: "invocationType", in: inHeader, rules: []rule{oneOf("Event", "RequestResponse", "DryRun")}},
		{path: "logType", in: inHeader, rules: []rule{oneOf("None", "Tail")}},
		{path: "tenantId", in: inHeader, rules: []rule{longest(256), shortest(1), pattern(`[a-zA-Z0-9\._:\/=+\-@ ]+`)}},
		{
			path: "durableExecutionName", in: inHeader,
			rules: []rule{longest(64), shortest(1), pattern(`[a-zA-Z0-9-_]+`)},
		},
	},
	"ListDurableExecutionsByFunction": {namespaced, maxItems},
	"GetDurableExecution":             {},
	"StopDurableExecution":            {},
	"InvokeWithResponseStream": {
		qualifier, namespaced,
		{path: "invocationType", in: inHeader, rules: []rule{oneOf("RequestResponse", "DryRun")}},
		{path: "logType", in: inHeader, rules: []rule{oneOf("None", "Tail")}},
		{path: "tenantId", in: inHeader, rules: []rule{longest(256), shortest(1), pattern(`[a-zA-Z0-9\._:\/=+\-@ ]+`)}},
	},
	"DeleteFunction": {qualifier, namespaced},
	"ListFunctions": {
		{path: "masterRegion", in: inQuery, rules: []rule{pattern(`ALL|[a-z]{2}(-gov)?-[a-z]+-\d{1}`)}},
		{path: "functionVersion", in: inQuery, rules: []rule{oneOf("ALL")}},
		maxItems,
	},
	"CreateAlias": {
		qualified, description,
		{path: "name", required: true, rules: aliasRules},
		{path: "functionVersion", required: true, rules: versionRules},
		aliasWeights,
	},
	"UpdateAlias": {
		qualified, description, aliasOf,
		{path: "functionVersion", rules: versionRules},
		aliasWeights,
	},
	"GetAlias":    {qualified, aliasOf},
	"DeleteAlias": {qualified, aliasOf},
	"ListAliases": {
		qualified,
		{path: "functionVersion", in: inQuery, rules: versionRules},
		maxItems,
	},
	"PublishVersion":            {qualified, description, publishTo},
	"ListVersionsByFunction":    {namespaced, maxItems},
	"PutFunctionConcurrency":    {qualified},
	"GetFunctionConcurrency":    {qualified},
	"DeleteFunctionConcurrency": {qualified},
	"TagResource":               {taggable, {path: "tags", required: true}},
	"UntagResource":             {taggable, {path: "tagKeys", in: inQueryList, required: true}},
	"ListTags":                  {taggable},
	"PutFunctionCodeSigningConfig": {
		namespaced,
		{path: "codeSigningConfigArn", required: true, rules: []rule{longest(200), pattern(signingPattern)}},
	},
	"GetFunctionCodeSigningConfig":    {namespaced},
	"DeleteFunctionCodeSigningConfig": {namespaced},
	"CreateCodeSigningConfig": {
		description,
		{path: "allowedPublishers", required: true},
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
		{path: "content", required: true},
		{path: "compatibleRuntimes", rules: []rule{longest(15)}, each: []rule{anyRuntime, notNull}},
		{path: "compatibleArchitectures", rules: []rule{longest(2)}, each: []rule{oneOf("x86_64", "arm64"), notNull}},
		{path: "licenseInfo", rules: []rule{longest(512)}},
	}, codeMembers("content.")),
	"GetLayerVersion":    {layerName},
	"GetAccountSettings": {},
	"ListLayers":         {forRuntime, forArchitecture, fewItems},
	"ListLayerVersions":  {layerName, forRuntime, forArchitecture, fewItems},
	"DeleteLayerVersion": {layerName},
	"AddLayerVersionPermission": {
		layerName, statementID,
		{path: "action", required: true, rules: []rule{longest(22), pattern(`lambda:GetLayerVersion`)}},
		{path: "principal", required: true, rules: []rule{pattern(`\d{12}|\*|arn:(aws[a-zA-Z-]*):iam::\d{12}:root`)}},
		{path: "organizationId", rules: []rule{longest(34), pattern(`o-[a-z0-9]{10,32}`)}},
	},
	"RemoveLayerVersionPermission": {
		layerName,
		{
			path: "statementId", in: inPath, required: true,
			rules: []rule{longest(100), shortest(1), pattern(`([a-zA-Z0-9-_]+)`)},
		},
	},
	"GetLayerVersionPolicy": {layerName},
	"CreateCapacityProvider": slices.Concat([]member{
		{
			path: "capacityProviderName", required: true,
			rules: []rule{longest(140), shortest(1), pattern(capacityPattern)},
		},
		{path: "vpcConfig", required: true},
		{path: "vpcConfig.subnetIds", required: true, rules: []rule{longest(16), shortest(1)}},
		{path: "vpcConfig.securityGroupIds", required: true, rules: []rule{longest(5)}},
		{path: "permissionsConfig", required: true},
		{
			path: "permissionsConfig.capacityProviderOperatorRoleArn", required: true,
			rules: []rule{pattern(rolePattern)},
		},
		{
			path: "instanceRequirements.architectures", rules: []rule{longest(1), shortest(1)},
			each: []rule{oneOf("x86_64", "arm64"), notNull},
		},
		{path: "instanceRequirements.allowedInstanceTypes", rules: []rule{longest(400)}, each: instanceType},
		{path: "instanceRequirements.excludedInstanceTypes", rules: []rule{longest(400)}, each: instanceType},
		{path: "kmsKeyArn", rules: []rule{pattern(anyArnPattern)}},
	}, capacitySettings),
	"GetCapacityProvider":    {capacityMember},
	"UpdateCapacityProvider": slices.Concat([]member{capacityMember}, capacitySettings),
	"DeleteCapacityProvider": {capacityMember},
	"ListCapacityProviders": {{
		path: "state", in: inQuery,
		rules: []rule{oneOf("Pending", "Active", "Failed", "Deleting")},
	}, fewItems},
	"PutFunctionRecursionConfig": {
		plain,
		{path: "recursiveLoop", required: true, rules: []rule{oneOf("Terminate", "Allow")}},
	},
	"GetFunctionRecursionConfig": {plain},
	"PutFunctionScalingConfig": {
		published, plain,
		{path: "functionScalingConfig.minExecutionEnvironments", rules: []rule{highest(15000), lowest(0)}},
		{path: "functionScalingConfig.maxExecutionEnvironments", rules: []rule{highest(15000), lowest(0)}},
	},
	"GetFunctionScalingConfig": {published, plain},
	"AddPermission": {
		qualifier, namespaced, statementID,
		{path: "action", required: true, rules: []rule{pattern(`(lambda:[*]|lambda:[a-zA-Z]+|[*])`)}},
		{path: "principal", required: true, rules: []rule{pattern(`[^\s]+`)}},
		{path: "sourceArn", rules: []rule{pattern(profilePattern)}},
		{path: "sourceAccount", rules: []rule{longest(12), pattern(`\d{12}`)}},
		{path: "eventSourceToken", rules: []rule{longest(256), pattern(`[a-zA-Z0-9._\-]+`)}},
		{path: "principalOrgID", rules: []rule{longest(34), shortest(12), pattern(`o-[a-z0-9]{10,32}`)}},
		{path: "functionUrlAuthType", rules: []rule{oneOf("NONE", "AWS_IAM")}},
	},
	"RemovePermission": {
		qualifier, namespaced,
		{
			path: "statementId", in: inPath, required: true,
			rules: []rule{longest(100), shortest(1), pattern(`([a-zA-Z0-9-_.]+)`)},
		},
	},
	"GetPolicy":            {qualifier, namespaced},
	"PutResourcePolicy":    {policyHolder, {path: "policy", required: true}},
	"GetResourcePolicy":    {policyHolder},
	"DeleteResourcePolicy": {policyHolder},
	"CreateEventSourceMapping": slices.Concat([]member{
		{path: "functionName", required: true, rules: mappedFunction},
		{path: "eventSourceArn", rules: []rule{pattern(profilePattern)}},
		{path: "startingPosition", rules: []rule{oneOf("LATEST", "AT_TIMESTAMP", "TRIM_HORIZON")}},
		{
			path: "topics", rules: []rule{longest(1), shortest(1)},
			each: []rule{longest(249), shortest(1), pattern(`[^.]([a-zA-Z0-9\-_.]+)`), notNull},
		},
		{path: "queues", rules: []rule{longest(1), shortest(1)}, each: []rule{longest(1000), shortest(1), notNull}},
		{path: "selfManagedEventSource.endpoints", keys: []rule{oneOf("KAFKA_BOOTSTRAP_SERVERS"), notNull}},
		{
			path: "selfManagedEventSource.endpoints.KAFKA_BOOTSTRAP_SERVERS", rules: []rule{longest(10), shortest(1)},
			each: []rule{longest(300), shortest(1), pattern(serverPattern), notNull},
		},
	}, mappingMembers),
	"UpdateEventSourceMapping": slices.Concat([]member{mappingUUID, {path: "functionName", rules: mappedFunction}},
		mappingMembers),
	"GetEventSourceMapping":    {mappingUUID},
	"DeleteEventSourceMapping": {mappingUUID},
	"ListEventSourceMappings": {
		{path: "eventSourceArn", in: inQuery, rules: []rule{pattern(profilePattern)}},
		{path: "functionName", in: inQuery, rules: mappedFunction},
		maxItems,
	},

	"CreateFunctionUrlConfig": slices.Concat([]member{
		aliased, qualified,
		{path: "authType", required: true, rules: []rule{oneOf("NONE", "AWS_IAM")}},
	}, urlMembers),
	"UpdateFunctionUrlConfig": slices.Concat([]member{
		aliased, qualified,
		{path: "authType", rules: []rule{oneOf("NONE", "AWS_IAM")}},
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
		{path: "provisionedConcurrentExecutions", required: true, rules: []rule{lowest(1)}},
	},
	"GetProvisionedConcurrencyConfig":    {provisioned, qualified},
	"DeleteProvisionedConcurrencyConfig": {provisioned, qualified},
	"ListProvisionedConcurrencyConfigs":  {qualified, fewItems},
	"PutRuntimeManagementConfig": {
		qualifier, namespaced,
		{path: "updateRuntimeOn", required: true, rules: []rule{oneOf("Auto", "Manual", "FunctionUpdate")}},
		{path: "runtimeVersionArn", rules: []rule{
			longest(2048), shortest(26),
			pattern(`arn:(aws[a-zA-Z-]*):lambda:` + regionPattern + `::runtime:.+`),
		}},
	},
	"GetRuntimeManagementConfig": {qualifier, namespaced},
}

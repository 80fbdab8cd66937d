package awsdouble

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda/schemas"
)

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

// lambdaRoutes are Lambda's operations (REST JSON), with the constraints of their inputs. Those are of the API's public
// model, as in botocore and the SDKs; patterns, and the order of enums if one was observed, are as AWS's own messages
// print them.
var lambdaRoutes = []route{
	lambdaRoute(schemas.CreateFunction, schemas.CreateFunctionRequest, createFunction,
		slices.Concat([]member{
			of("functionName", notNull, longest(140), shortest(1), pattern(namePattern)),
			of("role", notNull, pattern(rolePattern)),
			of("code", notNull),
			of("code.sourceKMSKeyArn", pattern(anyArnPattern)),
			of("packageType", oneOf("Zip", "Image")),
			of("codeSigningConfigArn", longest(200), pattern(signingPattern)),
			of("tenancyConfig.tenantIsolationMode", notNull, oneOf("PER_TENANT")),
			architectures, publishTo,
		}, codeMembers("code."), configuration)...,
	),
	lambdaRoute(schemas.ListFunctions, schemas.ListFunctionsRequest, listFunctions,
		of("masterRegion", pattern(`ALL|[a-z]{2}(-gov)?-[a-z]+-\d{1}`)),
		of("functionVersion", oneOf("ALL")),
		maxItems,
	),
	lambdaRoute(schemas.GetFunction, schemas.GetFunctionRequest, getFunction, qualifier, namespaced),
	lambdaRoute(schemas.DeleteFunction, schemas.DeleteFunctionRequest, deleteFunction, qualifier, namespaced),
	lambdaRoute(schemas.GetFunctionConfiguration, schemas.GetFunctionConfigurationRequest, getFunctionConfiguration,
		qualifier, namespaced),
	lambdaRoute(schemas.UpdateFunctionConfiguration, schemas.UpdateFunctionConfigurationRequest,
		updateFunctionConfiguration,
		slices.Concat([]member{
			qualified,
			of("role", pattern(rolePattern)),
		}, configuration)...,
	),
	lambdaRoute(schemas.UpdateFunctionCode, schemas.UpdateFunctionCodeRequest, updateFunctionCode,
		slices.Concat([]member{
			qualified, architectures, publishTo,
			of("sourceKMSKeyArn", pattern(anyArnPattern)),
		}, codeMembers(""))...,
	),
	lambdaRoute(schemas.Invoke, schemas.InvocationRequest, invoke,
		qualifier, namespaced,
		of("invocationType", oneOf("Event", "RequestResponse", "DryRun")),
		of("logType", oneOf("None", "Tail")),
		of("tenantId", longest(256), shortest(1), pattern(`[a-zA-Z0-9\._:\/=+\-@ ]+`)),
		of("durableExecutionName", longest(64), shortest(1), pattern(`[a-zA-Z0-9-_]+`)),
	),
	lambdaRoute(schemas.ListDurableExecutionsByFunction, schemas.ListDurableExecutionsByFunctionRequest, listExecutions,
		namespaced, maxItems),
	lambdaRoute(schemas.GetDurableExecution, schemas.GetDurableExecutionRequest, getExecution),
	lambdaRoute(schemas.StopDurableExecution, schemas.StopDurableExecutionRequest, stopExecution),
	lambdaRoute(schemas.InvokeWithResponseStream, schemas.InvokeWithResponseStreamRequest, invokeStream,
		qualifier, namespaced,
		of("invocationType", oneOf("RequestResponse", "DryRun")),
		of("logType", oneOf("None", "Tail")),
		of("tenantId", longest(256), shortest(1), pattern(`[a-zA-Z0-9\._:\/=+\-@ ]+`)),
	),
	lambdaRoute(schemas.PublishVersion, schemas.PublishVersionRequest, publishVersion,
		qualified, description, publishTo),
	lambdaRoute(schemas.ListVersionsByFunction, schemas.ListVersionsByFunctionRequest, listVersions,
		namespaced, maxItems),
	lambdaRoute(schemas.CreateAlias, schemas.CreateAliasRequest, createAlias,
		qualified, description,
		of("name", aliasRules...),
		of("functionVersion", slices.Concat([]rule{notNull}, versionRules)...),
		aliasWeights,
	),
	lambdaRoute(schemas.ListAliases, schemas.ListAliasesRequest, listAliases,
		qualified,
		of("functionVersion", versionRules...),
		maxItems,
	),
	lambdaRoute(schemas.GetAlias, schemas.GetAliasRequest, getAlias, qualified, aliasOf),
	lambdaRoute(schemas.UpdateAlias, schemas.UpdateAliasRequest, updateAlias,
		qualified, description, aliasOf,
		of("functionVersion", versionRules...),
		aliasWeights,
	),
	lambdaRoute(schemas.DeleteAlias, schemas.DeleteAliasRequest, deleteAlias, qualified, aliasOf),
	lambdaRoute(schemas.PutFunctionConcurrency, schemas.PutFunctionConcurrencyRequest, putConcurrency, qualified),
	lambdaRoute(schemas.GetFunctionConcurrency, schemas.GetFunctionConcurrencyRequest, getConcurrency, qualified),
	lambdaRoute(schemas.DeleteFunctionConcurrency, schemas.DeleteFunctionConcurrencyRequest, deleteConcurrency,
		qualified),
	lambdaRoute(schemas.TagResource, schemas.TagResourceRequest, tagResource, taggable, of("tags", notNull)),
	lambdaRoute(schemas.UntagResource, schemas.UntagResourceRequest, untagResource, taggable, of("tagKeys", notNull)),
	lambdaRoute(schemas.ListTags, schemas.ListTagsRequest, listTags, taggable),
	lambdaRoute(schemas.PutFunctionCodeSigningConfig, schemas.PutFunctionCodeSigningConfigRequest,
		putFunctionCodeSigning, namespaced,
		of("codeSigningConfigArn", notNull, longest(200), pattern(signingPattern)),
	),
	lambdaRoute(schemas.GetFunctionCodeSigningConfig, schemas.GetFunctionCodeSigningConfigRequest,
		getFunctionCodeSigning, namespaced),
	lambdaRoute(schemas.DeleteFunctionCodeSigningConfig, schemas.DeleteFunctionCodeSigningConfigRequest,
		deleteFunctionCodeSigning, namespaced),
	lambdaRoute(schemas.CreateCodeSigningConfig, schemas.CreateCodeSigningConfigRequest, createCodeSigning,
		description,
		of("allowedPublishers", notNull),
		signingProfiles,
		signingPolicy,
	),
	lambdaRoute(schemas.GetCodeSigningConfig, schemas.GetCodeSigningConfigRequest, getCodeSigning, signing),
	lambdaRoute(schemas.UpdateCodeSigningConfig, schemas.UpdateCodeSigningConfigRequest, updateCodeSigning,
		signing, description, signingProfiles, signingPolicy),
	lambdaRoute(schemas.DeleteCodeSigningConfig, schemas.DeleteCodeSigningConfigRequest, deleteCodeSigning, signing),
	lambdaRoute(schemas.ListCodeSigningConfigs, schemas.ListCodeSigningConfigsRequest, listCodeSigning, maxItems),
	lambdaRoute(schemas.ListFunctionsByCodeSigningConfig, schemas.ListFunctionsByCodeSigningConfigRequest,
		listFunctionsByCodeSigning, signing, maxItems),
	lambdaRoute(schemas.ListLayers, schemas.ListLayersRequest, listLayers, forRuntime, forArchitecture, fewItems),
	lambdaRoute(schemas.PublishLayerVersion, schemas.PublishLayerVersionRequest, publishLayer,
		slices.Concat([]member{
			layerName, description,
			of("content", notNull),
			of("compatibleRuntimes", longest(15)).withElements(anyRuntime, notNull),
			of("compatibleArchitectures", longest(2)).withElements(oneOf("x86_64", "arm64"), notNull),
			of("licenseInfo", longest(512)),
		}, codeMembers("content."))...,
	),
	lambdaRoute(schemas.ListLayerVersions, schemas.ListLayerVersionsRequest, listLayerVersions,
		layerName, forRuntime, forArchitecture, fewItems),
	lambdaRoute(schemas.GetLayerVersion, schemas.GetLayerVersionRequest, getLayer, layerName),
	lambdaRoute(schemas.DeleteLayerVersion, schemas.DeleteLayerVersionRequest, deleteLayer, layerName),
	lambdaRoute(schemas.AddLayerVersionPermission, schemas.AddLayerVersionPermissionRequest, addLayerPermission,
		layerName, statementID,
		of("action", notNull, longest(22), pattern(`lambda:GetLayerVersion`)),
		of("principal", notNull, pattern(`\d{12}|\*|arn:(aws[a-zA-Z-]*):iam::\d{12}:root`)),
		of("organizationId", longest(34), pattern(`o-[a-z0-9]{10,32}`)),
	),
	lambdaRoute(schemas.RemoveLayerVersionPermission, schemas.RemoveLayerVersionPermissionRequest,
		removeLayerPermission, layerName,
		of("statementId", longest(100), shortest(1), pattern(`([a-zA-Z0-9-_]+)`)),
	),
	lambdaRoute(schemas.GetLayerVersionPolicy, schemas.GetLayerVersionPolicyRequest, getLayerPolicy, layerName),
	lambdaRoute(schemas.CreateEventSourceMapping, schemas.CreateEventSourceMappingRequest, createMapping,
		slices.Concat([]member{
			of("functionName", slices.Concat([]rule{notNull}, mappedFunction)...),
			of("eventSourceArn", pattern(profilePattern)),
			of("startingPosition", oneOf("LATEST", "AT_TIMESTAMP", "TRIM_HORIZON")),
			of("topics", longest(1), shortest(1)).
				withElements(longest(249), shortest(1), pattern(`[^.]([a-zA-Z0-9\-_.]+)`), notNull),
			of("queues", longest(1), shortest(1)).withElements(longest(1000), shortest(1), notNull),
			{path: "selfManagedEventSource.endpoints", keys: []rule{oneOf("KAFKA_BOOTSTRAP_SERVERS"), notNull}},
			of("selfManagedEventSource.endpoints.KAFKA_BOOTSTRAP_SERVERS", longest(10), shortest(1)).
				withElements(longest(300), shortest(1), pattern(serverPattern), notNull),
		}, mappingMembers)...,
	),
	lambdaRoute(schemas.ListEventSourceMappings, schemas.ListEventSourceMappingsRequest, listMappings,
		of("eventSourceArn", pattern(profilePattern)),
		of("functionName", mappedFunction...),
		maxItems,
	),
	lambdaRoute(schemas.GetEventSourceMapping, schemas.GetEventSourceMappingRequest, getMapping, mappingUUID),
	lambdaRoute(schemas.UpdateEventSourceMapping, schemas.UpdateEventSourceMappingRequest, updateMapping,
		slices.Concat([]member{mappingUUID, of("functionName", mappedFunction...)},
			mappingMembers)...,
	),
	lambdaRoute(schemas.DeleteEventSourceMapping, schemas.DeleteEventSourceMappingRequest, deleteMapping, mappingUUID),
	lambdaRoute(schemas.GetAccountSettings, schemas.GetAccountSettingsRequest, getAccountSettings),
	lambdaRoute(schemas.PutFunctionRecursionConfig, schemas.PutFunctionRecursionConfigRequest, putRecursion,
		plain,
		of("recursiveLoop", notNull, oneOf("Terminate", "Allow")),
	),
	lambdaRoute(schemas.GetFunctionRecursionConfig, schemas.GetFunctionRecursionConfigRequest, getRecursion, plain),
	lambdaRoute(schemas.CreateFunctionUrlConfig, schemas.CreateFunctionUrlConfigRequest, createURL,
		slices.Concat([]member{
			aliased, qualified,
			of("authType", notNull, oneOf("NONE", "AWS_IAM")),
		}, urlMembers)...,
	),
	lambdaRoute(schemas.GetFunctionUrlConfig, schemas.GetFunctionUrlConfigRequest, getURL, aliased, qualified),
	lambdaRoute(schemas.UpdateFunctionUrlConfig, schemas.UpdateFunctionUrlConfigRequest, updateURL,
		slices.Concat([]member{
			aliased, qualified,
			of("authType", oneOf("NONE", "AWS_IAM")),
		}, urlMembers)...,
	),
	lambdaRoute(schemas.DeleteFunctionUrlConfig, schemas.DeleteFunctionUrlConfigRequest, deleteURL, aliased, qualified),
	lambdaRoute(schemas.ListFunctionUrlConfigs, schemas.ListFunctionUrlConfigsRequest, listURLs, qualified, fewItems),
	lambdaRoute(schemas.PutFunctionEventInvokeConfig, schemas.PutFunctionEventInvokeConfigRequest, putEventInvoke,
		slices.Concat([]member{qualifier, namespaced}, eventMembers)...),
	lambdaRoute(schemas.UpdateFunctionEventInvokeConfig, schemas.UpdateFunctionEventInvokeConfigRequest,
		updateEventInvoke,
		slices.Concat([]member{qualifier, namespaced}, eventMembers)...),
	lambdaRoute(schemas.GetFunctionEventInvokeConfig, schemas.GetFunctionEventInvokeConfigRequest, getEventInvoke,
		qualifier, namespaced),
	lambdaRoute(schemas.DeleteFunctionEventInvokeConfig, schemas.DeleteFunctionEventInvokeConfigRequest,
		deleteEventInvoke, qualifier, namespaced),
	lambdaRoute(schemas.ListFunctionEventInvokeConfigs, schemas.ListFunctionEventInvokeConfigsRequest, listEventInvokes,
		namespaced, fewItems),
	lambdaRoute(schemas.ListProvisionedConcurrencyConfigs, schemas.ListProvisionedConcurrencyConfigsRequest,
		listProvisioned, qualified, fewItems),
	lambdaRoute(schemas.GetProvisionedConcurrencyConfig, schemas.GetProvisionedConcurrencyConfigRequest, getProvisioned,
		provisioned, qualified),
	lambdaRoute(schemas.PutProvisionedConcurrencyConfig, schemas.PutProvisionedConcurrencyConfigRequest, putProvisioned,
		provisioned, qualified,
		of("provisionedConcurrentExecutions", notNull, lowest(1)),
	),
	lambdaRoute(schemas.DeleteProvisionedConcurrencyConfig, schemas.DeleteProvisionedConcurrencyConfigRequest,
		deleteProvisioned, provisioned, qualified),
	lambdaRoute(schemas.PutRuntimeManagementConfig, schemas.PutRuntimeManagementConfigRequest, putRuntimeManagement,
		qualifier, namespaced,
		of("updateRuntimeOn", notNull, oneOf("Auto", "Manual", "FunctionUpdate")),
		of("runtimeVersionArn",
			longest(2048), shortest(26), pattern(`arn:(aws[a-zA-Z-]*):lambda:`+regionPattern+`::runtime:.+`)),
	),
	lambdaRoute(schemas.GetRuntimeManagementConfig, schemas.GetRuntimeManagementConfigRequest, getRuntimeManagement,
		qualifier, namespaced),
	lambdaRoute(schemas.CreateCapacityProvider, schemas.CreateCapacityProviderRequest, createCapacity,
		slices.Concat([]member{
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
		}, capacitySettings)...,
	),
	lambdaRoute(schemas.ListCapacityProviders, schemas.ListCapacityProvidersRequest, listCapacity,
		of("state", oneOf("Pending", "Active", "Failed", "Deleting")), fewItems),
	lambdaRoute(schemas.GetCapacityProvider, schemas.GetCapacityProviderRequest, getCapacity, capacityMember),
	lambdaRoute(schemas.UpdateCapacityProvider, schemas.UpdateCapacityProviderRequest, updateCapacity,
		slices.Concat([]member{capacityMember}, capacitySettings)...),
	lambdaRoute(schemas.DeleteCapacityProvider, schemas.DeleteCapacityProviderRequest, deleteCapacity, capacityMember),
	lambdaRoute(schemas.PutFunctionScalingConfig, schemas.PutFunctionScalingConfigRequest, putScaling,
		published, plain,
		of("functionScalingConfig.minExecutionEnvironments", highest(15000), lowest(0)),
		of("functionScalingConfig.maxExecutionEnvironments", highest(15000), lowest(0)),
	),
	lambdaRoute(schemas.GetFunctionScalingConfig, schemas.GetFunctionScalingConfigRequest, getScaling,
		published, plain),
	lambdaRoute(schemas.AddPermission, schemas.AddPermissionRequest, addPermission,
		qualifier, namespaced, statementID,
		of("action", notNull, pattern(`(lambda:[*]|lambda:[a-zA-Z]+|[*])`)),
		of("principal", notNull, pattern(`[^\s]+`)),
		of("sourceArn", pattern(profilePattern)),
		of("sourceAccount", longest(12), pattern(`\d{12}`)),
		of("eventSourceToken", longest(256), pattern(`[a-zA-Z0-9._\-]+`)),
		of("principalOrgID", longest(34), shortest(12), pattern(`o-[a-z0-9]{10,32}`)),
		of("functionUrlAuthType", oneOf("NONE", "AWS_IAM")),
	),
	lambdaRoute(schemas.RemovePermission, schemas.RemovePermissionRequest, removePermission,
		qualifier, namespaced,
		of("statementId", longest(100), shortest(1), pattern(`([a-zA-Z0-9-_.]+)`)),
	),
	lambdaRoute(schemas.GetPolicy, schemas.GetPolicyRequest, getPolicy, qualifier, namespaced),
	lambdaRoute(schemas.PutResourcePolicy, schemas.PutResourcePolicyRequest, putResourcePolicy,
		policyHolder, of("policy", notNull)),
	lambdaRoute(schemas.GetResourcePolicy, schemas.GetResourcePolicyRequest, getResourcePolicy, policyHolder),
	lambdaRoute(schemas.DeleteResourcePolicy, schemas.DeleteResourcePolicyRequest, deleteResourcePolicy, policyHolder),
}

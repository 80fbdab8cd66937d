package awsdouble

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// handler handles an operation, with the server's lock held. It returns the body of the response, or nil if there is
// none, or an *answer. It rejects a call by a panic with an *Error, so that it reads as what succeeds.
type handler func(s *Server, r *request) any

// answer is the response of a successful operation.
type answer struct {
	// status is by default that of the operation.
	status int
	header http.Header
	// body is encoded as the service does, except for bytes.
	body any
	// delay is the duration of the response, in real time.
	delay time.Duration
}

// statuses are the operations whose status is neither 200 nor, without a body, 204.
var statuses = map[string]int{
	"CreateFunction": http.StatusCreated, "PublishVersion": http.StatusCreated, "CreateAlias": http.StatusCreated,
	"AddPermission": http.StatusCreated, "CreateCodeSigningConfig": http.StatusCreated,
	"PublishLayerVersion": http.StatusCreated, "AddLayerVersionPermission": http.StatusCreated,
	"CreateFunctionUrlConfig": http.StatusCreated, "CreateCapacityProvider": http.StatusAccepted,
	"UpdateCapacityProvider": http.StatusAccepted, "DeleteCapacityProvider": http.StatusAccepted,
	"CreateEventSourceMapping": http.StatusAccepted, "UpdateEventSourceMapping": http.StatusAccepted,
	"DeleteEventSourceMapping": http.StatusAccepted, "PutProvisionedConcurrencyConfig": http.StatusAccepted,
	"PutFunctionScalingConfig": http.StatusAccepted,
}

// answerTo returns the response to a call that a handler has handled.
func answerTo(r *request, result any) *answer {
	a, ok := result.(*answer)
	if !ok {
		a = &answer{body: result}
	}
	if a.status == 0 {
		a.status = statuses[r.operation]
	}
	switch {
	case a.status != 0:
	case a.body == nil && a.header == nil:
		a.status = http.StatusNoContent
	default:
		a.status = http.StatusOK
	}
	return a
}

// route maps a method and a path pattern to an operation. In a pattern, {Name} is one escaped segment and {Name...}
// the rest of the path. What follows a question mark is a parameter that the request must have.
type route struct {
	method, pattern, operation string
	handle                     handler
}

// lambdaRoutes are Lambda's operations (REST JSON).
var lambdaRoutes = []route{
	{"POST", "/2015-03-31/functions", "CreateFunction", createFunction},
	{"GET", "/2015-03-31/functions", "ListFunctions", listFunctions},
	{"GET", "/2015-03-31/functions/{FunctionName}", "GetFunction", getFunction},
	{"DELETE", "/2015-03-31/functions/{FunctionName}", "DeleteFunction", deleteFunction},
	{"GET", "/2015-03-31/functions/{FunctionName}/configuration", "GetFunctionConfiguration", getFunctionConfiguration},
	{
		"PUT", "/2015-03-31/functions/{FunctionName}/configuration", "UpdateFunctionConfiguration",
		updateFunctionConfiguration,
	},
	{"PUT", "/2015-03-31/functions/{FunctionName}/code", "UpdateFunctionCode", updateFunctionCode},
	{"POST", "/2015-03-31/functions/{FunctionName}/invocations", "Invoke", invoke},
	{
		"GET", "/2025-12-01/functions/{FunctionName}/durable-executions", "ListDurableExecutionsByFunction",
		listExecutions,
	},
	{"GET", "/2025-12-01/durable-executions/{DurableExecutionArn}", "GetDurableExecution", getExecution},
	{"POST", "/2025-12-01/durable-executions/{DurableExecutionArn}/stop", "StopDurableExecution", stopExecution},
	{
		"POST", "/2021-11-15/functions/{FunctionName}/response-streaming-invocations", "InvokeWithResponseStream",
		invokeStream,
	},
	{"POST", "/2015-03-31/functions/{FunctionName}/versions", "PublishVersion", publishVersion},
	{"GET", "/2015-03-31/functions/{FunctionName}/versions", "ListVersionsByFunction", listVersions},
	{"POST", "/2015-03-31/functions/{FunctionName}/aliases", "CreateAlias", createAlias},
	{"GET", "/2015-03-31/functions/{FunctionName}/aliases", "ListAliases", listAliases},
	{"GET", "/2015-03-31/functions/{FunctionName}/aliases/{Name}", "GetAlias", getAlias},
	{"PUT", "/2015-03-31/functions/{FunctionName}/aliases/{Name}", "UpdateAlias", updateAlias},
	{"DELETE", "/2015-03-31/functions/{FunctionName}/aliases/{Name}", "DeleteAlias", deleteAlias},
	{"PUT", "/2017-10-31/functions/{FunctionName}/concurrency", "PutFunctionConcurrency", putConcurrency},
	{"GET", "/2019-09-30/functions/{FunctionName}/concurrency", "GetFunctionConcurrency", getConcurrency},
	{"DELETE", "/2017-10-31/functions/{FunctionName}/concurrency", "DeleteFunctionConcurrency", deleteConcurrency},
	{"POST", "/2017-03-31/tags/{Resource}", "TagResource", tagResource},
	{"DELETE", "/2017-03-31/tags/{Resource}", "UntagResource", untagResource},
	{"GET", "/2017-03-31/tags/{Resource}", "ListTags", listTags},
	{
		"PUT", "/2020-06-30/functions/{FunctionName}/code-signing-config", "PutFunctionCodeSigningConfig",
		putFunctionCodeSigning,
	},
	{
		"GET", "/2020-06-30/functions/{FunctionName}/code-signing-config", "GetFunctionCodeSigningConfig",
		getFunctionCodeSigning,
	},
	{
		"DELETE", "/2020-06-30/functions/{FunctionName}/code-signing-config", "DeleteFunctionCodeSigningConfig",
		deleteFunctionCodeSigning,
	},
	{"POST", "/2020-04-22/code-signing-configs", "CreateCodeSigningConfig", createCodeSigning},
	{"GET", "/2020-04-22/code-signing-configs/{CodeSigningConfigArn}", "GetCodeSigningConfig", getCodeSigning},
	{"PUT", "/2020-04-22/code-signing-configs/{CodeSigningConfigArn}", "UpdateCodeSigningConfig", updateCodeSigning},
	{"DELETE", "/2020-04-22/code-signing-configs/{CodeSigningConfigArn}", "DeleteCodeSigningConfig", deleteCodeSigning},
	{"GET", "/2020-04-22/code-signing-configs", "ListCodeSigningConfigs", listCodeSigning},
	{
		"GET", "/2020-04-22/code-signing-configs/{CodeSigningConfigArn}/functions", "ListFunctionsByCodeSigningConfig",
		listFunctionsByCodeSigning,
	},
	{"GET", "/2018-10-31/layers", "ListLayers", listLayers},
	{"POST", "/2018-10-31/layers/{LayerName}/versions", "PublishLayerVersion", publishLayer},
	{"GET", "/2018-10-31/layers/{LayerName}/versions", "ListLayerVersions", listLayerVersions},
	{"GET", "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}", "GetLayerVersion", getLayer},
	{"DELETE", "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}", "DeleteLayerVersion", deleteLayer},
	{
		"POST", "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy", "AddLayerVersionPermission",
		addLayerPermission,
	},
	{
		"DELETE", "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy/{StatementId}",
		"RemoveLayerVersionPermission", removeLayerPermission,
	},
	{"GET", "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy", "GetLayerVersionPolicy", getLayerPolicy},
	{"POST", "/2015-03-31/event-source-mappings", "CreateEventSourceMapping", createMapping},
	{"GET", "/2015-03-31/event-source-mappings", "ListEventSourceMappings", listMappings},
	{"GET", "/2015-03-31/event-source-mappings/{UUID}", "GetEventSourceMapping", getMapping},
	{"PUT", "/2015-03-31/event-source-mappings/{UUID}", "UpdateEventSourceMapping", updateMapping},
	{"DELETE", "/2015-03-31/event-source-mappings/{UUID}", "DeleteEventSourceMapping", deleteMapping},
	{"GET", "/2016-08-19/account-settings", "GetAccountSettings", getAccountSettings},
	{"PUT", "/2024-08-31/functions/{FunctionName}/recursion-config", "PutFunctionRecursionConfig", putRecursion},
	{"GET", "/2024-08-31/functions/{FunctionName}/recursion-config", "GetFunctionRecursionConfig", getRecursion},
	{"POST", "/2021-10-31/functions/{FunctionName}/url", "CreateFunctionUrlConfig", createURL},
	{"GET", "/2021-10-31/functions/{FunctionName}/url", "GetFunctionUrlConfig", getURL},
	{"PUT", "/2021-10-31/functions/{FunctionName}/url", "UpdateFunctionUrlConfig", updateURL},
	{"DELETE", "/2021-10-31/functions/{FunctionName}/url", "DeleteFunctionUrlConfig", deleteURL},
	{"GET", "/2021-10-31/functions/{FunctionName}/urls", "ListFunctionUrlConfigs", listURLs},
	{"PUT", "/2019-09-25/functions/{FunctionName}/event-invoke-config", "PutFunctionEventInvokeConfig", putEventInvoke},
	{
		"POST", "/2019-09-25/functions/{FunctionName}/event-invoke-config", "UpdateFunctionEventInvokeConfig",
		updateEventInvoke,
	},
	{"GET", "/2019-09-25/functions/{FunctionName}/event-invoke-config", "GetFunctionEventInvokeConfig", getEventInvoke},
	{
		"DELETE", "/2019-09-25/functions/{FunctionName}/event-invoke-config", "DeleteFunctionEventInvokeConfig",
		deleteEventInvoke,
	},
	{
		"GET", "/2019-09-25/functions/{FunctionName}/event-invoke-config/list", "ListFunctionEventInvokeConfigs",
		listEventInvokes,
	},
	{
		"GET", "/2019-09-30/functions/{FunctionName}/provisioned-concurrency?List=ALL",
		"ListProvisionedConcurrencyConfigs", listProvisioned,
	},
	{
		"GET", "/2019-09-30/functions/{FunctionName}/provisioned-concurrency", "GetProvisionedConcurrencyConfig",
		getProvisioned,
	},
	{
		"PUT", "/2019-09-30/functions/{FunctionName}/provisioned-concurrency", "PutProvisionedConcurrencyConfig",
		putProvisioned,
	},
	{
		"DELETE", "/2019-09-30/functions/{FunctionName}/provisioned-concurrency", "DeleteProvisionedConcurrencyConfig",
		deleteProvisioned,
	},
	{
		"PUT", "/2021-07-20/functions/{FunctionName}/runtime-management-config", "PutRuntimeManagementConfig",
		putRuntimeManagement,
	},
	{
		"GET", "/2021-07-20/functions/{FunctionName}/runtime-management-config", "GetRuntimeManagementConfig",
		getRuntimeManagement,
	},
	{"POST", "/2025-11-30/capacity-providers", "CreateCapacityProvider", createCapacity},
	{"GET", "/2025-11-30/capacity-providers", "ListCapacityProviders", listCapacity},
	{"GET", "/2025-11-30/capacity-providers/{CapacityProviderName}", "GetCapacityProvider", getCapacity},
	{"PUT", "/2025-11-30/capacity-providers/{CapacityProviderName}", "UpdateCapacityProvider", updateCapacity},
	{"DELETE", "/2025-11-30/capacity-providers/{CapacityProviderName}", "DeleteCapacityProvider", deleteCapacity},
	{"PUT", "/2025-11-30/functions/{FunctionName}/function-scaling-config", "PutFunctionScalingConfig", putScaling},
	{"GET", "/2025-11-30/functions/{FunctionName}/function-scaling-config", "GetFunctionScalingConfig", getScaling},
	{"POST", "/2015-03-31/functions/{FunctionName}/policy", "AddPermission", addPermission},
	{"DELETE", "/2015-03-31/functions/{FunctionName}/policy/{StatementId}", "RemovePermission", removePermission},
	{"GET", "/2015-03-31/functions/{FunctionName}/policy", "GetPolicy", getPolicy},
	{"PUT", "/2026-07-09/resource-policy/{ResourceArn}", "PutResourcePolicy", putResourcePolicy},
	{"GET", "/2026-07-09/resource-policy/{ResourceArn}", "GetResourcePolicy", getResourcePolicy},
	{"DELETE", "/2026-07-09/resource-policy/{ResourceArn}", "DeleteResourcePolicy", deleteResourcePolicy},
}

// s3Routes are S3's operations, path-style.
var s3Routes = []route{
	{"PUT", "/{Bucket}/{Key...}", "PutObject", putObject},
	{"HEAD", "/{Bucket}/{Key...}", "HeadObject", headObject},
	{"GET", "/{Bucket}/{Key...}", "GetObject", getObject},
	{"GET", "/{Bucket}?list-type=2", "ListObjectsV2", listObjects},
}

// stsActions are STS's operations (query protocol), by Action.
var stsActions = map[string]handler{
	"GetCallerIdentity":         getCallerIdentity,
	"AssumeRole":                assumeRole,
	"AssumeRoleWithWebIdentity": assumeRoleWithWebIdentity,
}

// iamActions are IAM's operations (query protocol), by Action.
var iamActions = map[string]handler{
	"CreateRole":       createRole,
	"PutRolePolicy":    putRolePolicy,
	"DeleteRolePolicy": deleteRolePolicy,
	"DeleteRole":       deleteRole,
	"ListRoles":        listRoles,
}

// localRoutes are unsigned endpoints of a node for its pods: the agent of EKS Pod Identity and the instance metadata
// service.
var localRoutes = []route{
	{"GET", "/v1/credentials", "AssumeRoleForPodIdentity", podCredentials},
	{"PUT", "/latest/api/token", "GetToken", metadataToken},
	{"GET", "/latest/meta-data/iam/security-credentials", "GetMetadata", instanceRole},
	{"GET", "/latest/meta-data/iam/security-credentials/{Role}", "GetMetadata", instanceCredentials},
}

// ecrTargets are ECR's operations (JSON 1.1), by the end of X-Amz-Target.
var ecrTargets = map[string]handler{"BatchGetImage": batchGetImage}

// find sets the operation of a request and returns its handler, or nil.
func find(r *request) handler {
	switch r.service {
	case serviceSTS:
		r.operation = r.form.Get("Action")
		return stsActions[r.operation]
	case serviceIAM:
		r.operation = r.form.Get("Action")
		return iamActions[r.operation]
	case serviceECR:
		return findTarget(ecrTargets, r)
	case serviceSQS:
		return findTarget(sqsTargets, r)
	case serviceLogs:
		return findTarget(logsTargets, r)
	case serviceCloudWatch:
		return findCloudWatch(r)
	case serviceS3:
		return findRoute(s3Routes, r)
	case serviceLambda:
		return findRoute(lambdaRoutes, r)
	case "":
		return findRoute(localRoutes, r)
	}
	return nil
}

func findTarget(targets map[string]handler, r *request) handler {
	target := r.http.Header.Get("X-Amz-Target")
	r.operation = target[strings.LastIndex(target, ".")+1:]
	return targets[r.operation]
}

func findRoute(routes []route, r *request) handler {
	path := r.http.URL.EscapedPath()
	for i := range routes {
		if routes[i].method != r.http.Method {
			continue
		}
		pattern, parameter, _ := strings.Cut(routes[i].pattern, "?")
		if name, value, has := strings.Cut(parameter, "="); has && r.query(name) != value {
			continue
		}
		if vars, ok := match(pattern, path); ok {
			r.vars, r.operation = vars, routes[i].operation
			return routes[i].handle
		}
	}
	return nil
}

// match compares an escaped path to a pattern and returns its variables.
func match(pattern, path string) (map[string]string, bool) {
	want := strings.Split(strings.Trim(pattern, "/"), "/")
	got := strings.Split(strings.Trim(path, "/"), "/")
	vars := map[string]string{}
	for i, w := range want {
		if i >= len(got) {
			return nil, false
		}
		name, isVar := strings.CutPrefix(w, "{")
		name = strings.TrimSuffix(name, "}")
		rest, takesRest := strings.CutSuffix(name, "...")
		switch {
		case takesRest:
			value, err := url.PathUnescape(strings.Join(got[i:], "/"))
			vars[rest] = value
			return vars, err == nil && value != ""
		case isVar:
			value, err := url.PathUnescape(got[i])
			if err != nil || value == "" {
				return nil, false
			}
			vars[name] = value
		case w != got[i]:
			return nil, false
		}
	}
	return vars, len(want) == len(got)
}

package awsdouble

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/traits"
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

// answerTo returns the response to a call that a handler has handled.
func answerTo(r *request, result any) *answer {
	a, ok := result.(*answer)
	if !ok {
		a = &answer{body: result}
	}
	if a.status == 0 {
		a.status = cmp.Or(r.status, http.StatusOK)
		if a.status == http.StatusOK && a.body == nil && a.header == nil {
			a.status = http.StatusNoContent
		}
	}
	return a
}

// route maps a method and a path pattern to an operation. In a pattern, {Name} is one escaped segment and {Name...}
// the rest of the path. What follows a question mark is a parameter that the request must have.
type route struct {
	method, pattern, operation string
	// status belongs to a response with a body.
	status int
	handle handler
	// input is the structure of the operation's input in its model, and members are those with constraints. Both are
	// nil if none is validated.
	input   *smithy.Schema
	members []member
}

// lambdaRoute returns the route of an operation of Lambda, as its model has it, with the constraints of its input.
func lambdaRoute(operation, input *smithy.Schema, handle handler, members ...member) route {
	model, _ := smithy.SchemaTrait[*traits.HTTP](operation)
	return route{model.Method, model.URI, operation.ID().Name, model.Code, handle, input, members}
}

// s3Routes are S3's operations, path-style.
var s3Routes = []route{
	{"PUT", "/{Bucket}/{Key...}", "PutObject", http.StatusOK, putObject, nil, nil},
	{"HEAD", "/{Bucket}/{Key...}", "HeadObject", http.StatusOK, headObject, nil, nil},
	{"GET", "/{Bucket}/{Key...}", "GetObject", http.StatusOK, getObject, nil, nil},
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
	{"GET", "/v1/credentials", "AssumeRoleForPodIdentity", http.StatusOK, podCredentials, nil, nil},
	{"PUT", "/latest/api/token", "GetToken", http.StatusOK, metadataToken, nil, nil},
	{"GET", "/latest/meta-data/iam/security-credentials", "GetMetadata", http.StatusOK, instanceRole, nil, nil},
	{
		"GET", "/latest/meta-data/iam/security-credentials/{Role}", "GetMetadata", http.StatusOK, instanceCredentials,
		nil, nil,
	},
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
			r.vars, r.operation, r.status = vars, routes[i].operation, routes[i].status
			r.input, r.members = routes[i].input, routes[i].members
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

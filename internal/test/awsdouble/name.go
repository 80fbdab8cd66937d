package awsdouble

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// target holds the parts of a FunctionName parameter and a Qualifier.
type target struct{ name, region, account, qualifier string }

// parseTarget parses a name, a partial ARN or an ARN.
func parseTarget(name string) target {
	t := target{}
	parts := strings.Split(name, ":")
	if parts[0] == "arn" && len(parts) >= 6 {
		t.region, t.account = parts[3], parts[4]
		parts = parts[5:]
	}
	for i, p := range parts {
		if p == "function" && i < len(parts)-1 {
			if i > 0 {
				t.account = parts[i-1]
			}
			parts = parts[i+1:]
			break
		}
	}
	t.name = parts[0]
	if len(parts) > 1 {
		t.qualifier = parts[1]
	}
	return t
}

// target parses the request's function name and qualifier.
func (r *request) target() target {
	name, qualifier := r.vars["FunctionName"], r.query("Qualifier")
	t := parseTarget(name)
	if t.qualifier != "" && qualifier != "" && t.qualifier != qualifier {
		panic(invalidParameter("The derived qualifier from the function name does not match the specified qualifier."))
	}
	if qualifier != "" {
		t.qualifier = qualifier
	}
	r.reachable(t)
	return t
}

// reachable rejects ARNs of other regions and accounts.
func (r *request) reachable(t target) {
	switch {
	case t.region != "" && t.region != r.region:
		panic(notFound("Functions from '%s' are not reachable in this region ('%s')", t.region, r.region))
	case t.account != "" && t.account != r.account:
		panic(accessDenied())
	}
}

// find returns the named function, after completing its transitions.
func (s *Server) find(r *request) (*function, target) {
	t := r.target()
	h := r.home
	f := h.functions[t.name]
	if f == nil {
		resource := "function:" + t.name
		if t.qualifier != "" {
			resource += ":" + t.qualifier
		}
		panic(notFound("Function not found: %s", h.arn(resource)))
	}
	s.completeAll(f)
	return f, t
}

// unqualified returns the named function for operations that take no qualifier.
func (s *Server) unqualified(r *request) *function {
	f, t := s.find(r)
	if t.qualifier != "" {
		panic(invalidParameter("This operation is permitted on Lambda functions only. Aliases and versions do not " +
			"support this operation. Please specify either a function name or an unqualified function ARN."))
	}
	return f
}

// versionOf returns the version to which a qualifier of a function resolves, or nil: $LATEST, also for no qualifier,
// a published version, or that of an alias.
func (f *function) versionOf(qualifier string) *instance {
	if a := f.aliases[qualifier]; a != nil {
		qualifier = a.FunctionVersion
	}
	if qualifier == "" || qualifier == latestVersion {
		return f.latest
	}
	return f.version(qualifier)
}

// arnOf returns the ARN of a function with a qualifier, or without.
func (f *function) arnOf(qualifier string) string {
	if qualifier == "" {
		return f.latest.FunctionArn
	}
	return f.latest.FunctionArn + ":" + qualifier
}

// configs are a function's configurations by qualifier.
type configs struct {
	urls        map[string]*types.FunctionUrlConfig
	events      map[string]*types.FunctionEventInvokeConfig
	provisioned map[string]*provisioning
	runtimes    map[string]RuntimeManagement
}

func newConfigs() configs {
	return configs{
		urls: map[string]*types.FunctionUrlConfig{}, events: map[string]*types.FunctionEventInvokeConfig{},
		provisioned: map[string]*provisioning{}, runtimes: map[string]RuntimeManagement{},
	}
}

// forget removes the configurations of a qualifier that was deleted. Its URL remains:
// https://github.com/localstack/localstack/pull/11288.
func (c *configs) forget(qualifier string) {
	delete(c.events, qualifier)
	delete(c.provisioned, qualifier)
	delete(c.runtimes, qualifier)
}

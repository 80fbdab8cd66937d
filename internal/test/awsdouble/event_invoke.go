package awsdouble

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// latestBy returns the qualifier, by default $LATEST.
func latestBy(t target) string { return cmp.Or(t.qualifier, latestVersion) }

// eventInput reads a request's settings. It rejects a request without any before the function is looked up.
func eventInput(r *request) lambda.PutFunctionEventInvokeConfigInput {
	in := decoded[lambda.PutFunctionEventInvokeConfigInput](r)
	if in.DestinationConfig == nil && in.MaximumEventAgeInSeconds == nil && in.MaximumRetryAttempts == nil {
		panic(invalidParameter("You must specify at least one of error handling or destination setting."))
	}
	return in
}

// putEventInvoke replaces the configuration of asynchronous invocation. Responses always contain both destinations.
func putEventInvoke(s *Server, r *request) any {
	in := eventInput(r)
	t := r.target()
	f := r.invocable()
	s.checkDestinations(r.home, f, in.DestinationConfig)
	q := latestBy(t)
	e := &types.FunctionEventInvokeConfig{FunctionArn: aws.String(f.arnOf(q))}
	f.events[q] = e
	return s.setEventInvoke(e, &in)
}

func (s *Server) setEventInvoke(e *types.FunctionEventInvokeConfig, in *lambda.PutFunctionEventInvokeConfigInput) any {
	overlay(e, in)
	to := types.DestinationConfig{OnFailure: &types.OnFailure{}, OnSuccess: &types.OnSuccess{}}
	if e.DestinationConfig != nil {
		overlay(&to, e.DestinationConfig)
	}
	if to.OnFailure == nil {
		to.OnFailure = &types.OnFailure{}
	}
	if to.OnSuccess == nil {
		to.OnSuccess = &types.OnSuccess{}
	}
	e.DestinationConfig, e.LastModified = &to, aws.Time(s.options.Now())
	return *e
}

// invocable returns the function that a request names. It rejects a version that does not exist.
func (r *request) invocable() *function {
	t := r.target()
	f := r.home.functions[t.name]
	if f == nil || f.versionOf(t.qualifier) == nil {
		panic(notFound("The function doesn't exist."))
	}
	return f
}

// eventInvoke returns the function and the qualifier of the configuration that a request names.
func eventInvoke(r *request) (*function, string) {
	t := r.target()
	q := latestBy(t)
	f := r.home.functions[t.name]
	if f == nil || f.events[q] == nil {
		panic(notFound("The function %s doesn't have an EventInvokeConfig", r.home.arn("function:"+t.name+":"+q)))
	}
	return f, q
}

func updateEventInvoke(s *Server, r *request) any {
	in := eventInput(r)
	f, q := eventInvoke(r)
	s.checkDestinations(r.home, f, in.DestinationConfig)
	return s.setEventInvoke(f.events[q], &in)
}

func getEventInvoke(_ *Server, r *request) any {
	f, q := eventInvoke(r)
	return *f.events[q]
}

func deleteEventInvoke(_ *Server, r *request) any {
	f, q := eventInvoke(r)
	delete(f.events, q)
	return nil
}

func listEventInvokes(_ *Server, r *request) any {
	return listedBy("FunctionEventInvokeConfigs", r.invocable().events, r)
}

// listedBy returns a page of a function's configurations, in the order of their qualifiers.
func listedBy[T any](name string, by map[string]*T, r *request) any {
	all := []T{}
	for _, q := range slices.Sorted(maps.Keys(by)) {
		all = append(all, *by[q])
	}
	return paged(name, all, r)
}

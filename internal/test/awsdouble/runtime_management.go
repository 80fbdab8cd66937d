package awsdouble

import "github.com/aws/aws-sdk-go-v2/service/lambda/types"

// RuntimeManagement configures when a version's runtime is updated.
type RuntimeManagement struct {
	FunctionArn       string
	RuntimeVersionArn *string
	UpdateRuntimeOn   string
}

func putRuntimeManagement(s *Server, r *request) any {
	in := decoded[RuntimeManagement](r)
	f, q := s.managedRuntime(r)
	manual := in.UpdateRuntimeOn == "Manual"
	switch {
	case manual && in.RuntimeVersionArn == nil:
		panic(invalidParameter("RuntimeVersionArn is required when UpdateRuntimeOn is Manual."))
	case !manual && in.RuntimeVersionArn != nil:
		panic(invalidParameter("RuntimeVersionArn can only be specified when UpdateRuntimeOn is Manual."))
	}
	in.FunctionArn = f.arnOf(q)
	f.runtimes[q] = in
	if manual && f.latest.RuntimeVersionConfig != nil && q == latestVersion {
		f.latest.RuntimeVersionConfig = &types.RuntimeVersionConfig{RuntimeVersionArn: in.RuntimeVersionArn}
	}
	return in
}

// managedRuntime returns the function and the version that a request names. It fails if the runtime is part of an
// image.
func (s *Server) managedRuntime(r *request) (*function, string) {
	f, t := s.find(r)
	i := s.pick(f, t, r)
	if f.latest.PackageType == "Image" {
		panic(invalidParameter("Lambda couldn't get a runtime management configuration because %s is a container "+
			"image function.", f.latest.FunctionName))
	}
	if i.State == statePending && r.operation == "PutRuntimeManagementConfig" {
		panic(notNow(i.State))
	}
	return f, latestBy(t)
}

func getRuntimeManagement(s *Server, r *request) any {
	f, q := s.managedRuntime(r)
	out, ok := f.runtimes[q]
	if !ok {
		out = RuntimeManagement{FunctionArn: f.arnOf(q), UpdateRuntimeOn: "Auto"}
	}
	return out
}

package awsdouble

import "net/http"

// RuntimeManagement configures when a version's runtime is updated.
type RuntimeManagement struct {
	FunctionArn       string
	RuntimeVersionArn *string
	UpdateRuntimeOn   string
}

func putRuntimeManagement(s *Server, r *request) (*answer, error) {
	in := RuntimeManagement{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, q, err := s.managedRuntime(r)
	if err != nil {
		return nil, err
	}
	manual := in.UpdateRuntimeOn == "Manual"
	switch {
	case manual && in.RuntimeVersionArn == nil:
		return nil, invalidParameter("RuntimeVersionArn is required when UpdateRuntimeOn is Manual.")
	case !manual && in.RuntimeVersionArn != nil:
		return nil, invalidParameter("RuntimeVersionArn can only be specified when UpdateRuntimeOn is Manual.")
	}
	in.FunctionArn = f.arnOf(q)
	f.runtimes[q] = in
	if manual && f.latest.RuntimeVersionConfig != nil && q == latestVersion {
		f.latest.RuntimeVersionConfig = &RuntimeVersion{RuntimeVersionArn: *in.RuntimeVersionArn}
	}
	return &answer{status: http.StatusOK, json: in}, nil
}

// managedRuntime returns the function and the version that a request names.
func (s *Server) managedRuntime(r *request) (*function, string, error) {
	f, t, err := s.find(r)
	if err != nil {
		return nil, "", err
	}
	i, err := s.pick(f, t, r)
	if err != nil {
		return nil, "", err
	}
	if i.State == statePending && r.operation == "PutRuntimeManagementConfig" {
		return nil, "", notNow(i.State)
	}
	return f, latestBy(t), nil
}

func getRuntimeManagement(s *Server, r *request) (*answer, error) {
	f, q, err := s.managedRuntime(r)
	if err != nil {
		return nil, err
	}
	out, ok := f.runtimes[q]
	if !ok {
		out = RuntimeManagement{FunctionArn: f.arnOf(q), UpdateRuntimeOn: "Auto"}
	}
	return &answer{status: http.StatusOK, json: out}, nil
}

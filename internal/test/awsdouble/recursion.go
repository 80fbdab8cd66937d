package awsdouble

import "net/http"

func putRecursion(s *Server, r *request) (*answer, error) {
	in := struct{ RecursiveLoop string }{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	f.recursiveLoop = in.RecursiveLoop
	return &answer{status: http.StatusOK, json: in}, nil
}

func getRecursion(s *Server, r *request) (*answer, error) {
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, json: map[string]string{"RecursiveLoop": f.recursiveLoop}}, nil
}

func putScaling(s *Server, r *request) (*answer, error) {
	in := struct{ FunctionScalingConfig *Scaling }{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, i, err := s.qualified(r)
	if err != nil {
		return nil, err
	}
	if i.runsOn() == "" {
		return nil, &Error{
			Status: http.StatusForbidden, Code: "AccessDeniedException",
			Message: "The function provided by the arn does not contain a capacity provider configuration",
		}
	}
	delete(f.scaling, i.FunctionArn)
	if in.FunctionScalingConfig != nil {
		f.scaling[i.FunctionArn] = *in.FunctionScalingConfig
	}
	return &answer{status: http.StatusAccepted, json: map[string]string{"FunctionState": i.State}}, nil
}

func getScaling(s *Server, r *request) (*answer, error) {
	f, i, err := s.qualified(r)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"FunctionArn": i.FunctionArn}
	if c, ok := f.scaling[i.FunctionArn]; ok {
		out["RequestedFunctionScalingConfig"], out["AppliedFunctionScalingConfig"] = c, c
	}
	return &answer{status: http.StatusOK, json: out}, nil
}

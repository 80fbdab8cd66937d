package awsdouble

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func putRecursion(s *Server, r *request) any {
	in := decoded[struct{ RecursiveLoop string }](r)
	f := s.unqualified(r)
	f.recursiveLoop = in.RecursiveLoop
	return in
}

func getRecursion(s *Server, r *request) any {
	f := s.unqualified(r)
	return map[string]string{"RecursiveLoop": f.recursiveLoop}
}

func putScaling(s *Server, r *request) any {
	in := decoded[struct{ FunctionScalingConfig *types.FunctionScalingConfig }](r)
	f, i := s.qualified(r)
	if i.runsOn() == "" {
		panic(apiError(http.StatusForbidden, "AccessDeniedException",
			"The function provided by the arn does not contain a capacity provider configuration"))
	}
	delete(f.scaling, i.FunctionArn)
	if in.FunctionScalingConfig != nil {
		f.scaling[i.FunctionArn] = *in.FunctionScalingConfig
	}
	return map[string]string{"FunctionState": i.State}
}

func getScaling(s *Server, r *request) any {
	f, i := s.qualified(r)
	out := map[string]any{"FunctionArn": i.FunctionArn}
	if c, ok := f.scaling[i.FunctionArn]; ok {
		out["RequestedFunctionScalingConfig"], out["AppliedFunctionScalingConfig"] = c, c
	}
	return out
}

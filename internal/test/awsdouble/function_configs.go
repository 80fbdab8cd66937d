package awsdouble

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func putConcurrency(s *Server, r *request) any {
	in := decoded[types.Concurrency](r)
	t := r.target()
	h := r.home
	if h.functions[t.name] == nil {
		panic(notFound("Function not found: %s", h.arn("function:"+t.name+":$LATEST")))
	}
	f := s.unqualified(r)
	v := validation{}
	reserved := member{rules: []rule{notNull, lowest(0)}}
	var sent any
	if in.ReservedConcurrentExecutions != nil {
		sent = *in.ReservedConcurrentExecutions
	}
	reserved.check(&v, "reservedConcurrentExecutions", sent)
	v.reject()
	if n := f.provisions(""); n > *in.ReservedConcurrentExecutions {
		panic(invalidParameter(" ReservedConcurrentExecutions  %d should not be lower than function's total "+
			"provisioned concurrency [%d].", *in.ReservedConcurrentExecutions, n))
	}
	if h.reserved(f)+*in.ReservedConcurrentExecutions > h.limits.ConcurrentExecutions-h.limits.MinUnreserved {
		panic(invalidParameter("Specified ReservedConcurrentExecutions for function decreases account's "+
			"UnreservedConcurrentExecution below its minimum value of [%d].", h.limits.MinUnreserved))
	}
	f.concurrency = in.ReservedConcurrentExecutions
	return in
}

// reserved returns the concurrency of all functions but one that is reserved, or provisioned beyond a reservation.
func (h *home) reserved(but *function) int32 {
	total := int32(0)
	for _, f := range h.functions {
		switch {
		case f == but:
		case f.concurrency != nil:
			total += *f.concurrency
		default:
			total += f.provisions("")
		}
	}
	return total
}

// usable returns the concurrency that a function may use: its reservation, or what the other functions leave.
func (h *home) usable(f *function) int32 {
	if f.concurrency != nil {
		return *f.concurrency
	}
	return h.limits.ConcurrentExecutions - h.reserved(f)
}

func getConcurrency(s *Server, r *request) any {
	return types.Concurrency{ReservedConcurrentExecutions: s.unqualified(r).concurrency}
}

func deleteConcurrency(s *Server, r *request) any {
	f := s.unqualified(r)
	f.concurrency = nil
	return nil
}

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

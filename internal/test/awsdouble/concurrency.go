package awsdouble

import "github.com/aws/aws-sdk-go-v2/service/lambda/types"

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

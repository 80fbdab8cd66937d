package awsdouble

import "net/http"

// concurrencyOutput is a function's reserved concurrency.
type concurrencyOutput struct {
	ReservedConcurrentExecutions *int32 `json:",omitempty"`
}

func putConcurrency(s *Server, r *request) (*answer, error) {
	in := concurrencyOutput{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	t, err := r.target()
	if err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	if h.functions[t.name] == nil {
		return nil, notFound("Function not found: %s", h.arn("function:"+t.name+":$LATEST"))
	}
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	if in.ReservedConcurrentExecutions == nil {
		v := validation{}
		reserved := member{required: true}
		reserved.check(&v, "reservedConcurrentExecutions", nil)
		return nil, v.err()
	}
	if *in.ReservedConcurrentExecutions < 0 {
		v := validation{}
		reserved := member{rules: []rule{lowest(0)}}
		reserved.check(&v, "reservedConcurrentExecutions", *in.ReservedConcurrentExecutions)
		return nil, v.err()
	}
	if n := f.provisions(""); n > *in.ReservedConcurrentExecutions {
		return nil, invalidParameter(" ReservedConcurrentExecutions  %d should not be lower than function's total provisioned concurrency [%d].", *in.ReservedConcurrentExecutions, n)
	}
	if h.reserved(f)+*in.ReservedConcurrentExecutions > h.limits.ConcurrentExecutions-h.limits.MinUnreserved {
		return nil, invalidParameter("Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [%d].", h.limits.MinUnreserved)
	}
	f.concurrency = in.ReservedConcurrentExecutions
	return &answer{status: http.StatusOK, json: in}, nil
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

func getConcurrency(s *Server, r *request) (*answer, error) {
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, json: concurrencyOutput{ReservedConcurrentExecutions: f.concurrency}}, nil
}

func deleteConcurrency(s *Server, r *request) (*answer, error) {
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	f.concurrency = nil
	return &answer{status: http.StatusNoContent}, nil
}

package awsdouble

import "net/http"

func getMapping(s *Server, r *request) any {
	m := s.findMapping(r)
	return m.Mapping
}

func deleteMapping(s *Server, r *request) any {
	m := s.findMapping(r)
	if m.busy {
		panic(inUse("delete"))
	}
	s.turn(m, mappingDeleting, "", s.options.UpdateDuration)
	return m.Mapping
}

func listMappings(s *Server, r *request) any {
	h := s.home(r.account, r.region)
	source, function := r.query("EventSourceArn"), ""
	if name := r.query("FunctionName"); name != "" {
		t := parseTarget(name)
		r.reachable(t)
		function = h.arn("function:" + t.name)
		if t.qualifier != "" {
			function += ":" + t.qualifier
		}
	}
	all := []Mapping{}
	for _, m := range s.mappingsOf(h) {
		if (source == "" || m.EventSourceArn == source) && (function == "" || m.FunctionArn == function) {
			all = append(all, m.Mapping)
		}
	}
	return paged("EventSourceMappings", all, r)
}

// inUse returns the error of a change of a resource that is in transition.
func inUse(what string) error {
	return &Error{Status: http.StatusBadRequest, Code: "ResourceInUseException", Message: "Cannot " + what + " the event source mapping because it is in use."}
}

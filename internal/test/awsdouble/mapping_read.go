package awsdouble

import "net/http"

func getMapping(s *Server, r *request) (*answer, error) {
	m, err := s.findMapping(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, json: m.Mapping}, nil
}

func deleteMapping(s *Server, r *request) (*answer, error) {
	m, err := s.findMapping(r)
	if err != nil {
		return nil, err
	}
	if m.busy {
		return nil, inUse("delete")
	}
	s.turn(m, mappingDeleting, "", s.options.UpdateDuration)
	return &answer{status: http.StatusAccepted, json: m.Mapping}, nil
}

func listMappings(s *Server, r *request) (*answer, error) {
	h := s.home(r.account, r.region)
	source, function := r.query("EventSourceArn"), ""
	if name := r.query("FunctionName"); name != "" {
		t := parseTarget(name)
		if err := r.reachable(t); err != nil {
			return nil, err
		}
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
	return paged("EventSourceMappings", all, r), nil
}

// inUse returns the error of a change of a resource that is in transition.
func inUse(what string) error {
	return &Error{Status: http.StatusBadRequest, Code: "ResourceInUseException", Message: "Cannot " + what + " the event source mapping because it is in use."}
}

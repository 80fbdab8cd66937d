package awsdouble

import (
	"maps"
	"net/http"
	"strings"
)

// tagged returns the tags of the resource in the path, and the function if the resource is one.
func (s *Server) tagged(r *request) (map[string]string, *function, error) {
	arn := r.vars["Resource"]
	h := s.home(r.account, r.region)
	kind := strings.Split(arn, ":")[5]
	switch kind {
	case "function":
		return s.taggedFunction(r, h, arn)
	case "code-signing-config":
		if c := h.signing[arn]; c != nil {
			return c.tags, nil, nil
		}
		return nil, nil, noSigningConfig(arn)
	case "event-source-mapping":
		m, err := s.taggedMapping(h, arn)
		if err != nil {
			return nil, nil, err
		}
		return m.Tags, nil, nil
	case "capacity-provider":
		s.settleCapacity(h)
		if c := h.capacity[capacityName(arn)]; c != nil {
			return c.Tags, nil, nil
		}
		return nil, nil, noCapacity(arn)
	}
	return nil, nil, notFound("Layer not found: %s", arn)
}

func (s *Server) taggedFunction(r *request, h *home, arn string) (map[string]string, *function, error) {
	t := parseTarget(arn)
	if t.qualifier != "" {
		return nil, nil, invalidParameter("Tags on function aliases and versions are not supported. Please specify a function ARN.")
	}
	if err := r.reachable(t); err != nil {
		return nil, nil, err
	}
	f := h.functions[t.name]
	if f == nil {
		return nil, nil, notFound("Function not found: %s", arn)
	}
	s.settleAll(f)
	return f.tags, f, nil
}

// maxTags is how many tags a resource may have. AWS's own do not count.
const maxTags = 50

// checkTags rejects added tags if the resource would have too many.
func checkTags(there, added map[string]string) error {
	all := maps.Clone(there)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, added)
	maps.DeleteFunc(all, func(k, _ string) bool { return strings.HasPrefix(k, "aws:") })
	if len(all) > maxTags {
		return invalidParameter("Number of tags exceeds resource tag limit.")
	}
	return nil
}

func tagResource(s *Server, r *request) (*answer, error) {
	in := struct{ Tags map[string]string }{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	tags, f, err := s.tagged(r)
	if err != nil {
		return nil, err
	}
	if len(in.Tags) == 0 {
		return nil, invalidParameter("An error occurred and the request cannot be processed.")
	}
	if err := checkTags(tags, in.Tags); err != nil {
		return nil, err
	}
	maps.Copy(tags, in.Tags)
	return retagged(f), nil
}

func untagResource(s *Server, r *request) (*answer, error) {
	tags, f, err := s.tagged(r)
	if err != nil {
		return nil, err
	}
	keys := r.http.URL.Query()["tagKeys"]
	for _, k := range keys {
		delete(tags, k)
	}
	return retagged(f), nil
}

// retagged returns the response to a change of tags, which changes the revision.
func retagged(f *function) *answer {
	if f != nil {
		f.latest.RevisionId = newUUID()
	}
	return &answer{status: http.StatusNoContent}
}

func listTags(s *Server, r *request) (*answer, error) {
	tags, _, err := s.tagged(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, json: map[string]any{"Tags": maps.Clone(tags)}}, nil
}

package awsdouble

import (
	"net/http"
	"slices"
)

// layerPermission is AddLayerVersionPermission's input.
type layerPermission struct {
	Action, Principal, StatementId, OrganizationId string //nolint:revive // Lambda's spelling
}

// permitted returns the version that a request names, and fails if it does not exist.
func (s *Server) permitted(r *request) (*layerVersion, error) {
	v, err := s.layerVersion(r)
	if err != nil || v != nil {
		return v, err
	}
	name, err := r.layerName()
	if err != nil {
		return nil, err
	}
	return nil, notFound("Layer version %s does not exist.", s.home(r.account, r.region).arn("layer:"+name+":"+r.vars["VersionNumber"]))
}

// checkRevision rejects a change if the policy is not at the revision that the request names.
func (v *layerVersion) checkRevision(r *request) error {
	revision := r.query("RevisionId")
	if revision == "" || v.policy != nil && revision == v.policy.revision {
		return nil
	}
	return stalePolicy("GetLayerPolicy")
}

func addLayerPermission(s *Server, r *request) (*answer, error) {
	in := layerPermission{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	v, err := s.permitted(r)
	if err != nil {
		return nil, err
	}
	held := v.policy
	if held == nil {
		held = emptyPolicy()
	}
	p := permission{Action: in.Action, Principal: in.Principal, StatementId: in.StatementId, PrincipalOrgID: in.OrganizationId}
	st, err := p.statement(v.LayerVersionArn, partition(r.region))
	if err != nil {
		return nil, err
	}
	next, err := held.with(in.StatementId, st)
	if err != nil {
		return nil, err
	}
	if err := v.checkRevision(r); err != nil {
		return nil, err
	}
	v.policy = next
	return &answer{status: http.StatusCreated, json: map[string]string{"RevisionId": next.revision, "Statement": text(st)}}, nil
}

func removeLayerPermission(s *Server, r *request) (*answer, error) {
	v, err := s.permitted(r)
	if err != nil {
		return nil, err
	}
	if v.policy == nil {
		return nil, notFound("No policy is associated with the given resource.")
	}
	next, err := v.policy.without(r.vars["StatementId"])
	if err != nil {
		return nil, err
	}
	if err := v.checkRevision(r); err != nil {
		return nil, err
	}
	v.policy = next
	if len(next.Statement) == 0 {
		v.policy = nil
	}
	return &answer{status: http.StatusNoContent}, nil
}

func getLayerPolicy(s *Server, r *request) (*answer, error) {
	v, err := s.permitted(r)
	if err != nil {
		return nil, err
	}
	if v.policy == nil {
		return nil, notFound("No policy is associated with the given resource.")
	}
	return v.policy.answer(), nil
}

// LayerPolicy returns the policy of a layer version by its ARN, or "".
func (s *Server) LayerPolicy(arn string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.layerByArn(arn); v != nil && v.policy != nil {
		return text(v.policy.document)
	}
	return ""
}

// PutLayerPolicy replaces the policy of a layer version as an out-of-band update does; an empty document removes it.
// It reports whether the version exists and the policy can be parsed.
func (s *Server) PutLayerPolicy(arn, document string) bool {
	defer s.editing()()
	v := s.layerByArn(arn)
	if v == nil {
		return false
	}
	v.policy = nil
	if document == "" {
		return true
	}
	p, err := readPolicy(document, "aws")
	if err != nil {
		return false
	}
	v.policy = p
	return true
}

func (s *Server) layerByArn(arn string) *layerVersion {
	for _, h := range s.homes {
		for _, l := range h.layers {
			if i := slices.IndexFunc(l.versions, func(v *layerVersion) bool { return v.LayerVersionArn == arn }); i >= 0 {
				return l.versions[i]
			}
		}
	}
	return nil
}

package awsdouble

import "slices"

// layerPermission is AddLayerVersionPermission's input.
type layerPermission struct {
	Action, Principal, StatementId, OrganizationId string //nolint:revive // Lambda's spelling
}

// permitted returns the version that a request names, and fails if it does not exist.
func (s *Server) permitted(r *request) *layerVersion {
	if v := s.layerVersion(r); v != nil {
		return v
	}
	arn := s.home(r.account, r.region).arn("layer:" + r.layerName() + ":" + r.vars["VersionNumber"])
	panic(notFound("Layer version %s does not exist.", arn))
}

// checkRevision rejects a change if the policy is not at the revision that the request names.
func (v *layerVersion) checkRevision(r *request) {
	revision := r.query("RevisionId")
	if revision == "" || v.policy != nil && revision == v.policy.revision {
		return
	}
	panic(staleRevision("GetLayerPolicy"))
}

func addLayerPermission(s *Server, r *request) any {
	in := decoded[layerPermission](r)
	v := s.permitted(r)
	held := v.policy
	if held == nil {
		held = emptyPolicy()
	}
	p := permission{Action: in.Action, Principal: in.Principal, StatementId: in.StatementId, PrincipalOrgID: in.OrganizationId}
	st := p.statement(v.LayerVersionArn, partition(r.region))
	next := held.with(in.StatementId, st)
	v.checkRevision(r)
	v.policy = next
	return map[string]string{"RevisionId": next.revision, "Statement": text(st)}
}

func removeLayerPermission(s *Server, r *request) any {
	v := s.permitted(r)
	if v.policy == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	next := v.policy.without(r.vars["StatementId"])
	v.checkRevision(r)
	v.policy = next
	if len(next.Statement) == 0 {
		v.policy = nil
	}
	return nil
}

func getLayerPolicy(s *Server, r *request) any {
	v := s.permitted(r)
	if v.policy == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	return v.policy.answer()
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
// It reports whether the version exists.
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
	v.policy = readPolicy(document, "aws")
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

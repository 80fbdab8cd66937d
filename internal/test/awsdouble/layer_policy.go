package awsdouble

// layerPermission is AddLayerVersionPermission's input.
type layerPermission struct {
	Action, Principal, StatementId, OrganizationId string //nolint:revive // Lambda's spelling
}

// permitted returns the version that a request names, and fails if it does not exist.
func (s *Server) permitted(r *request) *layerVersion {
	if v := s.layerVersion(r); v != nil {
		return v
	}
	arn := r.home.arn("layer:" + r.layerName() + ":" + r.vars["VersionNumber"])
	panic(notFound("Layer version %s does not exist.", arn))
}

// layerPolicy returns the ARN of the version that a request names, and its policy.
func (s *Server) layerPolicy(r *request) (string, *policy) {
	arn := *s.permitted(r).LayerVersionArn
	return arn, r.home.policies[arn]
}

// checkLayerRevision rejects a change if the policy is not at the revision that the request names.
func checkLayerRevision(r *request, p *policy) {
	if revision := r.query("RevisionId"); revision != "" && (p == nil || revision != p.revision) {
		panic(staleRevision("GetLayerPolicy"))
	}
}

func addLayerPermission(s *Server, r *request) any {
	in := decoded[layerPermission](r)
	arn, held := s.layerPolicy(r)
	p := permission{
		Action: in.Action, Principal: in.Principal, StatementId: in.StatementId,
		PrincipalOrgID: in.OrganizationId,
	}
	st := p.statement(arn, partition(r.region))
	next := held.with(in.StatementId, st)
	checkLayerRevision(r, held)
	r.home.policies[arn] = next
	return map[string]string{"RevisionId": next.revision, "Statement": text(st)}
}

func removeLayerPermission(s *Server, r *request) any {
	arn, held := s.layerPolicy(r)
	if held == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	next := held.without(r.vars["StatementId"])
	checkLayerRevision(r, held)
	r.home.policies[arn] = next
	if len(next.Statement) == 0 {
		delete(r.home.policies, arn)
	}
	return nil
}

func getLayerPolicy(s *Server, r *request) any {
	_, held := s.layerPolicy(r)
	if held == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	return held.answer()
}

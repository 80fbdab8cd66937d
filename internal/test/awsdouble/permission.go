package awsdouble

import (
	"slices"
	"strconv"
)

// permission is AddPermission's input.
type permission struct {
	Action, Principal, StatementId, RevisionId string //nolint:revive // Lambda's spelling
	SourceArn, SourceAccount, EventSourceToken string
	FunctionUrlAuthType, PrincipalOrgID        string //nolint:revive // Lambda's spelling
	InvokedViaFunctionUrl                      *bool  //nolint:revive // Lambda's spelling
}

// statement returns the statement that a permission adds to the policy of a resource.
func (p *permission) statement(resource, partition string) statement {
	who := principalOf(p.Principal, partition)
	out := statement{Sid: p.StatementId, Effect: "Allow", Principal: who, Action: p.Action, Resource: resource}
	for _, c := range []struct{ operator, key, value string }{
		{"ArnLike", "AWS:SourceArn", p.SourceArn},
		{"StringEquals", "AWS:SourceAccount", p.SourceAccount},
		{"StringEquals", "lambda:EventSourceToken", p.EventSourceToken},
		{"StringEquals", "lambda:FunctionUrlAuthType", p.FunctionUrlAuthType},
		{"StringEquals", "aws:PrincipalOrgID", p.PrincipalOrgID},
	} {
		if c.value != "" {
			out.condition(c.operator, c.key, c.value)
		}
	}
	if p.InvokedViaFunctionUrl != nil {
		out.condition("Bool", "lambda:InvokedViaFunctionUrl", strconv.FormatBool(*p.InvokedViaFunctionUrl))
	}
	return out
}

func (s *statement) condition(operator, key, value string) {
	if s.Condition == nil {
		s.Condition = map[string]map[string]string{}
	}
	if s.Condition[operator] == nil {
		s.Condition[operator] = map[string]string{}
	}
	s.Condition[operator][key] = value
}

// check rejects contradictory members.
func (p *permission) check() {
	const invokeURL = "lambda:InvokeFunctionUrl"
	switch {
	case p.FunctionUrlAuthType != "" && p.Action != invokeURL:
		panic(invalidParameter("FunctionUrlAuthType is only supported for lambda:InvokeFunctionUrl action"))
	case p.FunctionUrlAuthType == "" && p.Action == invokeURL && p.Principal == "*" && p.PrincipalOrgID == "":
		panic(invalidParameter("This policy could enable public access to your lambda function as it allows all " +
			"Principals (*) to perform lambda:InvokeFunctionUrl action. You must specify lambda:FunctionUrlAuthType " +
			"condition"))
	}
}

func addPermission(s *Server, r *request) any {
	in := decoded[permission](r)
	refuseLatest(r)
	f, i := s.permitting(r)
	if in.RevisionId != "" && !r.home.isRevision(f, i.FunctionArn, in.RevisionId) {
		// This was recorded, of a function and of an alias.
		if i.FunctionArn == f.latest.FunctionArn {
			panic(staleRevision("GetFunction/GetAlias"))
		}
		panic(staleRevision("GetPolicy"))
	}
	in.check()
	st := in.statement(i.FunctionArn, partition(r.region))
	if s.removed[in.Principal] {
		panic(invalidPrincipal())
	}
	held := r.home.policies
	if r.policies != nil {
		held = r.policies
	}
	if p := held[i.FunctionArn]; p != nil && deletedEntity.MatchString(text(p.document)) {
		panic(invalidPrincipal()) // AWS checks the whole policy.
	}
	next := held[i.FunctionArn].with(in.StatementId, st)
	r.home.setPolicy(f, i.FunctionArn, next)
	return map[string]string{"Statement": text(st)}
}

func removePermission(s *Server, r *request) any {
	t := r.target()
	h := r.home
	if h.functions[t.name] == nil {
		panic(notFound("No policy found for: %s", h.arn("function:"+t.name)))
	}
	f, i := s.permitting(r)
	held := r.home.policies[i.FunctionArn]
	if held == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	next := held.without(r.vars["StatementId"])
	if revision := r.query("RevisionId"); revision != "" && !r.home.isRevision(f, i.FunctionArn, revision) {
		panic(staleRevision("GetFunction/GetAlias"))
	}
	r.home.setPolicy(f, i.FunctionArn, next)
	return nil
}

func getPolicy(s *Server, r *request) any {
	f, t := s.find(r)
	if p := r.home.policies[f.arnOf(t.qualifier)]; p != nil {
		return p.answer()
	}
	panic(notFound("The resource you requested does not exist."))
}

// permitting returns the function, and the version or alias of it, to which a request's permission applies.
func (s *Server) permitting(r *request) (*function, instance) {
	f, t := s.find(r)
	if aliasName.MatchString(t.qualifier) && f.aliases[t.qualifier] == nil {
		panic(notFound("Cannot find alias arn: %s", f.arnOf(t.qualifier)))
	}
	i := s.pick(f, t, r)
	return f, i
}

// setPolicy replaces the policy of a function, version or alias, which also changes the revision of that resource. A
// policy without statements is removed.
func (h *home) setPolicy(f *function, arn string, p *policy) {
	if p == nil || len(p.Statement) == 0 {
		delete(h.policies, arn)
	} else {
		h.policies[arn] = p
	}
	of := f.revision(arn)
	if of == nil {
		return
	}
	*of = newUUID()
	if p != nil {
		*of = p.revision
	}
}

// revision returns a pointer to the revision of a function, version or alias.
func (f *function) revision(arn string) *string {
	for _, i := range append(slices.Clone(f.versions), f.latest) {
		if i.FunctionArn == arn {
			return &i.RevisionId
		}
	}
	for _, a := range f.aliases {
		if a.AliasArn == arn {
			return &a.RevisionId
		}
	}
	return nil
}

// isRevision reports whether a revision is that of a resource or of its policy.
func (h *home) isRevision(f *function, arn, revision string) bool {
	held, of := h.policies[arn], f.revision(arn)
	return held != nil && held.revision == revision || of != nil && *of == revision
}

// refuseLatest rejects policies of $LATEST, which is the unqualified function.
func refuseLatest(r *request) {
	if r.target().qualifier == latestVersion {
		panic(invalidParameter("We currently do not support adding policies for $LATEST."))
	}
}

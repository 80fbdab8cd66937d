package awsdouble

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// Provisioned is the provisioned concurrency of a version or an alias.
type Provisioned struct {
	AllocatedProvisionedConcurrentExecutions int32
	AvailableProvisionedConcurrentExecutions *int32 `json:",omitempty"`
	// FunctionArn is returned in lists only.
	FunctionArn                              string `json:",omitempty"`
	LastModified                             string
	RequestedProvisionedConcurrentExecutions int32
	Status                                   string
	StatusReason                             string `json:",omitempty"`
}

// provisioning is a configuration with its pending result.
type provisioning struct {
	Provisioned
	completeAt time.Time
	failure    *failure
	// from is the version that still receives all calls while an alias moves to another.
	from string
	// moved is the revision of the alias after the move.
	moved string
}

const provisionInProgress = "IN_PROGRESS"

// FailProvisioning makes the next provisioned concurrency of a function end as FAILED with one of AWS's reasons,
// such as FUNCTION_ERROR_INIT_FAILURE.
func (s *Server) FailProvisioning(name, reason string) {
	s.plan(provision, name, failure{reason: reason})
}

// due reports whether a change has completed by a time.
func (p *provisioning) due(by time.Time) bool {
	return p.Status == provisionInProgress && !by.Before(p.completeAt)
}

// completeProvisioned completes the changes of a function's provisioned concurrency whose time has passed. A failure
// leaves an alias at the version from which it was to move.
func (s *Server) completeProvisioned(f *function, by time.Time) {
	for q, p := range f.provisioned {
		if !p.due(by) {
			continue
		}
		if p.failure != nil {
			p.Status, p.StatusReason = "FAILED", p.failure.reason
			p.AllocatedProvisionedConcurrentExecutions, p.AvailableProvisionedConcurrentExecutions = 0, nil
			continue
		}
		if a := f.aliases[q]; a != nil && f.served(a) != a.FunctionVersion {
			a.RoutingConfig, a.RevisionId = nil, p.moved
		}
		p.from = ""
		n := p.RequestedProvisionedConcurrentExecutions
		p.Status = "READY"
		p.AllocatedProvisionedConcurrentExecutions, p.AvailableProvisionedConcurrentExecutions = n, &n
	}
}

// moves reports whether completeProvisioned changes the routing of an alias now.
func (f *function) moves(now time.Time) bool {
	for _, p := range f.provisioned {
		if p.from != "" && p.due(now) {
			return true
		}
	}
	return false
}

// served returns the version that an alias serves, without regard to weights of its user: that from which AWS moves
// it, or its own.
func (f *function) served(a *Alias) string {
	p := f.provisioned[a.Name]
	if p != nil && p.from != "" && a.RoutingConfig != nil && a.RoutingConfig.AdditionalVersionWeights[p.from] == 1 {
		return p.from
	}
	return a.FunctionVersion
}

// moveProvisioned starts provisioning for the new version of an alias. Until it ends, the version that was served
// receives all calls, which the alias shows as a weight of its own. An alias that returns to that version has not
// moved.
func (s *Server) moveProvisioned(f *function, a *Alias, was, served string) {
	p := f.provisioned[a.Name]
	if p == nil {
		return
	}
	switch a.FunctionVersion {
	case served:
		if was != served {
			p.from, p.failure = "", nil
			p.Status, p.StatusReason, p.completeAt = provisionInProgress, "", s.options.Now()
		}
		return
	case was:
		return
	}
	p.Status, p.StatusReason, p.completeAt = provisionInProgress, "", s.options.Now().Add(s.options.ProvisionDuration)
	p.failure = s.take(provision, f.latest.FunctionName)
	if a.RoutingConfig == nil {
		p.from, p.moved = served, newUUID()
		a.RoutingConfig = &Routing{AdditionalVersionWeights: map[string]float64{served: 1}}
	}
}

func putProvisioned(s *Server, r *request) any {
	in := decoded[struct{ ProvisionedConcurrentExecutions int32 }](r)
	f, t := s.provisionable(r)
	if f.versionOf(t.qualifier) == f.latest {
		panic(invalidParameter("Provisioned Concurrency Configs cannot be applied to unpublished function versions."))
	}
	if f.latest.managed() {
		panic(invalidParameter("Provisioned Concurrency isn't supported for Lambda Managed Instance functions."))
	}
	if a := f.aliases[t.qualifier]; a != nil && a.RoutingConfig != nil {
		panic(invalidParameter("Alias with weights can not be used with Provisioned Concurrency"))
	}
	if was := f.provisioned[t.qualifier]; was != nil && was.Status == provisionInProgress {
		panic(conflict("A previous request is being processed. Please try again shortly"))
	}
	f.overlap(t.qualifier)
	r.home.affords(f, t.qualifier, in.ProvisionedConcurrentExecutions)
	p := &provisioning{
		completeAt: s.options.Now().Add(s.options.ProvisionDuration),
		failure:    s.take(provision, t.name),
	}
	p.AvailableProvisionedConcurrentExecutions = new(int32)
	if was := f.provisioned[t.qualifier]; was != nil && was.AvailableProvisionedConcurrentExecutions != nil {
		p.AllocatedProvisionedConcurrentExecutions = was.AllocatedProvisionedConcurrentExecutions
		p.AvailableProvisionedConcurrentExecutions = was.AvailableProvisionedConcurrentExecutions
	}
	p.Status, p.LastModified = provisionInProgress, s.options.Now().UTC().Format("2006-01-02T15:04:05+0000")
	p.RequestedProvisionedConcurrentExecutions = in.ProvisionedConcurrentExecutions
	f.provisioned[t.qualifier] = p
	return p.Provisioned
}

// provisionable returns the function that a request names, with its version or alias.
func (s *Server) provisionable(r *request) (*function, target) {
	f, t := s.find(r)
	if f.versionOf(t.qualifier) != nil {
		return f, t
	}
	arn := f.latest.FunctionArn + ":" + t.qualifier
	if aliasName.MatchString(t.qualifier) {
		panic(notFound("Cannot find alias arn: %s", arn))
	}
	panic(notFound("Function not found: %s", arn))
}

// provisionedFor is provisionable for operations on an existing configuration, which $LATEST never has. It returns
// the function and the target.
func (s *Server) provisionedFor(r *request) (*function, target) {
	if r.target().qualifier == latestVersion {
		panic(invalidParameter("The function resource provided must be an alias or a published version."))
	}
	return s.provisionable(r)
}

// overlap rejects provisioned concurrency of both a version and an alias of it.
func (f *function) overlap(qualifier string) {
	version := f.versionOf(qualifier).Version
	for q := range f.provisioned {
		switch v := f.versionOf(q); {
		case q == qualifier || v == nil || v.Version != version:
		case q == version:
			panic(conflict("Alias can't be used for Provisioned Concurrency configuration on an already Provisioned " +
				"version"))
		case qualifier == version:
			panic(conflict("Version is pointed by a Provisioned Concurrency alias"))
		}
	}
}

// affords rejects more executions than the account, or the function's reservation, leaves for a qualifier.
func (h *home) affords(f *function, qualifier string, n int32) {
	others := f.provisions(qualifier)
	if f.concurrency != nil {
		if others+n > *f.concurrency {
			panic(invalidParameter("Requested Provisioned Concurrency should not be greater than the " +
				"reservedConcurrentExecution for function"))
		}
		return
	}
	left := h.limits.ConcurrentExecutions - h.reserved(f) - others
	switch {
	case n > left:
		panic(untyped("Specified ConcurrentExecutions for function is greater than account's unreserved concurrency "+
			"[%d].", left))
	case left-n < h.limits.MinUnreserved:
		panic(untyped("Specified ConcurrentExecutions for function decreases account's UnreservedConcurrentExecution "+
			"below its minimum value of [%d].", h.limits.MinUnreserved))
	}
}

// untyped returns the error of an invalid parameter in a response without a Type.
func untyped(format string, args ...any) *Error {
	e := invalidParameter(format, args...)
	e.Untyped = true
	return e
}

// provisions returns the provisioned concurrency of all qualifiers of a function but one.
func (f *function) provisions(but string) int32 {
	total := int32(0)
	for q, p := range f.provisioned {
		if q != but {
			total += p.RequestedProvisionedConcurrentExecutions
		}
	}
	return total
}

func getProvisioned(s *Server, r *request) any {
	f, t := s.provisionedFor(r)
	p := f.provisioned[t.qualifier]
	if p == nil {
		panic(apiError(http.StatusNotFound, "ProvisionedConcurrencyConfigNotFoundException",
			"No Provisioned Concurrency Config found for this function"))
	}
	return p.Provisioned
}

func deleteProvisioned(s *Server, r *request) any {
	f, t := s.provisionedFor(r)
	delete(f.provisioned, t.qualifier)
	return nil
}

func listProvisioned(s *Server, r *request) any {
	f, _ := s.find(r)
	all := []Provisioned{}
	for _, q := range slices.Sorted(maps.Keys(f.provisioned)) {
		item := f.provisioned[q].Provisioned
		item.FunctionArn = f.arnOf(q)
		all = append(all, item)
	}
	return paged("ProvisionedConcurrencyConfigs", all, r)
}

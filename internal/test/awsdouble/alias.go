package awsdouble

import (
	"cmp"
	"maps"
	"slices"
)

// An Alias is an alias as Lambda returns it.
type Alias struct {
	AliasArn        string
	Description     string
	FunctionVersion string
	Name            string
	RevisionId      string   //nolint:revive // Lambda's spelling
	RoutingConfig   *Routing `json:",omitempty"`
}

// Routing is the share of the calls that goes to versions other than the alias's own, by version.
type Routing struct{ AdditionalVersionWeights map[string]float64 }

// aliasInput is the body of CreateAlias and UpdateAlias.
type aliasInput struct {
	Name            string
	Description     *string
	FunctionVersion *string
	RoutingConfig   *Routing
	RevisionId      string //nolint:revive // Lambda's spelling
}

func createAlias(s *Server, r *request) any {
	in := decoded[aliasInput](r)
	f := s.unqualified(r)
	if f.aliases[in.Name] != nil {
		panic(conflict("Alias already exists: %s", f.aliases[in.Name].AliasArn))
	}
	a := &Alias{Name: in.Name, AliasArn: f.latest.FunctionArn + ":" + in.Name}
	in.apply(f, a)
	f.aliases[in.Name] = a
	return a
}

func updateAlias(s *Server, r *request) any {
	in := decoded[aliasInput](r)
	f := s.unqualified(r)
	a := f.aliases[r.vars["Name"]]
	if a == nil {
		panic(notFound("Alias not found: %s:%s", f.latest.FunctionArn, r.vars["Name"]))
	}
	if in.RevisionId != "" && in.RevisionId != a.RevisionId {
		panic(staleRevision("GetFunction/GetAlias"))
	}
	was, served := a.FunctionVersion, f.served(a)
	keeps := in.RoutingConfig == nil && in.FunctionVersion != nil && !a.uses(*in.FunctionVersion)
	if served != was && keeps {
		panic(invalidParameter("Invalid alias configuration for Provisioned Concurrency"))
	}
	in.apply(f, a)
	s.moveProvisioned(f, a, was, served)
	return a
}

// apply validates the resulting alias, then writes it. Every update creates a new revision, even if it changes nothing.
func (in *aliasInput) apply(f *function, to *Alias) {
	a := *to
	set(in.Description, &a.Description)
	set(in.FunctionVersion, &a.FunctionVersion)
	if in.RoutingConfig != nil {
		a.RoutingConfig = nil
		if len(in.RoutingConfig.AdditionalVersionWeights) > 0 {
			a.RoutingConfig = in.RoutingConfig
		}
	}
	a.check(f)
	a.RevisionId = newUUID()
	*to = a
}

// check rejects an alias of versions that do not exist or cannot be combined.
func (a *Alias) check(f *function) {
	if !f.has(a.FunctionVersion) {
		panic(notFound("Function not found: %s:%s", f.latest.FunctionArn, a.FunctionVersion))
	}
	if a.RoutingConfig == nil {
		return
	}
	weights, own := a.RoutingConfig.AdditionalVersionWeights, f.version(a.FunctionVersion)
	if len(weights) > 1 {
		panic(invalidParameter("Number of items in AdditionalVersionWeights cannot be greater than 1"))
	}
	for version := range weights {
		switch {
		case version == a.FunctionVersion:
			panic(invalidParameter("Invalid function version %s. Function version %s is already included in routing "+
				"configuration.", version, version))
		case a.FunctionVersion == latestVersion:
			panic(invalidParameter("$LATEST is not supported for an alias pointing to more than 1 version"))
		case !f.has(version):
			panic(notFound("Function not found: %s:%s", f.latest.FunctionArn, version))
		case own != nil && own.Role != f.version(version).Role:
			panic(invalidParameter("Specified versions must be associated with the same execution role"))
		}
	}
}

// uses reports whether an alias routes calls to a version.
func (a *Alias) uses(version string) bool {
	if a.RoutingConfig != nil && a.RoutingConfig.AdditionalVersionWeights[version] > 0 {
		return true
	}
	return a.FunctionVersion == version
}

func getAlias(s *Server, r *request) any {
	f := s.unqualified(r)
	a := f.aliases[r.vars["Name"]]
	if a == nil {
		panic(notFound("Cannot find alias arn: %s:%s", f.latest.FunctionArn, r.vars["Name"]))
	}
	return a
}

// deleteAlias deletes an alias. It succeeds if the alias does not exist.
func deleteAlias(s *Server, r *request) any {
	f := s.unqualified(r)
	delete(f.aliases, r.vars["Name"])
	delete(r.home.policies, f.latest.FunctionArn+":"+r.vars["Name"])
	f.forget(r.vars["Name"])
	return nil
}

func listAliases(s *Server, r *request) any {
	f := s.unqualified(r)
	all := []Alias{}
	for _, a := range f.sortedAliases() {
		if v := r.query("FunctionVersion"); v == "" || a.uses(v) {
			all = append(all, *a)
		}
	}
	return paged("Aliases", all, r)
}

// sortedAliases returns a function's aliases by name.
func (f *function) sortedAliases() []*Alias {
	return slices.SortedFunc(maps.Values(f.aliases), func(a, b *Alias) int { return cmp.Compare(a.Name, b.Name) })
}

// aliasesOf returns the names of the aliases that route calls to a version.
func (f *function) aliasesOf(version string) []string {
	var names []string
	for _, a := range f.sortedAliases() {
		if a.uses(version) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Alias returns a copy of a function's alias, by the function's name or ARN.
func (s *Server) Alias(function, name string) (Alias, bool) {
	defer s.lock()()
	f := s.lookup(function)
	if f == nil || f.aliases[name] == nil {
		return Alias{}, false
	}
	return f.aliases[name].copied(), true
}

// EditAlias changes an alias as an out-of-band update does, with a new RevisionId. It reports whether the alias exists.
func (s *Server) EditAlias(function, name string, edit func(*Alias)) bool {
	defer s.editing()()
	f := s.lookup(function)
	if f == nil || f.aliases[name] == nil {
		return false
	}
	a := f.aliases[name].copied()
	edit(&a)
	a.RevisionId = newUUID()
	f.aliases[name] = &a
	return true
}

func (a *Alias) copied() Alias {
	c := *a
	if a.RoutingConfig != nil {
		c.RoutingConfig = &Routing{AdditionalVersionWeights: maps.Clone(a.RoutingConfig.AdditionalVersionWeights)}
	}
	return c
}

// routes returns the version that the next invocation of an alias runs. AWS chooses it at random. The double divides
// invocations exactly by the weights: of ten with a weight of 0.2, the fifth and the tenth run the additional version.
func (f *function) routes(a *Alias) string {
	if a.RoutingConfig != nil {
		for version, weight := range a.RoutingConfig.AdditionalVersionWeights {
			due := f.routed[a.Name]
			more := wholeOf(&due, weight)
			if f.routed == nil {
				f.routed = map[string]float64{}
			}
			f.routed[a.Name] = due
			if more > 0 {
				return version
			}
		}
	}
	return a.FunctionVersion
}

package awsdouble

import (
	"maps"
	"net/http"
	"time"
)

// Consistency is how late reads of Lambda show what was changed. The zero value shows
// it at once. Calls that change something always work on what there really is.
type Consistency struct {
	// Reads is how old the state is that reads show: what was created is not found for
	// so long, what was changed is as before, and what was deleted is still there.
	Reads time.Duration
	// Policies is the same for policies of functions and layers, where that is longer.
	Policies time.Duration
	// Tags is the same for tags, where that is longer.
	Tags time.Duration
	// Alternate has every second read show what there really is, beginning with the
	// first of an operation and a resource, as where one of two replicas lags.
	Alternate bool
}

func (c *Consistency) longest() time.Duration { return max(c.Reads, c.Policies, c.Tags) }

// past is what the state of an account and region was like from a time on.
type past struct {
	from  time.Time
	state *home
}

// memory is what reads are served from where they lag.
type memory struct {
	past map[string][]past
	read map[string]int
}

// SetConsistency has reads lag from now on, or no more. What there is now shows in them.
func (s *Server) SetConsistency(c Consistency) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Consistency = c
	s.memory = memory{past: map[string][]past{}, read: map[string]int{}}
	for key, h := range s.homes {
		s.memory.past[key] = []past{{state: h.clone()}}
	}
}

// remember keeps what there is now for reads that come later, and forgets what no read
// asks for any more.
func (s *Server) remember() {
	lag := s.options.Consistency.longest()
	if lag == 0 {
		return
	}
	now := s.options.Now()
	for key, h := range s.homes {
		kept := s.memory.past[key]
		kept = append(kept, past{from: now, state: h.clone()})
		for len(kept) > 1 && !kept[1].from.After(now.Add(-lag)) {
			kept = kept[1:]
		}
		s.memory.past[key] = kept
	}
}

// editing locks the double for a change by hand, and returns what ends it.
func (s *Server) editing() func() {
	s.mu.Lock()
	return func() {
		s.remember()
		s.mu.Unlock()
	}
}

// asOf is a copy of what an account had in a region at a time.
func (s *Server) asOf(account, region string, at time.Time) *home {
	found := s.newHome(account, region)
	for _, p := range s.memory.past[account+"/"+region] {
		if p.from.After(at) {
			break
		}
		found = p.state
	}
	return found.clone()
}

// serving is what a call is served from: the double itself or, for a read that lags,
// one of the same sort in which it is earlier.
func (s *Server) serving(r *request) *Server {
	c := &s.options.Consistency
	if c.longest() == 0 || r.service != serviceLambda || r.http.Method != http.MethodGet {
		return s
	}
	if c.Alternate {
		key := r.account + " " + r.region + " " + r.http.URL.String()
		s.memory.read[key]++
		if s.memory.read[key]%2 == 1 {
			return s
		}
	}
	now := s.options.Now()
	h := s.asOf(r.account, r.region, now.Add(-c.Reads))
	if c.Policies > c.Reads {
		h.takePolicies(s.asOf(r.account, r.region, now.Add(-c.Policies)))
	}
	if c.Tags > c.Reads {
		h.takeTags(s.asOf(r.account, r.region, now.Add(-c.Tags)))
	}
	earlier := New(s.options)
	earlier.options.Consistency = Consistency{}
	earlier.options.Now = func() time.Time { return now.Add(-c.Reads) }
	earlier.http, earlier.resources, earlier.homes = s.http, s.resources, map[string]*home{r.account + "/" + r.region: h}
	return earlier
}

// takePolicies has a state show the policies of an earlier one.
func (h *home) takePolicies(earlier *home) {
	for name, f := range h.functions {
		f.policies = map[string]*policy{}
		if was := earlier.functions[name]; was != nil {
			f.policies = was.policies
		}
	}
	for name, l := range h.layers {
		for _, v := range l.versions {
			v.policy = nil
			if was := earlier.layerVersion(name, v.Version); was != nil {
				v.policy = was.policy
			}
		}
	}
}

// takeTags has a state show the tags of an earlier one.
func (h *home) takeTags(earlier *home) {
	for name, f := range h.functions {
		f.tags = map[string]string{}
		if was := earlier.functions[name]; was != nil {
			f.tags = was.tags
		}
	}
	for arn, c := range h.signing {
		c.tags = map[string]string{}
		if was := earlier.signing[arn]; was != nil {
			c.tags = was.tags
		}
	}
	for id, m := range h.mappings {
		m.Tags = map[string]string{}
		if was := earlier.mappings[id]; was != nil {
			m.Tags = was.Tags
		}
	}
	for name, c := range h.capacity {
		c.Tags = map[string]string{}
		if was := earlier.capacity[name]; was != nil {
			c.Tags = was.Tags
		}
	}
}

// clone copies all that a call may change. What is only ever replaced is shared.
func (h *home) clone() *home {
	c := *h
	c.functions, c.signing, c.layers = map[string]*function{}, map[string]*signingConfig{}, map[string]*layer{}
	c.mappings, c.capacity = map[string]*mapping{}, map[string]*capacity{}
	for name, f := range h.functions {
		c.functions[name] = f.clone()
	}
	for arn, s := range h.signing {
		copied := *s
		copied.tags = maps.Clone(s.tags)
		c.signing[arn] = &copied
	}
	for name, l := range h.layers {
		copied := &layer{last: l.last, versions: copies(l.versions)}
		c.layers[name] = copied
	}
	for id, m := range h.mappings {
		copied := *m
		copied.Tags = maps.Clone(m.Tags)
		c.mappings[id] = &copied
	}
	for name, p := range h.capacity {
		copied := *p
		copied.Tags = maps.Clone(p.Tags)
		c.capacity[name] = &copied
	}
	return &c
}

func (f *function) clone() *function {
	c := *f
	latest := *f.latest
	c.latest, c.versions = &latest, copies(f.versions)
	if f.latestPublished != nil {
		published := *f.latestPublished
		c.latestPublished = &published
	}
	c.aliases = map[string]*Alias{}
	for name, a := range f.aliases {
		copied := a.copied()
		c.aliases[name] = &copied
	}
	c.tags, c.scaling, c.policies, c.executions = maps.Clone(f.tags), maps.Clone(f.scaling), maps.Clone(f.policies), maps.Clone(f.executions)
	c.configs = configs{
		urls: copiesOf(f.urls), events: copiesOf(f.events), provisioned: copiesOf(f.provisioned), runtimes: maps.Clone(f.runtimes),
	}
	return &c
}

// copies are pointers to copies of what a list points to.
func copies[T any](list []*T) []*T {
	out := make([]*T, 0, len(list))
	for _, p := range list {
		c := *p
		out = append(out, &c)
	}
	return out
}

// copiesOf is copies for a map.
func copiesOf[T any](m map[string]*T) map[string]*T {
	out := make(map[string]*T, len(m))
	for k, p := range m {
		c := *p
		out[k] = &c
	}
	return out
}

package awsdouble

import (
	"maps"
	"net/http"
	"time"
)

// Consistency delays what reads of Lambda return. With the zero value reads are strongly consistent. Calls that
// change something always see the current state.
type Consistency struct {
	// Reads is the age of the state that reads return: for that long, what was created is not found, what was changed
	// has its old value, and what was deleted still exists.
	Reads time.Duration
	// Tags is the same for tags, if it is longer.
	Tags time.Duration
	// Alternate returns the current state to every second read, beginning with the first of an operation and a
	// resource, as if one of two replicas lags.
	Alternate bool
}

func (c *Consistency) longest() time.Duration { return max(c.Reads, c.Tags) }

// past is the state of an account and region from a time on.
type past struct {
	from  time.Time
	state *home
}

// memory holds the past states that delayed reads return.
type memory struct {
	past map[string][]past
	read map[string]int
}

// SetConsistency changes the delay of reads. The current state is visible to them.
func (s *Server) SetConsistency(c Consistency) {
	defer s.lock()()
	s.options.Consistency = c
	s.memory = memory{past: map[string][]past{}, read: map[string]int{}}
	for key, h := range s.homes {
		s.memory.past[key] = []past{{state: h.clone()}}
	}
}

// remember stores the current state for later reads, and drops the states that no read returns any more.
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

// editing locks the double for an out-of-band change, and returns the function that unlocks it.
func (s *Server) editing() func() {
	s.mu.Lock()
	s.advanceTraffic()
	return func() {
		s.remember()
		s.mu.Unlock()
	}
}

// asOf returns a copy of the state of an account and region at a time.
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

// serving returns the server that handles a call: the double itself or, for a delayed read, a copy with an earlier
// state.
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
	if c.Tags > c.Reads {
		h.tags = s.asOf(r.account, r.region, now.Add(-c.Tags)).tags
	}
	earlier := New(s.options)
	earlier.options.Consistency = Consistency{}
	earlier.options.Now = func() time.Time { return now.Add(-c.Reads) }
	earlier.http, earlier.removed = s.http, s.removed
	earlier.homes = map[string]*home{r.account + "/" + r.region: h}
	return earlier
}

// clone returns a copy of what a call may change. What is only ever replaced is shared.
func (h *home) clone() *home {
	c := *h
	c.functions, c.layers = map[string]*function{}, map[string]*layer{}
	c.signing, c.mappings, c.capacity = copiesOf(h.signing), copiesOf(h.mappings), copiesOf(h.capacity)
	c.tags, c.policies = maps.Clone(h.tags), maps.Clone(h.policies)
	for name, f := range h.functions {
		c.functions[name] = f.clone()
	}
	for name, l := range h.layers {
		c.layers[name] = &layer{last: l.last, versions: copies(l.versions)}
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
	c.scaling, c.executions = maps.Clone(f.scaling), maps.Clone(f.executions)
	c.configs = configs{
		urls: copiesOf(f.urls), events: copiesOf(f.events), provisioned: copiesOf(f.provisioned),
		runtimes: maps.Clone(f.runtimes),
	}
	return &c
}

// copies returns pointers to copies of a list's elements.
func copies[T any](list []*T) []*T {
	out := make([]*T, 0, len(list))
	for _, p := range list {
		c := *p
		out = append(out, &c)
	}
	return out
}

// copiesOf returns a map of pointers to copies of a map's values.
func copiesOf[T any](m map[string]*T) map[string]*T {
	out := make(map[string]*T, len(m))
	for k, p := range m {
		c := *p
		out[k] = &c
	}
	return out
}

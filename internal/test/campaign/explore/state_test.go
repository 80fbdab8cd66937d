package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// epoch is the time of the clock, which is stopped: instead, all times in a state move
// back.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	// maxAge is how long ago the times of an object may be. The reconciler does the same
	// with older ones, as long as their order is the same.
	maxAge = 30 * time.Minute

	// maxTransition is how long ago the Ready condition may have changed, likewise.
	maxTransition = time.Minute
)

// A state is all that outlives a transition. Its pointers are shared by all states with
// the same values, so that equal states are equal values.
type state struct {
	object version
	cache  [2]version
	memory [2]*memory

	// written and stale are the memory of the processes' clients.
	written [2]int8
	stale   [2]bool

	// due is in how many seconds a leader reconciles next.
	due [2]int32

	aws         aws
	incarnation int8

	// faults and changes are how many may follow.
	faults, changes int8
}

// pool has the objects and memories of all states, each once.
type pool struct {
	mu       sync.Mutex
	objects  map[string]*resource
	memories map[string]*memory
	later    map[*resource]map[int32]*resource
	laterM   map[*memory]map[int32]*memory
}

func newPool() *pool {
	return &pool{
		objects: map[string]*resource{}, memories: map[string]*memory{},
		later: map[*resource]map[int32]*resource{}, laterM: map[*memory]map[int32]*memory{},
	}
}

// object returns the pooled object that is equal to the given one in all that counts.
func (p *pool) object(mg *resource) *resource {
	if mg == nil {
		return nil
	}
	text := describeObject(mg)
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.objects[text]; ok {
		return known
	}
	p.objects[text] = mg
	return mg
}

func (p *pool) memory(m memory) *memory {
	if !m.record.IsValid() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.memories[m.text]; ok {
		return known
	}
	p.memories[m.text] = &m
	return &m
}

// objectLater returns an object so many seconds later.
func (p *pool) objectLater(mg *resource, seconds int32) *resource {
	if mg == nil || seconds == 0 {
		return mg
	}
	p.mu.Lock()
	known := p.later[mg][seconds]
	p.mu.Unlock()
	if known != nil {
		return known
	}
	out := p.object(later(mg, time.Duration(seconds)*time.Second))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.later[mg] == nil {
		p.later[mg] = map[int32]*resource{}
	}
	p.later[mg][seconds] = out
	return out
}

// memoryLater returns a memory so many seconds later.
func (p *pool) memoryLater(m *memory, seconds int32) *memory {
	if m == nil || seconds == 0 {
		return m
	}
	p.mu.Lock()
	known := p.laterM[m][seconds]
	p.mu.Unlock()
	if known != nil {
		return known
	}
	out := p.memory(memoryAt(*m, time.Duration(seconds)*time.Second))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.laterM[m] == nil {
		p.laterM[m] = map[int32]*memory{}
	}
	p.laterM[m][seconds] = out
	return out
}

// pass returns a state so many seconds later.
func (p *pool) pass(s state, seconds int32) state {
	if seconds == 0 {
		return s
	}
	s.object.object = p.objectLater(s.object.object, seconds)
	for l := range s.cache {
		s.cache[l].object = p.objectLater(s.cache[l].object, seconds)
		s.memory[l] = p.memoryLater(s.memory[l], seconds)
		s.due[l] = max(s.due[l]-seconds, 0)
	}
	s.aws.pass(seconds)
	return s
}

// renumbered returns the state with the lowest possible numbers for its versions.
func renumbered(s state) state {
	all := []int8{s.object.rv, s.cache[0].rv, s.cache[1].rv, s.written[0], s.written[1]}
	slices.Sort(all)
	all = slices.Compact(all)
	if all[0] == 0 {
		all = all[1:]
	}
	rank := func(n *int8) {
		if i, ok := slices.BinarySearch(all, *n); ok {
			*n = int8(i + 1) //nolint:gosec // There are five at most.
		}
	}
	for _, n := range []*int8{&s.object.rv, &s.cache[0].rv, &s.cache[1].rv, &s.written[0], &s.written[1]} {
		rank(n)
	}
	return s
}

// last returns the highest version of a state.
func (s state) last() int8 {
	return max(s.object.rv, s.cache[0].rv, s.cache[1].rv, s.written[0], s.written[1])
}

// timed are the annotations that have a time as the value or after a slash.
var timed = []string{
	meta.AnnotationKeyExternalCreatePending, meta.AnnotationKeyExternalCreateSucceeded,
	meta.AnnotationKeyExternalCreateFailed,
	v1beta1.AnnotationUnanswered,
}

// splitTime splits the value of an annotation into a time and what precedes it.
func splitTime(v string) (prefix string, t time.Time, ok bool) {
	i := strings.LastIndexByte(v, '/') + 1
	t, err := time.Parse(time.RFC3339, v[i:])
	return v[:i], t, err == nil
}

// later returns an object the given time later. Times beyond the maximum age are set to
// one second more than that, two seconds and so on, so that their order stays.
func later(mg *resource, by time.Duration) *resource {
	out := mg.DeepCopyObject().(*resource) //nolint:forcetypeassert // A copy has the type of its original.
	out.SetResourceVersion("")
	out.SetManagedFields(nil)
	aged := ages(out, by)
	for _, k := range timed {
		if prefix, t, ok := splitTime(out.Annotations[k]); ok {
			out.Annotations[k] = prefix + aged(t).Format(time.RFC3339)
		}
	}
	out.CreationTimestamp.Time = aged(out.CreationTimestamp.Time)
	if d := out.DeletionTimestamp; d != nil {
		out.DeletionTimestamp = &metav1.Time{Time: aged(d.Time)}
	}
	for i := range out.Status.Conditions {
		c := &out.Status.Conditions[i]
		if c.Type == xpv2.TypeReady {
			c.LastTransitionTime.Time = bounded(c.LastTransitionTime.Time, by, maxTransition)
		} else {
			c.LastTransitionTime.Time = epoch
		}
	}
	return out
}

// ages returns the function by which the times of an object move back.
func ages(mg *resource, by time.Duration) func(time.Time) time.Time {
	all := []time.Time{mg.CreationTimestamp.Time}
	if d := mg.DeletionTimestamp; d != nil {
		all = append(all, d.Time)
	}
	for _, k := range timed {
		if _, t, ok := splitTime(mg.Annotations[k]); ok {
			all = append(all, t)
		}
	}
	oldest := epoch.Add(-maxAge)
	all = slices.DeleteFunc(all, func(t time.Time) bool { return !t.Add(-by).Before(oldest) })
	slices.SortFunc(all, func(a, b time.Time) int { return b.Compare(a) })
	all = slices.CompactFunc(all, time.Time.Equal)
	return func(t time.Time) time.Time {
		for i, old := range all {
			if old.Equal(t) {
				return oldest.Add(-time.Duration(i+1) * time.Second)
			}
		}
		return t.Add(-by).UTC()
	}
}

// describeObject returns a text of an object that is the same for equal ones.
func describeObject(mg *resource) string {
	b := make([]byte, 0, 1024)
	text := func(parts ...string) {
		for _, s := range parts {
			b = strconv.AppendInt(b, int64(len(s)), 36)
			b = append(b, ':')
			b = append(b, s...)
		}
	}
	num := func(n int64) { b = append(strconv.AppendInt(b, n, 36), ' ') }
	text(string(mg.UID), mg.Spec.Value, mg.Spec.Secret, mg.Status.Value, mg.Status.Phase, mg.Status.Message)
	num(mg.Generation)
	num(mg.CreationTimestamp.Unix())
	if d := mg.DeletionTimestamp; d != nil {
		num(d.Unix())
	}
	text(mg.Finalizers...)
	for _, k := range slices.Sorted(maps.Keys(mg.Annotations)) {
		text(k, mg.Annotations[k])
	}
	num(mg.Status.ObservedGeneration)
	conditions := slices.Clone(mg.Status.Conditions)
	slices.SortFunc(conditions, func(a, b xpv2.Condition) int { return cmp.Compare(a.Type, b.Type) })
	for _, c := range conditions {
		text(string(c.Type), string(c.Status), string(c.Reason), c.Message)
		num(c.ObservedGeneration)
		num(c.LastTransitionTime.Unix())
	}
	return string(b)
}

// String returns a state as a trace shows it.
func (s state) String() string {
	var b strings.Builder
	if mg := s.object.object; mg == nil {
		b.WriteString("object: none")
	} else {
		_, _ = fmt.Fprintf(&b, "object v%d: %s", s.object.rv, summary(mg))
	}
	for l := range s.cache {
		if s.cache[l].rv != s.object.rv {
			_, _ = fmt.Fprintf(&b, "\n      cache of leader %d: v%d", l+1, s.cache[l].rv)
		}
	}
	_, _ = fmt.Fprintf(&b, "\n      AWS: %v", slices.DeleteFunc(s.aws.now[:], func(i item) bool { return i.id == 0 }))
	if s.aws.late() {
		_, _ = fmt.Fprintf(&b, ", may still show %v",
			slices.DeleteFunc(s.aws.before[:], func(i item) bool { return i.id == 0 }))
	}
	return b.String()
}

func summary(mg *resource) string {
	var parts []string
	parts = append(parts, string(mg.UID), fmt.Sprintf("generation %d", mg.Generation), mg.Spec.Value, mg.Spec.Secret)
	if mg.DeletionTimestamp != nil {
		parts = append(parts, "being deleted")
	}
	for _, k := range slices.Sorted(maps.Keys(mg.Annotations)) {
		v := mg.Annotations[k]
		if prefix, t, ok := splitTime(v); ok {
			v = prefix + epoch.Sub(t).String() + " ago"
		}
		parts = append(parts, k[strings.LastIndexByte(k, '/')+1:]+"="+v)
	}
	for _, c := range mg.Status.Conditions {
		parts = append(parts, fmt.Sprintf("%s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(parts, ", ")
}

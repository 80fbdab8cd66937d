package eventsourcemapping

import (
	"fmt"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// described are the mappings that AWS has, by batch size, window and tags.
func (e *env) described() []string {
	var out []string
	for _, m := range e.Double.Mappings() {
		out = append(out, fmt.Sprintf("%d %d %s %s", m.BatchSize, *m.MaximumBatchingWindowInSeconds, m.Tags["team"], m.Tags["crossplane-uid"]))
	}
	return out
}

// A creation whose answer is lost is looked for until AWS shows it and its tags.
func TestLateAndLost(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.EventSourceMapping] {
		t.Helper()
		e := newEnv(t)
		m := testMapping(func(m *v1beta1.EventSourceMapping) {
			m.Spec.ForProvider.Tags, m.Spec.ForProvider.MaximumBatchingWindowInSeconds = map[string]string{"team": "a"}, ptr.To[int32](7)
		})
		return steptest.Life[*v1beta1.EventSourceMapping]{
			Env: e.Env, Resource: m, Create: opCreate, Delete: opDelete, Lost: true,
			Edit:    func() { edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.BatchSize = ptr.To[int32](5) }) },
			There:   e.described,
			Created: []string{"10 7 a uid-1"}, Edited: []string{"5 7 a uid-1"},
		}
	})
}

// However late AWS shows it and its tags, there is one mapping, and none after the
// deletion. It can't be told from a second one by a conflict where AWS names it itself.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.EventSourceMapping] {
		t.Helper()
		e := newEnv(t)
		m := testMapping(func(m *v1beta1.EventSourceMapping) {
			m.Spec.ForProvider.Tags = map[string]string{"team": "a"}
			m.Spec.InitProvider = &v1beta1.EventSourceMappingSettings{MaximumBatchingWindowInSeconds: ptr.To[int32](7)}
		})
		return steptest.Life[*v1beta1.EventSourceMapping]{
			Env: e.Env, Resource: m, Create: opCreate, Delete: opDelete,
			Edit: func() {
				edit(m, func(p *v1beta1.EventSourceMappingParameters) {
					p.BatchSize, p.Tags = ptr.To[int32](5), map[string]string{"team": "b"}
				})
			},
			There:   e.described,
			Created: []string{"10 7 a uid-1"}, Edited: []string{"5 7 b uid-1"},
		}
	})
}

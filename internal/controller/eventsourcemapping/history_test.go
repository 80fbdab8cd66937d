package eventsourcemapping

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that one mapping is left, that of spec, and none after the deletion, while that of someone
// else stays as it is.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.EventSourceMapping] {
		t.Helper()
		e, g, source := newEnv(t), generator{draw}, testQueue
		theirs := &lambda.CreateEventSourceMappingInput{FunctionName: ptr.To("h"), EventSourceArn: &source}
		m := testMapping(func(m *v1beta1.EventSourceMapping) {
			m.Spec.ForProvider.Enabled, m.Spec.ForProvider.BatchSize = ptr.To(true), ptr.To[int32](10)
		})
		p := &m.Spec.ForProvider
		p.EventSourceArn, p.KMSKeyArn = &source, ptr.To("")
		if g.maybe() {
			source, theirs.StartingPosition = testStream, "LATEST"
			p.StartingPosition, p.MaximumRetryAttempts = ptr.To("LATEST"), ptr.To[int32](-1)
		}
		e.AddFunction("h")
		_, err := e.Lambda.CreateEventSourceMapping(e.Context(), theirs)
		e.Must(err)
		e.Advance(time.Minute)
		foreign := testenv.JSON(e.only())
		h := &testenv.History[*v1beta1.EventSourceMapping]{
			Env: e.Env, Draw: draw, Resource: m, Restart: e.restart,
			Calls: []string{opGet, opCreate, opUpdate, opDelete, opList, opTags, tagging.OpTag, tagging.OpUntag},
		}
		changed := func() string {
			s := v1beta1.EventSourceMappingSettings{Enabled: ptr.To(g.maybe()), BatchSize: ptr.To(pick[int32](g, 1, 5))}
			if g.maybe() {
				f := v1beta1.Filter{Pattern: pick(g, `{"a":["1"]}`, `{"b":["1"]}`)}
				s.FilterCriteria = &v1beta1.FilterCriteria{Filters: []v1beta1.Filter{f}}
			}
			s.KMSKeyArn = ptr.To(pick(g, "", testKey+"a", testKey+"b"))
			if source == testStream {
				s.MaximumRetryAttempts = ptr.To(pick[int32](g, -1, 0, 3))
			}
			if source == testStream && g.maybe() {
				to := v1beta1.EventSourceMappingOnFailure{Destination: ptr.To(testQueue + pick(g, "1", "2"))}
				s.DestinationConfig = &v1beta1.EventSourceMappingDestinationConfig{OnFailure: to}
			}
			if s.Tags = p.Tags; g.maybe() {
				s.Tags = map[string]string{pick(g, "a", "b"): pick(g, "1", "2")}
			}
			p.EventSourceMappingSettings, p.FunctionName = s, ptr.To(pick(g, "f", "g"))
			return "spec " + testenv.JSON(p)
		}
		byHand := func(change func(uuid string) string) func() string {
			return h.ByHand(func() string {
				if all := e.Double.Mappings(); len(all) > 1 {
					return "someone " + change(*all[1].UUID)
				}
				return "nothing"
			})
		}
		h.Changes = []func() string{
			changed, changed, changed,
			byHand(func(uuid string) string {
				e.Double.EditMapping(uuid, func(m *awsdouble.Mapping) {
					m.BatchSize, m.Tags["a"] = ptr.To[int32](7), "3"
					m.State = ptr.To(pick(g, stateEnabled, stateDisabled))
				})
				return "changes it"
			}),
			byHand(func(uuid string) string {
				_, err := e.Lambda.DeleteEventSourceMapping(
					e.Context(), &lambda.DeleteEventSourceMappingInput{UUID: &uuid},
				)
				return fmt.Sprint("deletes it: ", err)
			}),
			byHand(func(uuid string) string {
				e.Double.DisableMapping(uuid, pick(g, "EVENT_SOURCE_AUTHZ_ERROR", "Function not found"), "PROBLEM: x")
				return "is AWS, which disables it"
			}),
			func() string {
				if e.Double.SetPolicy(); g.maybe() {
					e.Double.SetPolicy(awsdouble.Allow{Actions: []string{"lambda:*"}, Resources: []string{"*"}})
					return "filters cannot be decrypted"
				}
				return "filters can be decrypted"
			},
		}
		h.End = func() {
			all := e.Double.Mappings()
			if len(all) != 2 || testenv.JSON(all[0]) != foreign {
				t.Fatalf("there are %s, want one beside that of someone else, %s", testenv.JSON(all), foreign)
			}
			if diff := cmp.Diff(specText(p), mappingText(all[1])); diff != "" {
				t.Errorf("the mapping: -want, +got:\n%s", diff)
			}
		}
		h.Gone = func() {
			if got := testenv.JSON(e.only()); got != foreign {
				t.Errorf("the mapping of someone else was %s and is %s", foreign, got)
			}
		}
		return h
	})
}

// specText returns what a spec asks for.
func specText(p *v1beta1.EventSourceMappingParameters) string {
	state := stateDisabled
	if *p.Enabled {
		state = stateEnabled
	}
	destination := ptr.Deref(p.DestinationConfig, v1beta1.EventSourceMappingDestinationConfig{}).OnFailure.Destination
	filters := append([]string{}, fromSpec(p.EventSourceMappingSettings).FilterCriteria...)
	return fmt.Sprintln(*p.FunctionName, state, *p.BatchSize, testenv.JSON(filters),
		ptr.Deref(p.KMSKeyArn, ""), ptr.Deref(p.MaximumRetryAttempts, 0), ptr.Deref(destination, ""), p.Tags)
}

// mappingText returns the same about a mapping in AWS.
func mappingText(m awsdouble.Mapping) string {
	destination := ""
	if d := m.DestinationConfig; d != nil && d.OnFailure != nil {
		destination = ptr.Deref(d.OnFailure.Destination, "")
	}
	maps.DeleteFunc(m.Tags, func(key, _ string) bool { return len(key) > 1 })
	return fmt.Sprintln((*m.FunctionArn)[strings.LastIndex(*m.FunctionArn, ":")+1:], *m.State, *m.BatchSize,
		testenv.JSON(patternsOf(m.FilterCriteria)), ptr.Deref(m.KMSKeyArn, ""),
		ptr.Deref(m.MaximumRetryAttempts, 0), destination, m.Tags)
}

package eventsourcemapping

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	smithydocument "github.com/aws/smithy-go/document"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestUnreadableFiltersAreSent checks that filter criteria which can't be read are sent after a change of spec, even
// if that can't be done in the first reconcile.
func TestUnreadableFiltersAreSent(t *testing.T) {
	const want = `{"body":{"a":["c"]}}`
	for name, delay := range map[string]func(*env, *v1beta1.EventSourceMapping){
		"AtOnce": func(*env, *v1beta1.EventSourceMapping) {},
		"InTransition": func(e *env, _ *v1beta1.EventSourceMapping) {
			e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) { a.State = ptr.To(stateUpdating) })
		},
		"TagsFirst": func(_ *env, m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.Tags = map[string]string{"team": "a"} },
		"Restarted": func(e *env, _ *v1beta1.EventSourceMapping) {
			e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) { a.State = ptr.To(stateUpdating) })
			e.restart()
		},
		"Refused": func(e *env, _ *v1beta1.EventSourceMapping) {
			e.Double.Fail(awsdouble.Fault{Operation: opUpdate, Times: 1, Error: awsdouble.Error{Status: http.StatusInternalServerError, Code: "ServiceException"}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			filter := func(pattern string) *v1beta1.FilterCriteria {
				return &v1beta1.FilterCriteria{Filters: []v1beta1.Filter{{Pattern: pattern}}}
			}
			m := testMapping(func(m *v1beta1.EventSourceMapping) {
				p := &m.Spec.ForProvider
				p.KMSKeyArn, p.FilterCriteria = ptr.To(testKey+"a"), filter(`{"body":{"a":["b"]}}`)
			})
			e.Double.SetPolicy(awsdouble.Allow{Actions: []string{"lambda:*"}, Resources: []string{"*"}})
			e.Converge(m)
			edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.FilterCriteria = filter(want) })
			delay(e, m)
			_, _ = e.Step(m)
			e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) {
				if *a.State == stateUpdating {
					a.State = ptr.To(stateEnabled)
				}
			})
			for range 5 {
				if _, err := e.Step(m); err != nil {
					t.Fatal(err)
				}
				e.Advance(2 * time.Second)
			}
			if got := e.only(); *got.FilterCriteria.Filters[0].Pattern != want {
				t.Errorf("AWS has %s", *got.FilterCriteria.Filters[0].Pattern)
			}
			e.Double.ResetCalls()
			for range 5 {
				if done, err := e.Step(m); err != nil || !done {
					t.Fatalf("%t, %v", done, err)
				}
				e.Advance(2 * time.Second)
			}
			if got := testenv.Writes(e.Operations()); len(got) > 0 {
				t.Errorf("sent again: %v", got)
			}
		})
	}
}

// TestUnreadableFiltersOfANewMapping checks that filter criteria which can't be read are sent if the user changes them
// before the new mapping is observed.
func TestUnreadableFiltersOfANewMapping(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		p := &m.Spec.ForProvider
		p.KMSKeyArn, p.FilterCriteria = ptr.To(
			testKey+"a",
		), &v1beta1.FilterCriteria{
			Filters: []v1beta1.Filter{{Pattern: `{"body":{"a":["b"]}}`}},
		}
	})
	e.Double.SetPolicy(awsdouble.Allow{Actions: []string{"lambda:*"}, Resources: []string{"*"}})
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	edit(m, func(p *v1beta1.EventSourceMappingParameters) {
		p.FilterCriteria.Filters[0].Pattern = `{"body":{"a":["c"]}}`
	})
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := *e.only().FilterCriteria.Filters[0].Pattern; got != `{"body":{"a":["c"]}}` {
		t.Errorf("AWS has %s", got)
	}
}

// patternsOf returns the patterns of filter criteria in AWS.
func patternsOf(c *types.FilterCriteria) []string {
	out := []string{}
	for _, f := range ptr.Deref(c, types.FilterCriteria{}).Filters {
		out = append(out, canonical(ptr.Deref(f.Pattern, "")))
	}
	return out
}

// TestUnreadableFiltersOfAnImport checks that filter criteria which can't be read are sent to a mapping that is
// imported, although its tags are set first.
func TestUnreadableFiltersOfAnImport(t *testing.T) {
	for name, want := range map[string]*v1beta1.FilterCriteria{
		"Others": {Filters: []v1beta1.Filter{{Pattern: `{"body":{"a":["c"]}}`}}},
		"None":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			out, err := e.Lambda.CreateEventSourceMapping(t.Context(), &lambda.CreateEventSourceMappingInput{
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(testQueue),
				KMSKeyArn:      ptr.To(testKey + "a"),
				FilterCriteria: &types.FilterCriteria{
					Filters: []types.Filter{{Pattern: ptr.To(`{"body":{"a":["b"]}}`)}},
				},
			})
			e.Must(err)
			e.Advance(time.Minute)
			e.Double.SetPolicy(awsdouble.Allow{Actions: []string{"lambda:*"}, Resources: []string{"*"}})
			m := testMapping(func(m *v1beta1.EventSourceMapping) {
				m.Spec.ForProvider.FilterCriteria = want
				meta.SetExternalName(m, *out.UUID)
			})
			if diff := cmp.Diff([]string{"TagResource", opUpdate}, e.Converge(m)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(want, criteria(patternsOf(e.only().FilterCriteria))); diff != "" {
				t.Errorf("filters in AWS: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(want, m.Status.AtProvider.FilterCriteria); diff != "" {
				t.Errorf("filters in status: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestUnreadableFiltersOfInitProvider checks that filter criteria which can't be read, and which only initProvider
// sets, are left alone after the creation.
func TestUnreadableFiltersOfInitProvider(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.KMSKeyArn = ptr.To(testKey + "a")
		m.Spec.InitProvider = &v1beta1.EventSourceMappingSettings{
			FilterCriteria: &v1beta1.FilterCriteria{Filters: []v1beta1.Filter{{Pattern: `{"body":{"a":["b"]}}`}}},
		}
	})
	e.Double.SetPolicy(awsdouble.Allow{Actions: []string{"lambda:*"}, Resources: []string{"*"}})
	e.Converge(m)
	others := &types.FilterCriteria{Filters: []types.Filter{{Pattern: ptr.To(`{"body":{"a":["c"]}}`)}}}
	e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) { a.FilterCriteria = others })
	edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.BatchSize = ptr.To[int32](5) })
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := e.only(); *got.BatchSize != 5 ||
		!cmp.Equal(got.FilterCriteria, others, cmpopts.IgnoreTypes(smithydocument.NoSerde{})) {
		t.Errorf("AWS has the batch size %d and the filters %+v", *got.BatchSize, got.FilterCriteria)
	}
}

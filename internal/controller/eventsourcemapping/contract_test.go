package eventsourcemapping

import (
	"fmt"
	"net/http"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.EventSourceMapping], *v1beta1.EventSourceMapping) {
	t.Helper()
	return newEnv(t).Env, testMapping()
}

// FuzzReconcile checks the contract of a reconcile for any answers of AWS and any spec.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "eventsourcemappings", newCase) }

// TestEmulatorResponses checks that unusual or missing answers of an emulator are reported, and do
// not lead to a second mapping.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	const ofFunction = "arn:aws:lambda:eu-central-1:123456789012:function:f:event-source-mapping/1"
	testenv.RunEmulatorCases(t, newCase, testenv.TagAnswers(opCreate), map[string]testenv.EmulatorCase{
		"EmptyCreate": {
			Reason:    "What was created is found by its tags.",
			Responses: answers{opCreate: testenv.Body("{}")},
			Writes:    []string{opCreate},
		},
		"NullCreate": {
			Reason:    "After a response of null, the mapping is found by its tags.",
			Responses: answers{opCreate: testenv.Body("null")},
			Writes:    []string{opCreate},
		},
		"NoARN": {
			Reason: "Without an ARN, tags cannot be read, which does not mean that there are none.",
			Responses: answers{
				opCreate: testenv.Without("EventSourceMappingArn"),
				opGet:    testenv.Without("EventSourceMappingArn"),
			},
			Writes:  []string{opCreate},
			Message: tagging.NotReturned,
		},
		"FunctionARN": {
			Reason: "By an ARN of the function, its tags would be read and set.", Responses: answers{
				opCreate: testenv.With("EventSourceMappingArn", ofFunction),
				opGet:    testenv.With("EventSourceMappingArn", ofFunction),
				opTags:   func(int, []byte) (int, []byte) { return http.StatusOK, []byte(`{"Tags":{}}`) },
			},
			Writes: []string{opCreate}, Message: tagging.NotReturned,
		},
		"NotShown": {
			Reason:    "What AWS does not show is waited for.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    []string{opCreate},
			Message:   "has not appeared since",
		},
		"NothingListed": {
			Reason:    "What has no name and is not listed is not created again.",
			Responses: answers{opCreate: testenv.Body("{}"), opList: testenv.Body("{}")},
			Writes:    []string{opCreate},
			Message:   "has not appeared since",
		},
		"Doubt": {
			Reason:    "Without ARNs, the created mapping cannot be identified.",
			Responses: answers{opCreate: testenv.Body("{}"), opList: testenv.Without("EventSourceMappingArn")},
			Writes:    []string{opCreate},
			Message:   "cannot tell whether this resource created event source mapping ",
		},
		"NoState": {
			Reason:    "A missing state is reported.",
			Responses: answers{opGet: testenv.Without("State")},
			Writes:    []string{opCreate},
			Message:   "does not return a state",
		},
		"EmptyGet": {
			Reason:    "Of an empty response, only the missing state is reported.",
			Responses: answers{opGet: testenv.Body("{}")},
			Writes:    []string{opCreate},
			Message:   "does not return a state",
		},
		"Bare": {
			Reason: "Fields that AWS leaves out count as equal to the desired ones.",
			Responses: answers{
				opGet: testenv.Without(
					"FunctionArn",
					"EventSourceArn",
					"StartingPosition",
					"LastModified",
					"StateTransitionReason",
					"FilterCriteria",
					"DestinationConfig",
				),
			},
			Writes: []string{opCreate},
		},
	})
}

// described returns the mappings in AWS, by batch size, window and tags.
func (e *env) described() []string {
	var out []string
	for _, m := range e.Double.Mappings() {
		out = append(
			out,
			fmt.Sprintf(
				"%d %d %s %s",
				*m.BatchSize,
				*m.MaximumBatchingWindowInSeconds,
				m.Tags["team"],
				m.Tags["crossplane-uid"],
			),
		)
	}
	return out
}

// TestLateAndLost checks that the provider searches for a mapping, if the answer to its
// creation was lost, until AWS returns it and its tags.
func TestLateAndLost(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.EventSourceMapping] {
		t.Helper()
		e := newEnv(t)
		m := testMapping(func(m *v1beta1.EventSourceMapping) {
			m.Spec.ForProvider.Tags, m.Spec.ForProvider.MaximumBatchingWindowInSeconds = map[string]string{
				"team": "a",
			}, ptr.To[int32](
				7,
			)
		})
		return testenv.Lifecycle[*v1beta1.EventSourceMapping]{
			Env: e.Env, Resource: m, Create: opCreate, Delete: opDelete, Lost: true,
			Edit:    func() { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) },
			There:   e.described,
			Created: []string{"10 7 a uid-1"}, Edited: []string{"5 7 a uid-1"},
		}
	})
}

// TestLate checks that, however late AWS returns the mapping and its tags, there is one
// mapping, and none after the deletion. No conflict reveals a second one, because AWS
// assigns the name.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.EventSourceMapping] {
		t.Helper()
		e := newEnv(t)
		m := testMapping(func(m *v1beta1.EventSourceMapping) {
			m.Spec.ForProvider.Tags = map[string]string{"team": "a"}
			m.Spec.InitProvider = &v1beta1.EventSourceMappingSettings{MaximumBatchingWindowInSeconds: ptr.To[int32](7)}
		})
		return testenv.Lifecycle[*v1beta1.EventSourceMapping]{
			Env: e.Env, Resource: m, Create: opCreate, Delete: opDelete,
			Edit: func() {
				m.Spec.ForProvider.BatchSize, m.Spec.ForProvider.Tags = ptr.To[int32](5), map[string]string{"team": "b"}
			},
			There:   e.described,
			Created: []string{"10 7 a uid-1"}, Edited: []string{"5 7 b uid-1"},
		}
	})
}

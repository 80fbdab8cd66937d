package codesigningconfig

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.CodeSigningConfig], *v1beta1.CodeSigningConfig) {
	t.Helper()
	return newEnv(t).Env, testConfig()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "codesigningconfigs", newCase) }

// TestEmulatorThatLacksTheKind checks that a configuration can be deleted if the endpoint answers to its creation that
// it does not have the operation.
func TestEmulatorThatLacksTheKind(t *testing.T) {
	pages := map[string]testenv.Answer{
		"Page":        func(int, []byte) (int, []byte) { return http.StatusNotFound, []byte("<!doctype html>") },
		"Unsupported": testenv.Refusal(http.StatusNotImplemented, "InternalFailure"),
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			r, c := newCase(t)
			c.SetFinalizers([]string{managed.FinalizerName})
			r.Responses = testenv.Answers{opCreate: page, opList: page}
			for range 3 {
				if o, err := r.Do(c); err == nil {
					t.Fatalf("%s, although it cannot be created", o)
				}
				r.Advance(time.Minute)
			}
			r.Remove(c)
			if o, err := r.Do(c); o != testenv.Gone || err != nil {
				t.Errorf("%s: %v, want that it is gone", o, err)
			}
		})
	}
}

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// create no second configuration.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, testenv.TagAnswers(opCreate), map[string]testenv.EmulatorCase{
		"EmptyCreate": {
			Reason:    "What was created is found by its tags.",
			Responses: answers{opCreate: testenv.Body("{}")},
			Writes:    []string{opCreate},
		},
		"NullCreate": {
			Reason:    "After a response of null, the configuration is found by its tags.",
			Responses: answers{opCreate: testenv.Body("null")},
			Writes:    []string{opCreate},
		},
		"OddCreate": {
			Reason:    "What is no ARN is no name.",
			Responses: answers{opCreate: testenv.With("CodeSigningConfigArn", "csc-1")},
			Writes:    []string{opCreate},
		},
		"NoARN": {
			Reason: "Without any ARN it can't be found, and another create would make a second one.",
			Responses: answers{
				opCreate: testenv.Without("CodeSigningConfigArn"),
				opList:   testenv.Without("CodeSigningConfigArn"),
			},
			Writes:  []string{opCreate},
			Message: "has not appeared since",
		},
		"NothingListed": {
			Reason:    "Without an ARN and a list, the configuration cannot be found, and is not created again.",
			Responses: answers{opCreate: testenv.Body("{}"), opList: testenv.Body("{}")},
			Writes:    []string{opCreate},
			Message:   "has not appeared since",
		},
		"NoList": {
			Reason:    "Without an ARN and the list operation, the configuration cannot be found, and is not created again.",
			Responses: answers{opCreate: testenv.Body("{}"), opList: testenv.Refusal(404, "UnknownOperationException")},
			Writes:    []string{opCreate},
			Message:   "cannot list code signing configurations",
		},
		"NotShown": {
			Reason:    "What AWS does not show is waited for.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    []string{opCreate},
			Message:   "has not appeared since",
		},
		"EmptyGet": {
			Reason:    "An answer without a configuration is no absence.",
			Responses: answers{opGet: testenv.Body("{}")},
			Writes:    []string{opCreate},
			Message:   "contains no CodeSigningConfig",
		},
		"BareGet": {
			Reason: "What AWS leaves out is its default.",
			Responses: answers{
				opGet: testenv.Without(
					"CodeSigningConfigArn",
					"CodeSigningConfigId",
					"CodeSigningPolicies",
					"Description",
					"LastModified",
				),
			},
			Writes: []string{opCreate},
		},
		"Doubt": {
			Reason:    "Without tags, the created configuration cannot be identified.",
			Responses: answers{opCreate: testenv.Body("{}"), opTags: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes: []string{
				opCreate,
			},
			Message: "cannot tell whether this resource created code signing configuration arn:",
		},
	})
}

// described returns the policy, description and tags of the configurations in AWS.
func (e *env) described() []string {
	e.Helper()
	var out []string
	for _, c := range e.all() {
		tags, err := e.Lambda.ListTags(e.Context(), &lambda.ListTagsInput{Resource: c.CodeSigningConfigArn})
		e.Must(err)
		out = append(
			out,
			string(
				c.CodeSigningPolicies.UntrustedArtifactOnDeployment,
			)+" "+ptr.Deref(
				c.Description,
				"",
			)+" "+tags.Tags["team"]+" "+tags.Tags["crossplane-uid"],
		)
	}
	return out
}

// TestLateAndLost checks that the result of an unanswered create is searched for until AWS
// shows it and its tags.
func TestLateAndLost(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.CodeSigningConfig] {
		t.Helper()
		e := newEnv(t)
		c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) { p.Tags = map[string]string{"team": "a"} })
		return testenv.Lifecycle[*v1beta1.CodeSigningConfig]{
			Env: e.Env, Resource: c, Create: opCreate, Delete: opDelete, Lost: true,
			Edit:    func() { c.Spec.ForProvider.Description = ptr.To("second") },
			There:   e.described,
			Created: []string{"Warn  a uid-1"}, Edited: []string{"Warn second a uid-1"},
		}
	})
}

// TestLate checks that however late AWS shows it and its tags, one configuration is
// created, and none is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.CodeSigningConfig] {
		t.Helper()
		e := newEnv(t)
		c := testConfig(func(p *v1beta1.CodeSigningConfigParameters) { p.Tags = map[string]string{"team": "a"} })
		c.Spec.InitProvider = &v1beta1.CodeSigningConfigSettings{Description: ptr.To("first")}
		return testenv.Lifecycle[*v1beta1.CodeSigningConfig]{
			Env: e.Env, Resource: c, Create: opCreate, Delete: opDelete,
			Edit: func() {
				c.Spec.ForProvider.Tags = map[string]string{"team": "b"}
				c.Spec.ForProvider.CodeSigningPolicies = &v1beta1.CodeSigningPolicies{
					UntrustedArtifactOnDeployment: ptr.To("Enforce"),
				}
			},
			There:   e.described,
			Created: []string{"Warn first a uid-1"}, Edited: []string{"Enforce first b uid-1"},
		}
	})
}

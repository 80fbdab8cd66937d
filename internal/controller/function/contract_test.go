package function

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.Function], *v1beta1.Function) {
	t.Helper()
	return newEnv(t).Env, testFunction()
}

// FuzzReconcile checks the contract of a reconcile for any answers of AWS and any spec.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "functions", newCase) }

// TestEmulatorResponses checks that unusual or missing answers of an emulator are reported, and do
// not lead to a second function.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	const tag, code = "TagResource", "UpdateFunctionCode"
	gone := testenv.Refusal(404, "ResourceNotFoundException")
	all := []string{opCreate, "PutFunctionConcurrency", "PutFunctionRecursionConfig"}
	testenv.RunEmulatorCases(t, func(t testing.TB) (*testenv.Env[*v1beta1.Function], *v1beta1.Function) {
		t.Helper()
		return newEnv(t).Env, testFunction(func(f *v1beta1.Function) {
			f.Spec.ForProvider.RecursiveLoop, f.Spec.ForProvider.ReservedConcurrentExecutions = ptr.To(
				"Allow",
			), ptr.To[int32](5)
		})
	}, map[string]testenv.EmulatorCase{
		"None":        {Reason: "AWS as it is.", Writes: all},
		"EmptyCreate": {Reason: "The name is known.", Responses: answers{opCreate: testenv.Body("{}")}, Writes: all},
		"NullCreate": {
			Reason:    "After a response of null, the function is found by its name.",
			Responses: answers{opCreate: testenv.Body("null")}, Writes: all,
		},
		"EmptyGet": {
			Reason: "An answer without a configuration is no absence.", Responses: answers{opGet: testenv.Body("{}")},
			Writes: all[:1], Message: "AWS answered without its configuration",
		},
		"AnotherName": {
			Reason: "An answer about another function tells nothing, and does not rename the resource.",
			Responses: answers{
				opGet: testenv.With("FunctionName", "g"), opCreate: testenv.With("FunctionName", "g"),
			},
			Writes: all[:1], Message: "AWS answered with function g",
		},
		"NoARN": {
			Reason:    "The name is known.",
			Responses: answers{opGet: testenv.Without("FunctionArn"), opCreate: testenv.Without("FunctionArn")},
			Writes:    all,
		},
		"NoARNAndTags": {
			Reason:    "Tags are set by the ARN.",
			Responses: answers{opGet: testenv.Without("FunctionArn", "Tags"), opCreate: testenv.Without("FunctionArn")},
			Writes:    all, Message: "AWS's answer lacks the ARN",
		},
		"NoState": {
			Reason:    "What has no state is there.",
			Responses: answers{opGet: testenv.Without("State", "LastUpdateStatus")}, Writes: all,
		},
		"NoTags": {
			Reason:    "Tags that AWS does not show are set at growing intervals, and block nothing.",
			Responses: answers{opGet: testenv.Without("Tags")},
			Writes:    []string{opCreate, tag, all[1], tag, all[2], tag, tag, tag, tag}, Message: testenv.NotVisible,
		},
		"NoHash": {
			Reason:    "Code without a hash is sent at growing intervals, and blocks nothing.",
			Responses: answers{opGet: testenv.Without("CodeSha256", "CodeSize", "Code")},
			Writes:    []string{opCreate, code, all[1], code, all[2], code, code, code, code},
			Message:   testenv.NotVisible,
		},
		"EmptyReference": {
			Reason:    "An empty block is no reference to an object in S3.",
			Responses: answers{opGet: testenv.Adding("Code", "ResolvedS3Object", map[string]any{})}, Writes: all,
		},
		"NoRecursion": {
			Reason: "An error of an auxiliary setting does not mean that the function is absent.",
			Responses: answers{
				opGetRecursion: gone,
			},
			Writes:  all[:1],
			Message: "cannot read settings of function f (GetFunctionRecursionConfig)",
		},
		"NotShown": {
			Reason:    "A resource that AWS does not show is created again at growing intervals, and exists.",
			Responses: answers{opGet: gone},
			Writes:    slices.Repeat(all[:1], 11), Message: testenv.NotFound,
		},
	})
}

// TestLate checks that, however late AWS returns the function and its tags, there is one
// function with the settings of initProvider that CreateFunction does not accept, and none
// after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.Function] {
		t.Helper()
		e := newEnv(t)
		f := testFunction(func(f *v1beta1.Function) {
			f.Spec.ForProvider.Tags = map[string]string{"team": "a"}
			f.Spec.InitProvider = &v1beta1.FunctionSettings{
				Description: ptr.To("first"), ReservedConcurrentExecutions: ptr.To[int32](7),
			}
		})
		return testenv.Lifecycle[*v1beta1.Function]{
			Env: e.Env, Resource: f, Create: opCreate, Delete: opDelete,
			Edit: func() {
				f.Spec.ForProvider.MemorySize, f.Spec.ForProvider.Tags = ptr.To[int32](256), map[string]string{
					"team": "b",
				}
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "y"}}
			},
			There: func() []string {
				got, ok := e.Double.Function("f")
				if !ok {
					return nil
				}
				return []string{
					fmt.Sprintf(
						"%s %d %d %s %s", got.Description, got.MemorySize, *got.ReservedConcurrentExecutions,
						got.Tags["team"], got.Tags["crossplane-uid"],
					),
				}
			},
			Created: []string{"first 128 7 a uid-1"}, Edited: []string{"first 256 7 b uid-1"},
		}
	})
}

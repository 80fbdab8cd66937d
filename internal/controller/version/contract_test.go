package version

import (
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.Version], *v1beta1.Version) {
	t.Helper()
	return newEnv(t).Env, testVersion()
}

// FuzzReconcile checks the contract of a reconcile for any answers of AWS and any spec.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "versions", newCase) }

// TestEmulatorResponses checks that unusual or missing answers of an emulator are reported, and do
// not lead to a second version.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	gone := testenv.Refusal(404, "ResourceNotFoundException")
	one := []string{opPublish}
	// If the content is already published, AWS returns that version.
	some := slices.Repeat(one, 5)
	testenv.RunEmulatorCases(t, newCase, map[string]testenv.EmulatorCase{
		"None": {Reason: "AWS as it is.", Writes: one},
		"EmptyPublish": {
			Reason:    "After a response without a number, the version is found by its content.",
			Responses: answers{opPublish: testenv.Body("{}")}, Writes: one,
		},
		"NullPublish": {
			Reason:    "After a response of null, the version is found by its content.",
			Responses: answers{opPublish: testenv.Body("null")}, Writes: one,
		},
		"OddPublish": {
			Reason:    "What is no number of a version is no name.",
			Responses: answers{opPublish: testenv.With("Version", "one")}, Writes: one,
		},
		"NoARN": {
			Reason:    "The name is known.",
			Responses: answers{opPublish: testenv.Without("FunctionArn"), opGet: testenv.Without("FunctionArn")},
			Writes:    one,
		},
		"EmptyGet": {
			Reason: "An answer without a configuration is no absence.", Responses: answers{opGet: testenv.Body("{}")},
			Message: "AWS answered without its configuration",
		},
		"NoFunction": {
			Reason: "Of no function, nothing is published.", Responses: answers{opGet: gone},
			Message: "function f does not exist in eu-central-1",
		},
		"NoVersions": {Reason: "A list is not needed.", Responses: answers{opList: gone}, Writes: one},
		"EmptyList": {
			Reason:    "Without a number and a list, the version cannot be found.",
			Responses: answers{opList: testenv.Body("{}"), opPublish: testenv.Body("{}")}, Writes: some,
			Message: "it is not visible yet",
		},
		"NoState": {
			Reason: "What has no state is there. AWS rejects the first call, since it is still creating the function, " +
				"which has no state either.",
			Responses: answers{opGet: testenv.Without("State", "LastUpdateStatus")}, Writes: some[:2],
		},
		"EmptyState": {
			Reason:    "An empty state is none.",
			Responses: answers{opGet: testenv.With("State", "")}, Writes: some[:2],
		},
		"NoHash": {
			Reason:    "Fields that AWS leaves out are not compared.",
			Responses: answers{opGet: testenv.Without("CodeSha256")}, Writes: one,
		},
	})
}

// TestLate checks that, however late AWS returns the versions, each state of the function
// is published once, and the version is deleted with the resource.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.Version] {
		t.Helper()
		e := newEnv(t)
		v := testVersion()
		return testenv.Lifecycle[*v1beta1.Version]{
			Env: e.Env, Resource: v, Create: opPublish, Delete: opDelete, Publishes: true,
			Edit:    func() { e.change(256) },
			There:   e.versions,
			Created: []string{"1"}, Edited: []string{"1", "2"}, Leftover: []string{"1"},
		}
	})
}

// TestALaterVersionWithoutANumberIsPublishedAgain checks that an answer without a number to a later publication is
// not taken for the earlier version if AWS does not list the later one.
func TestALaterVersionWithoutANumberIsPublishedAgain(t *testing.T) {
	e := newEnv(t)
	v := testVersion()
	e.Converge(v)
	e.change(256)
	e.Advance(2 * time.Second)
	e.ReconcileForAnHour(
		v,
		testenv.Answers{opPublish: testenv.Body("{}"), opList: testenv.Body("{}")},
		slices.Repeat([]string{opPublish}, 6),
		"but it is not visible",
	)
}

// TestAVersionOfEarlierContentIsRemembered checks that a version is deleted with the resource if the provider ended
// before it recorded the version, which has the content of the one before.
func TestAVersionOfEarlierContentIsRemembered(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](5) })
	e.Converge(v)
	e.change(256)
	e.change(128)
	e.Advance(2 * time.Second)
	v.Spec.ForProvider.PublishTrigger = ptr.To("again")
	v.Generation++
	ended := v.DeepCopy()
	if o, err := e.Do(ended); o != testenv.Updated || err != nil {
		t.Fatalf("%s: %v", o, err)
	}
	v.Annotations[v1beta1.AnnotationIntent] = ended.Annotations[v1beta1.AnnotationIntent]
	e.Converge(v)
	e.Remove(v)
	e.Converge(v)
	if left := e.versions(); len(left) > 0 {
		t.Errorf("versions are left: %v", left)
	}
}

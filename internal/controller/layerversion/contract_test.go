package layerversion

import (
	"fmt"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.LayerVersion], *v1beta1.LayerVersion) {
	t.Helper()
	return newEnv(t).Env, testLayer()
}

// FuzzReconcile checks the contract of a reconcile for any answers of AWS and any spec.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "layerversions", newCase) }

// TestEmulatorResponses checks that unusual or missing answers of an emulator are reported, and do
// not lead to a second version.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, map[string]testenv.EmulatorCase{
		"None": {Reason: "AWS as it is.", Writes: []string{opPublish}},
		"EmptyPublish": {
			Reason:    "The published version is found by the recorded intent.",
			Responses: answers{opPublish: testenv.Body("{}")},
			Writes:    []string{opPublish},
		},
		"NullPublish": {
			Reason:    "After a response of null, the version is found by the recorded intent.",
			Responses: answers{opPublish: testenv.Body("null")},
			Writes:    []string{opPublish},
		},
		"OnlyLayerARN": {
			Reason:    "The number makes it the version's.",
			Responses: answers{opPublish: testenv.Without("LayerVersionArn")},
			Writes:    []string{opPublish},
		},
		"OddARN": {
			Reason: "What is no ARN of a version is no name.",
			Responses: answers{
				opPublish: testenv.With("LayerVersionArn", "l:1"),
				opGet:     testenv.With("LayerVersionArn", "l:1"),
			},
			Writes: []string{opPublish},
		},
		"NoARN": {
			Reason:    "The name is known.",
			Responses: answers{opGet: testenv.Without("LayerVersionArn", "LayerArn", "Version")},
			Writes:    []string{opPublish},
		},
		"EmptyGet": {
			Reason:    "Fields that AWS leaves out count as the published ones.",
			Responses: answers{opGet: testenv.Body("{}")},
			Writes:    []string{opPublish},
		},
		"NoContent": {
			Reason:    "Content that AWS leaves out counts as the published one.",
			Responses: answers{opGet: testenv.Without("Content")},
			Writes:    []string{opPublish},
		},
		"EmptyReference": {
			Reason:    "An empty block is no reference to an object in S3.",
			Responses: answers{opGet: testenv.Adding("Content", "ResolvedS3Object", map[string]any{})},
			Writes:    []string{opPublish},
		},
		"NoList": {
			Reason:    "Without a list, there was no version before.",
			Responses: answers{opList: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    []string{opPublish},
		},
		"EmptyList": {
			Reason:    "With an empty list, there was no version before.",
			Responses: answers{opList: testenv.Body("{}")},
			Writes:    []string{opPublish},
		},
		"Nowhere": {
			Reason:    "Another publication would make another version.",
			Responses: answers{opPublish: testenv.Body("{}"), opList: testenv.Body(`{"LayerVersions": null}`)},
			Writes:    []string{opPublish},
			Message:   "has not appeared since",
		},
		"NotShown": {
			Reason:    "What AWS does not show is waited for.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    []string{opPublish},
			Message:   "has not appeared since",
		},
	})
}

// TestALaterVersionThatDoesNotShowIsNotPublishedTwice checks that AWS may be late in
// listing any version, not only the first one.
func TestALaterVersionThatDoesNotShowIsNotPublishedTwice(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Converge(l)
	l.Spec.ForProvider.Content, l.Generation = inline("two"), 2
	if o, err := e.Do(l); o != testenv.Updated || err != nil {
		t.Fatalf("%s, %v", o, err)
	}
	e.ReconcileForAnHour(
		l,
		map[string]testenv.Answer{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
		nil,
		"has not appeared since",
	)
}

// TestLate checks that, however late AWS lists the versions, each content is published
// once, and no version remains after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.LayerVersion] {
		t.Helper()
		e := newEnv(t)
		l := testLayer()
		return testenv.Lifecycle[*v1beta1.LayerVersion]{
			Env: e.Env, Resource: l, Create: opPublish, Delete: opDelete, Publishes: true,
			Edit: func() { l.Spec.ForProvider.Content = inline("two") },
			There: func() []string {
				var all []string
				for _, n := range e.versions() {
					all = append(all, fmt.Sprint(n))
				}
				return all
			},
			Created: []string{"1"}, Edited: []string{"2"},
		}
	})
}

package tagging

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func testOwner() Owner {
	return Owner{
		Kind: "codesigningconfig.lambda.aws.m.crossplane.io", ClusterID: "c1", Config: "default",
		Defaults: map[string]string{"team": "default", "cost": "1"},
		Ignore:   session.NewIgnoreTags([]string{"ignored"}, []string{"crossplane-"}).Match,
	}
}

func object() *metav1.ObjectMeta { return &metav1.ObjectMeta{Namespace: "ns", Name: "n", UID: "u1"} }

func TestDesired(t *testing.T) {
	want := ownership.Tags(object(), "c1", "default", testOwner().Kind)
	want["team"], want["cost"] = "a", "1"
	if diff := cmp.Diff(want, testOwner().Desired(object(), map[string]string{"team": "a"}, nil)); diff != "" {
		t.Errorf("the spec's tags are over the config's, and the provider's own over both: -want, +got:\n%s", diff)
	}
}

func TestTargetAndDue(t *testing.T) {
	type tags = map[string]string
	cases := map[string]struct {
		reason        string
		desired, have tags
		target        tags
		due           string
	}{
		"Same": {
			reason:  "Nothing is left to do.",
			desired: tags{"a": "1"},
			have:    tags{"a": "1"},
			target:  tags{"a": "1"},
		},
		"Missing": {
			reason:  "What is missing comes first.",
			desired: tags{"a": "1"},
			have:    tags{"b": "1"},
			target:  tags{"a": "1"},
			due:     OpTag,
		},
		"Changed": {
			reason:  "A changed value is corrected.",
			desired: tags{"a": "1"},
			have:    tags{"a": "2"},
			target:  tags{"a": "1"},
			due:     OpTag,
		},
		"Surplus": {
			reason:  "What is not wanted goes.",
			desired: tags{},
			have:    tags{"a": "2"},
			target:  tags{},
			due:     OpUntag,
		},
		"Ignored": {
			reason:  "What is ignored stays, whatever is desired.",
			desired: tags{"ignored": "1"},
			have:    tags{"ignored": "2", "aws:x": "y"},
			target:  tags{"ignored": "2", "aws:x": "y"},
		},
		"Own": {
			reason:  "What says whose it is, is not ignored.",
			desired: tags{ownership.TagUID: "u1"},
			have:    tags{ownership.TagUID: "u0", "crossplane-x": "y"},
			target:  tags{ownership.TagUID: "u1", "crossplane-x": "y"},
			due:     OpTag,
		},
		"Unset": {
			reason:  "What is ignored is not set either.",
			desired: tags{"ignored": "1"},
			have:    nil,
			target:  tags{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := testOwner().Target(tc.desired, tc.have)
			if diff := cmp.Diff(tc.target, got); diff != "" {
				t.Errorf("%s\nTarget(): -want, +got:\n%s", tc.reason, diff)
			}
			if due := Due(got, tc.have); due != tc.due {
				t.Errorf("%s\nDue(): want %q, got %q", tc.reason, tc.due, due)
			}
		})
	}
}

func TestApplied(t *testing.T) {
	changes := diff.Changes{
		{Path: "memorySize", Old: "128", New: "256"},
		{Path: "tags[added]", New: `""`},
		{Path: "tags[changed]", Old: `"1"`, New: `"2"`},
		{Path: "tags[removed]", Old: `"1"`},
	}
	for call, want := range map[string]diff.Changes{OpTag: changes[1:3], OpUntag: changes[3:]} {
		if diff := cmp.Diff(want, Applied(call, changes)); diff != "" {
			t.Errorf("what %s changes: -want, +got:\n%s", call, diff)
		}
	}
}

func TestJudge(t *testing.T) {
	if v, err := testOwner().CheckOwnership(t.Context(), nil, object(), testOwner().Desired(object(), nil, nil), false, "x"); v != ownership.Ours ||
		err != nil {
		t.Errorf("what carries our UID is ours, got %v, %v", v, err)
	}
	if _, err := testOwner().CheckOwnership(t.Context(), nil, object(), nil, false, "x"); !ownership.IsForeign(err) {
		t.Errorf("what carries nothing is not, got %v", err)
	}
	if v, err := testOwner().CheckOwnership(t.Context(), nil, object(), nil, true, "x"); v != ownership.Adopted ||
		err != nil {
		t.Errorf("unless it is named, got %v, %v", v, err)
	}
}

// TestNamesThatAreNotAllowed checks that a resource takes no function with a name that its config does not allow, also
// if it is being deleted, and that it deletes one that its tags show as its own.
func TestNamesThatAreNotAllowed(t *testing.T) {
	f := &v1beta1.Function{ObjectMeta: *object()}
	f.Name = "legacy"
	again := f.DeepCopy()
	again.UID = "u0"
	forged := f.DeepCopy()
	forged.Annotations = ownership.Name(forged, "legacy")
	meta.SetExternalCreateSucceeded(forged, time.Unix(1, 0))
	adopts := f.DeepCopy()
	adopts.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
	cases := map[string]struct {
		reason string
		by     *v1beta1.Function
		tags   map[string]string
		want   bool
	}{
		"Own": {reason: "Its tags show its UID.", by: f, tags: testOwner().Desired(f, nil, nil), want: true},
		"Again": {
			reason: "Its tags show the earlier resource.",
			by:     f,
			tags:   testOwner().Desired(again, nil, nil),
			want:   true,
		},
		"Named": {reason: "An external name alone adopts it.", by: f},
		"Adopted": {
			reason: "So does the annotation.",
			by:     adopts,
			tags:   map[string]string{ownership.TagUID: "gone", ownership.TagCluster: "c2"},
		},
		"Forged": {reason: "Annotations can be forged.", by: forged},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &session.Session{Tenancy: session.Tenancy{FunctionNames: []v1beta1.FunctionNameRule{{
				Prefixes: []v1beta1.FunctionNamePrefix{"{namespace}_"},
			}}}}
			others := &reconcile.Others{
				User: tenancy.User{Resource: tc.by, Session: s},
				Owns: func() []tenancy.Target { return tenancy.Functions(&tc.by.Name) },
			}
			v, err := testOwner().CheckOwnership(t.Context(), others, tc.by, tc.tags, true, "function legacy")
			if v.Manageable() != tc.want || ownership.IsForeign(err) == tc.want {
				t.Errorf("%s\ngot %v, %v", tc.reason, v, err)
			}
		})
	}
}

// writer records its calls.
type writer struct {
	tagged   map[string]string
	untagged []string
}

func (w *writer) TagResource(
	_ context.Context,
	in *lambda.TagResourceInput,
	_ ...func(*lambda.Options),
) (*lambda.TagResourceOutput, error) {
	w.tagged = in.Tags
	return nil, nil
}

func (w *writer) UntagResource(
	_ context.Context,
	in *lambda.UntagResourceInput,
	_ ...func(*lambda.Options),
) (*lambda.UntagResourceOutput, error) {
	w.untagged = in.TagKeys
	return nil, nil
}

func TestApply(t *testing.T) {
	want, have := map[string]string{"a": "1", "b": "1"}, map[string]string{"a": "1", "d": "1", "c": "1"}
	w := &writer{}
	if err := Apply(t.Context(), w, "arn", want, have); err != nil || w.untagged != nil {
		t.Errorf("one call at a time: %v, %v", err, w.untagged)
	}
	if diff := cmp.Diff(map[string]string{"b": "1"}, w.tagged); diff != "" {
		t.Errorf("only what is missing is sent: -want, +got:\n%s", diff)
	}
	have["b"] = "1"
	if err := Apply(t.Context(), w, "arn", want, have); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c", "d"}, w.untagged); diff != "" {
		t.Errorf("then what is not wanted goes: -want, +got:\n%s", diff)
	}
}

// TestApplyAtLimit checks that tags are removed first if AWS's limit leaves no room for those that are added.
func TestApplyAtLimit(t *testing.T) {
	want, have := map[string]string{}, map[string]string{"aws:stack": "1"}
	for i := range 50 {
		want[fmt.Sprint("new", i%2, i)], have[fmt.Sprint("old", i%2, i)] = "1", "1"
		if i%2 == 0 {
			delete(have, fmt.Sprint("old", i%2, i))
			have[fmt.Sprint("new", i%2, i)] = "1"
		}
	}
	want["aws:stack"] = "1"
	if got := Due(want, have); got != OpUntag {
		t.Errorf("25 tags are removed before 25 are added to 50, got %s", got)
	}
	w := &writer{}
	if err := Apply(t.Context(), w, "arn", want, have); err != nil || len(w.untagged) != 25 || w.tagged != nil {
		t.Errorf("got %v, %v, %v", err, w.untagged, w.tagged)
	}
}

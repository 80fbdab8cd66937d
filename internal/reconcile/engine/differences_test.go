package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func TestObserveReportsDifferences(t *testing.T) {
	const message = `AWS differs from spec: Value is "b", want "a"; managementPolicies do not allow changing it`
	list := []v1beta1.Difference{{Field: "Value", Desired: `"a"`, Observed: `"b"`}}
	cases := map[string]struct {
		reason   string
		mg       *flowSample
		value    string
		fail     error
		busy     bool
		want     []v1beta1.Difference
		message  string
		reported bool
		err      bool
	}{
		"Same":             {reason: "AWS has what spec asks for.", mg: newExternalSample(policies(xpv2.ManagementActionObserve)), value: "a", reported: true},
		"ObserveOnly":      {reason: "Differences are reported, and nothing is changed.", mg: newExternalSample(policies(xpv2.ManagementActionObserve)), value: "b", want: list, message: message, reported: true},
		"ObserveUnnamed":   {reason: "Before it is adopted, too.", mg: newExternalSample(unnamed, policies(xpv2.ManagementActionObserve)), value: "b", want: list, message: message, reported: true},
		"NoUpdate":         {reason: "The policy Create does not include Update.", mg: newExternalSample(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)), value: "b", want: list, message: message, reported: true},
		"NoUpdateBusy":     {reason: "Without the policy Update, nothing is updated once AWS is no longer busy.", mg: newExternalSample(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)), value: "b", busy: true, want: list, message: message, reported: true},
		"Update":           {reason: "The update is in progress, which Ready reports instead of the differences.", mg: newExternalSample(), value: "b", want: list, reported: true},
		"Foreign":          {reason: "What adopting would change is shown before.", mg: newExternalSample(unnamed), value: "b", want: list, reported: true, err: true},
		"ForeignUnplanned": {reason: "A failed comparison does not hide the owner.", mg: newExternalSample(unnamed), value: "b", fail: errors.New("no"), err: true},
		"Incomparable":     {reason: "It is not known whether AWS matches spec.", mg: newExternalSample(policies(xpv2.ManagementActionObserve)), value: "b", fail: errors.New("no"), err: true},
		"Deleted":          {reason: "What differs does not matter any more.", mg: newExternalSample(deletedSample), value: "b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &fakeExternal{there: true, value: tc.value, busy: tc.busy, fail: map[string]error{"Plan": tc.fail}}
			done := Observe(t.Context(), c.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}), reconcile.Facts{}, tc.mg)
			if (done.Err != nil) != tc.err {
				t.Errorf("%s\nerror %v", tc.reason, done.Err)
			}
			got, reported := reconcile.Differences{}, done.Differences != nil
			if reported {
				got = *done.Differences
			}
			if diff := cmp.Diff(tc.want, got.List); diff != "" || got.Message != tc.message || reported != tc.reported {
				t.Errorf("%s\nreported %t: %q, -want +got: %s", tc.reason, reported, got.Message, diff)
			}
			if o := ObservationFor(tc.mg, done.Outcome); tc.message != "" && !o.ResourceUpToDate {
				t.Errorf("%s\nnothing may be changed: %+v", tc.reason, o)
			}
			if done.Later != nil || len(done.Events) > 0 {
				t.Errorf("%s\nevents %v, later %v", tc.reason, done.Events, done.Later)
			}
		})
	}
}

func TestDifferences(t *testing.T) {
	f := &v1beta1.Function{Spec: v1beta1.FunctionSpec{ForProvider: v1beta1.FunctionParameters{FunctionSettings: v1beta1.FunctionSettings{
		MemorySize: ptr.To(int32(128)), Tags: map[string]string{"team": "a"}, LayerRefs: []xpv2.NamespacedReference{{Name: "l"}},
	}}}}
	ready := reconcile.Available(1)
	cases := map[string]struct {
		reason  string
		changes diff.Changes
		ready   xpv2.Condition
		message string
		remark  string
		count   int
	}{
		"Nothing": {reason: "Without differences, Ready has no message.", ready: ready},
		"Asked":   {reason: "A field that spec sets is reported with both values.", changes: diff.Changes{{Path: "memorySize", Old: "256", New: "128"}}, message: "memorySize is 256, want 128", count: 1},
		"Tag":     {reason: "A tag that spec lacks differs where spec names tags.", changes: diff.Changes{{Path: "tags[cost]", Old: `"1"`}, {Path: "tags[team]", New: `"a"`}}, message: `tags[cost] is "1", want none, tags[team] is not set, want "a"`, count: 2},
		"OwnTag":  {reason: "The ownership tags are not reported.", changes: diff.Changes{{Path: "tags[" + ownership.TagUID + "]", New: `"u1"`}}},
		"Secret":  {reason: "Secret values are not reported.", changes: diff.Changes{{Path: "memorySize", Old: "256", New: "128"}, {Path: "tags[x]", Old: "(redacted)", New: "(redacted)"}}, message: "want 128, tags[x];", count: 2},
		"Layers":  {reason: "A reference names its field.", changes: diff.Changes{{Path: "layers", Old: `["l:1"]`}}, message: `layers is ["l:1"], want none`, count: 1},
		"Beside":  {reason: "What spec does not name is no difference, and would be reset.", changes: diff.Changes{{Path: "tracingConfig.mode", Old: `"Active"`, New: `"PassThrough"`}, {Path: "environment.variables[A]", Old: "(redacted)"}}, remark: "an update would reset tracingConfig.mode, environment.variables[A], which spec does not set", count: 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := reconcile.Compared(f, tc.changes)
			if !strings.Contains(c.Message(), tc.message) || (tc.message == "") != (c.Message() == "") || c.Remark() != tc.remark || len(c.List()) != tc.count {
				t.Errorf("%s\nmessage %q, remark %q, list %+v", tc.reason, c.Message(), c.Remark(), c.List())
			}
		})
	}
}

func TestDifferencesAreBounded(t *testing.T) {
	var cs diff.Changes
	for i := range 100 {
		cs = append(cs, diff.Change{Path: fmt.Sprintf("tags[%03d]", i), Old: strings.Repeat("ä", 1000), New: strings.Repeat("b", 1000)})
	}
	c := reconcile.Compared(newExternalSample(), cs)
	if len(c.List()) != reconcile.MaxDifferences || len(c.Message()) > 1000 || !strings.Contains(c.Message(), "and 94 more") {
		t.Errorf("%d differences, message %q", len(c.List()), c.Message())
	}
	for _, d := range c.List() {
		if len(d.Desired) > reconcile.MaxValue || len(d.Observed) > reconcile.MaxValue || len(d.Field) > reconcile.MaxValue {
			t.Errorf("%+v is too long", d)
		}
	}
}

// A resource that names little is served as it asks for, and says what managing it would
// change.
func TestRemarkOnFieldsThatSpecOmits(t *testing.T) {
	_, got := reconcile.ReportDifferences(&v1beta1.Function{}, diff.Changes{{Path: "layers", Old: `["l:1"]`}}, false, reconcile.Available(1).WithMessage("AWS does not return its tags"))
	if got.Status != corev1.ConditionTrue || got.Message != "an update would reset layers, which spec does not set; AWS does not return its tags" {
		t.Errorf("got %+v", got)
	}
}

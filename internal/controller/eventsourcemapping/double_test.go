package eventsourcemapping

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.Tags = map[string]string{"team": "a", "ignored": "x"}
	})
	if diff := cmp.Diff([]string{opCreate}, e.Converge(m)); diff != "" {
		t.Errorf("a creation is one call: -want, +got:\n%s", diff)
	}
	got := e.only()
	if v, ok := got.Tags["ignored"]; ok {
		t.Errorf("a tag that the config ignores must not be set, got %q", v)
	}
	if meta.GetExternalName(m) != *got.UUID || ptr.Deref(m.Status.AtProvider.State, "") != stateEnabled ||
		got.Tags["team"] != "a" ||
		got.Tags[ownership.TagUID] != "uid-1" {
		t.Errorf(
			"the mapping is %+v, shown as %+v under the name %s",
			got,
			m.Status.AtProvider,
			meta.GetExternalName(m),
		)
	}

	edit(m, func(p *v1beta1.EventSourceMappingParameters) {
		p.FunctionName, p.BatchSize, p.MaximumBatchingWindowInSeconds = ptr.To(
			"g",
		), ptr.To[int32](
			100,
		), ptr.To[int32](
			5,
		)
		p.Enabled, p.Tags = ptr.To(false), map[string]string{"team": "b"}
	})
	if diff := cmp.Diff([]string{tagging.OpTag, opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("an edit is a call for tags and one for all else: -want, +got:\n%s", diff)
	}
	got = e.only()
	if !strings.HasSuffix(*got.FunctionArn, ":g") || *got.BatchSize != 100 || *got.State != stateDisabled ||
		got.Tags["team"] != "b" {
		t.Errorf("the mapping is %+v", got)
	}
	if c := m.GetCondition(xpv2.TypeReady); c.Status != corev1.ConditionTrue {
		t.Errorf("a mapping that is disabled as spec says is ready, got %+v", c)
	}

	testenv.BeingDeleted(m)
	e.Double.ResetCalls()
	for range 2 {
		if done, err := e.Step(m); err != nil || done {
			t.Fatalf("deletion waits until AWS is done: %t, %v", done, err)
		}
	}
	e.Advance(time.Second)
	if done, err := e.Step(m); err != nil || !done {
		t.Fatalf("deletion: %t, %v", done, err)
	}
	if diff := cmp.Diff([]string{opDelete}, testenv.Writes(e.Operations())); diff != "" {
		t.Errorf("a deletion is one call: -want, +got:\n%s", diff)
	}
}

// TestSteadyReconcileIsOneCall checks that a converged mapping costs one call: its tags,
// which are not in the answer, are read only at first, after a change of spec, and once an
// hour.
func TestSteadyReconcileIsOneCall(t *testing.T) {
	e := newEnv(t)
	m := testMapping()
	e.Converge(m)
	observe := func() []string {
		e.Double.ResetCalls()
		if done, err := e.Step(m); err != nil || !done {
			t.Fatalf("a converged mapping stays converged: %t, %v", done, err)
		}
		return e.Operations()
	}
	cases := []struct {
		reason string
		before func()
		want   []string
	}{
		{"It is steady.", func() {}, []string{opGet}},
		{"It is still steady.", func() { e.Advance(10 * time.Minute) }, []string{opGet}},
		{"The process is new.", e.restart, []string{opGet, opTags}},
		{"It is steady again.", func() {}, []string{opGet}},
		{"An hour has passed.", func() { e.Advance(time.Hour) }, []string{opGet, opTags}},
		{"Spec changed.", func() { edit(m, func(*v1beta1.EventSourceMappingParameters) {}) }, []string{opGet, opTags}},
	}
	for _, tc := range cases {
		tc.before()
		if diff := cmp.Diff(tc.want, observe()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
		}
	}
}

func TestDriftIsCorrected(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.Enabled, m.Spec.ForProvider.BatchSize = ptr.To(true), ptr.To[int32](5)
	})
	e.Converge(m)
	e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) {
		a.BatchSize, a.State, a.StateTransitionReason = ptr.To[int32](
			9,
		), ptr.To(
			stateDisabled,
		), ptr.To(
			"USER_INITIATED",
		)
		a.FilterCriteria = &types.FilterCriteria{Filters: []types.Filter{{Pattern: ptr.To(`{"body":{"a":["b"]}}`)}}}
		delete(a.Tags, ownership.TagUID)
		delete(a.Tags, ownership.TagCluster)
	})
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := e.only(); *got.BatchSize != 5 || *got.State != stateEnabled || got.FilterCriteria != nil {
		t.Errorf("the mapping is %+v", got)
	}
	e.Advance(time.Hour)
	if diff := cmp.Diff([]string{tagging.OpTag}, e.Converge(m)); diff != "" {
		t.Errorf("tags that were taken off come back: -want, +got:\n%s", diff)
	}
}

// TestMappingThatIsDisabledAtFirst checks that a mapping that is to be created disabled, and left to others then, is
// ready. It would fail the readiness of what it is composed in.
func TestMappingThatIsDisabledAtFirst(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.Enabled = nil
		m.Spec.InitProvider = &v1beta1.EventSourceMappingSettings{Enabled: ptr.To(false)}
	})
	e.Converge(m)
	if c := m.GetCondition(
		xpv2.TypeReady,
	); c.Reason != xpv2.ReasonAvailable ||
		*m.Status.AtProvider.State != stateDisabled {
		t.Errorf(
			"a mapping in state %s: want it available, got %s: %s",
			*m.Status.AtProvider.State,
			c.Reason,
			c.Message,
		)
	}
}

// TestMappingThatAWSDisables checks that a mapping that AWS disabled is reported, and
// enabled again after a delay if spec asks for that.
func TestMappingThatAWSDisables(t *testing.T) {
	e := newEnv(t)
	m := testMapping()
	e.Converge(m)
	disable := func() {
		e.Double.DisableMapping(*e.only().UUID, "EVENT_SOURCE_AUTHZ_ERROR", "PROBLEM: Lambda can't read the queue")
	}
	disable()
	if done, err := e.Step(m); done || err != nil {
		t.Fatalf("%t, %v", done, err)
	}
	c := m.GetCondition(xpv2.TypeReady)
	want := "AWS disabled the mapping: EVENT_SOURCE_AUTHZ_ERROR: PROBLEM: Lambda can't read the queue; set spec.forProvider.enabled to true to enable it again, or to false to keep it disabled"
	if c.Reason != xpv2.ReasonUnavailable || c.Message != want {
		t.Errorf("condition %+v, want %q", c, want)
	}
	if s := m.Status.AtProvider; ptr.Deref(s.StateTransitionReason, "") != "EVENT_SOURCE_AUTHZ_ERROR" ||
		ptr.Deref(s.LastProcessingResult, "") == "" {
		t.Errorf("status %+v", s)
	}

	edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.Enabled = ptr.To(true) })
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("who asks for it gets it at once: -want, +got:\n%s", diff)
	}
	disable()
	e.Double.ResetCalls()
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	e.Advance(retryAfter - time.Second)
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	if got := testenv.Writes(e.Operations()); len(got) != 0 {
		t.Errorf("AWS is not fought with: %v", got)
	}
	if c := m.GetCondition(
		xpv2.TypeReady,
	); c.Message != "AWS disabled the mapping: EVENT_SOURCE_AUTHZ_ERROR: PROBLEM: Lambda can't read the queue" {
		t.Errorf("condition %+v", c)
	}
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("it is tried again after a while: -want, +got:\n%s", diff)
	}
}

// TestNothingIsSentInTransition checks that nothing is sent while AWS changes the mapping.
func TestNothingIsSentInTransition(t *testing.T) {
	e := newEnv(t)
	m := testMapping()
	for range 2 {
		if _, err := e.Step(m); err != nil {
			t.Fatal(err)
		}
	}
	if c := m.GetCondition(xpv2.TypeReady); c.Reason != xpv2.ReasonCreating {
		t.Errorf("condition %+v", c)
	}
	edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.BatchSize = ptr.To[int32](7) })
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{opCreate}, testenv.Writes(e.Operations())); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	e.Advance(time.Second)
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	if c := m.GetCondition(xpv2.TypeReady); c.Reason != v1beta1.ReasonUpdating || c.Message != "changing batchSize" {
		t.Errorf("condition %+v", c)
	}
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	if c := m.GetCondition(
		xpv2.TypeReady,
	); c.Reason != v1beta1.ReasonUpdating ||
		c.Message != "AWS reports the state updating" {
		t.Errorf("condition %+v", c)
	}
	testenv.BeingDeleted(m)
	if _, err := e.Step(m); err != nil {
		t.Fatal(err)
	}
	if got := e.Double.Count(opDelete); got != 0 {
		t.Errorf("AWS takes no deletion while it updates, got %d", got)
	}
	for !func() bool { done, err := e.Step(m); return done || err != nil }() {
		e.Advance(time.Second)
	}
	if got := e.Double.Count(opDelete); got != 1 || len(e.Double.Mappings()) != 0 {
		t.Errorf("%d deletions, %d mappings are left", got, len(e.Double.Mappings()))
	}
}

// TestFieldsOfOtherObjects checks that references to fields of other objects are resolved
// at each reconcile.
func TestFieldsOfOtherObjects(t *testing.T) {
	e := newEnv(t)
	values := map[string]string{"queue": testQueue, "key": testKey + "a"}
	e.fields = func(s v1beta1.FieldSelector) (string, error) { return values[s.Name], nil }
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.EventSourceArn, m.Spec.ForProvider.EventSourceArnFrom = nil, &v1beta1.FieldSelector{
			Name: "queue",
		}
		m.Spec.ForProvider.KMSKeyArnFrom = &v1beta1.FieldSelector{Name: "key"}
	})
	e.Converge(m)
	if got := e.only(); *got.EventSourceArn != testQueue || *got.KMSKeyArn != testKey+"a" {
		t.Errorf("the mapping is %+v", got)
	}
	values["key"] = testKey + "b"
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	values["queue"] = testQueue + "2"
	if _, err := e.Step(
		m,
	); err == nil ||
		!strings.Contains(err.Error(), "settings that AWS can't change: eventSourceArn") {
		t.Errorf("a source that is another now: error %v", err)
	}
}

// TestUpdateInVain checks that an update that AWS accepts but does not return is not
// repeated without bound.
func TestUpdateInVain(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) })
	e.Converge(m)
	e.Double.ResetCalls()
	stubborn := func(steps int) {
		t.Helper()
		for range steps {
			e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) { a.BatchSize = ptr.To[int32](9) })
			if _, err := e.Step(m); err != nil {
				t.Fatal(err)
			}
			e.Advance(time.Second)
		}
	}
	stubborn(60)
	if got := e.Double.Count(opUpdate); got != reconcile.ManyRepeats {
		t.Errorf("%d updates were sent in a minute", got)
	}
	if c := m.GetCondition(
		xpv2.TypeReady,
	); c.Reason != xpv2.ReasonUnavailable ||
		!strings.Contains(c.Message, "AWS has accepted a change of batchSize at least 3 times, but it is not visible") {
		t.Errorf("condition %+v", c)
	}
	e.Advance(retryAfter)
	stubborn(10)
	if got := e.Double.Count(opUpdate); got != reconcile.ManyRepeats+1 {
		t.Errorf("%d updates were sent after a while", got)
	}
	edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.BatchSize = ptr.To[int32](6) })
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(m)); diff != "" {
		t.Errorf("what the user changed is sent at once: -want, +got:\n%s", diff)
	}
}

// TestChangedOwner checks that a mapping is no longer changed after it got
// another owner since its tags were read.
func TestChangedOwner(t *testing.T) {
	e := newEnv(t)
	m := testMapping(func(m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) })
	e.ChangeOwner(m, func() *string { return m.Status.AtProvider.EventSourceMappingArn }, func() {
		e.Double.EditMapping(*e.only().UUID, func(a *awsdouble.Mapping) { a.BatchSize = ptr.To[int32](9) })
	})
}

// TestDifferencesOfAnObservedMapping checks that a mapping that is only observed also
// differs in settings that AWS can't change.
func TestDifferencesOfAnObservedMapping(t *testing.T) {
	e := newEnv(t)
	foreign := testMapping()
	e.Converge(foreign)
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
		m.Spec.ForProvider.EventSourceArn, m.Spec.ForProvider.BatchSize = ptr.To(testQueue+"2"), ptr.To[int32](7)
	})
	m.UID = "uid-2"
	meta.SetExternalName(m, meta.GetExternalName(foreign))
	e.Differs(m, "eventSourceArn", "batchSize")
}

// TestAMappingDeletedAfterItWasCreatingIsCreatedAgain checks that a mapping that AWS has shown only as Creating counts
// as seen, so that another one is created if someone has deleted it.
func TestAMappingDeletedAfterItWasCreatingIsCreatedAgain(t *testing.T) {
	e := newEnv(t)
	m := testMapping()
	for range 2 { // It is created, and read as Creating.
		if _, err := e.Do(m); err != nil {
			t.Fatal(err)
		}
	}
	e.Advance(2 * time.Second)
	_, err := e.Lambda.DeleteEventSourceMapping(e.Context(), &lambda.DeleteEventSourceMappingInput{UUID: e.only().UUID})
	e.Must(err)
	e.Advance(10 * time.Minute)
	if diff := cmp.Diff([]string{opCreate}, e.Converge(m)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

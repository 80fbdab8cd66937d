package eventsourcemapping

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const testUUID = "01234567-89ab-cdef-0123-456789abcdef"

var errGone = testenv.APIError(
	http.StatusNotFound,
	"ResourceNotFoundException",
	"The resource you requested does not exist.",
)

// queue returns AWS's answer for testMapping.
func queue(change ...func(*lambda.GetEventSourceMappingOutput)) *lambda.GetEventSourceMappingOutput {
	m := &lambda.GetEventSourceMappingOutput{
		UUID: ptr.To(
			testUUID,
		),
		EventSourceMappingArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:" + testUUID),
		BatchSize: ptr.To[int32](
			10,
		),
		EventSourceArn: ptr.To(testQueue),
		FunctionArn:    ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
		LastModified: ptr.To(
			testenv.Start,
		),
		State:                 ptr.To(stateEnabled),
		StateTransitionReason: ptr.To("USER_INITIATED"),
	}
	for _, c := range change {
		c(m)
	}
	return m
}

// known returns a resource that has created its mapping.
func known(change ...func(*v1beta1.EventSourceMapping)) *v1beta1.EventSourceMapping {
	m := testMapping(func(m *v1beta1.EventSourceMapping) { m.Status.AtProvider.UUID = ptr.To(testUUID) })
	for _, c := range change {
		c(m)
	}
	meta.AddAnnotations(m, ownership.Name(m, testUUID))
	return m
}

// unshown removes what AWS has returned.
func unshown(m *v1beta1.EventSourceMapping) { m.Status = v1beta1.EventSourceMappingStatus{} }

// has returns an option by which a script answers in place of AWS.
func has(s testenv.Script) func(*env) { return func(e *env) { e.Script = s } }

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.EventSourceMapping
	)
	ours := testenv.Returns(
		&lambda.ListTagsOutput{Tags: ownership.Tags(testMapping(), testenv.Cluster, "default", kind)},
		nil,
	)
	// pending marks a create so long ago that AWS lists its result.
	pending := func(m mg) { meta.SetExternalCreatePending(m, testenv.Start.Add(-time.Hour)) }
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[*env, mg]{
		"New": {
			Reason:   "A mapping that was never created is not read.",
			Resource: testMapping(),
			AWS:      has(testenv.Script{}),
			Want:     observation{Ready: xpv2.ReasonCreating, Calls: testenv.None},
		},
		"NewDeleted": {
			Reason:   "What was never created is gone.",
			Resource: testMapping(testenv.BeingDeleted),
			AWS:      has(testenv.Script{}),
			Want:     observation{Calls: testenv.None},
		},
		"Pending": {
			Reason:   "A create that may have made something is looked for.",
			Resource: testMapping(pending),
			AWS: has(testenv.Script{
				opList: testenv.Scripted(
					func(in *lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error) {
						if ptr.Deref(in.EventSourceArn, "") != testQueue || in.FunctionName != nil {
							t.Errorf("looked for %+v", in)
						}
						return &lambda.ListEventSourceMappingsOutput{
							EventSourceMappings: []types.EventSourceMappingConfiguration{
								{UUID: ptr.To(testUUID), EventSourceMappingArn: ptr.To("arn")},
							},
						}, nil
					},
				),
				opTags: testenv.Returns(
					&lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: "another"}},
					nil,
				),
			}),
			Want: observation{Ready: xpv2.ReasonCreating, Calls: []string{opList, opTags}},
		},
		"PendingDenied": {
			Reason:   "If the list cannot be read, the mapping might be created twice.",
			Resource: testMapping(pending),
			AWS: has(
				testenv.Script{
					opList: testenv.Returns[lambda.ListEventSourceMappingsOutput](
						nil,
						testenv.APIError(http.StatusForbidden, "AccessDeniedException", "no"),
					),
				},
			),
			Want: observation{
				Err:   "cannot list event source mappings to find one that this resource may have created",
				Calls: []string{opList},
			},
		},
		"Steady": {
			Reason:   "A mapping as spec wants it.",
			Resource: known(),
			AWS:      has(testenv.Script{opGet: testenv.Returns(queue(), nil), opTags: ours}),
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonAvailable,
				Calls:    []string{opGet, opTags},
			},
		},
		"TagsDenied": {
			Reason:   "Without tags, the ownership is unknown.",
			Resource: known(),
			AWS: has(
				testenv.Script{
					opGet: testenv.Returns(queue(), nil),
					opTags: testenv.Returns(
						(*lambda.ListTagsOutput)(nil),
						testenv.APIError(http.StatusForbidden, "AccessDeniedException", "no"),
					),
				},
			),
			Want: observation{Err: "cannot read the tags of", Calls: []string{opGet, opTags}},
		},
		"Gone": {
			Reason:   "What AWS has never shown is created.",
			Resource: known(unshown),
			AWS:      has(testenv.Script{opGet: testenv.Returns((*lambda.GetEventSourceMappingOutput)(nil), errGone)}),
			Want:     observation{Ready: xpv2.ReasonCreating, Calls: []string{opGet}},
		},
		"GoneDeleted": {
			Reason:   "A deletion has come to its end.",
			Resource: known(testenv.BeingDeleted, unshown),
			AWS:      has(testenv.Script{opGet: testenv.Returns((*lambda.GetEventSourceMappingOutput)(nil), errGone)}),
			Want:     observation{Calls: []string{opGet}},
		},
		"ForeignDeleted": {
			Reason:   "A foreign mapping is not deleted.",
			Resource: testMapping(func(m mg) { testenv.BeingDeleted(m); meta.SetExternalName(m, testUUID) }),
			AWS: has(
				testenv.Script{
					opGet: testenv.Returns(queue(), nil),
					opTags: testenv.Returns(
						&lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: "another"}},
						nil,
					),
				},
			),
			Want: observation{Calls: []string{opGet, opTags}, Aborted: true},
		},
		"ObserveOnly": {
			Reason: "An observe-only resource needs no permission to read tags, and its differences are not changes.",
			Resource: testMapping(testenv.ObserveOnly, func(m mg) {
				meta.SetExternalName(m, testUUID)
				m.Spec.ForProvider.BatchSize = ptr.To[int32](5)
			}),
			AWS: has(
				testenv.Script{
					opGet: testenv.Returns(queue(), nil),
					opTags: testenv.Returns(
						(*lambda.ListTagsOutput)(nil),
						error(&smithy.GenericAPIError{Code: "AccessDeniedException"}),
					),
				},
			),
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonAvailable,
				Calls:    []string{opGet, opTags},
			},
		},
		"MayNotUpdate": {
			Reason: "A difference that may not be changed is reported.",
			Resource: known(
				testenv.May[mg](xpv2.ManagementActionObserve, xpv2.ManagementActionCreate),
				func(m mg) { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) },
			),
			AWS: has(
				testenv.Script{opGet: testenv.Returns(queue(), nil), opTags: ours},
			),
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonAvailable,
				Calls:    []string{opGet, opTags},
			},
		},
		"OtherSource": {
			Reason:   "What AWS can't change is named.",
			Resource: known(func(m mg) { m.Spec.ForProvider.EventSourceArn = ptr.To(testQueue + "2") }),
			AWS:      has(testenv.Script{opGet: testenv.Returns(queue(), nil), opTags: ours}),
			Want: observation{
				Err:    `exists with settings that AWS can't change: eventSourceArn: "` + testQueue + `" -> "` + testQueue + `2"; correct spec.forProvider, or create a new EventSourceMapping`,
				Stalls: true,
				Calls:  []string{opGet, opTags},
			},
		},
		"FieldMissing": {
			Reason:   "What spec refers to has to be there.",
			Resource: known(func(m mg) { m.Spec.ForProvider.KMSKeyArnFrom = &v1beta1.FieldSelector{Name: "key"} }),
			AWS: has(
				testenv.Script{opGet: testenv.Returns(queue(), nil), opTags: ours},
			),
			Want: observation{
				Err:   "cannot resolve spec.forProvider.kmsKeyArnFrom: there are no fields",
				Calls: []string{opGet, opTags},
			},
		},
	})
}

// TestDeletionOfAMappingOfAnotherFunction checks that a resource deletes a mapping of a function that it may not use
// only if the mapping's tags show that it is its own: its annotations can be forged.
func TestDeletionOfAMappingOfAnotherFunction(t *testing.T) {
	m := known(func(m *v1beta1.EventSourceMapping) { meta.SetExternalCreateSucceeded(m, testenv.Start) })
	testenv.BeingDeleted(m)
	owner := tagging.Owner{Kind: kind, ClusterID: "c1"}
	for name, tc := range map[string]struct {
		tags map[string]string
		want ownership.Ownership
	}{
		"Tagged":   {owner.Desired(m, nil, nil), ownership.Ours},
		"Untagged": {map[string]string{}, ownership.Foreign},
	} {
		t.Run(name, func(t *testing.T) {
			s := &session.Session{
				Tenancy: session.Tenancy{
					FunctionNames: []v1beta1.FunctionNameRule{{Prefixes: []v1beta1.FunctionNamePrefix{"{namespace}_"}}},
				},
			}
			e := external{owner: owner, facts: reconcile.Facts{Others: &reconcile.Others{
				User: tenancy.User{Resource: m, Session: s}, Owns: func() []tenancy.Target { return nil },
				OtherOwner: func(_ context.Context, _, _ string) resource.ModernManaged { return nil },
			}}}
			v, err := e.checkOwnership(t.Context(), m, observed{mapping: queue(), tags: tc.tags}, testUUID)
			if v != tc.want || ownership.IsForeign(err) != (tc.want == ownership.Foreign) {
				t.Errorf("got %v, %v, want %v", v, err, tc.want)
			}
		})
	}
}

// TestUntaggedMappingOfAnotherResource checks that a mapping that another resource has created is not adopted while AWS
// does not show its tags yet.
func TestUntaggedMappingOfAnotherResource(t *testing.T) {
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		meta.AddAnnotations(m, map[string]string{v1beta1.AnnotationAdopt: "true"})
	})
	other := testMapping(func(m *v1beta1.EventSourceMapping) { m.Name, m.UID = "other", "uid-2" })
	for name, tc := range map[string]struct {
		other resource.ModernManaged
		want  ownership.Ownership
	}{
		"Other":  {other, ownership.Foreign},
		"Nobody": {nil, ownership.Adopted},
	} {
		t.Run(name, func(t *testing.T) {
			e := external{owner: tagging.Owner{Kind: kind, ClusterID: "c1"}}
			e.facts.Others = &reconcile.Others{
				User:       tenancy.User{Resource: m, Session: &session.Session{}},
				Owns:       func() []tenancy.Target { return nil },
				OtherOwner: func(_ context.Context, _, _ string) resource.ModernManaged { return tc.other },
			}
			v, err := e.checkOwnership(t.Context(), m, observed{mapping: queue(), tags: map[string]string{}}, testUUID)
			if v != tc.want || ownership.IsForeign(err) != (tc.want == ownership.Foreign) {
				t.Errorf("got %v, %v, want %v", v, err, tc.want)
			}
		})
	}
}

// TestCallsThatAreRefused checks that a call that AWS does not accept now is made later,
// and that a rejected one is reported.
func TestCallsThatAreRefused(t *testing.T) {
	inUse := testenv.APIError(
		http.StatusBadRequest,
		"ResourceInUseException",
		"Cannot update the event source mapping because it is in use.",
	)
	refused := testenv.APIError(http.StatusBadRequest, "InvalidParameterValueException", "Function does not exist")
	ours := testenv.Returns(
		&lambda.ListTagsOutput{Tags: ownership.Tags(testMapping(), testenv.Cluster, "default", kind)},
		nil,
	)
	differs := func(m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) }
	script := func(err error) testenv.Script {
		return testenv.Script{
			opGet: testenv.Returns(
				queue(),
				nil,
			),
			opTags:   ours,
			opDelete: testenv.Returns[lambda.DeleteEventSourceMappingOutput](nil, err),
			opCreate: testenv.Returns[lambda.CreateEventSourceMappingOutput](
				nil,
				err,
			),
			opUpdate: testenv.Returns[lambda.UpdateEventSourceMappingOutput](nil, err),
		}
	}
	cases := map[string]struct {
		m       *v1beta1.EventSourceMapping
		err     error
		aborted bool
		want    string
	}{
		"CreateRefused": {
			m:    testMapping(),
			err:  refused,
			want: "cannot create event source mapping of function f: InvalidParameterValueException: Function does not exist",
		},
		"CreateDuplicate": {
			m:    testMapping(),
			err:  testenv.APIError(http.StatusConflict, "ResourceConflictException", "A mapping already exists."),
			want: "cannot create event source mapping: ResourceConflictException: A mapping already exists.",
		},
		"UpdateInUse": {m: known(differs), err: inUse, aborted: true},
		"UpdateRefused": {
			m:    known(differs),
			err:  refused,
			want: "cannot update event source mapping " + testUUID + " (UpdateEventSourceMapping): InvalidParameterValueException: Function does not exist",
		},
		"DeleteInUse": {m: known(testenv.BeingDeleted), err: inUse, aborted: true},
		"DeleteRefused": {
			m:    known(testenv.BeingDeleted),
			err:  refused,
			want: "cannot delete event source mapping " + testUUID + ": InvalidParameterValueException: Function does not exist",
		},
		"DeleteGone": {m: known(testenv.BeingDeleted), err: errGone},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Script = script(tc.err)
			_, aborted, err := e.Attempt(tc.m)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want || aborted != tc.aborted {
				t.Errorf("error %q, aborted %t; want %q, %t", got, aborted, tc.want, tc.aborted)
			}
		})
	}
}

// TestReads checks that the calls of the next observation are reserved before it.
func TestReads(t *testing.T) {
	c := testenv.NewClock()
	tags := readcache.NewTagCache(c.Now)
	lists := testenv.NewScripted(
		t,
		testenv.Script{
			opTags: testenv.Returns(&lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: "uid-1"}}, nil),
		},
	).Lambda
	m := testMapping()
	check := func(reason string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, reads(m, tags, c.Now())); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	check("It is to be created.", opCreate)
	m.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	check("There is nothing to observe.")
	m = testMapping(testenv.BeingDeleted)
	check("It was never created.")
	m = testMapping()
	meta.SetExternalCreatePending(m, testenv.Start)
	check("It may have been.", opList, opTags)
	m = testMapping(func(m *v1beta1.EventSourceMapping) { m.Finalizers = []string{managed.FinalizerName} })
	check("It may have been, whatever its annotations say.", opList)
	m = known()
	m.Status.AtProvider.EventSourceMappingArn = ptr.To("arn")
	check("Its tags are not known yet.", opGet, opTags)
	if _, err := tags.Read(t.Context(), m, "arn", lists); err != nil {
		t.Fatal(err)
	}
	check("It is steady.", opGet)
	m.DeletionTimestamp = ptr.To(metav1.NewTime(testenv.Start))
	check("It is deleted, if it is ours.", opGet, opTags)
}

func TestReferences(t *testing.T) {
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "f"}
		m.Spec.ForProvider.QualifierSelector = &xpv2.NamespacedSelector{MatchLabels: map[string]string{"a": "b"}}
	})
	got := reconcile.References(m)
	if len(got) != 2 || got[0].Ref.Name != "f" || got[0].To.Kind != "Function" ||
		got[1].Selector.MatchLabels["a"] != "b" ||
		got[1].To.Kind != "Alias" {
		t.Errorf("references are %+v", got)
	}
}

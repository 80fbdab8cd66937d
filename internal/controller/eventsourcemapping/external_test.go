package eventsourcemapping

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/tagmemory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

const testUUID = "01234567-89ab-cdef-0123-456789abcdef"

// fakeLambda answers with its fields. A call that a test does not expect finds a nil
// field and panics, which names it. calls notes the calls in their order.
type fakeLambda struct {
	lambdaAPI

	calls []string

	get    func() (*lambda.GetEventSourceMappingOutput, error)
	tags   func() (*lambda.ListTagsOutput, error)
	list   func(*lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error)
	create func(*lambda.CreateEventSourceMappingInput) (*lambda.CreateEventSourceMappingOutput, error)
	update func(*lambda.UpdateEventSourceMappingInput) (*lambda.UpdateEventSourceMappingOutput, error)
	delete func() (*lambda.DeleteEventSourceMappingOutput, error)
}

func (f *fakeLambda) GetEventSourceMapping(context.Context, *lambda.GetEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error) {
	f.calls = append(f.calls, opGet)
	return f.get()
}

func (f *fakeLambda) ListTags(context.Context, *lambda.ListTagsInput, ...func(*lambda.Options)) (*lambda.ListTagsOutput, error) {
	f.calls = append(f.calls, opTags)
	return f.tags()
}

func (f *fakeLambda) ListEventSourceMappings(_ context.Context, in *lambda.ListEventSourceMappingsInput, _ ...func(*lambda.Options)) (*lambda.ListEventSourceMappingsOutput, error) {
	f.calls = append(f.calls, opList)
	return f.list(in)
}

func (f *fakeLambda) CreateEventSourceMapping(_ context.Context, in *lambda.CreateEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.CreateEventSourceMappingOutput, error) {
	f.calls = append(f.calls, opCreate)
	return f.create(in)
}

func (f *fakeLambda) UpdateEventSourceMapping(_ context.Context, in *lambda.UpdateEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error) {
	f.calls = append(f.calls, opUpdate)
	return f.update(in)
}

func (f *fakeLambda) DeleteEventSourceMapping(context.Context, *lambda.DeleteEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.DeleteEventSourceMappingOutput, error) {
	f.calls = append(f.calls, opDelete)
	return f.delete()
}

var errGone = steptest.APIError(http.StatusNotFound, "ResourceNotFoundException", "The resource you requested does not exist.")

// queue is AWS's answer for testMapping.
func queue(change ...func(*lambda.GetEventSourceMappingOutput)) *lambda.GetEventSourceMappingOutput {
	m := &lambda.GetEventSourceMappingOutput{
		UUID: ptr.To(testUUID), EventSourceMappingArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:" + testUUID),
		BatchSize: ptr.To[int32](10), EventSourceArn: ptr.To(testQueue), FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
		LastModified: ptr.To(steptest.Start), State: ptr.To(stateEnabled), StateTransitionReason: ptr.To("USER_INITIATED"),
	}
	for _, c := range change {
		c(m)
	}
	return m
}

func always[O any](out O, err error) func() (O, error) {
	return func() (O, error) { return out, err }
}

// known is a resource that has made its mapping.
func known(change ...func(*v1beta1.EventSourceMapping)) *v1beta1.EventSourceMapping {
	m := testMapping(change...)
	meta.AddAnnotations(m, ownership.Name(m, testUUID))
	m.Status.AtProvider.UUID = ptr.To(testUUID)
	return m
}

func TestObserve(t *testing.T) {
	ours := always(&lambda.ListTagsOutput{Tags: ownership.Tags(testMapping(), steptest.Cluster, "default", kind)}, nil)
	policies := func(p ...xpv2.ManagementAction) func(*v1beta1.EventSourceMapping) {
		return func(m *v1beta1.EventSourceMapping) { m.Spec.ManagementPolicies = p }
	}
	pending := func(m *v1beta1.EventSourceMapping) { meta.SetExternalCreatePending(m, steptest.Start) }
	type want struct {
		exists, upToDate bool
		err              string
		reason           xpv2.ConditionReason
		calls            []string
	}
	cases := map[string]struct {
		reason string
		m      *v1beta1.EventSourceMapping
		api    *fakeLambda
		want   want
	}{
		"New": {reason: "What was never created needs no look.", m: testMapping(), api: &fakeLambda{}, want: want{reason: xpv2.ReasonCreating}},
		"NewDeleted": {
			reason: "What was never created is gone.", m: testMapping(func(m *v1beta1.EventSourceMapping) { remove(m) }), api: &fakeLambda{},
		},
		"Pending": {
			reason: "A create that may have made something is looked for.", m: testMapping(pending),
			api: &fakeLambda{
				list: func(in *lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error) {
					if ptr.Deref(in.EventSourceArn, "") != testQueue || in.FunctionName != nil {
						t.Errorf("looked for %+v", in)
					}
					return &lambda.ListEventSourceMappingsOutput{EventSourceMappings: []types.EventSourceMappingConfiguration{{UUID: ptr.To(testUUID), EventSourceMappingArn: ptr.To("arn")}}}, nil
				},
				tags: always(&lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: "another"}}, nil),
			},
			want: want{reason: xpv2.ReasonCreating, calls: []string{opList, opTags}},
		},
		"PendingDenied": {
			reason: "Without a look it might be made twice.", m: testMapping(pending),
			api: &fakeLambda{list: func(*lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error) {
				return nil, steptest.APIError(http.StatusForbidden, "AccessDeniedException", "no")
			}},
			want: want{err: "cannot list event source mappings to find one that this resource may have created", calls: []string{opList}},
		},
		"Steady": {
			reason: "A mapping as spec wants it.", m: known(), api: &fakeLambda{get: always(queue(), nil), tags: ours},
			want: want{exists: true, upToDate: true, reason: xpv2.ReasonAvailable, calls: []string{opGet, opTags}},
		},
		"TagsDenied": {
			reason: "Without tags nobody can tell whose it is.", m: known(),
			api:  &fakeLambda{get: always(queue(), nil), tags: always((*lambda.ListTagsOutput)(nil), steptest.APIError(http.StatusForbidden, "AccessDeniedException", "no"))},
			want: want{err: "cannot read the tags of", calls: []string{opGet, opTags}},
		},
		"Gone": {
			reason: "What someone deleted is created anew.", m: known(), api: &fakeLambda{get: always((*lambda.GetEventSourceMappingOutput)(nil), errGone)},
			want: want{reason: xpv2.ReasonCreating, calls: []string{opGet}},
		},
		"GoneDeleted": {
			reason: "A deletion has come to its end.", m: known(remove), api: &fakeLambda{get: always((*lambda.GetEventSourceMappingOutput)(nil), errGone)},
			want: want{calls: []string{opGet}},
		},
		"ForeignDeleted": {
			reason: "What is not ours is let go.", m: testMapping(func(m *v1beta1.EventSourceMapping) { remove(m); meta.SetExternalName(m, testUUID) }),
			api:  &fakeLambda{get: always(queue(), nil), tags: always(&lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: "another"}}, nil)},
			want: want{calls: []string{opGet, opTags}},
		},
		"ObserveOnly": {
			reason: "Who only observes needs no right to read tags. What differs is no change that is due.",
			m: testMapping(policies(xpv2.ManagementActionObserve), func(m *v1beta1.EventSourceMapping) {
				meta.SetExternalName(m, testUUID)
				m.Spec.ForProvider.BatchSize = ptr.To[int32](5)
			}),
			api:  &fakeLambda{get: always(queue(), nil), tags: always((*lambda.ListTagsOutput)(nil), error(&smithy.GenericAPIError{Code: "AccessDeniedException"}))},
			want: want{exists: true, upToDate: true, reason: xpv2.ReasonAvailable, calls: []string{opGet, opTags}},
		},
		"MayNotUpdate": {
			reason: "What may not be changed is told as it is.",
			m:      known(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate), func(m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) }),
			api:    &fakeLambda{get: always(queue(), nil), tags: ours},
			want:   want{exists: true, upToDate: true, reason: xpv2.ReasonAvailable, calls: []string{opGet, opTags}},
		},
		"OtherSource": {
			reason: "What AWS can't change is named.",
			m:      known(func(m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.EventSourceArn = ptr.To(testQueue + "2") }),
			api:    &fakeLambda{get: always(queue(), nil), tags: ours},
			want:   want{err: `exists with settings that AWS can't change: eventSourceArn: "` + testQueue + `" -> "` + testQueue + `2"; correct spec.forProvider, or create a new EventSourceMapping`, calls: []string{opGet, opTags}},
		},
		"FieldMissing": {
			reason: "What spec refers to has to be there.",
			m: known(func(m *v1beta1.EventSourceMapping) {
				m.Spec.ForProvider.KMSKeyArnFrom = &v1beta1.FieldSelector{Name: "key"}
			}),
			api:  &fakeLambda{get: always(queue(), nil), tags: ours},
			want: want{err: "cannot resolve spec.forProvider.kmsKeyArnFrom: there are no fields", calls: []string{opGet, opTags}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := without(t).external(tc.api)
			obs, err := e.Observe(managed.WithAttempt(t.Context(), &managed.Attempt{}), tc.m)
			got := want{exists: obs.ResourceExists, upToDate: obs.ResourceUpToDate, reason: tc.m.GetCondition(xpv2.TypeReady).Reason, calls: tc.api.calls}
			if err != nil {
				got.err = tc.want.err
				if tc.want.err == "" || !strings.Contains(err.Error(), tc.want.err) {
					t.Errorf("%s\nerror %q, want %q", tc.reason, err, tc.want.err)
				}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nObserve(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A call that AWS does not take now is made later; what it refuses is told.
func TestCallsThatAreRefused(t *testing.T) {
	inUse := steptest.APIError(http.StatusBadRequest, "ResourceInUseException", "Cannot update the event source mapping because it is in use.")
	refused := steptest.APIError(http.StatusBadRequest, "InvalidParameterValueException", "Function does not exist")
	ours := always(&lambda.ListTagsOutput{Tags: ownership.Tags(testMapping(), steptest.Cluster, "default", kind)}, nil)
	differs := func(m *v1beta1.EventSourceMapping) { m.Spec.ForProvider.BatchSize = ptr.To[int32](5) }
	api := func(err error) *fakeLambda {
		return &fakeLambda{
			get: always(queue(), nil), tags: ours, delete: always((*lambda.DeleteEventSourceMappingOutput)(nil), err),
			create: func(*lambda.CreateEventSourceMappingInput) (*lambda.CreateEventSourceMappingOutput, error) {
				return nil, err
			},
			update: func(*lambda.UpdateEventSourceMappingInput) (*lambda.UpdateEventSourceMappingOutput, error) {
				return nil, err
			},
		}
	}
	cases := map[string]struct {
		m    *v1beta1.EventSourceMapping
		err  error
		held bool
		want string
	}{
		"CreateRefused":   {m: testMapping(), err: refused, want: "cannot create event source mapping: InvalidParameterValueException: Function does not exist"},
		"CreateDuplicate": {m: testMapping(), err: steptest.APIError(http.StatusConflict, "ResourceConflictException", "A mapping already exists."), want: "cannot create event source mapping: ResourceConflictException: A mapping already exists."},
		"UpdateInUse":     {m: known(differs), err: inUse, held: true},
		"UpdateRefused":   {m: known(differs), err: refused, want: "cannot update event source mapping " + testUUID + " (UpdateEventSourceMapping): InvalidParameterValueException: Function does not exist"},
		"DeleteInUse":     {m: known(remove), err: inUse, held: true},
		"DeleteRefused":   {m: known(remove), err: refused, want: "cannot delete event source mapping " + testUUID + ": InvalidParameterValueException: Function does not exist"},
		"DeleteGone":      {m: known(remove), err: errGone},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := without(t).external(api(tc.err))
			turn := &managed.Attempt{}
			ctx := managed.WithAttempt(t.Context(), turn)
			obs, err := e.Observe(ctx, tc.m)
			switch {
			case err != nil:
			case tc.m.DeletionTimestamp != nil:
				_, err = e.Delete(ctx, tc.m)
			case !obs.ResourceExists:
				_, err = e.Create(ctx, tc.m)
			default:
				_, err = e.Update(ctx, tc.m)
			}
			_, held := turn.Aborted()
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want || held != tc.held {
				t.Errorf("error %q, held %t; want %q, %t", got, held, tc.want, tc.held)
			}
		})
	}
}

// The calls of the next observation are reserved before it.
func TestReads(t *testing.T) {
	c := steptest.NewClock()
	con := &connector{o: managed.Options{Now: c.Now}, tags: tagmemory.NewTagCache(c.Now)}
	m := testMapping()
	check := func(reason string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, con.reads(m)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	check("It is to be created.", opCreate)
	m.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	check("There is nothing to observe.")
	m = testMapping(remove)
	check("It was never created.")
	m = testMapping()
	meta.SetExternalCreatePending(m, steptest.Start)
	check("It may have been.", opList, opTags)
	m = testMapping(func(m *v1beta1.EventSourceMapping) { m.Finalizers = []string{xpmanaged.FinalizerName} })
	check("It may have been, whatever its annotations say.", opList)
	m = known()
	m.Status.AtProvider.EventSourceMappingArn = ptr.To("arn")
	check("Its tags are not known yet.", opGet, opTags)
	if _, err := con.tags.Read(t.Context(), m, "arn", &fakeLambda{tags: always(&lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: "uid-1"}}, nil)}); err != nil {
		t.Fatal(err)
	}
	check("It is steady.", opGet)
	m.DeletionTimestamp = ptr.To(metav1.NewTime(steptest.Start))
	check("It is deleted, if it is ours.", opGet, opTags)
}

func TestReferences(t *testing.T) {
	m := testMapping(func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "f"}
		m.Spec.ForProvider.QualifierSelector = &xpv2.NamespacedSelector{MatchLabels: map[string]string{"a": "b"}}
	})
	got := references(m)
	if len(got) != 2 || got[0].Ref.Name != "f" || got[0].To.Kind != "Function" || got[1].Selector.MatchLabels["a"] != "b" || got[1].To.Kind != "Alias" {
		t.Errorf("references are %+v", got)
	}
}

package eventsourcemapping

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// killed creates a mapping without keeping its UUID, because the process ends right after
// AWS has answered: the object in the cluster is the one from before.
func killed(t *testing.T, r *env, m *v1beta1.EventSourceMapping) {
	t.Helper()
	d := engine.Once(t.Context(), r.Observer(), reconcile.Facts{}, m.DeepCopy(), nil)
	if d.Called != reconcile.ToCreate || d.Err != nil {
		t.Fatalf("%q, %v", d.Called, d.Err)
	}
	meta.SetExternalCreatePending(m, r.Now())
	r.restart()
}

// TestLostCreations checks that a mapping is found again if the answer to its creation was
// lost, even if the mapping has changed since: in the end there is one mapping, and it
// belongs to the resource.
func TestLostCreations(t *testing.T) {
	kafka := func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.EventSourceArn = nil
		m.Spec.ForProvider.SelfManagedEventSource = &v1beta1.SelfManagedEventSource{
			Endpoints: map[string]v1beta1.KafkaServers{bootstrapServers: {"kafka:9092"}},
		}
		m.Spec.ForProvider.Topics = []string{"t1"}
		m.Spec.ForProvider.SourceAccessConfigurations = []v1beta1.SourceAccessConfiguration{
			{Type: "BASIC_AUTH", URI: ptr.To(testSecret + "s")},
		}
	}
	cases := map[string]struct {
		reason string
		m      *v1beta1.EventSourceMapping
		lose   func(t *testing.T, e *env, m *v1beta1.EventSourceMapping)
		then   func(m *v1beta1.EventSourceMapping)
		want   []string
	}{
		"Dropped": {
			reason: "The connection broke after AWS had done it.",
			m:      testMapping(),
			lose: func(t *testing.T, e *env, m *v1beta1.EventSourceMapping) {
				t.Helper()
				e.Double.Fail(awsdouble.Fault{Operation: opCreate, Drop: awsdouble.DropAfter})
				if _, err := e.Step(m); err == nil {
					t.Fatal("the answer came")
				}
			},
			want: []string{opCreate},
		},
		"Killed": {
			reason: "The process ended before it had kept the UUID.",
			m:      testMapping(),
			lose:   killed,
			want:   []string{opCreate},
		},
		"KilledKafka": {
			reason: "A self-managed cluster has no ARN to search by.",
			m:      testMapping(kafka),
			lose:   killed,
			want:   []string{opCreate},
		},
		"MovedMeanwhile": {
			reason: "Spec names another function by now.",
			m:      testMapping(), lose: killed,
			then: func(m *v1beta1.EventSourceMapping) {
				edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.FunctionName = ptr.To("g") })
			},
			want: []string{opCreate, opUpdate},
		},
		"Recreated": {
			reason: "The object was deleted without its finalizer and made anew: AWS names the duplicate.",
			m:      testMapping(), lose: killed,
			then: func(m *v1beta1.EventSourceMapping) {
				m.UID = "uid-2"
				meta.RemoveAnnotations(m, meta.AnnotationKeyExternalCreatePending)
			},
			want: []string{opCreate, opCreate, tagging.OpTag},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			tc.lose(t, e, tc.m)
			if tc.then != nil {
				tc.then(tc.m)
			}
			e.Converge(tc.m)
			got := e.only()
			if meta.GetExternalName(tc.m) != *got.UUID || got.Tags[ownership.TagUID] != string(tc.m.UID) {
				t.Errorf("%s\nthe mapping %+v is known as %q", tc.reason, got, meta.GetExternalName(tc.m))
			}
			if diff := cmp.Diff(tc.want, testenv.Writes(e.Operations())); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLostCreationIsDeleted checks that a resource that is deleted before its UUID was
// recorded leaves nothing behind, even if its source can't be resolved any more.
func TestLostCreationIsDeleted(t *testing.T) {
	for _, from := range []*v1beta1.FieldSelector{nil, {Name: "gone"}} {
		e := newEnv(t)
		m := testMapping()
		killed(t, e, m)
		if from != nil {
			m.Spec.ForProvider.EventSourceArn, m.Spec.ForProvider.EventSourceArnFrom = nil, from
		}
		testenv.BeingDeleted(m)
		for range 10 {
			if done, err := e.Step(m); err != nil {
				t.Fatal(err)
			} else if done {
				break
			}
			e.Advance(2e9)
		}
		if left := e.Double.Mappings(); len(left) != 0 {
			t.Errorf("left behind: %+v", left)
		}
	}
}

// TestLongList checks that a list that is cut off, as by the request quota, goes on from there: it may have more pages
// than the quota allows at once.
func TestLongList(t *testing.T) {
	e := newEnv(t)
	e.Lambda = e.TryingOnce()
	m := testMapping()
	killed(t, e, m)
	m.Spec.ForProvider.EventSourceArn, m.Spec.ForProvider.EventSourceArnFrom = nil, &v1beta1.FieldSelector{Name: "gone"}
	testenv.BeingDeleted(m)
	for i := range 250 {
		_, err := e.Lambda.CreateEventSourceMapping(
			t.Context(),
			&lambda.CreateEventSourceMappingInput{
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(fmt.Sprintf("%s-%d", testQueue, i)),
			},
		)
		e.Must(err)
	}
	e.Double.ResetCalls()
	for page := range 3 {
		e.Double.Fail(
			awsdouble.Fault{
				Operation: opList,
				Answer:    func(status int, body []byte) (int, []byte) { return status, body },
			},
		)
		if page < 2 {
			e.Double.Fail(awsdouble.Fault{Operation: opList, Error: awsdouble.Throttle()})
		}
	}
	for range 3 {
		_, _ = e.Step(m)
		e.Advance(3 * time.Second)
	}
	// The list is read once more after the tags of the first twenty mappings were.
	if got := e.Double.Count(opList); got != 5+3 {
		t.Errorf("three pages are read by five calls, of which two fail, got %d", got)
	}
}

// TestDuplicateOfAnother checks that a mapping of another owner is never changed, and that
// the error has its UUID and how to import it.
func TestDuplicateOfAnother(t *testing.T) {
	e := newEnv(t)
	foreign, err := e.Lambda.CreateEventSourceMapping(
		t.Context(),
		&lambda.CreateEventSourceMappingInput{
			FunctionName:   ptr.To("f"),
			EventSourceArn: ptr.To(testQueue),
			BatchSize:      ptr.To[int32](3),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	m := testMapping()
	for range 2 {
		_, err = e.Step(m)
		want := "event source mapping " + *foreign.UUID + " exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to its name, " + *foreign.UUID
		if err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
		if !ownership.IsForeign(err) {
			t.Error("only the user can help")
		}
	}
	if got := e.only(); *got.BatchSize != 3 || len(got.Tags) != 0 {
		t.Errorf("it was touched: %+v", got)
	}

	meta.SetExternalName(m, *foreign.UUID)
	edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.BatchSize = ptr.To[int32](4) })
	e.Advance(2e9)
	e.Converge(m)
	if got := e.only(); *got.BatchSize != 4 || got.Tags[ownership.TagUID] != "uid-1" {
		t.Errorf("it was not imported: %+v", got)
	}
}

// TestDuplicateOfAnotherResource checks that the error about a mapping of another resource
// names that resource, and that the mapping is adopted if the user asks for that.
func TestDuplicateOfAnotherResource(t *testing.T) {
	e := newEnv(t)
	e.Converge(testMapping(func(m *v1beta1.EventSourceMapping) { m.Name, m.UID = "other", "uid-0" }))
	m := testMapping()
	_, err := e.Step(m)
	if err == nil ||
		!strings.Contains(err.Error(), *e.only().UUID+" exists and belongs to "+kind+" ns/other of this cluster") {
		t.Errorf("error %v", err)
	}
	meta.AddAnnotations(m, map[string]string{v1beta1.AnnotationAdopt: "true"})
	e.Converge(m)
	if got := e.only(); got.Tags[ownership.TagName] != "m" || meta.GetExternalName(m) != *got.UUID {
		t.Errorf("it was not taken over: %+v", got)
	}
}

// TestMoveToADuplicate checks that a mapping can't move to a function that already has a
// mapping of the same source.
func TestMoveToADuplicate(t *testing.T) {
	e := newEnv(t)
	m := testMapping()
	e.Converge(m)
	foreign, err := e.Lambda.CreateEventSourceMapping(
		t.Context(),
		&lambda.CreateEventSourceMappingInput{FunctionName: ptr.To("g"), EventSourceArn: ptr.To(testQueue)},
	)
	if err != nil {
		t.Fatal(err)
	}
	edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.FunctionName = ptr.To("g") })
	_, err = e.Step(m)
	want := "cannot update event source mapping " + meta.GetExternalName(
		m,
	) + ": AWS already has event source mapping " + *foreign.UUID + " for this source and function: delete one of the two"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

// TestAMappingWithoutAnnotationsIsFound checks that the mapping with the resource's UID is
// found if the annotations with its name were removed.
func TestAMappingWithoutAnnotationsIsFound(t *testing.T) {
	e := newEnv(t)
	m := testMapping()
	e.Converge(m)
	name := meta.GetExternalName(m)
	m.SetAnnotations(nil)
	if got := e.Converge(m); len(got) != 0 || meta.GetExternalName(m) != name {
		t.Errorf("calls %v, name %s, want %s", got, meta.GetExternalName(m), name)
	}
	e.restart()
	m.SetAnnotations(nil)
	m.Status.AtProvider.UUID = ptr.To("00000000-0000-0000-0000-000000000000")
	e.Converge(m)
	if meta.GetExternalName(m) != name {
		t.Errorf("AWS itself tells which one is there: name %s, want %s", meta.GetExternalName(m), name)
	}
}

// TestAMappingWithoutAnnotationsAndStatusIsFound checks that the mapping that a resource
// created is found by its tags, whatever the resource has lost and whatever its spec names
// since.
func TestAMappingWithoutAnnotationsAndStatusIsFound(t *testing.T) {
	cases := map[string]struct {
		reason string
		then   func(e *env, m *v1beta1.EventSourceMapping)
		want   []string
		left   int
	}{
		"Same": {
			reason: "AWS would refuse a second one.",
			then:   func(*env, *v1beta1.EventSourceMapping) {},
			left:   1,
		},
		"NoFinalizer": {
			reason: "A tool has replaced the whole object.",
			then:   func(_ *env, m *v1beta1.EventSourceMapping) { m.Finalizers = nil },
			left:   1,
		},
		"Moved": {
			reason: "AWS would accept a second one, of the other function.",
			then: func(_ *env, m *v1beta1.EventSourceMapping) {
				edit(m, func(p *v1beta1.EventSourceMappingParameters) { p.FunctionName = ptr.To("g") })
			},
			want: []string{opUpdate}, left: 1,
		},
		"Deleted": {
			reason: "A resource that is being deleted deletes the mapping that is found.",
			then:   func(e *env, m *v1beta1.EventSourceMapping) { e.Remove(m) },
			want:   []string{opDelete},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			m := testMapping()
			m.CreationTimestamp, m.Finalizers = metav1.NewTime(e.Now()), []string{managed.FinalizerName}
			e.Converge(m)
			name := meta.GetExternalName(m)
			e.Advance(2 * time.Hour)
			m.SetAnnotations(nil)
			m.Status = v1beta1.EventSourceMappingStatus{}
			tc.then(e, m)
			if diff := cmp.Diff(tc.want, e.Converge(m)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if got := len(e.Double.Mappings()); got != tc.left || tc.left > 0 && meta.GetExternalName(m) != name {
				t.Errorf("%s\n%d are left, name %s, want %s", tc.reason, got, meta.GetExternalName(m), name)
			}
		})
	}
}

// TestAWrongNotFound checks that two wrong reports of AWS that a mapping does not exist
// neither create a second one nor leave anything in AWS.
func TestAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	mg := testMapping()
	e.Converge(mg)
	if got := e.WrongNotFound(mg, opGet, 2); len(got) != 0 {
		t.Errorf("it exists after all, but is written: %v", got)
	}
	e.Remove(mg)
	if diff := cmp.Diff([]string{opDelete}, e.WrongNotFound(mg, opGet, 2)); diff != "" {
		t.Errorf("it is deleted after all: -want, +got:\n%s", diff)
	}
}

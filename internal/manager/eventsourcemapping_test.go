package manager

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const ordersQueue = "arn:aws:sqs:eu-central-1:123456789012:orders"

// mapping returns a mapping from a queue to the Function f of the same namespace.
func (e *env) mapping(name string, change ...func(*v1beta1.EventSourceMapping)) *v1beta1.EventSourceMapping {
	m := &v1beta1.EventSourceMapping{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.ns},
		Spec: v1beta1.EventSourceMappingSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.EventSourceMappingParameters{
				Regional: v1beta1.Regional{
					Region: region,
				},
				FunctionNameRef: &xpv2.NamespacedReference{Name: "f"},
				EventSourceArn: ptr.To(
					ordersQueue),
				EventSourceMappingSettings: v1beta1.EventSourceMappingSettings{BatchSize: ptr.To[int32](5)},
			},
		},
	}
	for _, c := range change {
		c(m)
	}
	return m
}

func (e *env) mappings() []awsdouble.Mapping { return e.double.Mappings() }

func TestEventSourceMappingFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	m := e.mapping("orders")
	e.create(m)
	e.until("what is missing is named", func() bool {
		e.get(m)
		return strings.Contains(m.GetCondition(xpv2.TypeSynced).Message, "Function "+e.ns+"/f does not exist")
	})
	e.create(e.function("f"))
	e.ready(m)
	all := e.mappings()
	if len(all) != 1 || meta.GetExternalName(m) != *all[0].UUID || ptr.Deref(m.Status.AtProvider.State,
		"") != "Enabled" || !strings.HasSuffix(ptr.Deref(m.Status.AtProvider.FunctionArn, ""), ":function:f") {
		t.Fatalf("AWS has %+v, shown as %+v under the name %s", all, m.Status.AtProvider, meta.GetExternalName(m))
	}
	uuid := *all[0].UUID
	if m.Spec.ForProvider.FunctionName != nil {
		t.Errorf("spec is the user's, got functionName %s", *m.Spec.ForProvider.FunctionName)
	}

	edit(e, m, func(m *v1beta1.EventSourceMapping) {
		m.Spec.ForProvider.FilterCriteria = &v1beta1.FilterCriteria{
			Filters: []v1beta1.Filter{{Pattern: `{"body": {"kind": ["order"]}}`}},
		}
	})
	e.ready(m)
	if f := e.mappings()[0].FilterCriteria; f == nil || *f.Filters[0].Pattern != `{"body":{"kind":["order"]}}` {
		t.Errorf("a Ready mapping is in AWS as its manifest says, got filters %+v", f)
	}

	if _, err := e.aws.UpdateEventSourceMapping(t.Context(), &lambda.UpdateEventSourceMappingInput{
		UUID:      ptr.To(uuid),
		BatchSize: ptr.To[int32](9),
	}); err != nil {
		t.Fatal(err)
	}
	e.until("the change by hand is through in AWS", func() bool { return *e.mappings()[0].State == "Enabled" })
	e.reconcile(m)
	e.until("the change by hand is corrected", func() bool { return *e.mappings()[0].BatchSize == 5 })
	e.ready(m)

	other := e.mapping("again")
	e.create(other)
	e.until("a duplicate is told by its UUID", func() bool {
		e.get(other)
		return strings.Contains(other.GetCondition(xpv2.TypeSynced).Message, "event source mapping "+uuid+" belongs to")
	})
	e.remove(other)
	e.gone(other)

	e.remove(m)
	e.gone(m)
	if left := e.mappings(); len(left) != 0 {
		t.Errorf("a deleted mapping is gone from AWS, got %+v", left)
	}
}

// TestEventSourceMappingOutlivesALostAnswer checks that a provider that is killed after AWS created a mapping, but
// before its UUID was stored, does not create a second one.
func TestEventSourceMappingOutlivesALostAnswer(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	e.double.Fail(awsdouble.Fault{Operation: "CreateEventSourceMapping", Drop: awsdouble.DropAfter})
	f := e.function("f")
	m := e.mapping("orders")
	e.create(f, m)
	e.until("AWS has it", func() bool { return len(e.mappings()) == 1 })
	e.stop()
	e.start()
	e.ready(m)
	if all := e.mappings(); len(all) != 1 || meta.GetExternalName(m) != *all[0].UUID {
		t.Errorf("AWS has %+v, known as %s", all, meta.GetExternalName(m))
	}
}

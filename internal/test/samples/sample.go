// Package samples has a kind of managed resource, Sample, for tests of what all kinds share.
package samples

import (
	"context"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// GVK is the group, version and kind of Sample.
var GVK = schema.GroupVersionKind{Group: "test.lambda.aws.m.crossplane.io", Version: "v1", Kind: "Sample"}

// SampleSpec is the desired state of a Sample.
type SampleSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// Value that the sample should have.
	Value string `json:"value,omitempty"`

	// Secret is a second value, which must be sent to AWS alone.
	Secret string `json:"secret,omitempty"`

	// SecretName of a Secret that the sample references, if any.
	SecretName string `json:"secretName,omitempty"`

	// Other is the external name of another sample.
	Other *string `json:"other,omitempty"`

	// OtherRef references it.
	OtherRef *xpv2.NamespacedReference `json:"otherRef,omitempty"`

	// OtherSelector selects it.
	OtherSelector *xpv2.NamespacedSelector `json:"otherSelector,omitempty"`
}

// SampleStatus is the observed state of a Sample.
type SampleStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	v1beta1.Summary            `json:",inline"`

	// Value that the sample has.
	Value string `json:"value,omitempty"`
}

// A Sample is a managed resource with one value.
type Sample struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SampleSpec   `json:"spec"`
	Status SampleStatus `json:"status,omitempty"`
}

// A SampleList is a list of Samples.
type SampleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Sample `json:"items"`
}

// AddToScheme adds Sample to a scheme.
func AddToScheme(s *k8sruntime.Scheme) error {
	s.AddKnownTypes(GVK.GroupVersion(), &Sample{}, &SampleList{})
	metav1.AddToGroupVersion(s, GVK.GroupVersion())
	return nil
}

// CRD returns the path of the file that defines Sample.
func CRD() string {
	const path = "internal/test/samples/testdata/sample.yaml"
	root, err := process.Root(path)
	if err != nil {
		return path // Whoever reads it reports that it does not exist.
	}
	return filepath.Join(root, path)
}

// DeepCopyObject returns a copy.
func (t *Sample) DeepCopyObject() k8sruntime.Object {
	out := &Sample{TypeMeta: t.TypeMeta, Spec: t.Spec, Status: t.Status}
	t.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	t.Spec.ManagedResourceSpec.DeepCopyInto(&out.Spec.ManagedResourceSpec)
	out.Spec.OtherRef, out.Spec.OtherSelector = t.Spec.OtherRef.DeepCopy(), t.Spec.OtherSelector.DeepCopy()
	t.Status.ManagedResourceStatus.DeepCopyInto(&out.Status.ManagedResourceStatus)
	t.Status.Summary.DeepCopyInto(&out.Status.Summary)
	return out
}

// DeepCopyObject returns a copy.
func (l *SampleList) DeepCopyObject() k8sruntime.Object {
	out := &SampleList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, //nolint:forcetypeassert // A copy has the type of its original.
			*l.Items[i].DeepCopyObject().(*Sample))
	}
	return out
}

// GetItems returns the list's items.
func (l *SampleList) GetItems() []resource.Managed {
	items := make([]resource.Managed, len(l.Items))
	for i := range l.Items {
		items[i] = &l.Items[i]
	}
	return items
}

// GetCondition returns a condition of this Sample.
func (t *Sample) GetCondition(ct xpv2.ConditionType) xpv2.Condition { return t.Status.GetCondition(ct) }

// SetConditions sets conditions of this Sample.
func (t *Sample) SetConditions(c ...xpv2.Condition) { t.Status.SetConditions(c...) }

// GetManagementPolicies returns the management policies of this Sample.
func (t *Sample) GetManagementPolicies() xpv2.ManagementPolicies { return t.Spec.ManagementPolicies }

// SetManagementPolicies sets the management policies of this Sample.
func (t *Sample) SetManagementPolicies(p xpv2.ManagementPolicies) { t.Spec.ManagementPolicies = p }

// GetProviderConfigReference returns the reference to this Sample's config.
func (t *Sample) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return t.Spec.ProviderConfigReference
}

// SetProviderConfigReference sets the reference to this Sample's config.
func (t *Sample) SetProviderConfigReference(r *xpv2.ProviderConfigReference) {
	t.Spec.ProviderConfigReference = r
}

// GetWriteConnectionSecretToReference returns the reference to this Sample's connection Secret.
func (t *Sample) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return t.Spec.WriteConnectionSecretToReference
}

// SetWriteConnectionSecretToReference sets the reference to this Sample's connection Secret.
func (t *Sample) SetWriteConnectionSecretToReference(r *xpv2.LocalSecretReference) {
	t.Spec.WriteConnectionSecretToReference = r
}

// GetObservedGeneration returns the generation that was last reconciled.
func (t *Sample) GetObservedGeneration() int64 { return t.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (t *Sample) SetObservedGeneration(g int64) { t.Status.SetObservedGeneration(g) }

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (t *Sample) GetLastHandledReconcileAt() string { return t.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (t *Sample) SetLastHandledReconcileAt(token string) { t.Status.SetLastHandledReconcileAt(token) }

// SetSummary sets the summary of the conditions.
func (t *Sample) SetSummary(s v1beta1.Summary) { t.Status.SetSummary(s) }

// GetSummary returns the summary of the conditions.
func (t *Sample) GetSummary() v1beta1.Summary { return t.Status.GetSummary() }

// ResolveReferences resolves the references of this Sample, as the generated methods of other kinds do.
func (t *Sample) ResolveReferences(ctx context.Context, c client.Reader) error {
	rsp, err := reference.NewAPINamespacedResolver(c, t).Resolve(ctx, reference.NamespacedResolutionRequest{
		CurrentValue: reference.FromPtrValue(t.Spec.Other),
		Extract:      reference.ExternalName(),
		Namespace:    t.GetNamespace(),
		Reference:    t.Spec.OtherRef,
		Selector:     t.Spec.OtherSelector,
		To:           reference.To{List: &SampleList{}, Managed: &Sample{}},
	})
	if err != nil {
		return err
	}
	t.Spec.Other = reference.ToPtrValue(rsp.ResolvedValue)
	t.Spec.OtherRef = rsp.ResolvedReference
	return nil
}

// New returns a Sample "cart" of the namespace "shop" with the value "a".
func New() *Sample {
	return &Sample{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "u1", Generation: 1},
		Spec: SampleSpec{
			Value:               "a",
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ManagementPolicies: xpv2.ManagementPolicies{"*"}},
		},
	}
}

// Enqueued returns the names of the resources that a watch enqueues for an event: an event.CreateEvent, an
// event.UpdateEvent or an event.DeleteEvent.
func Enqueued(ctx context.Context, p predicate.Predicate, h handler.EventHandler, e any) []string {
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	switch e := e.(type) {
	case event.CreateEvent:
		if p.Create(e) {
			h.Create(ctx, e, q)
		}
	case event.UpdateEvent:
		if p.Update(e) {
			h.Update(ctx, e, q)
		}
	case event.DeleteEvent:
		if p.Delete(e) {
			h.Delete(ctx, e, q)
		}
	}
	var names []string
	for q.Len() > 0 {
		item, _ := q.Get()
		names = append(names, item.Name)
	}
	return names
}

package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// pageSize is how many objects a list returns at once.
const pageSize = 500

// A reader reads what belongs to a Function from its namespace.
type reader struct {
	client    dynamic.Interface
	namespace string
	fn        *v1beta1.Function
	page      *page
}

// A target is the function that a resource names.
type target struct {
	region, name, arn *string
	ref               *xpv2.NamespacedReference
}

// targets returns whether a target is the function of the page. ARNs decide if both are known, since functions of
// several accounts may have the same name.
func (r *reader) targets(t target) bool {
	arn, other := ptr.Deref(r.fn.Status.AtProvider.FunctionArn, ""), ptr.Deref(t.arn, "")
	switch {
	case arn != "" && other != "":
		return other == arn || strings.HasPrefix(other, arn+":")
	case t.ref != nil && t.ref.Name == r.fn.Name && cmp.Or(t.ref.Namespace, r.namespace) == r.namespace:
		return true
	}
	return ptr.Deref(t.region, "") == r.fn.Spec.ForProvider.Region && plain(ptr.Deref(t.name, "")) == plain(kubectl.FunctionName(r.fn))
}

// plain returns the name of a function within a reference.
func plain(name string) string {
	if ref, ok := functionname.ParseReference(name); ok {
		return ref.Function
	}
	return name
}

// A managed resource is one of the provider.
type managed interface {
	GetName() string
	GetCondition(t xpv2.ConditionType) xpv2.Condition
	GetSummary() v1beta1.Summary
}

// resources calls a function with each resource of a kind. If the user may not list them, the page says so.
func resources[T any](ctx context.Context, r *reader, plural string, each func(obj *T)) error {
	all := r.client.Resource(v1beta1.SchemeGroupVersion.WithResource(plural)).Namespace(r.namespace)
	next := ""
	for {
		list, err := all.List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next})
		if kerrors.IsForbidden(err) || kerrors.IsNotFound(err) {
			r.page.NotShown = append(r.page.NotShown, plural+": "+kubectl.OneLine(err.Error()))
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot list %s: %w", plural, err)
		}
		for i := range list.Items {
			obj := new(T)
			if err := kubectl.Decode(&list.Items[i], obj); err != nil {
				return fmt.Errorf("cannot read the server's answer about %s/%s: %w", plural, list.Items[i].GetName(), err)
			}
			each(obj)
		}
		if next = list.GetContinue(); next == "" {
			return nil
		}
	}
}

// relate returns what is known of any resource, and adds its differences and problems to the page.
func (r *reader) relate(kind string, mg managed) related {
	s := mg.GetSummary()
	name := kind + "/" + mg.GetName()
	for _, d := range s.Differences {
		r.page.Differences = append(r.page.Differences, difference{Resource: name, Difference: d})
	}
	ready, synced := mg.GetCondition(xpv2.TypeReady), mg.GetCondition(xpv2.TypeSynced)
	for _, c := range []xpv2.Condition{synced, ready} {
		if c.Status == corev1.ConditionFalse {
			r.page.Problems = append(r.page.Problems, problem{Resource: name, Message: cmp.Or(c.Message, s.Message, string(c.Reason))})
			break
		}
	}
	return related{Name: mg.GetName(), Ready: string(cmp.Or(ready.Status, corev1.ConditionUnknown)), Phase: s.Phase, Message: s.Message}
}

// events reads the last events of the Function, the latest first.
func (r *reader) events(ctx context.Context) error {
	about := fields.Set{"involvedObject.kind": v1beta1.FunctionKind, "involvedObject.name": r.fn.Name}.AsSelector().String()
	list, err := r.client.Resource(corev1.SchemeGroupVersion.WithResource("events")).Namespace(r.namespace).List(ctx, metav1.ListOptions{FieldSelector: about})
	if kerrors.IsForbidden(err) {
		r.page.NotShown = append(r.page.NotShown, "events: "+kubectl.OneLine(err.Error()))
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot list events: %w", err)
	}
	for i := range list.Items {
		e := &corev1.Event{}
		if err := kubectl.Decode(&list.Items[i], e); err != nil {
			return fmt.Errorf("cannot read the server's answer about an event: %w", err)
		}
		if e.InvolvedObject.UID != "" && e.InvolvedObject.UID != r.fn.UID {
			continue // It was of a Function that was deleted.
		}
		shown := event{Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(e.Count, 1), Last: e.LastTimestamp}
		if e.LastTimestamp.IsZero() {
			shown.Last = metav1.Time{Time: e.EventTime.Time}
		}
		r.page.Events = append(r.page.Events, shown)
	}
	slices.SortStableFunc(r.page.Events, func(a, b event) int { return b.Last.Compare(a.Last.Time) })
	r.page.Events = r.page.Events[:min(len(r.page.Events), maxEvents)]
	return nil
}

// maxEvents is how many events are shown.
const maxEvents = 10

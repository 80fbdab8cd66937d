// Package eventsourcemapping manages AWS Lambda event source mappings.
//
// The files are those of every kind: controller.go sets up the controller, external.go reads AWS and decides on
// ownership, convert.go builds AWS's inputs, and diff.go compares the desired with the observed state. settings.go and
// observed.go put both states in one comparable form, fields.go copies fields of the same name, readiness.go is the
// state machine, lists.go polls by lists, lost.go finds a mapping if the answer to its creation was lost, and
// resource.go decides on calls and makes them.
package eventsourcemapping

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// kind is the kind of resource that the ownership tags record.
const kind = "eventsourcemapping.lambda.aws.m.crossplane.io"

// Define returns the kind of EventSourceMappings.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	tags := readcache.NewTagCache(o.Now)
	return reconcile.Kind[*v1beta1.EventSourceMapping]{
		GVK:   v1beta1.EventSourceMappingGroupVersionKind,
		Reads: func(m *v1beta1.EventSourceMapping) []string { return reads(m, tags, o.Now()) },
		Observer: func(
			m *v1beta1.EventSourceMapping, s *session.Session,
		) reconcile.Observer[*v1beta1.EventSourceMapping] {
			e := &external{
				api: session.Client(s, lambda.NewFromConfig), fields: o.Fields, tags: tags, cache: s.ReadCache(),
				owner: tagging.NewOwner(m, kind, o.ClusterID, s),
			}
			return e.resource()
		},
		Listed:  listItem,
		Outdate: tags.Drop,
		Forget:  tags.Drop,
		ActsOn: func(m *v1beta1.EventSourceMapping) []tenancy.Target {
			p := m.Spec.ForProvider
			if p.FunctionName == nil {
				return nil
			}
			return tenancy.Functions(ptr.To(functionName(p))) // AWS reads function:cart as function cart.
		},
		Tagged: true,
		Fields: func(m *v1beta1.EventSourceMapping) []v1beta1.FieldSelector { return refs.In(m.Spec) },
	}.Untyped()
}

// reads returns the calls of the next observation. If the mapping does not exist yet, it
// returns the creation that is likely to follow.
func reads(m *v1beta1.EventSourceMapping, tags *readcache.TagCache, now time.Time) []string {
	switch named := reconcile.ExternalName(m) != ""; {
	case !named && !meta.GetExternalCreatePending(m).IsZero():
		return []string{opList, opTags}
	case !named && tagging.MayHaveCreated(m, now):
		return []string{opList}
	case !named && reconcile.MayCreate(m):
		return []string{opCreate}
	case !named:
		return nil
	}
	if tags.Due(m, ptr.Deref(m.Status.AtProvider.EventSourceMappingArn, "")) {
		return []string{opGet, opTags}
	}
	return []string{opGet}
}

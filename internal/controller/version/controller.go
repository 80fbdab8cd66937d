// Package version publishes versions of AWS Lambda functions.
//
// A Version publishes versions of one function: its external name is the version that it
// published last. It reads the function (GetFunction) at each reconcile. It reads the
// version, which never changes, only while AWS prepares it and every half hour.
//
// A version has no tags. A Version recognises its own by the intent that it recorded before
// each call of PublishVersion (see versions.Intent), and deletes no others.
//
// In addition to the files that every kind has, read.go reads the function and its versions, and resource.go decides by
// that and publishes or deletes a version.
package version

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Define returns the kind of Versions.
func Define(mgr ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	functions := o.All(mgr).GetClient()
	return reconcile.Kind[*v1beta1.Version]{
		GVK:      v1beta1.VersionGroupVersionKind,
		Reads:    reads,
		PollAge:  pollAge,
		Reported: reported,
		Observer: func(_ *v1beta1.Version, s *session.Session) reconcile.Observer[*v1beta1.Version] {
			e := &external{
				api: session.Client(s, lambda.NewFromConfig), cache: s.ReadCache(), functions: functions,
				limited: len(o.Namespaces) > 0,
			}
			return e.resource()
		},
		ActsOn: func(mg *v1beta1.Version) []tenancy.Target {
			return tenancy.Functions(
				mg.Spec.ForProvider.FunctionName, mg.Status.AtProvider.FunctionName, ptr.To(ownership.Parent(mg)),
			)
		},
		References: references,
	}.Untyped()
}

// reported reports whether the provider learns of what may change the version. Its own changes of a function are known
// from a Function that spec refers to: events about them do not count.
func reported(v *v1beta1.Version) bool {
	p := v.Spec.ForProvider
	return p.FunctionNameRef != nil || p.FunctionNameSelector != nil ||
		ptr.Deref(p.PublishPolicy, "") == policyOnRequest
}

// reads returns the calls of the next observation, as far as they are known in advance.
func reads(v *v1beta1.Version) []string {
	switch {
	case meta.WasDeleted(v) || reconcile.ObserveOnly(v):
		return []string{opGet}
	case reconcile.ExternalName(v) == "":
		return []string{opGet, opList, opPublish}
	case !active(v):
		return []string{opGet, opGet}
	}
	return []string{opGet}
}

func references(v *v1beta1.Version) []reconcile.Reference {
	refs := reconcile.References(v)
	refs[0].Follows = ptr.Deref(v.Spec.ForProvider.PublishPolicy, "") != policyOnRequest // It publishes what changes.
	return refs
}

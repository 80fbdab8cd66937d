// Package layerversion manages versions of AWS Lambda layers.
//
// A version never changes in AWS. If spec or an object that it refers to changes, a new version is published, and the
// external name moves to it. intent.go records what is about to be published, so that lost.go finds a version again if
// the answer to its publication was lost. publish.go publishes a version, old.go deletes those before it, unless
// functions use them, which usage.go remembers, lists.go polls by lists, and resource.go decides which of that is due.
package layerversion

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Define returns the kind of LayerVersions.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	used := newUsages()
	return reconcile.Kind[*v1beta1.LayerVersion]{
		GVK:   v1beta1.LayerVersionGroupVersionKind,
		Reads: reads,
		Observer: func(_ *v1beta1.LayerVersion, s *session.Session) reconcile.Observer[*v1beta1.LayerVersion] {
			e := &external{
				api: session.Client(s, lambda.NewFromConfig), usages: used,
				bundles: archive.Finder{
					Objects: o.Objects, Fields: o.Fields, Store: o.Artifacts, OCI: o.Registries, Now: o.Now,
				}.With(s),
			}
			return e.resource()
		},
		Listed: listItem,
		Forget: used.drop,
		Owns: func(l *v1beta1.LayerVersion) []tenancy.Target {
			return tenancy.Named(ptr.To(reconcile.ExternalName(l)))
		},
		Claims: func(l *v1beta1.LayerVersion) []tenancy.Target {
			return []tenancy.Target{tenancy.Layer(layerName(l))}
		},
		Refs:   objectRefs,
		Fields: fieldSelectors,
		Redact: redact,
	}.Untyped()
}

// redact removes the inline files from a LayerVersion that is logged, because code may contain secrets.
func redact(l *v1beta1.LayerVersion) {
	if c := l.Spec.ForProvider.Content; c != nil {
		c.Inline = diff.RedactedValues(c.Inline)
	}
}

// reads returns the calls of the next observation. If there is no version yet, it includes
// the publication that is likely to follow.
func reads(l *v1beta1.LayerVersion) []string {
	arn := reconcile.ExternalName(l)
	i, recorded := intentOf(l)
	switch {
	case recorded && !i.completed(arn):
		return []string{opList, opGet}
	case arn == "" && !meta.WasDeleted(l) && !reconcile.ObserveOnly(l):
		return []string{opList, opPublish}
	case arn == "":
		return nil
	}
	return []string{opGet}
}

// objectRefs returns the Secret or ConfigMap that has the content.
func objectRefs(l *v1beta1.LayerVersion) []refs.ObjectRef {
	if c := l.Spec.ForProvider.Content; c != nil {
		return source(*c).Refs(l.GetNamespace())
	}
	return nil
}

// fieldSelectors returns the source that has the content.
func fieldSelectors(l *v1beta1.LayerVersion) []v1beta1.FieldSelector {
	if c := l.Spec.ForProvider.Content; c != nil {
		return source(*c).Fields()
	}
	return nil
}

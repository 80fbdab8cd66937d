// Package codesigningconfig manages AWS Lambda code signing configurations.
//
// AWS gives a configuration its name, the ARN, and returns its tags only by a call of their own, the results of which
// readcache.TagCache keeps. What an unanswered create has made is found by its tags.
package codesigningconfig

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

// kind is the value of the kind's tag.
const kind = "codesigningconfig.lambda.aws.m.crossplane.io"

// Define returns the kind of CodeSigningConfigs.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	tags := readcache.NewTagCache(o.Now)
	return reconcile.Kind[*v1beta1.CodeSigningConfig]{
		GVK:      v1beta1.CodeSigningConfigGroupVersionKind,
		Reads:    func(c *v1beta1.CodeSigningConfig) []string { return reads(c, tags, o.Now()) },
		Reported: func(*v1beta1.CodeSigningConfig) bool { return true },
		Observer: func(
			c *v1beta1.CodeSigningConfig, s *session.Session,
		) reconcile.Observer[*v1beta1.CodeSigningConfig] {
			return newExternal(&external{
				api: session.Client(s, lambda.NewFromConfig), fields: o.Fields, tags: tags, cache: s.ReadCache(),
				owner: tagging.NewOwner(c, kind, o.ClusterID, s),
			})
		},
		Outdate: tags.Drop,
		Forget:  tags.Drop,
		Tagged:  true,
		Owns: func(c *v1beta1.CodeSigningConfig) []tenancy.Target {
			return tenancy.Named(ptr.To(reconcile.ExternalName(c)))
		},
		Fields: func(c *v1beta1.CodeSigningConfig) []v1beta1.FieldSelector { return refs.In(c.Spec) },
	}.Untyped()
}

// reads returns the operations of the next observation, and the creation that will most likely follow the first one.
func reads(mg *v1beta1.CodeSigningConfig, tags *readcache.TagCache, now time.Time) []string {
	arn := reconcile.ExternalName(mg)
	switch {
	case arn == "" && (!meta.GetExternalCreatePending(mg).IsZero() || tagging.MayHaveCreated(mg, now)):
		return []string{opList}
	case arn == "":
		return []string{opCreate}
	case tags.Due(mg, arn):
		return []string{opGet, opTags}
	}
	return []string{opGet}
}

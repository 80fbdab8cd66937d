// Package function manages AWS Lambda functions.
//
// The files of every kind are the same: controller.go wires the kind up,
// external.go is its only I/O to AWS, client.go names the calls that it makes,
// convert.go turns the spec into AWS's inputs, and diff.go tells what is left to
// do. A function needs a few more: settings.go puts spec and AWS's answers in one form, archive.go and
// resolve.go find the code, environment.go the variables, readiness.go is the
// state machine, plan.go carries what an observation found to the call that
// follows it, and memory.go what was sent to the next observation. defaults.go and
// hidden.go are about what AWS leaves out of its answers, creation.go about creations
// that failed, history.go deletes versions beyond a limit, vpcdeletion.go is the step
// before a deletion, and reservation.go checks a reservation against the account's limits.
package function

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/bundle"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/tenancy"
)

// Setup adds a controller of Functions to the manager.
func Setup(mgr ctrl.Manager, o reconciler.Options) error {
	c := &connector{o: o, memory: newRecords()}
	return reconciler.Setup(mgr, o, reconciler.Kind[*v1beta1.Function]{
		GVK:        v1beta1.FunctionGroupVersionKind,
		New:        func() *v1beta1.Function { return &v1beta1.Function{} },
		NewList:    func() resource.ManagedList { return &v1beta1.FunctionList{} },
		Region:     func(f *v1beta1.Function) string { return f.Spec.ForProvider.Region },
		Reads:      expectedReads,
		Connect:    c.connect,
		Forget:     c.memory.drop,
		Owns:       func(f *v1beta1.Function) []tenancy.Target { return tenancy.Functions(ptr.To(functionName(f))) },
		Tagged:     true,
		Refs:       objectRefs,
		References: references,
		RefersTo: []schema.GroupVersionKind{
			v1beta1.LayerVersionGroupVersionKind,
			v1beta1.CodeSigningConfigGroupVersionKind,
			v1beta1.CapacityProviderGroupVersionKind,
		},
		Fields: func(f *v1beta1.Function) []v1beta1.FieldSelector { return refs.In(f.Spec) },
		Redact: redact,
	})
}

// calls by which this kind creates and deletes. Its Plan names those that update.
var calls = reconciler.Calls{Create: opCreate, Delete: opDelete}

type connector struct {
	o      reconciler.Options
	memory *records
}

func (c *connector) connect(_ context.Context, f *v1beta1.Function, s *session.Session) (managed.TypedExternalClient[*v1beta1.Function], error) {
	return reconciler.NewExternal(&external{
		api: session.Client(s, lambda.NewFromConfig),
		resolver: &resolver{
			objects: c.o.Objects,
			fields:  c.o.Fields,
			bundles: bundle.Finder{Objects: c.o.Objects, S3: session.Client(s, s3.NewFromConfig), Hashes: s.Inventory(), Now: c.o.Now},
			ecr:     session.Client(s, ecr.NewFromConfig),
		},
		owner:   tagging.NewOwner(f, kind, c.o.ClusterID, s),
		cache:   s.Inventory(),
		memory:  c.memory,
		account: c.o.Accounts.Of(s),
		now:     c.o.Now,
	}, calls), nil
}

// expectedReads are the calls of the next observation, and the creation that
// will most likely follow the first one.
func expectedReads(f *v1beta1.Function) []string {
	if f.Status.AtProvider.FunctionArn == nil && !reconciler.ObserveOnly(f) && f.GetDeletionTimestamp() == nil {
		return append(reads(f), opCreate)
	}
	return reads(f)
}

// redact takes the values of environment variables out of what is logged, and the files
// that are written in the manifest: code may hold what is secret.
func redact(f *v1beta1.Function) {
	if c := f.Spec.ForProvider.Code; c != nil {
		c.Inline = diff.RedactedValues(c.Inline)
	}
	redactSettings(&f.Spec.ForProvider.FunctionSettings)
	if f.Spec.InitProvider != nil {
		redactSettings(f.Spec.InitProvider)
	}
}

func redactSettings(s *v1beta1.FunctionSettings) {
	if s.Environment != nil {
		s.Environment.Variables = diff.RedactedValues(s.Environment.Variables)
	}
}

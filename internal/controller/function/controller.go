// Package function manages AWS Lambda functions.
//
// The files of every kind are the same: controller.go sets up the controller, external.go reads from AWS, resource.go
// observes and changes, convert.go builds AWS's inputs from the spec, and diff.go compares the desired with the
// observed state.
//
// A function needs a few more. calls.go names the calls to AWS. settings.go puts spec and AWS's answers in one
// comparable form, and fields.go says how their fields are copied and which call changes them. archive.go and
// resolve.go resolve the code, and environment.go the variables. state.go reads the state of a function in AWS, and
// readiness.go is the state machine. plan.go carries the result of an observation, which compare.go makes, to the call
// that follows it, which update.go makes, and memory.go carries what was sent to the next observation. defaults.go and
// hidden.go handle what AWS omits from its answers. publish.go decides when a version is due, history.go deletes
// versions beyond a limit, deletion.go deletes a function and releases its VPC before, and reservation.go checks
// reserved concurrency against the account's limits. references.go and lists.go say what a function refers to, and what
// a list of functions shows of it.
package function

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	metrics "github.com/crossplane-contrib/provider-lambda/internal/aws/cloudwatch"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// kind is the kind of resource that the ownership tags record.
const kind = "function.lambda.aws.m.crossplane.io"

// Define returns the kind of Functions.
func Define(mgr ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	return newKind(&connector{o: o, memory: newRecords(), resources: o.All(mgr).GetClient()}).Untyped()
}

// newKind returns the kind, whose external clients are those of a connector.
func newKind(c *connector) reconcile.Kind[*v1beta1.Function] {
	return reconcile.Kind[*v1beta1.Function]{
		GVK:      v1beta1.FunctionGroupVersionKind,
		Reads:    expectedReads,
		Observer: c.observer,
		Reported: reported,
		Listed:   listItem,
		Forget:   c.memory.drop,
		Owns:     func(f *v1beta1.Function) []tenancy.Target { return tenancy.Functions(ptr.To(functionName(f))) },
		Uses:     uses,
		Tagged:   true,
		Refs:     objectRefs,
		Fields:   fieldSelectors,
		Redact:   redact,

		Invocations: c.invocations,
	}
}

// reported reports whether CloudTrail records what may change the function. It records neither a new object in S3 nor
// a tag of an image that moves.
func reported(f *v1beta1.Function) bool {
	c, left := codeOf(f)
	switch {
	case c == nil, left:
		return true
	case c.S3Bucket != nil && c.S3ObjectVersion == nil:
		return false
	}
	return !ptr.Deref(c.TrackImageTag, false) && !source(*c).Tracks()
}

type connector struct {
	o      engine.Options
	memory *records

	// resources is read for the Aliases and Versions that need versions.
	resources client.Reader
}

func (c *connector) observer(f *v1beta1.Function, s *session.Session) reconcile.Observer[*v1beta1.Function] {
	e := &external{
		api: session.Client(s, lambda.NewFromConfig),
		resolver: &resolver{
			objects: c.o.Objects,
			fields:  c.o.Fields,
			bundles: archive.Finder{
				Objects: c.o.Objects, Fields: c.o.Fields, Store: c.o.Artifacts, OCI: c.o.Registries, Now: c.o.Now,
			}.With(s),
			ecr: session.Client(s, ecr.NewFromConfig),
		},
		tags:      tagging.NewOwner(f, kind, c.o.ClusterID, s),
		cache:     s.ReadCache(),
		memory:    c.memory,
		account:   c.o.Accounts.Of(s),
		resources: c.resources,
		limited:   len(c.o.Namespaces) > 0,

		reachable: c.o.Breakers.Reachable(s.BreakerKey()),
	}
	return e.resource()
}

// invocations returns how often a function was invoked within a time ago, or how long to wait for that. It returns an
// error if the function is in another account, because the metrics are those of a function of that name in the own one.
func (c *connector) invocations(
	ctx context.Context, f *v1beta1.Function, s *session.Session, within time.Duration,
) (count float64, wait time.Duration, err error) {
	name := functionName(f)
	if r, _ := functionname.ParseReference(name); r.Account != "" && r.Account != s.Identity.AccountID() {
		return 0, 0, errors.Errorf("function %s is in another account, whose metrics the provider config does not read",
			name)
	}
	return session.Shared[metrics.Batcher](s).Invocations(
		ctx, session.Client(s, cloudwatch.NewFromConfig), c.o.Now(), f.GetNamespace(), functionname.Plain(name), within,
	)
}

// expectedReads returns the calls of the next observation, and the creation or deletion that is likely to follow:
// without it, the reads of many Functions would go before the calls that follow them, and be repeated.
func expectedReads(f *v1beta1.Function) []string {
	switch deleted := meta.WasDeleted(f); {
	case !deleted && f.Status.AtProvider.FunctionArn == nil && !reconcile.ObserveOnly(f):
		return append(reads(f), opCreate)
	case deleted && f.Status.AtProvider.FunctionArn != nil &&
		f.GetCondition(xpv2.TypeReady).Reason != xpv2.ReasonDeleting:
		return append(reads(f), opDelete)
	}
	return reads(f)
}

// redact removes the values of environment variables and the inline files from a function
// that is logged, because both may contain secrets.
func redact(f *v1beta1.Function) {
	redactSettings(&f.Spec.ForProvider.FunctionSettings)
	if f.Spec.InitProvider != nil {
		redactSettings(f.Spec.InitProvider)
	}
}

func redactSettings(s *v1beta1.FunctionSettings) {
	if s.Code != nil {
		s.Code.Inline = diff.RedactedValues(s.Code.Inline)
	}
	if s.Environment != nil {
		s.Environment.Variables = diff.RedactedValues(s.Environment.Variables)
	}
}

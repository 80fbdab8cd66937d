package function

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/ownership"
)

const (
	// creationWindow is how long after this resource asked for a creation a function in
	// state Failed may be what came of it. Later, it may have served since.
	creationWindow = 30 * time.Minute

	// clockSkew is by how much AWS's clock and the provider's may differ.
	clockSkew = 2 * time.Minute
)

// createdJustNow says that a function in state Failed is what this very resource has just
// tried to create, and has never been anything else, so that deleting it loses nothing.
// Deletion takes all versions and aliases along, so every doubt says no: the function
// must carry this object's UID, and the object must have asked for a creation itself,
// which a restored or re-created one has not; it must not have been seen Active, and have
// no version; and it must not be older than that creation, as an imported one is, or one
// that AWS once said did not exist.
func createdJustNow(f *v1beta1.Function, v ownership.Ownership, o observed, now time.Time) bool {
	asked := meta.GetExternalCreatePending(f)
	modified := lastModified(o.config())
	return v == ownership.Ours && !f.Status.AtProvider.Activated && o.unversioned &&
		!asked.IsZero() && !asked.Before(f.CreationTimestamp.Time) && now.Sub(asked) < creationWindow &&
		!modified.Before(asked.Add(-clockSkew))
}

// neverActive says that a function is in state Failed and was never seen Active.
func neverActive(f *v1beta1.Function, state types.State) bool {
	return state == types.StateFailed && !f.Status.AtProvider.Activated
}

// readVersions tells whether a function that may be a failed creation has versions beyond
// the one that the creation itself publishes.
func (e *external) readVersions(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	if !neverActive(f, o.config().State) {
		return nil
	}
	version := "1"
	if creating(f).publish {
		version = "2"
	}
	_, err := e.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name), Qualifier: ptr.To(version)})
	switch {
	case awserr.IsNotFound(err):
		o.unversioned = true
		return nil
	case awserr.IsAccessDenied(err):
		return nil
	}
	return errors.Wrapf(awserr.Clean(err), "cannot read version %s of function %s", version, name)
}

// deleteFailed deletes what could not be created.
func (e *external) deleteFailed(ctx context.Context, name string) error {
	_, err := e.api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: ptr.To(name)})
	if awserr.IsNotFound(err) {
		return nil
	}
	return err
}

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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

const (
	// creationWindow is the time after a creation was requested in which a function in state Failed can be its result.
	// A function that failed later may have served requests before.
	creationWindow = 30 * time.Minute

	// clockSkew is the largest expected difference between the clocks of AWS and the provider.
	clockSkew = 2 * time.Minute
)

// isNew reports whether the function is to be created and nothing was tried yet.
func isNew(f *v1beta1.Function) bool {
	return ownership.Untried(f) && f.Status.AtProvider.FunctionArn == nil && reconcile.MayCreate(f)
}

// createdJustNow reports whether a function in state Failed is the result of the creation that this resource has just
// requested, so that deleting it loses nothing. Deletion also removes all versions and aliases, so the answer is no in
// every case of doubt: the function must carry this object's UID; the object must have requested a creation itself,
// which a restored or re-created object has not, and AWS must not have rejected it because the function existed; the
// function must never have been observed Active and must have no version; and it must not be older than that creation,
// as an imported function is.
func createdJustNow(f *v1beta1.Function, v ownership.Ownership, o observed, now time.Time) bool {
	requested := meta.GetExternalCreatePending(f)
	modified := lambdaapi.Modified(o.config().LastModified)
	return v == ownership.Ours && !f.Status.AtProvider.Activated && o.unversioned &&
		!requested.IsZero() && meta.GetExternalCreateFailed(f).Before(requested) &&
		!requested.Before(f.CreationTimestamp.Time) && now.Sub(requested) < creationWindow &&
		!modified.Before(requested.Add(-clockSkew))
}

// neverActive reports whether a function is in state Failed and was never observed Active.
func neverActive(f *v1beta1.Function, state types.State) bool {
	return state == types.StateFailed && !f.Status.AtProvider.Activated
}

// readVersions finds out whether a function that may be a failed creation has versions
// beyond the one that the creation itself publishes.
func (e *external) readVersions(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	if !neverActive(f, o.config().State) {
		return nil
	}
	version := "1"
	if creating(f).publish || f.Status.AtProvider.PublishedFingerprint != nil {
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
	return errors.Wrapf(awserr.Sanitize(err), "cannot read version %s of function %s", version, name)
}

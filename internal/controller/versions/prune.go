package versions

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// CallDelete is the operation that deletes a version.
const CallDelete = "DeleteFunction"

// A Pruner deletes versions that nothing uses.
type Pruner struct {
	// Facts of the reconcile.
	Facts reconcile.Facts

	API API

	// Function is the function of the versions, and History has those that the resource has published.
	Function Function
	History  *v1beta1.VersionHistory

	// Cache is the cache of the session's answers.
	Cache *readcache.Cache

	// Resources reads Aliases and Versions, which may need versions that nothing in AWS names. Nil reads none.
	Resources client.Reader

	// Version is the UID of the Version that prunes, if any. It does not need its own earlier versions, even if an
	// outdated cache says so.
	Version types.UID

	// Limited says that Resources are only those of some namespaces of the cluster. Then nothing is deleted of a
	// function with an alias that none of them manages.
	Limited bool
}

// PlanDeletion adds to a plan the deletion of a version that is earlier than the latest one and was found unused.
func (p Pruner) PlanDeletion(plan reconcile.Plan, version string, limit int32, latest string) reconcile.Plan {
	earlier := fmt.Sprintf("%d earlier versions", len(Earlier(p.History, latest)))
	plan.Call, plan.Changes = CallDelete, diff.Changes{{Path: "historyLimit", Old: earlier, New: fmt.Sprint(limit)}}
	plan.Followed = plan.Changes
	plan.Does = "deleted version " + version + " beyond the limit: " + plan.Changes.String()
	return plan
}

// Prune deletes a version that was found unused. If AWS rejects the deletion because the
// version is in use, Prune records that.
func (p Pruner) Prune(ctx context.Context, version string) (effects reconcile.Effects, err error) {
	err = p.Delete(ctx, version)
	if InUse(err) {
		why := awserr.Message(err)
		effects.Events = p.keep(version, why, why)
		return effects, nil
	}
	if err == nil {
		Forget(p.History, version)
	}
	return effects, err
}

// keep records that a version is in use, and returns the event that it is kept if its user is new.
func (p Pruner) keep(version, usedBy, why string) []event.Event {
	if !retain(p.History, version, usedBy, p.Facts.Now()) {
		return nil
	}
	return []event.Event{Kept(p.Function.Name, version, why)}
}

// Delete deletes a version (DeleteFunction). It always passes a qualifier, because without one
// AWS would delete the function and all its versions. A version that is gone is not an error.
func (p Pruner) Delete(ctx context.Context, version string) error {
	function := p.Function.Name
	if !IsPublished(version) {
		return errors.Errorf("%q is not a published version: nothing was deleted", version)
	}
	defer p.Cache.Forget(usesKey(function))
	_, err := p.API.DeleteFunction(ctx, &lambda.DeleteFunctionInput{
		FunctionName: ptr.To(function),
		Qualifier:    ptr.To(version),
	})
	if awserr.IsNotFound(err) {
		return nil
	}
	return errors.Wrapf(err, "cannot delete version %s of function %s", version, function)
}

// InUse reports whether AWS rejected the deletion of a version because something uses it.
func InUse(err error) bool {
	return awserr.IsConflict(err) && !awserr.IsInProgress(err) || awserr.IsReplicated(err)
}

// Kept returns the event that a version is kept, and why.
func Kept(function, version, why string) event.Event {
	return event.Normal(v1beta1.EventKeptVersion, "Kept version "+version+" of function "+function+": "+why)
}

// usesKey returns the cache key of the combined answers of several operations.
func usesKey(function string) readcache.Key {
	return readcache.Key{Operation: "uses of versions", Of: function}
}

// notReturned wraps an error of the calls that return what uses versions.
func (p Pruner) notReturned(err error) error {
	return errors.Wrapf(
		err, "cannot tell which versions of function %s are in use, so none is deleted", p.Function.Name,
	)
}

package versions

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// CallDelete is the operation that deletes a version.
	CallDelete = "DeleteFunction"

	// shared is the maximum age of cached lists of uses, so that deleting many versions calls them once.
	shared = 10 * time.Second

	// next is the delay before the next version is checked after one was found in use.
	next = time.Second
)

// A Function is a function with versions to be pruned.
type Function struct {
	// Name is the name of the function in calls. It may be an ARN, also of another account.
	Name string

	// ARN is the ARN of the function, without a qualifier.
	ARN string
}

// FunctionOf returns the function with a name, and an ARN that AWS returned for it or for one
// of its versions or aliases. If the ARN is empty, the name is used instead.
func FunctionOf(name, arn string) Function {
	n := functionname.OfARN(arn)
	if n.Function == "" {
		return Function{Name: name, ARN: name}
	}
	if n.Qualifier != "" {
		arn = strings.TrimSuffix(arn, ":"+n.Qualifier)
	}
	return Function{Name: name, ARN: arn}
}

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

// Unused returns the first of the versions in excess that nothing uses, or an empty string. It records versions in use
// in the history, returns an event about them, and checks them again later. It only calls AWS about versions that are
// due, and reserves the calls. It returns a reconcile.LaterError if there is no quota for them yet.
func (p Pruner) Unused(ctx context.Context, excess []string) (string, reconcile.Effects, error) {
	releaseOthers(p.History, excess)
	effects := reconcile.Effects{}
	due := Due(p.History, excess, p.Facts.Now())
	if len(due) == 0 {
		return "", effects, nil
	}
	if err := p.reserve(); err != nil {
		return "", effects, err
	}
	uses, err := p.uses(ctx, due...)
	if err != nil {
		return "", effects, err
	}
	for i, version := range due {
		by, known := uses[version]
		if !known {
			if by, err = useOf(ctx, p.API, p.Function, version); err != nil {
				return "", effects, p.notReturned(err)
			}
			if by == "" {
				return version, effects, nil
			}
		}
		effects.Events = append(effects.Events, p.keep(version, by, by+" uses it")...)
		if !known {
			if i < len(due)-1 {
				effects.After = next
			}
			return "", effects, nil // The calls for another version are not reserved.
		}
	}
	return "", effects, nil
}

// UsedBy returns what uses a version, or an empty string. It reserves the calls. It returns a reconcile.LaterError if
// there is no quota for them yet.
func (p Pruner) UsedBy(ctx context.Context, version string) (string, error) {
	if err := p.reserve(); err != nil {
		return "", err
	}
	uses, err := p.uses(ctx, version)
	if err != nil {
		return "", err
	}
	if by, known := uses[version]; known {
		return by, nil
	}
	by, err := useOf(ctx, p.API, p.Function, version)
	return by, p.notReturned(err)
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

// uses returns the uses of the function's versions, as far as lists contain them. It accepts a recent cached answer,
// unless one of the versions is in use in it, because that may have changed since.
func (p Pruner) uses(ctx context.Context, versions ...string) (Uses, error) {
	f := p.Function
	fresh, listed := p.Facts.Fresh, false
	fresh.Since = fresh.Now.Add(-shared)
	list := func(ctx context.Context) (lists, error) {
		listed = true
		return listsOf(ctx, p.API, f.Name)
	}
	l, err := readcache.Read(ctx, p.Cache, usesKey(f.Name), fresh, list)
	if err == nil && !listed && l.uses.any(versions) {
		p.Cache.Forget(usesKey(f.Name))
		l, err = readcache.Read(ctx, p.Cache, usesKey(f.Name), fresh, list)
	}
	if err != nil {
		return nil, p.notReturned(err)
	}
	u, err := p.withResources(ctx, l, versions)
	return u, p.notReturned(err)
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

// reserve reserves the calls that return what uses versions.
func (p Pruner) reserve() error {
	return p.Facts.Reserve(callAliases, callProvisioned, callInvoke, callMappings, callPolicy)
}

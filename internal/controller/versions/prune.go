package versions

import (
	"context"
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
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (

	// CallDelete is the operation that deletes a version.
	CallDelete = callDelete

	// shared is the maximum age of cached lists of uses, so that deleting many versions calls them once.
	shared = 10 * time.Second

	// next is the delay before the next version is checked after one was found in use.
	next = time.Second
)

// A Function is a function with versions to be pruned.
type Function struct {
	// Name is the name of the function.
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
func (p Pruner) Unused(
	ctx context.Context, f Function, h *v1beta1.VersionHistory, excess []string, now time.Time,
) (string, reconcile.Effects, error) {
	ReleaseOthers(h, excess)
	effects := reconcile.Effects{}
	due := Due(h, excess, now)
	if len(due) == 0 {
		return "", effects, nil
	}
	if err := p.reserve(); err != nil {
		return "", effects, err
	}
	uses, err := p.uses(ctx, f, due...)
	if err != nil {
		return "", effects, err
	}
	for i, version := range due {
		by, known := uses[version]
		if !known {
			if by, err = useOf(ctx, p.API, f, version); err != nil {
				return "", effects, notReturned(err, f)
			}
			if by == "" {
				return version, effects, nil
			}
		}
		if retain(h, version, by, now) {
			effects.Events = append(effects.Events, Kept(f.Name, version, by+" uses it"))
		}
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
func (p Pruner) UsedBy(ctx context.Context, f Function, version string) (string, error) {
	if err := p.reserve(); err != nil {
		return "", err
	}
	uses, err := p.uses(ctx, f, version)
	if err != nil {
		return "", err
	}
	if by, known := uses[version]; known {
		return by, nil
	}
	by, err := useOf(ctx, p.API, f, version)
	return by, notReturned(err, f)
}

// Prune deletes a version that was found unused. If AWS rejects the deletion because the
// version is in use, Prune records that.
func (p Pruner) Prune(
	ctx context.Context, f Function, h *v1beta1.VersionHistory, version string, now time.Time,
) (reconcile.Effects, error) {
	err := p.Delete(ctx, f.Name, version)
	if InUse(err) {
		why := awserr.Message(err)
		if retain(h, version, why, now) {
			return reconcile.Effects{Events: []event.Event{Kept(f.Name, version, why)}}, nil
		}
		return reconcile.Effects{}, nil
	}
	if err == nil {
		Forget(h, version)
	}
	return reconcile.Effects{}, err
}

// Delete deletes a version (DeleteFunction). It always passes a qualifier, because without one
// AWS would delete the function and all its versions. A version that is gone is not an error.
func (p Pruner) Delete(ctx context.Context, function, version string) error {
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
func (p Pruner) uses(ctx context.Context, f Function, versions ...string) (Uses, error) {
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
		return nil, notReturned(err, f)
	}
	u, err := p.withResources(ctx, f, l, versions)
	return u, notReturned(err, f)
}

// usesKey returns the cache key of the combined answers of several operations.
func usesKey(function string) readcache.Key {
	return readcache.Key{Operation: "uses of versions", Of: function}
}

// notReturned wraps an error of the calls that return what uses versions.
func notReturned(err error, f Function) error {
	return errors.Wrapf(err, "cannot tell which versions of function %s are in use, so none is deleted", f.Name)
}

// reserve reserves the calls that return what uses versions.
func (p Pruner) reserve() error {
	return p.Facts.Reserve(callAliases, callProvisioned, callInvoke, callMappings, callPolicy)
}

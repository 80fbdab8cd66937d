package versions

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
)

const (
	// reasonKept tells of a version that was not deleted.
	reasonKept event.Reason = "KeptVersion"

	// CallDelete is the operation by which a version is deleted.
	CallDelete = callDelete

	// shared is how old the lists may be that tell what uses a function's versions, so
	// that deleting many takes them once.
	shared = 10 * time.Second

	// next is when the next version is looked at, after one was found in use.
	next = time.Second
)

// A Function whose versions are pruned.
type Function struct {
	// Name of the function.
	Name string

	// ARN of the function, without a qualifier.
	ARN string
}

// FunctionOf a name, with the ARN that AWS told of it, or of a version or an alias of it.
// Where AWS told none, the name stands for it.
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
	API API

	// Cache of the session's answers.
	Cache *inventory.Cache
}

// Unused is the first of the versions in excess that nothing uses, or empty. What is in
// use is noted in the history, told in an event, and asked about again later. It asks
// AWS about versions that are due alone, and reserves the calls; where their quota is not
// there yet, the reconcile is held.
func (p Pruner) Unused(ctx context.Context, f Function, h *v1beta1.VersionHistory, excess []string, now time.Time) (string, error) {
	ReleaseOthers(h, excess)
	due := Due(h, excess, now)
	if len(due) == 0 || !reserve(ctx) {
		return "", nil
	}
	uses, err := p.uses(ctx, f, due...)
	if err != nil {
		return "", err
	}
	for i, version := range due {
		by, known := uses[version]
		if !known {
			if by, err = useOf(ctx, p.API, f, version); err != nil {
				return "", notReturned(err, f)
			}
			if by == "" {
				return version, nil
			}
		}
		if retain(h, version, by, now) {
			Kept(ctx, f.Name, version, by+" uses it")
		}
		if !known {
			if i < len(due)-1 {
				managed.RequeueAfter(ctx, next)
			}
			return "", nil // The calls for another version are not reserved.
		}
	}
	return "", nil
}

// UsedBy says what uses a version, or is empty. It reserves the calls; where their quota
// is not there yet, the reconcile is held.
func (p Pruner) UsedBy(ctx context.Context, f Function, version string) (string, error) {
	if !reserve(ctx) {
		return "", nil
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

// Prune a version that nothing used when AWS was asked. One that AWS does not delete is
// in use after all.
func (p Pruner) Prune(ctx context.Context, f Function, h *v1beta1.VersionHistory, version string, now time.Time) error {
	err := p.Delete(ctx, f.Name, version)
	if InUse(err) {
		why := awserr.Message(err)
		if retain(h, version, why, now) {
			Kept(ctx, f.Name, version, why)
		}
		return nil
	}
	if err == nil {
		Forget(h, version)
	}
	return err
}

// Delete a version. The call always has a qualifier, for without one it would delete the
// function and all its versions. A version that is gone is no error.
func (p Pruner) Delete(ctx context.Context, function, version string) error {
	if !IsPublished(version) {
		return errors.Errorf("%q is not a published version: nothing was deleted", version)
	}
	defer p.Cache.Forget(usesKey(function))
	_, err := p.API.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: ptr.To(function), Qualifier: ptr.To(version)})
	if awserr.IsNotFound(err) {
		return nil
	}
	return errors.Wrapf(err, "cannot delete version %s of function %s", version, function)
}

// InUse says that AWS does not delete a version since something uses it.
func InUse(err error) bool {
	return awserr.IsConflict(err) && !awserr.IsInProgress(err) || awserr.IsReplicated(err)
}

// Kept tells that a version is kept, and why.
func Kept(ctx context.Context, function, version, why string) {
	managed.Emit(ctx, event.Normal(reasonKept, "Kept version "+version+" of function "+function+": "+why))
}

// uses of the function's versions, as far as lists tell them. An answer from a moment ago
// goes for one of now, unless it has one of the versions in use: what used it may have
// moved on since.
func (p Pruner) uses(ctx context.Context, f Function, versions ...string) (Uses, error) {
	fresh, asked := managed.Freshness(ctx), false
	fresh.Since = fresh.Now.Add(-shared)
	ask := func(ctx context.Context) (Uses, error) {
		asked = true
		return usesOf(ctx, p.API, f.Name)
	}
	u, err := inventory.Read(ctx, p.Cache, usesKey(f.Name), fresh, ask)
	if err == nil && !asked && u.any(versions) {
		p.Cache.Forget(usesKey(f.Name))
		u, err = inventory.Read(ctx, p.Cache, usesKey(f.Name), fresh, ask)
	}
	return u, notReturned(err, f)
}

// usesKey of answers of several operations, under the name of none.
func usesKey(function string) inventory.Key {
	return inventory.Key{Operation: "uses of versions", Of: function}
}

func notReturned(err error, f Function) error {
	return errors.Wrapf(err, "cannot tell which versions of function %s are in use, so none is deleted", f.Name)
}

func reserve(ctx context.Context) bool {
	return managed.Reserve(ctx, callAliases, callProvisioned, callInvoke, callMappings, callPolicy)
}

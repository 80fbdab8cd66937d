package functionconfig

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A Reader reads the configurations of one kind that a function has, all at once and for
// all resources of a session, so that they share one call.
type Reader[V any] struct {
	// Cache of the session.
	Cache *readcache.Cache

	// Operation is the AWS operation that lists them, such as ListFunctionUrlConfigs.
	Operation string

	// Page returns a page of the list of a function from a marker on, and the marker of the
	// next page. The first and the last marker are nil.
	Page func(ctx context.Context, function string, marker *string) (page []V, next *string, err error)

	// ARN returns the ARN of the function, version or alias that a configuration is for.
	ARN func(V) *string

	// Get reads a single configuration with the operation GetBy. It is called if the list may be incomplete.
	Get   func(ctx context.Context, n functionname.Name) (V, error)
	GetBy string
}

// Read returns the configuration of a name. It returns false if there is none, or no such function.
//
// The list is not conclusive if the endpoint, such as an emulator, does not support it, or if it does not contain what
// the resource has created: then the single configuration is read.
func (r *Reader[V]) Read(
	ctx context.Context, f reconcile.Facts, mg resource.Managed, n functionname.Name,
) (V, bool, error) {
	var none V
	all, err := readcache.Read(ctx, r.Cache, r.key(n), f.Fresh, func(ctx context.Context) ([]V, error) {
		return r.list(ctx, f, n.Function)
	})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
		return r.single(ctx, f, n)
	}
	if err != nil {
		return none, false, err
	}
	for _, v := range all {
		if functionname.OfARN(ptr.Deref(r.ARN(v), "")) == n {
			return v, true, nil
		}
	}
	if made(mg) {
		return r.single(ctx, f, n)
	}
	return none, false, nil
}

// made reports whether a resource has created its configuration, or may have.
func made(mg resource.Managed) bool {
	return !meta.WasDeleted(mg) && (ownership.WrittenName(mg) != "" || !meta.GetExternalCreatePending(mg).IsZero())
}

// single reads one configuration. If the credentials do not permit the call, the list is taken as conclusive.
func (r *Reader[V]) single(ctx context.Context, f reconcile.Facts, n functionname.Name) (V, bool, error) {
	var none V
	if r.Get == nil {
		return none, false, nil
	}
	if err := f.Reserve(r.GetBy); err != nil {
		return none, false, err
	}
	v, err := r.Get(ctx, n)
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) || awserr.IsAccessDenied(err) {
		return none, false, nil
	}
	return v, err == nil, err
}

// list returns all pages. Those after the first are reserved one by one.
func (r *Reader[V]) list(ctx context.Context, f reconcile.Facts, function string) ([]V, error) {
	var read lambdaapi.Pages
	all, marker, err := r.Page(ctx, function, nil)
	for err == nil && ptr.Deref(marker, "") != "" {
		if err := read.Next("what function " + function + " has"); err != nil {
			return nil, err
		}
		if err := f.Reserve(r.Operation); err != nil {
			return nil, err
		}
		var page []V
		page, marker, err = r.Page(ctx, function, marker)
		all = append(all, page...)
	}
	return all, err
}

// Forget invalidates what was read of a function, because it was changed.
func (r *Reader[V]) Forget(n functionname.Name) { r.Cache.Forget(r.key(n)) }

func (r *Reader[V]) key(n functionname.Name) readcache.Key {
	return readcache.Key{Operation: r.Operation, Of: n.Function}
}

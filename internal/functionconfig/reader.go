package functionconfig

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

// A Reader reads the configurations of one kind that a function has, all at once and
// for all resources of a session: each costs a share of one call.
type Reader[V any] struct {
	// Cache of the session.
	Cache *readcache.Cache

	// Operation of AWS that lists them, such as ListFunctionUrlConfigs.
	Operation string

	// Page of the list of a function, from a marker on, and the marker of the next. Both
	// markers are nil at the ends.
	Page func(ctx context.Context, function string, marker *string) (page []V, next *string, err error)

	// ARN of the function, version or alias that a configuration is for.
	ARN func(V) *string

	// Get a single configuration, with the operation of GetBy. It is asked where the list
	// may lack what is there.
	Get   func(ctx context.Context, n functionname.Name) (V, error)
	GetBy string
}

// Read the configuration of a name that a resource is about. It returns false where there
// is none, or no such function.
//
// A list that an emulator lacks, or that does not show what the resource has made, is no
// proof: then the single configuration is asked for.
func (r *Reader[V]) Read(ctx context.Context, mg resource.Managed, n functionname.Name) (V, bool, error) {
	var none V
	all, err := readcache.Read(ctx, r.Cache, r.key(n), reconciler.Freshness(ctx), func(ctx context.Context) ([]V, error) {
		return r.list(ctx, n.Function)
	})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
		return r.single(ctx, n)
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
		return r.single(ctx, n)
	}
	return none, false, nil
}

// made tells whether a resource has made its configuration, or may have.
func made(mg resource.Managed) bool {
	return !meta.WasDeleted(mg) && (ownership.WrittenName(mg) != "" || !meta.GetExternalCreatePending(mg).IsZero())
}

// single asks for one configuration. Who may not ask goes by the list.
func (r *Reader[V]) single(ctx context.Context, n functionname.Name) (V, bool, error) {
	var none V
	if r.Get == nil || !reconciler.Reserve(ctx, r.GetBy) {
		return none, false, nil
	}
	v, err := r.Get(ctx, n)
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) || awserr.IsAccessDenied(err) {
		return none, false, nil
	}
	return v, err == nil, err
}

// list all pages. Those after the first come unexpected: if there is no quota for one,
// the client defers it and with it the reconcile, which comes back with quota for all.
func (r *Reader[V]) list(ctx context.Context, function string) ([]V, error) {
	var read lambdaapi.Pages
	all, marker, err := r.Page(ctx, function, nil)
	for err == nil && ptr.Deref(marker, "") != "" {
		if err := read.Next("what function " + function + " has"); err != nil {
			return nil, err
		}
		reconciler.Reserve(ctx, r.Operation)
		var page []V
		page, marker, err = r.Page(ctx, function, marker)
		all = append(all, page...)
	}
	return all, err
}

// Forget what was read of a function, since it was changed.
func (r *Reader[V]) Forget(n functionname.Name) { r.Cache.Forget(r.key(n)) }

func (r *Reader[V]) key(n functionname.Name) readcache.Key {
	return readcache.Key{Operation: r.Operation, Of: n.Function}
}

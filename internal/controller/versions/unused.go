package versions

import (
	"context"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// shared is the maximum age of cached lists of uses, so that deleting many versions calls them once.
	shared = 10 * time.Second

	// next is the delay before the next version is checked after one was found in use.
	next = time.Second
)

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

// reserve reserves the calls that return what uses versions.
func (p Pruner) reserve() error {
	return p.Facts.Reserve(callAliases, callProvisioned, callInvoke, callMappings, callPolicy)
}

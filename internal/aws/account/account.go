// Package account caches Lambda's limits of AWS accounts in a region, and their usage. They are
// read rarely, and only if resources use a config. Users see them in status, and the provider uses
// them to report what AWS would reject before it calls AWS.
//
// Figures are visible only to the config whose credentials read them, even if configs share an account: credentials
// without the permission must not see them, and the account that a tenant's own endpoint claims proves nothing.
package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

const (
	// every is the interval at which figures of a config in a region are read.
	every = 10 * time.Minute

	// afterSilence is the wait for the figures of other regions after one has not answered: a reconcile waits for one.
	afterSilence = time.Minute

	// idle is the time for which a region counts as used after a reconcile of a resource there.
	idle = 2 * time.Hour

	// most is the maximum number of regions of a config: those that are in use for longest.
	most = 20
)

// Figures are the limits and the usage of an account in a region.
type Figures struct {
	// ConcurrentExecutions is the limit of concurrent executions.
	ConcurrentExecutions int32

	// UnreservedConcurrentExecutions is the part of it that no function has reserved.
	UnreservedConcurrentExecutions int32

	// CodeStorageLimit and CodeStorageUsed count functions, versions and layers, in bytes.
	CodeStorageLimit, CodeStorageUsed int64

	// Functions is the number of functions.
	Functions int64
}

// Usage has the figures of one region.
type Usage struct {
	Region  string
	Figures Figures

	// Unknown is the reason why the figures are not known. It is nil if they are.
	Unknown error
}

// Limits caches the figures of all configs that are in use. It is safe for concurrent use, and
// holds no lock while it calls AWS.
type Limits struct {
	now func() time.Time

	mu      sync.Mutex
	records map[scopeKey]*record
}

// A scopeKey is a config in an account and region.
type scopeKey struct {
	config types.UID
	scope  quota.Scope
}

// A record has the figures of a config in a region.
type record struct {
	session *session.Session

	// since is the time from which on it is in use, and used that of the last use.
	since, used time.Time

	// calledAt is the time when AWS was last called; calling is true during a call.
	calledAt time.Time
	calling  bool

	// read is the time when the figures were read. It is zero if they are not known.
	read    time.Time
	figures Figures
	err     error
}

// New returns an empty cache of limits.
func New(now func() time.Time) *Limits {
	return &Limits{now: now, records: map[scopeKey]*record{}}
}

// RecordUse records that a resource uses a session. Nil Limits record nothing.
func (b *Limits) RecordUse(s *session.Session) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := keyOf(s)
	r := b.records[k]
	if r == nil {
		b.dropIf(func(other scopeKey) bool { // Those of the same region are of an account that the config had before.
			return b.isIdle(other) || other.config == k.config && other.scope.Region == k.scope.Region
		})
		r = &record{since: b.now()}
		b.records[k] = r
	}
	r.session, r.used = s, b.now()
}

// isIdle reports whether a record was unused for long. The caller holds the lock.
func (b *Limits) isIdle(k scopeKey) bool { return b.now().Sub(b.records[k].used) > idle }

func keyOf(s *session.Session) scopeKey { return scopeKey{config: s.Ref.UID, scope: s.Scope} }

// Usages returns the usage of the regions in which a config is used, and reads the figures that are due. again is the
// time until the next figures are due, 0 if never.
func (b *Limits) Usages(ctx context.Context, uid types.UID) (known []Usage, again time.Duration) {
	silent := false
	for _, k := range b.inUse(uid) {
		wait, err := b.refresh(ctx, k, silent)
		silent = silent || awserr.IsUnanswered(err)
		if again == 0 || wait < again {
			again = wait
		}
		if u, ok := b.usage(k); ok {
			known = append(known, u)
		}
	}
	return known, again
}

// inUse returns the keys of a config that are in use, in order, and drops those that are not.
func (b *Limits) inUse(uid types.UID) []scopeKey {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropIf(b.isIdle)
	keys := slices.Collect(maps.Keys(b.records))
	keys = slices.DeleteFunc(keys, func(k scopeKey) bool { return k.config != uid })
	byRegion := func(x, y scopeKey) int { return cmp.Compare(x.scope.Region, y.scope.Region) }
	slices.SortFunc(keys, func(x, y scopeKey) int {
		return cmp.Or(b.records[x].since.Compare(b.records[y].since), byRegion(x, y))
	})
	keys = keys[:min(most, len(keys))]
	slices.SortFunc(keys, byRegion)
	return keys
}

// refresh reads the figures of a key if they are due, unless another region was silent. It returns when they are due
// next, and the error of the call.
func (b *Limits) refresh(ctx context.Context, k scopeKey, silent bool) (time.Duration, error) {
	b.mu.Lock()
	r := b.records[k]
	if r == nil {
		b.mu.Unlock()
		return every, nil
	}
	wait, s := every-b.now().Sub(r.calledAt), r.session
	b.mu.Unlock()
	switch {
	case wait > 0:
		return wait, nil
	case silent:
		return afterSilence, nil
	}
	err := b.readFigures(ctx, k, s)
	if wait, deferred := quota.Deferred(err); deferred {
		return wait, err
	}
	return every, err
}

func caller(k scopeKey) quota.Caller {
	return quota.Caller{ID: "account/" + string(k.config), Priority: quota.Poll}
}

// readFigures reads the figures of a key from AWS and caches them. It does nothing while another caller does the same.
func (b *Limits) readFigures(ctx context.Context, k scopeKey, s *session.Session) error {
	if !b.setCalling(k, true) {
		return nil
	}
	defer b.setCalling(k, false)
	out, err := session.Client(s, lambda.NewFromConfig).GetAccountSettings(quota.WithCaller(ctx, caller(k)),
		&lambda.GetAccountSettingsInput{})
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.records[k]
	if r == nil {
		return err
	}
	if _, deferred := quota.Deferred(err); deferred {
		return err
	}
	r.calledAt, r.err = b.now(), awserr.Sanitize(err)
	switch {
	case err == nil:
		r.read, r.figures = r.calledAt, figures(out)
	case awserr.IsAccessDenied(err):
		r.read = time.Time{}
	}
	return err
}

// setCalling records whether a call for a key is under way. It returns false if that is recorded already.
func (b *Limits) setCalling(k scopeKey, calling bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.records[k]
	if r == nil || r.calling == calling {
		return false
	}
	r.calling = calling
	return true
}

// figures returns the figures of a response. What an emulator leaves out is 0.
func figures(out *lambda.GetAccountSettingsOutput) Figures {
	f := Figures{}
	if l := out.AccountLimit; l != nil {
		f.ConcurrentExecutions, f.CodeStorageLimit = l.ConcurrentExecutions, l.TotalCodeSize
		f.UnreservedConcurrentExecutions = l.ConcurrentExecutions
		if l.UnreservedConcurrentExecutions != nil {
			f.UnreservedConcurrentExecutions = *l.UnreservedConcurrentExecutions
		}
	}
	if u := out.AccountUsage; u != nil {
		f.CodeStorageUsed, f.Functions = u.TotalCodeSize, u.FunctionCount
	}
	return f
}

// usage returns the usage of a key, and false if it was not read yet.
func (b *Limits) usage(k scopeKey) (Usage, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.records[k]
	if r == nil || r.calledAt.IsZero() {
		return Usage{}, false
	}
	if r.read.IsZero() {
		return Usage{Region: k.scope.Region, Unknown: r.err}, true
	}
	return Usage{Region: k.scope.Region, Figures: r.figures}, true
}

// Forget drops the figures of a config that is deleted or unused.
func (b *Limits) Forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropIf(func(k scopeKey) bool { return k.config == uid })
}

// dropIf drops the records for which a function returns true. The caller holds the lock.
func (b *Limits) dropIf(gone func(scopeKey) bool) {
	maps.DeleteFunc(b.records, func(k scopeKey, _ *record) bool { return gone(k) })
}

// An Account returns the figures that the resources of a session may see.
type Account struct {
	limits  *Limits
	session *session.Session
}

// Of returns the Account of a session. Nil Limits know no figures.
func (b *Limits) Of(s *session.Session) Account { return Account{limits: b, session: s} }

// Remembered returns the cached figures, however old. It is false if there are none.
func (a Account) Remembered() (Figures, bool) { return a.within(0) }

// Recent returns the cached figures if they are not older than age, and otherwise reads them from
// AWS. It is false if that fails.
func (a Account) Recent(ctx context.Context, age time.Duration) (Figures, bool) {
	if f, ok := a.within(age); ok || a.limits == nil {
		return f, ok
	}
	if err := a.limits.readFigures(ctx, keyOf(a.session), a.session); err != nil {
		return Figures{}, false
	}
	return a.within(age)
}

// within returns the cached figures if they are not older than age, or however old if age is 0.
func (a Account) within(age time.Duration) (Figures, bool) {
	if a.limits == nil {
		return Figures{}, false
	}
	a.limits.mu.Lock()
	defer a.limits.mu.Unlock()
	r := a.limits.records[keyOf(a.session)]
	if r == nil || r.read.IsZero() || age > 0 && a.limits.now().Sub(r.read) > age {
		return Figures{}, false
	}
	return r.figures, true
}

// NewCollector returns a collector of the figures of accounts.
func NewCollector(b *Limits) prometheus.Collector {
	return metrics.Computed(b.collect, metrics.AccountConcurrentExecutions,
		metrics.AccountUnreservedConcurrentExecutions, metrics.AccountCodeStorageLimit, metrics.AccountCodeStorageUsed,
		metrics.AccountFunctions)
}

// collect sends the figures, once for each account and region.
func (b *Limits) collect(ch chan<- prometheus.Metric) {
	for l, f := range b.byLabels() {
		for d, v := range map[*prometheus.Desc]float64{
			metrics.AccountConcurrentExecutions:           float64(f.ConcurrentExecutions),
			metrics.AccountUnreservedConcurrentExecutions: float64(f.UnreservedConcurrentExecutions),
			metrics.AccountCodeStorageLimit:               float64(f.CodeStorageLimit),
			metrics.AccountCodeStorageUsed:                float64(f.CodeStorageUsed),
			metrics.AccountFunctions:                      float64(f.Functions),
		} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, l.account, l.region)
		}
	}
}

// labels are the labels of the metrics of an account.
type labels struct{ account, region string }

// byLabels returns the figures of each account and region: those that a ClusterProviderConfig has
// read, if any, and the latest of them. It leaves out the figures of tenants' endpoints, and
// regions that AWS is not known to have: one label would stand for several accounts or regions.
func (b *Limits) byLabels() map[labels]Figures {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := map[labels]*record{}
	for _, r := range b.records {
		s := r.session.Scope
		l := labels{account: s.Account, region: regions.Label(s.Region)}
		if r.read.IsZero() || b.now().Sub(r.used) > idle || s.Account == quota.Unverified || l.region != s.Region {
			continue
		}
		if was := best[l]; was == nil || better(r, was) > 0 {
			best[l] = r
		}
	}
	found := make(map[labels]Figures, len(best))
	for l, r := range best {
		found[l] = r.figures
	}
	return found
}

// better compares records: those of AWS itself are better, then those that a ClusterProviderConfig
// has read, then later ones.
func better(x, y *record) int {
	rank := func(r *record) int {
		switch {
		case r.session.Scope.Endpoint != "":
			return 0
		case r.session.Ref.Kind == v1beta1.ClusterProviderConfigKind:
			return 2
		default:
			return 1
		}
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), x.read.Compare(y.read))
}

// Package account remembers what AWS accounts may use of Lambda in a region, and what
// is used of it. That is read seldom, and only where resources use a config: it is for
// users to see, and to tell before AWS is asked what AWS would refuse.
//
// What one config's credentials have read is shown to no other, even of the same
// account: who has no right to read it is not to be told, and the account that a tenant's
// own endpoint claims to be proves nothing.
package account

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

const (
	// operation that tells the figures.
	operation = "GetAccountSettings"

	// every is how often AWS is asked for the figures of a config in a region.
	every = 10 * time.Minute

	// idle is how long a region counts as used after a resource was last looked at there.
	idle = 2 * time.Hour

	// sweepEvery is how often regions that are not used any more are looked for.
	sweepEvery = 10 * time.Minute

	// most is how many regions of a config there are figures of.
	most = 20
)

// Figures of an account in a region.
type Figures struct {
	// ConcurrentExecutions is how many executions may run at a time.
	ConcurrentExecutions int32

	// UnreservedConcurrentExecutions is how many of these no function has reserved.
	UnreservedConcurrentExecutions int32

	// CodeStorageLimit and CodeStorageUsed are of functions, versions and layers, in
	// bytes.
	CodeStorageLimit, CodeStorageUsed int64

	// Functions is how many there are.
	Functions int64
}

// Usage is what is known of one region.
type Usage struct {
	Region  string
	Figures Figures

	// Unknown says why the figures are not known. Nil where they are.
	Unknown error
}

// A Limiter hands out the AWS calls that quotas allow. *quota.Limiter is one.
type Limiter interface {
	Reserve(s quota.Scope, h quota.Requester, ops ...string) time.Duration
	Forget(s quota.Scope, id string)
}

// A Book has the figures of all configs that are in use. It is safe for concurrent use,
// and holds no lock while it calls AWS.
type Limits struct {
	limiter Limiter
	now     func() time.Time

	mu      sync.Mutex
	records map[scopeKey]*record
	swept   time.Time
}

// A key is a config in a region.
type scopeKey struct {
	config types.UID
	region string
}

// A record is what is known of a config in a region.
type record struct {
	session *config.Session
	used    time.Time

	// asked is when AWS was asked last; asking, that it is being asked.
	asked  time.Time
	asking bool

	// read is when figures were read. Zero where they are not known.
	read    time.Time
	figures Figures
	err     error
}

// New returns an empty Book.
func New(l Limiter, now func() time.Time) *Limits {
	return &Limits{limiter: l, now: now, records: map[scopeKey]*record{}, swept: now()}
}

// A Resolver of configs. *config.Resolver is one.
type Resolver interface {
	Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*config.Session, error)
}

// Noting is a resolver that has a book note which configs are used where.
type Noting struct {
	Resolver

	Book *Limits
}

// Resolve the session of a managed resource in a region.
func (n Noting) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*config.Session, error) {
	s, err := n.Resolver.Resolve(ctx, mg, region)
	if err == nil {
		n.Book.note(s)
	}
	return s, err
}

// note that a resource uses a session.
func (b *Limits) note(s *config.Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	k := keyOf(s)
	r := b.records[k]
	if r == nil {
		r = &record{}
		b.records[k] = r
	}
	r.session, r.used = s, b.now()
}

// sweep out the regions that are not used any more. Nobody looks at those of a config
// that has no resources left. The lock is held.
func (b *Limits) sweep() {
	now := b.now()
	if now.Sub(b.swept) < sweepEvery {
		return
	}
	b.swept = now
	for k, r := range b.records {
		if now.Sub(r.used) > idle {
			b.drop(k)
		}
	}
}

func keyOf(s *config.Session) scopeKey { return scopeKey{config: s.Ref.UID, region: s.Scope.Region} }

// Look at the regions that a config is used in, and read the figures that are due. It
// returns what is known, by region, and when the next figures are due: 0 is never.
func (b *Limits) Look(ctx context.Context, uid types.UID) (known []Usage, again time.Duration) {
	for _, k := range b.inUse(uid) {
		if wait := b.refresh(ctx, k); again == 0 || wait < again {
			again = wait
		}
		if u, ok := b.usage(k); ok {
			known = append(known, u)
		}
	}
	return known, again
}

// inUse are the keys of a config that are in use, in order. Others are forgotten.
func (b *Limits) inUse(uid types.UID) []scopeKey {
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []scopeKey
	for k, r := range b.records {
		switch {
		case k.config != uid:
		case b.now().Sub(r.used) > idle:
			b.drop(k)
		default:
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(x, y scopeKey) int { return cmp.Compare(x.region, y.region) })
	return keys[:min(most, len(keys))]
}

// refresh the figures of a key where that is due and the quota allows it, and return
// when it is due next.
func (b *Limits) refresh(ctx context.Context, k scopeKey) time.Duration {
	b.mu.Lock()
	r := b.records[k]
	if r == nil {
		b.mu.Unlock()
		return every
	}
	wait, s := every-b.now().Sub(r.asked), r.session
	b.mu.Unlock()
	if wait > 0 {
		return wait
	}
	if wait := b.limiter.Reserve(s.Scope, holder(k), operation); wait > 0 {
		return wait
	}
	err := b.ask(ctx, k, s)
	if wait, deferred := quota.Deferred(err); deferred {
		return wait
	}
	return every
}

func holder(k scopeKey) quota.Requester {
	return quota.Requester{ID: "account/" + string(k.config), Priority: quota.Poll}
}

// ask AWS for the figures of a key, and remember what it answered. Whoever asks while
// another does is told nothing new.
func (b *Limits) ask(ctx context.Context, k scopeKey, s *config.Session) error {
	if !b.begin(k) {
		return nil
	}
	defer b.end(k)
	out, err := config.Client(s, lambda.NewFromConfig).GetAccountSettings(quota.WithRequester(ctx, holder(k)), &lambda.GetAccountSettingsInput{})
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.records[k]
	if r == nil {
		return err
	}
	if _, deferred := quota.Deferred(err); deferred {
		return err
	}
	r.asked, r.err = b.now(), awserr.Clean(err)
	switch {
	case err == nil:
		r.read, r.figures = r.asked, figures(out)
	case awserr.IsAccessDenied(err):
		r.read = time.Time{}
	}
	return err
}

func (b *Limits) begin(k scopeKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.records[k]
	if r == nil || r.asking {
		return false
	}
	r.asking = true
	return true
}

func (b *Limits) end(k scopeKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.records[k]; r != nil {
		r.asking = false
	}
}

// figures of AWS's answer. What an emulator leaves out is 0.
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

// usage that is known of a key. False where AWS was not asked yet.
func (b *Limits) usage(k scopeKey) (Usage, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.records[k]
	if r == nil || r.asked.IsZero() {
		return Usage{}, false
	}
	if r.read.IsZero() {
		return Usage{Region: k.region, Unknown: r.err}, true
	}
	return Usage{Region: k.region, Figures: r.figures}, true
}

// Forget all that is known of a config, which is gone or not used any more.
func (b *Limits) Forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.records {
		if k.config == uid {
			b.drop(k)
		}
	}
}

// drop a record. The lock is held.
func (b *Limits) drop(k scopeKey) {
	b.limiter.Forget(b.records[k].session.Scope, holder(k).ID)
	delete(b.records, k)
}

// An Account is what a session's resources may know of their account and region.
type Account struct {
	book    *Limits
	session *config.Session
}

// Of a session. Nothing is known to a nil book.
func (b *Limits) Of(s *config.Session) Account { return Account{book: b, session: s} }

// Remembered figures, however old. False where they are not known.
func (a Account) Remembered() (Figures, bool) { return a.within(0) }

// Recent figures: those remembered if they are at most so old, or else what AWS answers
// now. False where that is not known.
func (a Account) Recent(ctx context.Context, age time.Duration) (Figures, bool) {
	if f, ok := a.within(age); ok || a.book == nil {
		return f, ok
	}
	if err := a.book.ask(ctx, keyOf(a.session), a.session); err != nil {
		return Figures{}, false
	}
	return a.within(age)
}

// within an age, of which 0 is any.
func (a Account) within(age time.Duration) (Figures, bool) {
	if a.book == nil {
		return Figures{}, false
	}
	a.book.mu.Lock()
	defer a.book.mu.Unlock()
	r := a.book.records[keyOf(a.session)]
	if r == nil || r.read.IsZero() || age > 0 && a.book.now().Sub(r.read) > age {
		return Figures{}, false
	}
	return r.figures, true
}

package tagging

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// OpListTags is the AWS operation that reads tags.
const OpListTags = "ListTags"

const (
	// newFor is the time after its creation for which an object without the provider's finalizer is new: the provider
	// adds the finalizer before it creates anything.
	newFor = time.Minute

	// mostReads is the maximum number of calls of ListTags that one reconcile makes to search.
	mostReads = 20

	// pause is the time between two reconciles that search.
	pause = time.Second

	// listAge is the greatest age of a list that is searched.
	listAge = 2 * time.Second

	// unownedAge is the greatest age of tags that carry no UID, and unownedMore its extension for each candidate: it is
	// longer than the search takes. Those of a likely candidate are read again like a list, because AWS may return the
	// tags of a new resource late.
	unownedAge  = time.Minute
	unownedMore = 200 * time.Millisecond
)

// MayHaveCreated reports whether a managed resource without an external name may have created
// something in AWS: someone may have removed its annotations and its status since.
func MayHaveCreated(mg resource.Managed, now time.Time) bool {
	if ownership.ObserveOnly(mg) {
		return false
	}
	created := mg.GetCreationTimestamp()
	return meta.FinalizerExists(mg, managed.FinalizerName) || !created.IsZero() && !now.IsZero() &&
		now.Sub(created.Time) > newFor
}

// A Candidate is a resource in AWS that a managed resource may have created.
type Candidate struct {
	// Name is its external name.
	Name string

	// ARN that its tags are read by. Empty if AWS does not return it.
	ARN string

	// Likely says that a create was recorded that may have made it: the search fails if AWS
	// does not return its tags, rather than skip it.
	Likely bool
}

// A Search finds what carries the UID of a managed resource in its tags, if AWS gives the
// name. It shares what it reads among all managed resources of a session.
type Search struct {
	// Facts of the reconcile.
	Facts reconcile.Facts

	// API reads tags.
	API readcache.TagLister

	// Cache of the session.
	Cache *readcache.Cache

	// Kind and Identifier are those of an ownership.Recovery.
	Kind, Identifier string

	// InStatus is the name that status records. It is empty if there is none.
	InStatus string

	// Tags reads the tags of the resource that InStatus names. They are nil if it does not
	// exist, or if AWS does not return them.
	Tags func(ctx context.Context, name string) (map[string]string, error)

	// List returns the candidates of a list that is at most so old, the most likely ones first. created is the time at
	// which a create was recorded, zero if none was.
	List func(ctx context.Context, created time.Time, f readcache.Freshness) ([]Candidate, error)
}

// FindLost returns the name of the resource in AWS that carries the UID of a managed resource without an external name,
// if the managed resource may have created one with a name that was not recorded: the response was lost, the process
// ended, or someone has removed the managed resource's annotations since. It is empty if there is none. It returns the
// errors of Find, and those of reading the list unless the endpoint lacks the list and has refused the create.
func (s Search) FindLost(ctx context.Context, mg resource.Managed) (string, reconcile.Effects, error) {
	created := meta.GetExternalCreatePending(mg)
	if created.IsZero() {
		if name, err := s.inStatus(ctx, mg); name != "" || err != nil {
			return name, reconcile.Effects{}, err
		}
		if !MayHaveCreated(mg, s.Facts.Now()) {
			return "", reconcile.Effects{}, nil
		}
	}
	candidates, err := s.List(ctx, created, s.freshness(created))
	if awserr.IsLacking(err) && refused(mg) {
		return "", reconcile.Effects{}, nil
	}
	if err != nil {
		return "", reconcile.Effects{}, err
	}
	return s.Find(ctx, mg, candidates)
}

// refused reports whether AWS has refused the last create that is recorded, if any.
func refused(mg resource.Managed) bool {
	_, unanswered := ownership.UnansweredAt(mg)
	return !unanswered && !meta.GetExternalCreateFailed(mg).Before(meta.GetExternalCreatePending(mg))
}

// inStatus returns the name in status if that resource carries the UID of a managed resource:
// someone may have removed the annotations that record the name.
func (s Search) inStatus(ctx context.Context, mg resource.Managed) (string, error) {
	if s.InStatus == "" {
		return "", nil
	}
	if err := s.Facts.Reserve(OpListTags); err != nil {
		return "", err
	}
	tags, err := s.Tags(ctx, s.InStatus)
	if err != nil || tags[ownership.TagUID] != string(mg.GetUID()) {
		return "", err
	}
	return s.InStatus, nil
}

// freshness returns how old a list may be that is searched for what was created at a time, or
// at an unknown one if that is zero: at most two seconds, and not from before the create.
func (s Search) freshness(created time.Time) readcache.Freshness {
	f := s.Facts.Fresh
	since := f.Now.Add(-listAge)
	if after := created.Add(time.Second); !created.IsZero() && after.After(since) {
		since = after // The annotation that records a create has no parts of seconds.
	}
	if since.After(f.Since) {
		f.Since = since
	}
	return f
}

// Find returns the name of the candidate that carries the UID of a managed resource. It is empty if there is none. It
// reads the tags of at most 20 candidates in one reconcile, and returns a reconcile.LaterError then: the next one
// continues. It returns an error if several candidates carry the UID, if tags cannot be read, or if AWS does not return
// those of a likely candidate. Other candidates without tags, and those that other managed resources name, are skipped.
func (s Search) Find(
	ctx context.Context, mg resource.Managed, candidates []Candidate,
) (string, reconcile.Effects, error) {
	effects := reconcile.Effects{}
	if len(candidates) == 0 {
		return "", effects, nil
	}
	found := ownership.Recovery{Kind: s.Kind, Identifier: s.Identifier}
	reads, others := 0, s.Facts.Others.Names(ctx)
	unowned := unownedAge + time.Duration(len(candidates))*unownedMore
	for _, c := range candidates {
		if others[c.Name] != "" {
			continue
		}
		tags, err := s.tags(ctx, c, unowned, &reads)
		switch later := (*reconcile.LaterError)(nil); {
		case errors.As(err, &later):
			return "", effects, err
		case err != nil:
			return "", effects, errors.Wrapf(awserr.Sanitize(err),
				"cannot read the tags of %s %s to check whether this resource created it", s.Kind, c.Name)
		case tags[ownership.TagUID] == string(mg.GetUID()):
			found.Ours = append(found.Ours, c.Name)
		case tags == nil && c.Likely:
			found.Doubtful = c.Name
		}
	}
	name, err := found.Name(mg)
	if name != "" && !meta.WasDeleted(mg) && meta.GetExternalCreatePending(mg).IsZero() {
		effects.Events = append(effects.Events, event.Normal(v1beta1.EventFound, fmt.Sprintf(
			"Found %s %s by its tags: the annotation %s is set again", s.Kind, name, meta.AnnotationKeyExternalName)))
	}
	return name, effects, err
}

// tags returns the tags of a candidate, as they were at most an hour ago. Those that carry no UID are read again after
// the given age, or at once if the candidate is a likely one. They are nil if AWS does not return them.
func (s Search) tags(ctx context.Context, c Candidate, age time.Duration, reads *int) (map[string]string, error) {
	if c.ARN == "" {
		return nil, nil //nolint:nilnil // Nil tags are not known.
	}
	tags, err := s.read(ctx, c.ARN, readcache.MaxTagAge, reads)
	if err != nil || tags[ownership.TagUID] != "" {
		return tags, err
	}
	if c.Likely {
		age = listAge
	}
	return s.read(ctx, c.ARN, age, reads)
}

// read returns the tags of an ARN that are at most so old, from the cache or from ListTags. It
// returns a reconcile.LaterError if the next call has to wait.
func (s Search) read(ctx context.Context, arn string, age time.Duration, reads *int) (map[string]string, error) {
	f := s.Facts.Fresh
	f.Since = f.Now.Add(-age)
	key := readcache.Key{Operation: OpListTags, Of: arn}
	return readcache.Read(ctx, s.Cache, key, f, func(ctx context.Context) (map[string]string, error) {
		if *reads++; *reads > mostReads {
			return nil, reconcile.WaitFor(pause)
		}
		if err := s.Facts.Reserve(OpListTags); err != nil {
			return nil, err
		}
		return readcache.ListTags(ctx, s.API, arn)
	})
}

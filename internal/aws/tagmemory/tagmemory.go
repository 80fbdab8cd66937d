// Package tagmemory reads the tags of things that AWS describes without them, such as
// code signing configurations, event source mappings and capacity providers, as
// rarely as is safe.
//
// ListTags is one of the calls of which AWS grants fifteen in a second for a whole
// region, so a steady reconcile should not spend one. Tags are read at the first look
// of this process, when the user wants something (a new generation, a reconcile that
// was asked for, a deletion), as long as they are not what they should be, and else once
// an hour: a tag that someone takes off by hand comes back within that time. AWS may show
// tags late, so those that do not name the resource are not remembered.
//
// Before anything is changed, tags are to be known that are not older than a few minutes:
// someone else may have taken the thing over since.
//
// A kind has one Memory in its connector, and uses it in five places:
//
//	Kind.Reads:    if memory.Due(mg, arn) { reads = append(reads, "ListTags") }
//	Thing.Read:    tags, err := memory.Read(ctx, mg, arn, api)
//	Thing.Plan:    managed.Hold(ctx, 0), where a call is due and memory.Outdated(mg)
//	Thing.Plan:    memory.Forget(mg), where TagResource or UntagResource is due
//	Thing.Delete:  memory.Forget(mg)
//
// Whose the thing is, is then judged by ownership.Judge on what Read returned.
package tagmemory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// MaxTagAge of what is remembered: how long a change of tags by someone else may go
// unseen.
const MaxTagAge = time.Hour

// RecentTagAge is the greatest age of tags by which a thing is changed or deleted.
const RecentTagAge = 5 * time.Minute

// A Lister is the one call that is made. *lambda.Client is one.
type TagLister interface {
	ListTags(ctx context.Context, in *lambda.ListTagsInput, opts ...func(*lambda.Options)) (*lambda.ListTagsOutput, error)
}

// A Memory keeps the tags of the things of one kind, by the UID of their resource. It
// is safe for concurrent use.
type TagCache struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[types.UID]tagEntry
}

// tagEntry is what was read, and what the user wanted then.
type tagEntry struct {
	tags       map[string]string
	arn        string
	at         time.Time
	generation int64
	deleted    bool
	request    string
}

// NewTagCache memory, by a clock.
func NewTagCache(now func() time.Time) *TagCache {
	return &TagCache{now: now, entries: map[types.UID]tagEntry{}}
}

// Due tells whether Read would ask AWS for the tags of a resource's thing, so that
// quota can be reserved for it. arn is the one that is known before the thing is
// looked at, empty if none is.
func (m *TagCache) Due(mg metav1.Object, arn string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.known(mg, arn)
	return !known
}

// Show the tags of a thing that a resource only looks at, whoever it belongs to. They are
// nil where AWS does not tell them, as for Read, or where they may not be asked for.
func (m *TagCache) Show(ctx context.Context, mg metav1.Object, arn string, api TagLister) (map[string]string, error) {
	at := m.now()
	tags, err := m.Read(ctx, mg, arn, api)
	if err != nil && !awserr.IsAccessDenied(err) {
		return nil, err
	}
	if arn != "" {
		m.show(mg, arn, tags, at)
	}
	return tags, nil
}

// show keeps what was shown, unless it is remembered already.
func (m *TagCache) show(mg metav1.Object, arn string, tags map[string]string, at time.Time) {
	m.mu.Lock()
	_, known := m.known(mg, arn)
	m.mu.Unlock()
	if !known {
		m.keep(mg, arn, tags, at)
	}
}

// Read the tags of a resource's thing: those that are remembered, or else those that
// AWS tells now. They are the caller's to change. They are nil where AWS does not tell
// them: it shows no ARN, or not the tags of a new thing yet, or an emulator lacks
// ListTags. That never means that there is no such thing.
func (m *TagCache) Read(ctx context.Context, mg metav1.Object, arn string, api TagLister) (map[string]string, error) {
	m.mu.Lock()
	e, known := m.known(mg, arn)
	m.mu.Unlock()
	if known {
		return maps.Clone(e.tags), nil
	}
	if arn == "" {
		return nil, nil //nolint:nilnil // Nil tags are not known.
	}
	at := m.now()
	out, err := api.ListTags(ctx, &lambda.ListTagsInput{Resource: &arn})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
		return nil, nil //nolint:nilnil // As above.
	}
	if err != nil {
		return nil, errors.Wrapf(awserr.Clean(err), "cannot read the tags of %s, which say whose it is", arn)
	}
	tags := out.Tags
	if tags == nil {
		tags = map[string]string{}
	}
	if named(mg, tags) {
		m.keep(mg, arn, tags, at)
	}
	return maps.Clone(tags), nil
}

// named tells whether tags name a resource by its UID.
func named(mg metav1.Object, tags map[string]string) bool {
	return slices.Contains(slices.Collect(maps.Values(tags)), string(mg.GetUID()))
}

// Forget the tags of a resource's thing, because they are to change.
func (m *TagCache) Forget(mg metav1.Object) { m.Drop(mg.GetUID()) }

// Drop what is kept of a resource that is gone.
func (m *TagCache) Drop(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, uid)
}

// Outdated tells whether the tags that Read has returned are too old to change the thing
// by. They are then forgotten, so that the next Read asks AWS.
func (m *TagCache) Outdated(mg metav1.Object) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[mg.GetUID()]
	if !ok || m.now().Sub(e.at) < RecentTagAge {
		return false
	}
	delete(m.entries, mg.GetUID())
	return true
}

// known is what is remembered, if it is still good. The lock is held.
func (m *TagCache) known(mg metav1.Object, arn string) (tagEntry, bool) {
	e, ok := m.entries[mg.GetUID()]
	age := MaxTagAge
	if meta.WasDeleted(mg) {
		age = RecentTagAge // Each look may delete it.
	}
	good := ok && e.arn == arn && m.now().Sub(e.at) < age &&
		e.generation == mg.GetGeneration() && e.deleted == meta.WasDeleted(mg) && e.request == tagRequest(mg)
	return e, good
}

// keep what was read, and drop what belongs to resources that are long gone.
func (m *TagCache) keep(mg metav1.Object, arn string, tags map[string]string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.entries, func(_ types.UID, e tagEntry) bool { return at.Sub(e.at) > 2*MaxTagAge })
	m.entries[mg.GetUID()] = tagEntry{
		tags: tags, arn: arn, at: at,
		generation: mg.GetGeneration(), deleted: meta.WasDeleted(mg), request: tagRequest(mg),
	}
}

// tagRequest is the reconcile that the user asked for last.
func tagRequest(mg metav1.Object) string {
	token, _ := meta.GetReconcileRequest(mg)
	return token
}

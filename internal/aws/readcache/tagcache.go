package readcache

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

// MaxTagAge is the time for which tags are cached, and a change by someone else may go unnoticed.
const MaxTagAge = time.Hour

// RecentTagAge is the maximum age of tags on whose basis a resource is changed or deleted.
const RecentTagAge = 5 * time.Minute

// A TagLister makes the one call. *lambda.Client is one.
type TagLister interface {
	ListTags(ctx context.Context, in *lambda.ListTagsInput,
		opts ...func(*lambda.Options)) (*lambda.ListTagsOutput, error)
}

// A TagCache caches the tags of the AWS resources of one kind, by the UID of the managed resource. It is safe for
// concurrent use.
type TagCache struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[types.UID]tagEntry
}

// tagEntry has the tags, when they were read, and the state of the managed resource then.
type tagEntry struct {
	tags  map[string]string
	at    time.Time
	state tagState
}

// tagState is the state of a managed resource. Tags of another state are not used.
type tagState struct {
	arn        string
	generation int64
	deleted    bool
	// request is the token of the reconcile that the user requested last.
	request string
}

func stateOf(mg metav1.Object, arn string) tagState {
	token, _ := meta.GetReconcileRequest(mg)
	return tagState{arn: arn, generation: mg.GetGeneration(), deleted: meta.WasDeleted(mg), request: token}
}

// NewTagCache returns an empty TagCache with a clock.
func NewTagCache(now func() time.Time) *TagCache {
	return &TagCache{now: now, entries: map[types.UID]tagEntry{}}
}

// Due reports whether Read would call AWS, so that quota can be reserved for it. arn is the ARN that is known before
// the AWS resource is read, empty if none is.
func (m *TagCache) Due(mg metav1.Object, arn string) bool {
	_, known := m.cached(mg, arn)
	return !known
}

// Show returns the tags of an AWS resource that a managed resource only observes, whoever owns it. They are nil if AWS
// does not return them, as for Read, or if the identity may not list them.
func (m *TagCache) Show(ctx context.Context, mg metav1.Object, arn string, api TagLister) (map[string]string, error) {
	at := m.now()
	tags, err := m.Read(ctx, mg, arn, api)
	if err != nil && !awserr.IsAccessDenied(err) {
		return nil, err
	}
	if arn != "" && m.Due(mg, arn) {
		m.keep(mg, arn, tags, at)
	}
	return tags, nil
}

// Read returns the tags of an AWS resource: cached ones, or those that AWS returns now. The caller may change the map.
// The tags are nil if they are not known: AWS shows no ARN, or not yet the tags of a new resource, or an emulator has
// none. Nil never means that the resource does not exist.
func (m *TagCache) Read(ctx context.Context, mg metav1.Object, arn string, api TagLister) (map[string]string, error) {
	if tags, known := m.cached(mg, arn); known || arn == "" {
		return maps.Clone(tags), nil
	}
	at := m.now()
	tags, err := ListTags(ctx, api, arn)
	if err != nil {
		return nil, errors.Wrapf(awserr.Sanitize(err), "cannot read the tags of %s, which say who owns it", arn)
	}
	// Those of a new resource may come late.
	if slices.Contains(slices.Collect(maps.Values(tags)), string(mg.GetUID())) {
		m.keep(mg, arn, tags, at)
	}
	return maps.Clone(tags), nil
}

// ListTags returns the tags of an AWS resource with ListTags. They are nil if they are not known,
// because AWS does not show them yet, or an emulator lacks ListTags or does not accept the ARN, which AWS has returned.
// They are empty if there are none.
func ListTags(ctx context.Context, api TagLister, arn string) (map[string]string, error) {
	out, err := api.ListTags(ctx, &lambda.ListTagsInput{Resource: &arn})
	switch {
	case awserr.IsNotFound(err), awserr.IsUnsupported(err), awserr.Code(err) == "InvalidParameterValueException":
		return nil, nil //nolint:nilnil // Nil tags are not known.
	case err != nil:
		return nil, err
	case out.Tags == nil:
		return map[string]string{}, nil
	}
	return out.Tags, nil
}

// Forget drops the cached tags of a resource because they are about to change.
func (m *TagCache) Forget(mg metav1.Object) { m.Drop(mg.GetUID()) }

// Drop drops the cached tags of a managed resource that is deleted.
func (m *TagCache) Drop(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, uid)
}

// Outdated reports whether the tags that Read has returned are too old to change the AWS resource. It drops them then,
// so that the next Read calls AWS.
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

// cached returns the cached tags, and whether they are still valid.
func (m *TagCache) cached(mg metav1.Object, arn string) (map[string]string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[mg.GetUID()]
	age := MaxTagAge
	if meta.WasDeleted(mg) {
		age = RecentTagAge // Each reconcile may delete the AWS resource.
	}
	if !ok || e.state != stateOf(mg, arn) || m.now().Sub(e.at) >= age {
		return nil, false
	}
	return e.tags, true
}

// keep caches tags, and drops those of managed resources that are long deleted.
func (m *TagCache) keep(mg metav1.Object, arn string, tags map[string]string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.entries, func(_ types.UID, e tagEntry) bool { return at.Sub(e.at) > 2*MaxTagAge })
	m.entries[mg.GetUID()] = tagEntry{tags: tags, at: at, state: stateOf(mg, arn)}
}

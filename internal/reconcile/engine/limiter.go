package engine

import (
	"context"
	"encoding/json"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// A DeletionLimiter records the deletions of a config's resources in an annotation of the config, as long as they are
// within a limit for each namespace. All kinds share it. A config that was changed meanwhile, also by another shard, is
// read again, so that the limit holds for all of them together.
type DeletionLimiter struct {
	kube  client.Client
	live  client.Reader
	limit protection.Limit

	// lock is held by the caller that records a deletion. It is a channel, so that a caller whose context is done stops
	// waiting.
	lock chan struct{}
}

// NewDeletionLimiter returns a DeletionLimiter. kube reads configs from a cache and writes them, and live reads them
// from the API server.
func NewDeletionLimiter(kube client.Client, live client.Reader, l protection.Limit) *DeletionLimiter {
	return &DeletionLimiter{kube: kube, live: live, limit: l, lock: make(chan struct{}, 1)}
}

// Admit records the deletion of a resource of a config in a namespace. It returns false if the limit does not allow it.
func (l *DeletionLimiter) Admit(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	if ok, err := l.Allows(ctx, ref, namespace, uid, now); !ok {
		return false, err // What the cache has lacks deletions at most.
	}
	select {
	case l.lock <- struct{}{}:
		defer func() { <-l.lock }()
	case <-ctx.Done():
		return false, errors.Wrap(ctx.Err(), cannotRecord)
	}
	ok, err := l.record(ctx, l.kube, ref, namespace, uid, now)
	if kerrors.IsConflict(err) { // The cache is outdated.
		ok, err = l.record(ctx, l.live, ref, namespace, uid, now)
	}
	return ok, errors.Wrap(err, cannotRecord)
}

// Allows reports whether Admit would allow the deletion, by what the cache has of the config.
func (l *DeletionLimiter) Allows(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	_, record, err := read(ctx, l.kube, ref)
	if err != nil {
		return false, errors.Wrap(err, "cannot read the deletions that the provider config has recorded")
	}
	_, ok, _ := record.Admit(namespace, string(uid), now, l.limit)
	return ok, nil
}

// record records a deletion. It returns a conflict if the config is not as the reader has it. The caller holds the
// lock.
func (l *DeletionLimiter) record(
	ctx context.Context, from client.Reader, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	config, record, err := read(ctx, from, ref)
	if err != nil {
		return false, err
	}
	next, ok, before := record.Admit(namespace, string(uid), now, l.limit)
	if !ok || before {
		return ok, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": ref.UID, "resourceVersion": config.GetResourceVersion(),
		"annotations": map[string]string{v1beta1.AnnotationRecentDeletions: next.String()},
	}})
	if err != nil {
		return false, err
	}
	err = l.kube.Patch(ctx, config, client.RawPatch(types.MergePatchType, patch))
	return err == nil, err
}

// read returns a config, and the deletions that it has recorded.
func read(ctx context.Context, from client.Reader, ref session.Ref) (client.Object, protection.Record, error) {
	var config client.Object = &v1beta1.ProviderConfig{}
	if ref.Kind == v1beta1.ClusterProviderConfigKind {
		config = &v1beta1.ClusterProviderConfig{}
	}
	if err := from.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, config); err != nil {
		return nil, nil, err
	}
	return config, protection.ParseRecord(config.GetAnnotations()[v1beta1.AnnotationRecentDeletions]), nil
}

const cannotRecord = "cannot record the deletion in the provider config, which counts deletions for --deletion-limit"

package engine

import (
	"context"
	"encoding/json"
	"sync"
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

	mu sync.Mutex
	// known is the record of each config as last read, by the config's UID.
	known map[types.UID]recordedConfig
}

// maxKnown is the maximum number of configs whose records are cached. A record takes up to 200 KB.
const maxKnown = 100

// A recordedConfig is the record of a config and the version of the config that has it.
type recordedConfig struct {
	version string
	record  protection.Record
}

// NewDeletionLimiter returns a DeletionLimiter. kube writes configs, and live reads them from the API server.
func NewDeletionLimiter(kube client.Client, live client.Reader, l protection.Limit) *DeletionLimiter {
	return &DeletionLimiter{
		kube: kube, live: live, limit: l, lock: make(chan struct{}, 1),
		known: map[types.UID]recordedConfig{},
	}
}

// Admit records the deletion of a resource of a config in a namespace. It returns false if the limit does not allow it.
func (l *DeletionLimiter) Admit(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	if c, ok := l.recall(ref.UID); ok {
		if _, ok, _ := c.record.Admit(namespace, string(uid), now, l.limit); !ok {
			return false, nil // What is known lacks deletions at most.
		}
	}
	select {
	case l.lock <- struct{}{}:
		defer func() { <-l.lock }()
	case <-ctx.Done():
		return false, errors.Wrap(ctx.Err(), cannotRecord)
	}
	ok, err := l.record(ctx, ref, namespace, uid, now)
	if kerrors.IsConflict(err) {
		l.forget(ref.UID)
		ok, err = l.record(ctx, ref, namespace, uid, now)
	}
	return ok, errors.Wrap(err, cannotRecord)
}

// Allows reports whether Admit would allow the deletion, by what was last read of the config.
func (l *DeletionLimiter) Allows(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	c, err := l.read(ctx, ref)
	if err != nil {
		return false, errors.Wrap(err, "cannot read the deletions that the provider config has recorded")
	}
	_, ok, _ := c.record.Admit(namespace, string(uid), now, l.limit)
	return ok, nil
}

const cannotRecord = "cannot record the deletion in the provider config, which counts deletions for --deletion-limit"

// record records a deletion. It returns a conflict if the config has changed since it was read. The caller holds the
// lock.
func (l *DeletionLimiter) record(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	c, err := l.read(ctx, ref)
	if err != nil {
		return false, err
	}
	config := emptyConfig(ref)
	next, ok, before := c.record.Admit(namespace, string(uid), now, l.limit)
	if !ok || before {
		return ok, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": ref.UID, "resourceVersion": c.version,
		"annotations": map[string]string{v1beta1.AnnotationRecentDeletions: next.String()},
	}})
	if err != nil {
		return false, err
	}
	if err := l.kube.Patch(ctx, config, client.RawPatch(types.MergePatchType, patch)); err != nil {
		l.forget(ref.UID) // It may have been written.
		return false, err
	}
	l.remember(ref.UID, recordedConfig{version: config.GetResourceVersion(), record: next})
	return true, nil
}

// read returns what was last read of a config. It reads the config if it was not read.
func (l *DeletionLimiter) read(ctx context.Context, ref session.Ref) (recordedConfig, error) {
	if c, ok := l.recall(ref.UID); ok {
		return c, nil
	}
	config := emptyConfig(ref)
	if err := l.live.Get(ctx, client.ObjectKeyFromObject(config), config); err != nil {
		return recordedConfig{}, err
	}
	c := recordedConfig{
		version: config.GetResourceVersion(),
		record:  protection.ParseRecord(config.GetAnnotations()[v1beta1.AnnotationRecentDeletions]),
	}
	l.remember(ref.UID, c)
	return c, nil
}

// emptyConfig returns an object with the name of a config.
func emptyConfig(ref session.Ref) client.Object {
	var config client.Object = &v1beta1.ProviderConfig{}
	if ref.Kind == v1beta1.ClusterProviderConfigKind {
		config = &v1beta1.ClusterProviderConfig{}
	}
	config.SetNamespace(ref.Namespace)
	config.SetName(ref.Name)
	return config
}

func (l *DeletionLimiter) recall(config types.UID) (recordedConfig, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.known[config]
	return c, ok
}

func (l *DeletionLimiter) remember(config types.UID, c recordedConfig) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxKnown {
		clear(l.known)
	}
	l.known[config] = c
}

func (l *DeletionLimiter) forget(config types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, config)
}

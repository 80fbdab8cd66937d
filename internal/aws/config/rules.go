package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A refusedError says why a config is not for a resource, or for nobody.
type refusedError struct{ error }

// Unwrap returns the reason.
func (e *refusedError) Unwrap() error { return e.error }

// IsRefused tells whether an error of Resolve says that a config is not for a resource,
// whatever its credentials: the resource is no user of it.
func IsRefused(err error) bool {
	_, ok := errors.AsType[*refusedError](err)
	return ok
}

func refuse(err error) error {
	if err == nil {
		return nil
	}
	return &refusedError{err}
}

// permit refuses what a namespaced config must not do: use the identity of the
// provider's own pod, which is the cluster administrator's to give.
func (r *Resolver) permit(s settings) error {
	if !s.namespaced {
		return nil
	}
	if err := r.permitEndpoint(s); err != nil {
		return err
	}
	if err := permitTags(s); err != nil {
		return err
	}
	if !usesPod(s) {
		return nil
	}
	if !r.options.AllowNamespacedPodIdentity {
		return fmt.Errorf("credentials.source %s would use the identity of the provider's own pod, which is not allowed in a namespaced config: "+
			"use a ClusterProviderConfig that allows this namespace, or credentials of a Secret", s.source)
	}
	if s.Endpoint != nil {
		// The pod's token would be sent to whatever host the tenant names.
		return fmt.Errorf("endpoint is not allowed together with the identity of the provider's own pod in a namespaced config: remove one of them")
	}
	return nil
}

// permitTags refuses session tags that say which resource a call is made for.
// Policies tell tenants apart by them, so that only the provider may set them. IAM
// does not tell upper from lower case in keys.
func permitTags(s settings) error {
	for _, role := range s.AssumeRoleChain {
		for _, tag := range role.Tags {
			switch strings.ToLower(tag.Key) {
			case v1beta1.SessionTagKeyNamespace, v1beta1.SessionTagKeyKind, v1beta1.SessionTagKeyName:
				return fmt.Errorf("tags of assumeRoleChain must not have the key %s in a namespaced config, because IAM policies distinguish namespaces by it: remove it, and set it with resourceTags", tag.Key)
			}
		}
	}
	return nil
}

// usesPod says whether credentials come from the provider's own pod.
func usesPod(s settings) bool {
	switch s.source {
	case v1beta1.CredentialsSourceNone, v1beta1.CredentialsSourceSecret:
		return false
	case v1beta1.CredentialsSourceWebIdentity:
		return s.web.secret == nil || s.web.roleARN == ""
	default:
		return true
	}
}

// admit refuses a resource whose namespace may not use the config.
func (r *Resolver) admit(ctx context.Context, s settings, namespace string) error {
	if s.namespaced || s.allowed == nil || slices.Contains(s.allowed.Names, namespace) {
		return nil
	}
	refused := refuse(fmt.Errorf("namespace %q is not among the allowedNamespaces of the config: ask its owner to allow it, or use a ProviderConfig of the namespace", namespace))
	if s.allowed.Selector == nil {
		return refused
	}
	selector, err := metav1.LabelSelectorAsSelector(s.allowed.Selector)
	if err != nil {
		return fmt.Errorf("allowedNamespaces.selector is not valid: %w", err)
	}
	have, err := r.namespaceLabels(ctx, namespace)
	if err != nil {
		return err
	}
	if !selector.Matches(have) {
		return refused
	}
	return nil
}

// labelsAge is how long the labels of a namespace are taken for true.
const labelsAge = 10 * time.Second

// A labelCache has the labels of namespaces.
type labelCache struct {
	now func() time.Time

	mu    sync.Mutex
	known map[string]knownLabels
}

type knownLabels struct {
	labels labels.Set
	until  time.Time
}

func (c *labelCache) get(namespace string) (labels.Set, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[namespace]
	return k.labels, ok && c.now().Before(k.until)
}

func (c *labelCache) keep(namespace string, l labels.Set) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for name, k := range c.known {
		if !now.Before(k.until) {
			delete(c.known, name)
		}
	}
	c.known[namespace] = knownLabels{labels: l, until: now.Add(labelsAge)}
}

func (r *Resolver) namespaceLabels(ctx context.Context, namespace string) (labels.Set, error) {
	if l, ok := r.labels.get(namespace); ok {
		return l, nil
	}
	ns := &corev1.Namespace{}
	err := r.options.Namespaces.Get(ctx, types.NamespacedName{Name: namespace}, ns)
	if kerrors.IsForbidden(err) {
		return nil, fmt.Errorf("cannot read the labels of namespace %q, which allowedNamespaces.selector asks for: "+
			"grant the provider's ServiceAccount get on namespaces, or list names in allowedNamespaces.names", namespace)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the labels of namespace %q, which allowedNamespaces.selector asks for: %w", namespace, err)
	}
	l := labels.Set(ns.GetLabels())
	r.labels.keep(namespace, l)
	return l, nil
}

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// A refusedError is the error of a config that a resource, or any resource, must not use.
type refusedError struct{ error }

// Unwrap returns the reason.
func (e *refusedError) Unwrap() error { return e.error }

// IsRefused reports whether an error of Resolve says that a resource must not use a config, whatever
// its credentials. Such a resource does not count as a user of the config.
func IsRefused(err error) bool {
	_, ok := errors.AsType[*refusedError](err)
	return ok
}

// A missingError says that a config or its Secret does not exist.
type missingError struct{ error }

// Unwrap returns the reason.
func (e *missingError) Unwrap() error { return e.error }

// waysOut adds to the error of a resource that is being deleted what can still be done if its
// namespace is being deleted too: nothing can be created there, but objects can be changed.
func waysOut(mg resource.ModernManaged, err error) error {
	if _, ok := errors.AsType[*missingError](err); !meta.WasDeleted(mg) || !ok && !IsRefused(err) {
		return err
	}
	return fmt.Errorf("%w. If the namespace is being deleted too, "+
		"nothing can be created in it: set spec.providerConfigRef to a working config, "+
		"or spec.managementPolicies to [Observe] to leave the resource in AWS", err)
}

// permit returns an error if a namespaced config does what only a cluster administrator may allow: name hosts, set the
// session tags that distinguish namespaces, or use the identity of the provider's own pod.
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
		return fmt.Errorf("credentials.source %s would use the identity of the provider's own pod, which is not "+
			"allowed in a namespaced config: "+
			"use a ClusterProviderConfig that allows this namespace, or credentials of a Secret", s.credentials.Source)
	}
	if s.Endpoint != nil {
		// The pod's token would be sent to whatever host the tenant names.
		return fmt.Errorf("endpoint is not allowed together with the identity of the provider's own pod in a " +
			"namespaced config: remove one of them")
	}
	return nil
}

// permitTags returns an error if a config sets session tags that say which resource a call is made for. IAM policies
// distinguish tenants by them, so only the provider may set them. IAM ignores the case of keys.
func permitTags(s settings) error {
	for _, role := range s.AssumeRoleChain {
		for _, tag := range role.Tags {
			switch strings.ToLower(tag.Key) {
			case v1beta1.SessionTagKeyNamespace, v1beta1.SessionTagKeyKind, v1beta1.SessionTagKeyName:
				return fmt.Errorf("tags of assumeRoleChain must not have the key %s in a namespaced config, because "+
					"IAM policies distinguish namespaces by it: remove it, and set it with resourceTags", tag.Key)
			}
		}
	}
	return nil
}

func usesPod(s settings) bool {
	switch s.credentials.Source {
	case v1beta1.CredentialsSourceNone, v1beta1.CredentialsSourceSecret:
		return false
	case v1beta1.CredentialsSourceWebIdentity:
		return s.tokenSecret() == nil || aws.ToString(s.webIdentity().RoleARN) == ""
	default:
		return true
	}
}

// admit returns an error if the resources of a namespace must not use the config.
func (r *Resolver) admit(ctx context.Context, s settings, namespace string) error {
	if s.namespaced || s.allowed == nil || slices.Contains(s.allowed.Names, namespace) {
		return nil
	}
	refused := &refusedError{fmt.Errorf("namespace %q is not among the allowedNamespaces of the config: ask its "+
		"owner to allow it, or use a ProviderConfig of the namespace", namespace)}
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

// labelsAge is the time for which the labels of a namespace are cached.
const labelsAge = 10 * time.Second

// namespaceLabels returns the labels of a namespace, at most labelsAge old.
func (r *Resolver) namespaceLabels(ctx context.Context, namespace string) (labels.Set, error) {
	now := r.now()
	k := readcache.Key{Operation: "Namespace", Of: namespace}
	f := readcache.Freshness{Now: now, Since: now.Add(-labelsAge)}
	return readcache.Read(ctx, &r.namespaces, k, f, func(ctx context.Context) (labels.Set, error) {
		ns := &corev1.Namespace{}
		err := r.options.Namespaces.Get(ctx, types.NamespacedName{Name: namespace}, ns)
		if kerrors.IsForbidden(err) {
			return nil, fmt.Errorf("cannot read the labels of namespace %q, which allowedNamespaces.selector asks "+
				"for: grant the provider's ServiceAccount get on namespaces, or list names in allowedNamespaces.names",
				namespace)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the labels of namespace %q, which allowedNamespaces.selector asks "+
				"for: %w", namespace, err)
		}
		return ns.GetLabels(), nil
	})
}

// CheckFunctionName returns an error if the config does not allow the resources of a namespace to
// refer to a function of this name.
func (s *Session) CheckFunctionName(namespace, name string) error {
	rules := s.Tenancy.FunctionNames
	if len(rules) == 0 {
		return nil
	}
	var allowed []string
	for _, r := range rules {
		if len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, namespace) {
			continue
		}
		for _, p := range r.Prefixes {
			prefix := strings.ReplaceAll(string(p), v1beta1.NamespacePlaceholder, namespace)
			if strings.HasPrefix(name, prefix) {
				return nil
			}
			allowed = append(allowed, fmt.Sprintf("%q", prefix))
		}
	}
	if len(allowed) == 0 {
		return fmt.Errorf("spec.functionNames of %s has no rule for namespace %q, so function %s is not allowed: ask "+
			"the owner of the config to add one", s.Ref, namespace, name)
	}
	return fmt.Errorf("spec.functionNames of %s allows namespace %q only functions whose names start with %s, not "+
		"%s: choose another name, or ask the owner of the config",
		s.Ref, namespace, strings.Join(allowed, " or "), name)
}

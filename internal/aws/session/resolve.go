package session

import (
	"context"
	"errors"
	"fmt"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// Resolve returns the session of a managed resource in a region of AWS. The config is the one that
// spec.providerConfigRef names: a ProviderConfig of the resource's own namespace, or a ClusterProviderConfig that
// allows the namespace. The first use of a config calls STS. Later ones return the cached session.
func (r *Resolver) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*Session, error) {
	s, err := r.admitted(ctx, mg)
	if err != nil {
		return nil, err
	}
	if err := s.checkRegion(region, "spec.forProvider.region", "delete this resource and create it with another "+
		"region"); err != nil {
		return nil, err
	}
	gvk, err := apiutil.GVKForObject(mg, r.kube.Scheme())
	if err != nil {
		return nil, err
	}
	session, err := r.session(ctx, s, s.tagsFor(mg, gvk.Kind), region, mg.GetNamespace())
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", s.ref, waysOut(mg, err))
	}
	return session, nil
}

// admitted returns the settings of the config of a resource, and an error if the resource must not use it.
func (r *Resolver) admitted(ctx context.Context, mg resource.ModernManaged) (settings, error) {
	obj, err := r.config(ctx, mg.GetProviderConfigReference(), mg.GetNamespace())
	if err != nil {
		return settings{}, waysOut(mg, err)
	}
	s, err := settingsOf(obj)
	if err != nil {
		return s, err
	}
	if err := r.admit(ctx, s, mg.GetNamespace()); err != nil {
		return s, fmt.Errorf("cannot use %s: %w", s.ref, waysOut(mg, err))
	}
	return s, nil
}

// Denies reports whether a resource can do nothing in AWS, because there is no config that it may use, or nothing with
// a function, because the config does not allow the function's name. An empty name stands for no function.
func (r *Resolver) Denies(ctx context.Context, mg resource.ModernManaged, function string) bool {
	s, err := r.admitted(ctx, mg)
	if err != nil {
		_, missing := errors.AsType[*missingError](err)
		return missing || IsRefused(err)
	}
	session := &Session{Ref: s.ref, Tenancy: s.tenancy}
	return function != "" && session.CheckFunctionName(mg.GetNamespace(), function) != nil
}

// ResolveConfig returns the session of a ProviderConfig or ClusterProviderConfig itself in the region of its queue of
// drift events. If the last role of the config depends on the resource, the session is of the identity that assumes
// that role.
func (r *Resolver) ResolveConfig(ctx context.Context, config client.Object, region string) (*Session, error) {
	s, err := settingsOf(config)
	if err != nil {
		return nil, err
	}
	if err := s.checkRegion(region, "spec.driftEvents.queueARN", "name a queue in another region"); err != nil {
		return nil, err
	}
	session, err := r.session(ctx, s.withoutResourceTags(), sessionTags{}, region, s.ref.Namespace)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", s.ref, err)
	}
	return session, nil
}

// config returns the config that a reference of a resource in a namespace names. It returns a
// missingError if there is none.
func (r *Resolver) config(ctx context.Context, ref *xpv2.ProviderConfigReference,
	namespace string,
) (client.Object, error) {
	if ref == nil {
		return nil, fmt.Errorf("no provider config is set: set spec.providerConfigRef")
	}
	var obj client.Object
	name := Ref{Kind: ref.Kind, Name: ref.Name}
	switch ref.Kind {
	case v1beta1.ProviderConfigKind:
		obj, name.Namespace = &v1beta1.ProviderConfig{}, namespace
	case v1beta1.ClusterProviderConfigKind:
		obj = &v1beta1.ClusterProviderConfig{}
	default:
		return nil, fmt.Errorf("spec.providerConfigRef.kind is %q: it must be %s or %s", ref.Kind,
			v1beta1.ProviderConfigKind, v1beta1.ClusterProviderConfigKind)
	}
	err := r.kube.Get(ctx, types.NamespacedName{Namespace: name.Namespace, Name: name.Name}, obj)
	if kerrors.IsNotFound(err) {
		return nil, &missingError{fmt.Errorf("%s does not exist: create it, or correct spec.providerConfigRef", name)}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return obj, nil
}

func (r *Resolver) session(ctx context.Context, s settings, tags sessionTags, region, namespace string,
) (*Session, error) {
	if err := r.permit(s); err != nil {
		return nil, &refusedError{err}
	}
	m, err := r.rawCredentials(ctx, s)
	if err != nil {
		return nil, err
	}
	l := login{settings: s, rawCredentials: m, entry: r.entry(s, m), tags: tags, region: r.stsRegion(region)}
	key := sessionKey{region: region, tags: tags}
	session, ok := r.cache.session(l.entry, key)
	if ok && !session.guessed {
		return session, nil
	}
	known, err := r.awaitIdentity(ctx, l, namespace)
	switch paused, _ := errors.AsType[*PausedError](err); {
	case err == nil:
	case ok:
		return session, nil
	case s.SkipCredentialsValidation && (paused == nil || paused.Region != ""):
		known, err = r.guess(ctx, l)
	}
	if err != nil {
		return nil, err
	}
	return r.cache.keep(l.entry, key, r.newSession(s, known, key)), nil
}

// awaitIdentity returns the identity of a login, unless a namespace must not wait for it.
func (r *Resolver) awaitIdentity(ctx context.Context, l login, namespace string) (identity, error) {
	leave, err := r.enterSTS(l, namespace)
	if err != nil {
		return identity{}, err
	}
	defer leave()
	known, err := r.identity(ctx, l)
	if awserr.IsUnanswered(err) && r.options.Breakers.IsOpen(stsKey(l.settings)) { // A probe, or what is cached of it.
		err = &PausedError{Ref: l.ref, Region: stsRegions}
	}
	return known, err
}

// entry returns the entry of a config in the cache. If the config or its credentials have changed,
// its open circuit breakers let a call pass: whether AWS answered the earlier version means nothing.
func (r *Resolver) entry(s settings, m rawCredentials) *entry {
	e, changed := r.cache.entry(s.ref.UID, m.version(s.generation), m.token)
	if changed {
		r.options.Breakers.Probe(s.ref.UID)
	}
	return e
}

// Identify returns the identity of a ProviderConfig or ClusterProviderConfig. It fetches credentials
// and asks AWS for their identity, unless the config says not to. If the last role depends on the
// resource, the result is the identity that assumes that role.
func (r *Resolver) Identify(ctx context.Context, config client.Object) (Identity, error) {
	s, err := settingsOf(config)
	if err != nil {
		return Identity{}, err
	}
	if err := r.permit(s); err != nil {
		return Identity{}, err
	}
	m, err := r.rawCredentials(ctx, s)
	if err != nil {
		return Identity{}, err
	}
	entry := r.entry(s, m)
	region := r.cache.regionOf(entry)
	if region == "" {
		region = r.homeRegion(s, m)
	}
	l := login{settings: s.withoutResourceTags(), rawCredentials: m, entry: entry, region: r.stsRegion(region)}
	known, err := r.identity(ctx, l)
	if err != nil && s.SkipCredentialsValidation {
		known, err = r.guess(ctx, l)
	}
	if err != nil {
		return Identity{}, err
	}
	if !s.SkipCredentialsValidation {
		if _, err := known.aws.Credentials.Retrieve(ctx); err != nil {
			return Identity{}, cannotAuthenticate(err)
		}
	}
	r.cache.retry(entry)
	return known.Identity, nil
}

// Forget drops what is cached of a config that is deleted.
func (r *Resolver) Forget(uid types.UID) { r.cache.forget(uid) }

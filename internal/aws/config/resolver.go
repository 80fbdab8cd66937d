package config

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"go.opentelemetry.io/otel/trace"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/measure"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// Options of a Resolver. Zero values mean the defaults.
type Options struct {
	// AllowNamespacedPodIdentity lets namespaced configs use the identity of the
	// provider's own pod: the sources IRSA and PodIdentity, and WebIdentity with a
	// token of the pod.
	AllowNamespacedPodIdentity bool

	// AllowNamespacedEndpoints lets namespaced configs have the provider call hosts of
	// their choice, as far as NamespacedEndpointHosts allows.
	AllowNamespacedEndpoints bool

	// NamespacedEndpointHosts are the hosts that endpoints of namespaced configs may
	// name: names, addresses, or patterns such as *.example.org. None means all that
	// have public addresses. Hosts with private ones are called only if they are named
	// here as they are, and those with loopback and link-local ones never.
	NamespacedEndpointHosts []string

	// AllowLoopbackEndpoints lets namespaced configs name loopback addresses, where the
	// double of AWS is in tests. No flag sets it: in a pod it would open whatever else
	// listens there.
	AllowLoopbackEndpoints bool

	// Silence is how long a host that is called may send and take nothing, for tests. 0
	// means what each operation has.
	Silence time.Duration

	// LookupHost finds the addresses of a host. The default is the system's resolver.
	LookupHost func(ctx context.Context, host string) ([]netip.Addr, error)

	// HTTPClient that all clients begin with. It is a BuildableClient since the
	// SDK adds the authorities of AWS_CA_BUNDLE to no other.
	HTTPClient *awshttp.BuildableClient

	// STSEndpoint is the URL of STS where a config does not say otherwise.
	STSEndpoint string

	// Fence is asked before each call that a session's clients send. Nil lets all pass.
	Fence Fence

	// Namespaces reads the labels of namespaces, for allowedNamespaces. It is best
	// not cached: the provider may lack the right to watch namespaces, and most
	// configs do not ask for them. The default is the client of the configs.
	Namespaces client.Reader

	// Tracer of calls to AWS, those to STS included. Nil makes no spans.
	Tracer trace.Tracer

	// Measure counts requests, and fetches of credentials. Nil counts nothing.
	Measure *measure.Recorder

	// Breakers are told what becomes of calls to Lambda. Nil is told nothing.
	Breakers *breaker.Breakers

	// LookupEnv and ReadFile read the provider's environment and files.
	LookupEnv func(string) (string, bool)
	ReadFile  func(string) ([]byte, error)
}

func (o Options) withDefaults() Options {
	if o.HTTPClient == nil {
		o.HTTPClient = awshttp.NewBuildableClient()
	}
	if o.LookupHost == nil {
		o.LookupHost = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	if o.ReadFile == nil {
		o.ReadFile = os.ReadFile
	}
	return o
}

// A Resolver resolves provider configs to sessions. It is safe for concurrent
// use, and holds no lock while it calls AWS or the API server.
type Resolver struct {
	kube    client.Client
	secrets Secrets
	limiter *quota.Limiter
	now     func() time.Time
	options Options
	cache   cache
	labels  labelCache
	clients clients
}

// New returns a Resolver. kube reads configs from a cache.
func New(kube client.Client, secrets Secrets, limiter *quota.Limiter, now func() time.Time, o Options) *Resolver {
	if o.Namespaces == nil {
		o.Namespaces = kube
	}
	return &Resolver{
		kube:    kube,
		secrets: secrets,
		limiter: limiter,
		now:     now,
		options: o.withDefaults(),
		cache:   newCache(now),
		labels:  labelCache{now: now, known: map[string]knownLabels{}},
	}
}

// Resolve the session of a managed resource in a region of AWS. The config is the
// one that spec.providerConfigRef names: a ProviderConfig of the resource's own
// namespace, or a ClusterProviderConfig that allows it. The first use of a config
// calls STS; later ones return what is cached.
func (r *Resolver) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*Session, error) {
	obj, err := r.config(ctx, mg.GetProviderConfigReference(), mg.GetNamespace())
	if err != nil {
		return nil, waysOut(mg, err)
	}
	s, err := settingsOf(obj)
	if err != nil {
		return nil, err
	}
	if err := checkRegion(region, s.SkipRegionValidation); err != nil {
		return nil, err
	}
	if err := r.admit(ctx, s, mg.GetNamespace()); err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", s.ref, waysOut(mg, err))
	}
	gvk, err := apiutil.GVKForObject(mg, r.kube.Scheme())
	if err != nil {
		return nil, err
	}
	session, err := r.session(ctx, s, s.tagsFor(mg, gvk.Kind), region)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", s.ref, waysOut(mg, err))
	}
	return session, nil
}

// An Identity is whom AWS takes a config for.
type Identity struct {
	// Account is the AWS account id. It is made up where nothing tells it.
	Account string
	// ARN of the user or the assumed role. Empty where STS was not asked.
	ARN string
}

// Identify a ProviderConfig or ClusterProviderConfig: it gets credentials and asks
// AWS whose they are, unless the config says not to. Where the last role depends
// on the resource that is served, the identity is that which assumes it.
func (r *Resolver) Identify(ctx context.Context, config client.Object) (Identity, error) {
	s, err := settingsOf(config)
	if err != nil {
		return Identity{}, err
	}
	if err := r.permit(s); err != nil {
		return Identity{}, err
	}
	if err := r.reachable(ctx, s); err != nil {
		return Identity{}, err
	}
	m, err := r.rawCredentials(ctx, s)
	if err != nil {
		return Identity{}, err
	}
	entry := r.entry(s, m)
	region := r.cache.regionOf(entry)
	if region == "" {
		region = r.homeRegion(s)
	}
	known, err := r.identity(ctx, s.withoutResourceTags(), m, entry, sessionTags{}, r.stsRegion(region))
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

// entry of a config in the cache. What AWS did not answer to an earlier version of it says
// nothing of this one.
func (r *Resolver) entry(s settings, m rawCredentials) *entry {
	e, changed := r.cache.entry(s.ref.UID, m.version(s.generation))
	if changed {
		r.options.Breakers.Probe(s.ref.UID)
	}
	return e
}

// Forget all that is cached of a config, which is gone.
func (r *Resolver) Forget(uid types.UID) { r.cache.forget(uid) }

// config that a reference of a resource in a namespace names.
func (r *Resolver) config(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) (client.Object, error) {
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
		return nil, fmt.Errorf("spec.providerConfigRef.kind is %q: it must be %s or %s", ref.Kind, v1beta1.ProviderConfigKind, v1beta1.ClusterProviderConfigKind)
	}
	err := r.kube.Get(ctx, types.NamespacedName{Namespace: name.Namespace, Name: name.Name}, obj)
	if kerrors.IsNotFound(err) {
		return nil, missing(fmt.Errorf("%s does not exist: create it, or correct spec.providerConfigRef", name))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return obj, nil
}

// session of a config in a region.
func (r *Resolver) session(ctx context.Context, s settings, tags sessionTags, region string) (*Session, error) {
	if err := r.permit(s); err != nil {
		return nil, refuse(err)
	}
	m, err := r.rawCredentials(ctx, s)
	if err != nil {
		return nil, err
	}
	entry := r.entry(s, m)
	key := sessionKey{region: region, tags: tags}
	if session, ok := r.cache.session(entry, key); ok {
		return session, nil
	}
	known, err := r.identity(ctx, s, m, entry, tags, r.stsRegion(region))
	if err != nil {
		return nil, err
	}
	return r.cache.keep(entry, key, func() *Session { return r.newSession(s, known, region) }), nil
}

// identity of a config, told by STS of a region.
func (r *Resolver) identity(ctx context.Context, s settings, m rawCredentials, e *entry, tags sessionTags, region string) (identity, error) {
	k := identityKey{partition: partitionOf(region), tags: tags}
	return r.cache.identity(e, k).get(ctx, func(ctx context.Context) (identity, error) {
		return r.identify(ctx, s, m, e, tags, region)
	})
}

// Package session resolves a ProviderConfig or a ClusterProviderConfig to a Session: an aws.Config
// whose credentials are renewed and whose calls keep to Lambda's request quotas.
//
// A session is cached for as long as the config and the raw credentials that it refers to stay the
// same. So a role is assumed once in the lifetime of its credentials, however many resources use
// them, and a rotated Secret or token takes effect in the next reconcile. If STS does not accept a rotated token, the
// credentials of the former one are used until they expire.
//
// The way from a config to a signed call goes through these files: settings.go has the spec, rules.go what it may do
// and who may use it, credentials.go the raw credentials, authenticate.go the roles, cache.go and cached.go what is
// cached, session.go the identity and the configuration of clients, middleware.go and http.go each call.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
)

// Options are the options of a Resolver. Zero values mean the defaults.
type Options struct {
	// AllowNamespacedPodIdentity lets namespaced configs use the identity of the provider's own pod: the sources IRSA
	// and PodIdentity, and WebIdentity with a token of the pod.
	AllowNamespacedPodIdentity bool

	// AllowNamespacedEndpoints lets namespaced configs set endpoints, as far as
	// NamespacedEndpointHosts allows the hosts.
	AllowNamespacedEndpoints bool

	// NamespacedEndpointHosts are the hosts that endpoints of namespaced configs may name: see egress.Hosts. None means
	// all that have public addresses.
	NamespacedEndpointHosts []string

	// AllowLoopbackEndpoints lets namespaced configs name loopback addresses that are listed exactly, for tests with a
	// double of AWS. No flag sets it: it would open all ports of the provider's own pod.
	AllowLoopbackEndpoints bool

	// Silence replaces the time for which a host may neither send nor receive, for tests. 0 means
	// the time of the operation.
	Silence time.Duration

	// HTTPClient is the client that those of all configs are built from. It is a BuildableClient
	// since the SDK adds the certificates of AWS_CA_BUNDLE to no other.
	HTTPClient *awshttp.BuildableClient

	// Fence makes each attempt of each call of a session's clients. Nil makes all.
	Fence Fence

	// Namespaces reads the labels of namespaces, for allowedNamespaces. It should not be cached: the provider may lack
	// the right to watch namespaces, and most configs do not need them. The default is the client that reads configs.
	Namespaces client.Reader

	// Tracer records calls to AWS, those to STS included. Nil records none.
	Tracer trace.Tracer

	// Measure counts requests and fetches of credentials. Nil counts nothing.
	Measure *telemetry.Recorder

	// Breakers count calls to Lambda that get no answer. Nil counts none.
	Breakers *breaker.Breakers

	// LookupEnv and ReadFile read the provider's environment and files. The defaults are those of package os.
	LookupEnv func(string) (string, bool)
	ReadFile  func(string) ([]byte, error)
}

func (o Options) withDefaults() Options {
	if o.HTTPClient == nil {
		o.HTTPClient = awshttp.NewBuildableClient()
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
	cache   *cache
	clients clients

	// namespaces has the labels of namespaces.
	namespaces readcache.Cache
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
	}
}

// Secrets returns the data of a Secret. It is called in each reconcile, so it should be cheap, and return changes soon.
type Secrets func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error)

// rawCredentials are the credentials that a config names. They are read anew at each use.
type rawCredentials struct {
	// keys are set if the source has access keys.
	keys aws.Credentials
	// token is a web identity token, and roleARN the role to assume with it.
	token   string
	roleARN string
}

// version returns a hash that changes with the config and with its keys or the role of its token, and reveals neither.
func (m rawCredentials) version(generation int64) string {
	h := sha256.New()
	for _, part := range []string{m.keys.AccessKeyID, m.keys.SecretAccessKey, m.keys.SessionToken, m.roleARN} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // A hash never fails to write.
	}
	return fmt.Sprintf("%d/%s", generation, hex.EncodeToString(h.Sum(nil)))
}

// clients are shared by all configs without certificate authorities of their own: one pool of connections instead of
// one for each client of each service, and one for the endpoints that tenants name.
type clients struct {
	mu      sync.Mutex
	shared  aws.HTTPClient
	guarded aws.HTTPClient
}

// A Fence makes each attempt of each call of AWS's services, or refuses it with an error, which becomes the error of
// the call. The context that it passes to the attempt ends when the attempt must stop.
type Fence func(ctx context.Context, attempt func(context.Context) error) error

package session

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// EndpointHostFlag is the flag that sets Options.NamespacedEndpointHosts.
const EndpointHostFlag = "--namespaced-endpoint-host"

// dialTimeout is the time in which a connection must be made.
const dialTimeout = 10 * time.Second

// endpointHosts returns the hosts that endpoints of namespaced configs may name: not those that only the provider can
// reach.
func (r *Resolver) endpointHosts() egress.Hosts {
	allowed := r.options.NamespacedEndpointHosts
	return egress.Hosts{
		Flag: EndpointHostFlag, Allowed: allowed, Public: len(allowed) == 0, Loopback: r.options.AllowLoopbackEndpoints,
	}
}

// guarded returns t with connections to allowed hosts. They use no proxy, because the provider would see the address of
// the proxy instead of the one that is called.
func guarded(t *http.Transport, h egress.Hosts) *http.Transport {
	dial := h.Dialer(dialTimeout)
	t.Proxy, t.DialTLSContext = nil, nil
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		return c, awserr.NotAllowed(err)
	}
	return t
}

package session

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// EndpointHostFlag is the flag that sets Options.NamespacedEndpointHosts.
const EndpointHostFlag = "--namespaced-endpoint-host"

// dialTimeout is the time in which a connection must be made.
const dialTimeout = 10 * time.Second

// checks returns the checks of endpoints of namespaced configs, which reject hosts that only the provider can reach.
func (r *Resolver) checks() egress.Checks {
	h := egress.Hosts{
		Flag: EndpointHostFlag, Allowed: r.options.NamespacedEndpointHosts,
		Loopback: r.options.AllowLoopbackEndpoints,
	}
	c := h.Checks()
	if len(h.Allowed) == 0 {
		c = h.Public()
	}
	return egress.Checks{
		Host: func(host, port string) error { return awserr.NotAllowed(c.Host(host, port)) },
		Address: func(host, port string, a netip.Addr) error {
			return awserr.NotAllowed(c.Address(host, port, a))
		},
	}
}

// guarded returns t with connections that c checks. They use no proxy, because the provider would see the address of
// the proxy instead of the one that is called.
func guarded(t *http.Transport, c egress.Checks) *http.Transport {
	t.Proxy, t.DialTLSContext, t.DialContext = nil, nil, c.Dialer(dialTimeout)
	return t
}

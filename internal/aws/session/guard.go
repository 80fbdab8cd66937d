package session

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// dialTimeout is the time in which a connection must be made.
const dialTimeout = 10 * time.Second

// A guard rejects connections of tenants' endpoints to hosts that only the provider can reach.
type guard struct {
	allowed  []string
	loopback bool
}

// transport returns t with guarded connections. They use no proxy, because the provider would see the
// address of the proxy instead of the one that is called.
func (g guard) transport(t *http.Transport) *http.Transport {
	t.Proxy = nil
	t.DialContext = egress.Checks{
		Host:    func(host, _ string) error { return g.checkHost(host) },
		Address: func(host, _ string, a netip.Addr) error { return g.checkAddress(host, a) },
	}.Dialer(dialTimeout)
	t.DialTLSContext = nil
	return t
}

// checkHost returns an error if the name of a host, or the address that it is, is not allowed.
func (g guard) checkHost(host string) error {
	host = egress.Host(host)
	if len(g.allowed) > 0 &&
		!slices.ContainsFunc(g.allowed, func(pattern string) bool { return egress.Matches(pattern, host) }) {
		return awserr.NotAllowed(host,
			"it is not among the hosts that the provider's operator allows (--namespaced-endpoint-host)")
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return g.checkAddress(host, a)
	}
	return nil
}

// checkAddress returns an error for addresses of the pod itself, of its node, and of the cluster, such
// as those of the metadata service, which returns the node's credentials.
func (g guard) checkAddress(host string, a netip.Addr) error {
	host = egress.Host(host)
	switch {
	case egress.Address(a).IsLoopback() && g.loopback:
		return nil
	case egress.IsReserved(a):
		return awserr.NotAllowed(host, "its address is loopback, link-local or reserved")
	case egress.IsPrivate(a) &&
		!slices.ContainsFunc(g.allowed, func(name string) bool { return egress.Host(name) == host }):
		return awserr.NotAllowed(host, "its address is private and may belong to the cluster: the provider's operator "+
			"can allow it by name (--namespaced-endpoint-host), or configure it in a ClusterProviderConfig")
	}
	return nil
}

// CheckHostPattern returns an error if a pattern of NamespacedEndpointHosts is malformed, or has a port, so that no
// host would match it.
func CheckHostPattern(pattern string) error {
	if _, _, err := net.SplitHostPort(pattern); err == nil {
		return errors.New("it must have no port")
	}
	return egress.CheckHost(pattern)
}

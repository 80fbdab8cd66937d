package session

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

const (
	// dialTimeout of a connection.
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
)

// A guard rejects connections of tenants' endpoints to hosts that only the provider can reach.
type guard struct {
	allowed  []string
	loopback bool
}

// transport returns t with guarded connections. They use no proxy, because the provider would see the
// address of the proxy instead of the one that is called.
func (g guard) transport(t *http.Transport) *http.Transport {
	t.Proxy = nil
	t.DialContext = g.dial
	t.DialTLSContext = nil
	return t
}

// dial connects to a host if its name and its address are allowed. It checks the address at the moment
// of connecting, so that the name cannot resolve to another one after the check.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if err := g.checkHost(host); err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive, Control: func(_, resolved string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(resolved)
		if err != nil {
			return err
		}
		return g.checkAddress(host, a.Addr())
	}}
	return d.DialContext(ctx, network, address)
}

// checkHost returns an error if the name of a host, or the address that it is, is not allowed.
func (g guard) checkHost(host string) error {
	host = plainHost(host)
	if len(g.allowed) > 0 && !slices.ContainsFunc(g.allowed, func(pattern string) bool { return matches(pattern, host) }) {
		return &awserr.HostError{Host: host, Reason: "it is not among the hosts that the provider's operator allows (--namespaced-endpoint-host)"}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return g.checkAddress(host, a)
	}
	return nil
}

// checkAddress returns an error for addresses of the pod itself, of its node, and of the cluster, such
// as those of the metadata service, which returns the node's credentials.
func (g guard) checkAddress(host string, a netip.Addr) error {
	host, a = plainHost(host), embedded(a.WithZone("").Unmap())
	switch {
	case a.IsLoopback() && g.loopback:
		return nil
	case within(a, unreachable):
		return &awserr.HostError{Host: host, Reason: "its address is loopback, link-local or reserved"}
	case within(a, private) && !slices.ContainsFunc(g.allowed, func(name string) bool { return plainHost(name) == host }):
		return &awserr.HostError{Host: host, Reason: "its address is private and may belong to the cluster: " +
			"the provider's operator can allow it by name (--namespaced-endpoint-host), or configure it in a ClusterProviderConfig"}
	}
	return nil
}

// matches reports whether a host matches a pattern, in which * stands for any characters.
func matches(pattern, host string) bool {
	ok, err := path.Match(plainHost(pattern), host)
	return err == nil && ok
}

// CheckHostPattern returns an error if a pattern of NamespacedEndpointHosts is malformed.
func CheckHostPattern(pattern string) error {
	_, err := path.Match(pattern, "")
	return err
}

// plainHost returns a host in the form in which hosts are compared.
func plainHost(h string) string {
	return strings.TrimSuffix(strings.ToLower(strings.Trim(h, "[]")), ".")
}

var (
	// unreachable has the addresses that are never called: of this host, loopback, link-local with
	// the metadata services of AWS, multicast, and reserved ones.
	unreachable = prefixes("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/128", "::1/128", "fe80::/10", "fec0::/10", "fd00:ec2::/32", "ff00::/8")
	// private has the private addresses, which clusters use for pods, services and nodes.
	private = prefixes("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "fc00::/7")
)

// embedded returns the IPv4 address that an IPv6 address stands for: of NAT64, of 6to4, or an old
// IPv4-compatible one. It returns other addresses as they are.
func embedded(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	b := a.As16()
	switch {
	case within(a, nat64), within(a, compatible) && !a.IsLoopback() && !a.IsUnspecified():
		return netip.AddrFrom4([4]byte(b[12:16]))
	case within(a, sixToFour):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return a
}

var (
	nat64      = prefixes("64:ff9b::/96", "64:ff9b:1::/48")
	compatible = prefixes("::/96")
	sixToFour  = prefixes("2002::/16")
)

// within reports whether one of the prefixes contains an address.
func within(a netip.Addr, in []netip.Prefix) bool {
	return slices.ContainsFunc(in, func(p netip.Prefix) bool { return p.Contains(a) })
}

// prefixes parses prefixes. It panics if one is malformed.
func prefixes(list ...string) []netip.Prefix {
	ps := make([]netip.Prefix, len(list))
	for i, p := range list {
		ps[i] = netip.MustParsePrefix(p)
	}
	return ps
}

// Package egress classifies the hosts and addresses that users let the provider connect to. The
// provider can reach more than its users: its own pod, its node, and all services of the cluster.
package egress

import (
	"net/netip"
	"path"
	"slices"
	"strings"
)

var (
	// reserved has the addresses that are never called: of this host, loopback, link-local with
	// the metadata services of AWS, multicast, and reserved ones. 168.63.129.16 is that of a node's host in Azure.
	reserved = prefixes("0.0.0.0/8", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "192.0.0.0/24",
		"224.0.0.0/4", "240.0.0.0/4",
		"::/128", "::1/128", "fe80::/10", "fec0::/10", "fd00:ec2::/32", "ff00::/8")
	// private has the private addresses, which clusters use for pods, services and nodes, and those of translators of a
	// network's own, which may stand for any (RFC 8215).
	private = prefixes("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "fc00::/7",
		"64:ff9b:1::/48")
)

// Address returns an address in the form in which addresses are compared: without a zone, and
// the IPv4 address if it stands for one.
func Address(a netip.Addr) netip.Addr { return embedded(a.WithZone("").Unmap()) }

// IsReserved reports whether an address is loopback, link-local or reserved. Such addresses are those of the provider's
// pod and of its node, and those of metadata services, which return the node's credentials.
func IsReserved(a netip.Addr) bool { return within(Address(a), reserved) }

// IsPrivate reports whether an address is private, so that it may belong to the cluster.
func IsPrivate(a netip.Addr) bool { return within(Address(a), private) }

// Host returns the name of a host in the form in which hosts are compared.
func Host(h string) string { return strings.TrimSuffix(strings.ToLower(strings.Trim(h, "[]")), ".") }

// Matches reports whether a host matches a pattern, in which * stands for any characters.
func Matches(pattern, host string) bool {
	ok, err := path.Match(Host(pattern), Host(host))
	return err == nil && ok
}

// embedded returns the IPv4 address that an IPv6 address stands for: of NAT64, of 6to4, IPv4-translated, or an old
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
	nat64      = prefixes("64:ff9b::/96", "::ffff:0:0:0/96")
	compatible = prefixes("::/96")
	sixToFour  = prefixes("2002::/16")
)

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

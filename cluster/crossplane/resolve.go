package main

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/resolver"
)

// resolveFunctions makes gRPC resolve the hosts in addresses, host=address[,...], to their addresses. It must be
// called before anything dials.
func resolveFunctions(addresses string) error {
	known := map[string]string{}
	for entry := range strings.SplitSeq(addresses, ",") {
		if entry == "" {
			continue
		}
		host, address, ok := strings.Cut(entry, "=")
		if !ok {
			return fmt.Errorf("cannot read FUNCTION_ADDRESSES: %q is not host=address", entry)
		}
		known[host] = address
	}
	resolver.Register(names{Builder: resolver.Get("dns"), known: known})
	return nil
}

// names is gRPC's DNS resolver, with an exception for known hosts.
type names struct {
	resolver.Builder

	known map[string]string
}

// Build resolves a target. A known host is resolved only once.
func (n names) Build(t resolver.Target, cc resolver.ClientConn, o resolver.BuildOptions) (resolver.Resolver, error) {
	host, _, _ := strings.Cut(t.Endpoint(), ":")
	address, ok := n.known[host]
	if !ok {
		return n.Builder.Build(t, cc, o)
	}
	return fixed{}, cc.UpdateState(resolver.State{Addresses: []resolver.Address{{Addr: address}}})
}

// fixed is a resolver with a fixed result.
type fixed struct{}

// ResolveNow does nothing.
func (fixed) ResolveNow(resolver.ResolveNowOptions) {}

// Close does nothing.
func (fixed) Close() {}

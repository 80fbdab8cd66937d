package main

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/resolver"
)

// resolveFunctions has gRPC resolve the hosts that addresses lists, host=address[,...], to what it says. It must run
// before anything dials.
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

// names is gRPC's DNS resolver, but for the hosts that it knows.
type names struct {
	resolver.Builder

	known map[string]string
}

// Build resolves a target. What is known is resolved once and for good.
func (n names) Build(t resolver.Target, cc resolver.ClientConn, o resolver.BuildOptions) (resolver.Resolver, error) {
	host, _, _ := strings.Cut(t.Endpoint(), ":")
	address, ok := n.known[host]
	if !ok {
		return n.Builder.Build(t, cc, o)
	}
	return settled{}, cc.UpdateState(resolver.State{Addresses: []resolver.Address{{Addr: address}}})
}

// settled is a resolver that has told all it knows.
type settled struct{}

// ResolveNow does nothing.
func (settled) ResolveNow(resolver.ResolveNowOptions) {}

// Close does nothing.
func (settled) Close() {}

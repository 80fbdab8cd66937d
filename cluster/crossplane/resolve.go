package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc/resolver"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
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

// chartCommand prints what Crossplane's own Helm chart installs.
type chartCommand struct {
	Chart     string `arg:"" help:"Folder of the chart." type:"existingdir"`
	Namespace string `default:"crossplane-system" help:"Namespace that Crossplane is installed in."`
}

// Run runs the command.
func (c chartCommand) Run(out io.Writer) error {
	chart, err := loader.LoadDir(c.Chart)
	if err != nil {
		return fmt.Errorf("cannot read Crossplane's chart: %w", err)
	}
	release := chartutil.ReleaseOptions{Name: "crossplane", Namespace: c.Namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, nil, release, chartutil.DefaultCapabilities)
	if err != nil {
		return fmt.Errorf("cannot make the values of Crossplane's chart: %w", err)
	}
	files, err := engine.Render(chart, values)
	if err != nil {
		return fmt.Errorf("cannot render Crossplane's chart: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") || strings.TrimSpace(files[name]) == "" {
			continue
		}
		if _, err := fmt.Fprintf(out, "---\n%s\n", files[name]); err != nil {
			return err
		}
	}
	return nil
}

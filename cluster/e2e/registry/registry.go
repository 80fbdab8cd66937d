// Package registry provides an OCI registry on loopback, and the packages that are pushed to it.
package registry

import "github.com/crossplane-contrib/provider-lambda/internal/test/registry"

// A Registry is a registry to which packages are pushed. Everyone on this machine may push and pull.
type Registry struct{ *registry.Registry }

// Start starts a registry on a free port of 127.0.0.1.
func Start() *Registry { return &Registry{registry.Start()} }

// Package registry provides an OCI registry on loopback, and the packages that are pushed to it.
package registry

import (
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// A Registry keeps what is pushed to it in memory. Everyone on this machine may push and pull.
type Registry struct {
	listener net.Listener
	server   *http.Server
}

// Start starts a registry on a free port of 127.0.0.1.
func Start() (*Registry, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It returns at once.
	if err != nil {
		return nil, err
	}
	quiet := log.New(io.Discard, "", 0)
	r := &Registry{listener: l, server: &http.Server{
		Handler:           registry.New(registry.Logger(quiet)),
		ReadHeaderTimeout: time.Minute, ErrorLog: quiet,
	}}
	go func() { _ = r.server.Serve(l) }() // It ends with Stop, always with an error.
	return r, nil
}

// Host returns the registry's host, with which references to images begin.
func (r *Registry) Host() string { return r.listener.Addr().String() }

// Stop stops the registry and drops its content.
func (r *Registry) Stop() error { return r.server.Close() }

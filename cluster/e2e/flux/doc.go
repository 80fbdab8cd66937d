// Package flux tests the code of Functions that Flux's own source-controller fetches, from a Git server and from an
// OCI registry on loopback. Its tests have the build tag flux, because source-controller takes long to build: `make
// e2e-flux` runs them.
package flux

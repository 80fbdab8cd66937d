// Package version tells which version of the provider this is.
package version

// Version of the provider. The build sets it: -ldflags "-X .../version.Version=v1.2.3".
var Version = "dev"

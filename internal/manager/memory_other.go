//go:build !linux

package manager

// unmapProgram does nothing on this system.
func unmapProgram() error { return nil }

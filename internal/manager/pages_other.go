//go:build !linux

package manager

// unmapProgram does nothing: only Linux has what it needs.
func unmapProgram() {}

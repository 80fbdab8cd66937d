//go:build !linux

package manager

import "context"

// UnmapProgram does nothing: only Linux has what it needs.
func UnmapProgram(context.Context) {}

// Package memory keeps what a process remembers of each resource between two reconciles: errors and delays, drift,
// what drift events said, calls without an effect yet. All of it is lost when the process ends, and may be.
package memory

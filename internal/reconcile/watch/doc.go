// Package watch requests reconciles of a resource besides those for its own changes and polls: when its config, what it
// refers to, or what AWS has for it changes, and when it arrives from another shard. It knows kinds, and nothing of how
// a reconcile runs.
package watch

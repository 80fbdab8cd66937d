// Package reconcile has what a kind declares and returns, and what follows from it. A kind returns what it found and
// what it wants: its Observer returns an Outcome with the call that is due, and package engine, which runs reconciles,
// applies it. Most kinds return a Resource, which decides what to do when an external resource is absent, foreign, only
// observed, being changed, different from its spec or to be deleted. Package ownership decides who owns an external
// resource.
package reconcile

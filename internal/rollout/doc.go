// Package rollout decides how an alias moves from one version of a function to another: what the
// next step is, when it begins, and when the alias moves back. It is pure: the caller passes what
// it has observed, carries out the Action, and persists the state in status.rollout.
package rollout

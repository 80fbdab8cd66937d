// Package rollout has the subcommands of "kubectl lambda rollout". They read the status of an Alias, and command its
// rollout by annotations: the provider decides, so that a command does what docs/rollouts.md says whoever sends it.
//
// outcome.go, timeline.go, samples.go, view.go, checks.go and refusal.go are pure.
package rollout

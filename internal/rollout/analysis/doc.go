// Package analysis measures the health of a rollout: whether what the target version needs is
// healthy, what its metrics are, and in what state its alarms are.
//
// Users name the servers that metrics come from, so these are not trusted: their hosts must be
// allowed by the provider's operator, what they answer is bounded and never quoted, and no
// redirect is followed. CEL expressions have bounds for their size and for the cost of their evaluation.
package analysis

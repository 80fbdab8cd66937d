// Package reconcile is the part of the controllers that all kinds share: Setup adds the controller
// of a Kind to a manager.
//
// The controller is crossplane-runtime's managed reconciler, wrapped in a reconciler that
// decides when a resource is reconciled, so that no reconcile ever waits:
//
//   - Before the runtime's reconciler runs, the reconciler reserves the AWS calls of one
//     observation. If they are not available yet, it requeues the resource for when they are,
//     and does nothing else. Changes by users take precedence over polls.
//   - The call that an observation finds due is reserved after it. If there is no quota
//     for it yet, the rest of the reconcile is dropped: no status, no event and no change log
//     entry is written. The resource is requeued for when the call is allowed, and the next
//     reconcile reserves it in advance.
//   - The delay after an error depends on the error: transient errors are retried within
//     seconds, errors that only the user can correct every ten minutes and when anything
//     changes. A throttled call is not reported as an error.
//
// A kind returns what it found and what it wants: its Observer returns an Outcome with the call that is due, and the
// pass, which is one reconcile, applies it. Most kinds return a Resource, which decides what to do when an external
// resource is absent, foreign, only observed, being changed, different from its spec or to be deleted. Package
// ownership decides who owns an external resource, package refs reads Secrets, ConfigMaps and fields of other objects.
package engine

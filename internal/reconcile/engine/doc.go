// Package engine runs the reconciles of all kinds: Control adds the controller of a Kind to a manager.
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
package engine

// Package managed is what every kind shares: Setup makes a controller of a Kind.
//
// The controller is crossplane-runtime's managed reconciler behind a gate. The gate
// decides when a resource is looked at, so that no reconcile ever waits:
//
//   - Before the runtime's reconciler runs, the gate reserves the AWS calls that one
//     look takes. If it must wait for them, it comes back when they are due, and has
//     touched nothing. What users change goes before what is merely polled.
//   - An external client that finds a call due asks Reserve for it in Observe. If
//     its quota is not there yet, the rest of the reconcile is dropped, as if it had
//     not happened: no status, no event, no change log. The gate comes back when the
//     promised time has come, with the call already reserved.
//   - Errors are weighed: what passes by itself is tried again in seconds, what only
//     the user can put right every ten minutes and as soon as anything changes, and
//     a throttled call is no error at all.
//
// A kind is a Kind value and an external client, some forty lines of wiring. Its
// pure parts use the packages below this one: condition for what Ready says,
// ownership for whose a thing is, objects for Secrets and ConfigMaps.
package managed

// Package explore is an explicit-state model checker of the reconciler that all kinds share. Its tests run the real
// code, from the queue's request to the call of an API, against a model of the Kubernetes API and one of AWS that have
// one resource of two settings, and visit every reachable state, breadth first.
//
// A state is all that outlives a reconcile: the object, its version in the caches of two leaders, the memory of each of
// the two processes, what AWS has and what it still shows, and when each leader reconciles next. A transition is a
// reconcile by one of the leaders, in which at most one fault or change occurs between two of its calls, or a change by
// a user, or by someone else in AWS. The numbers of faults and changes on the way to a state are bounded; within these
// bounds the search is complete.
//
// Invariants are checked in each state: at most one external resource of ours in AWS, none left behind, no call that
// changes a foreign external resource, no secret in what is written, logged or emitted. From each state, without
// further faults and with one leader, the resource must converge: AWS has what spec asks for, or Ready says why not,
// and nothing is written any more.
//
// A broken invariant is printed with the shortest trace that leads to it.
package explore

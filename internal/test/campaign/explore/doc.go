// Package explore is an explicit-state model checker of the reconciler that all kinds
// share. Its tests run the real code, from the queue's request to the call of an API,
// against a model of the Kubernetes API and one of AWS that hold one resource of two
// settings, and visit every state that can be reached, breadth first.
//
// A state is all that outlives a reconcile: the object, what the caches of two leaders
// show of it, what each of the two processes remembers, what AWS has and what it shows
// still, and when each leader comes back. A transition is a reconcile by one of the
// leaders, in which at most one thing goes wrong or happens between two of its calls, or
// a change by a user, or by someone else in AWS. How many things go wrong, and how many
// changes there are on the way to a state, is bounded; within these bounds nothing is
// left out.
//
// Invariants are checked in each state: at most one resource of ours in AWS, none left
// behind, no call that changes what is somebody else's, no secret in what is written,
// logged or emitted. From each state, with nothing going wrong any more and one leader
// alone, the resource has to come to its end: in AWS is what spec asks for, or Ready says
// what keeps it from being so, and nothing is written any more.
//
// What breaks an invariant is printed as the shortest trace that leads to it.
package explore

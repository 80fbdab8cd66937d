// Package kubedouble is a double of the Kubernetes API in memory: storage, watches,
// finalizers, generations, optimistic concurrency and the status subresource behave as
// those of kube-apiserver. With it the whole provider runs within a testing/synctest
// bubble, where clocks are simulated, so that hours of its life take milliseconds and
// each request can be made to fail.
//
// It sets defaults by the schemas of CustomResourceDefinitions; it neither validates nor
// prunes: for what the API server refuses, the tests on a real control plane are there. It
// grants all rights. Of the controllers of a cluster it has the deletion of a
// namespace's objects and of those whose owner is gone.
package kubedouble

// Package kubedouble is an in-memory double of the Kubernetes API: storage, watches, finalizers, generations,
// optimistic concurrency and the status subresource behave as those of kube-apiserver. With it the whole provider runs
// within a testing/synctest bubble with simulated clocks, so that hours take milliseconds and each request can be made
// to fail.
//
// It sets defaults by the schemas of CustomResourceDefinitions. It neither validates nor prunes: the tests on a real
// control plane cover what the API server rejects. It grants all rights. Of the controllers of a cluster it has
// namespace deletion and garbage collection by owner.
package kubedouble

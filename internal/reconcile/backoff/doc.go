// Package backoff computes when a reconcile that has failed is repeated. It divides errors into classes by how soon
// another attempt makes sense, and has the delays of each. It is pure.
package backoff

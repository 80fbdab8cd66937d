// Package awsdouble is a stateful double of the AWS APIs that the provider calls, served over HTTP on 127.0.0.1 for
// tests, the demo and benchmarks.
//
// Real AWS SDK clients use it through an overridden base endpoint. It keeps state per account and region, responds
// with AWS's codes, messages and sparse shapes, and moves functions through Pending and InProgress by a clock that
// the caller may set. testdata/README.md says which of its behaviour follows recorded answers, and which is documented,
// quoted by users or assumed.
//
// To add an operation, add a line to the routes of its service (model_lambda.go for Lambda, routes.go for the others)
// and a handler in the file of its group.
package awsdouble

// Package functionconfigtest has what tests of kinds need that configure a function: an environment of
// package testenv with a function in it.
package functionconfigtest

import (
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// What the environment has in AWS.
const (
	// Function is the name of the function.
	Function = "cart"

	// FunctionARN is its ARN.
	FunctionARN = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

	// Alias of version 1.
	Alias = "live"
)

// New returns an environment whose provisioned concurrency takes the given time. AWS has a function that
// has versions 1 and 2, and an alias. The SDK repeats calls, as in the provider.
func New[T reconcile.Managed](
	t testing.TB, provision time.Duration, observer func(*testenv.AWS) reconcile.Observer[T],
) *testenv.Env[T] {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{ProvisionDuration: provision})
	w.Lambda = w.Retrying()
	w.AddFunction(Function)
	for range 2 {
		w.Publish(Function)
	}
	w.AddAlias(Function, Alias)
	w.Double.ResetCalls()
	return testenv.Observing(w, func() reconcile.Observer[T] { return observer(w) })
}

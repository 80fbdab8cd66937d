// Package configuredtest has what tests of kinds need that configure a function: a
// world of package steptest with a function in it.
package configuredtest

import (
	"testing"
	"time"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// What a rig has in AWS.
const (
	// Function is the name of the function.
	Function = "cart"

	// FunctionARN is its ARN.
	FunctionARN = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

	// Alias of version 1.
	Alias = "live"
)

// New rig, whose provisioned concurrency takes the given time. AWS has a function that
// has versions 1 and 2, and an alias. The SDK tries calls again, as the provider has it
// do.
func New[T managed.Managed](t testing.TB, provision time.Duration, external func(*steptest.World) xpmanaged.TypedExternalClient[T]) *steptest.Env[T] {
	t.Helper()
	w := steptest.NewWorld(t, awsdouble.Options{ProvisionDuration: provision})
	w.Lambda = w.Retrying()
	w.AddFunction(Function)
	for range 2 {
		w.Publish(Function)
	}
	w.AddAlias(Function, Alias)
	w.Double.ResetCalls()
	return steptest.NewEnv(w, func() xpmanaged.TypedExternalClient[T] { return external(w) })
}

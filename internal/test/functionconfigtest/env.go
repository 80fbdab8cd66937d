// Package functionconfigtest has what tests of kinds need that configure a function: an environment of
// package testenv with a function in it.
package functionconfigtest

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

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

	// Alias of the first version.
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
	addFunction(w)
	w.Double.ResetCalls()
	return testenv.Observing(w, func() reconcile.Observer[T] { return observer(w) })
}

// addFunction adds the function to AWS, and returns the number of its first version.
func addFunction(w *testenv.AWS) (first string) {
	w.Helper()
	w.AddFunction(Function)
	first = w.Publish(Function)
	w.Publish(Function)
	w.AddAlias(Function, Alias, first)
	return first
}

// Replaced returns a change of a random history: the function is deleted, and created again after some reconciles. Its
// versions have other numbers than before. others configures it beside the resource.
func Replaced[T reconcile.Managed](h *testenv.History[T], others func(first string)) func() string {
	return func() string {
		_, err := h.Lambda.DeleteFunction(h.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To(Function)})
		h.Must(err)
		h.Reconciles(h.Draw.IntN(4)) //nolint:mnd // So that some find no function.
		h.Seen = false
		first := addFunction(h.AWS)
		others(first)
		return "the function is deleted and created again, with version " + first
	}
}

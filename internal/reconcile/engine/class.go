package engine

import (
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
)

// An errorClass says how soon another attempt makes sense.
type errorClass int

const (
	// unclassified errors may be transient or not.
	unclassified errorClass = iota

	// transient errors go away without a change by the user, within seconds or minutes.
	transient

	// terminal errors remain until the user changes something.
	terminal

	// ambiguous errors are terminal or transient: AWS returns the same error for what is wrong
	// and for what does not exist yet. They count as terminal after a grace period.
	ambiguous

	// panicked is the class of panics. Most remain until the provider is upgraded, and the
	// code before the panic may call AWS, so they are retried slowly, like terminal errors.
	panicked
)

// errCannotCreate is returned if the external resource does not exist and may not be created.
var errCannotCreate = errors.New("the external resource does not exist, and managementPolicies do not allow creating it")

// String returns the name of the class in traces.
func (c errorClass) String() string {
	switch c {
	case terminal:
		return "terminal"
	case transient:
		return "transient"
	case ambiguous:
		return "ambiguous"
	case panicked:
		return "bug"
	default:
		return "unclassified"
	}
}

// classify returns the class of an error.
func classify(err error) errorClass {
	switch {
	case isPanic(err):
		return panicked
	case ownership.IsForeign(err), errors.Is(err, errCannotCreate), reconcile.IsInvalid(err), awserr.IsTerminal(err):
		return terminal
	case awserr.IsTransient(err), isServerTrouble(err):
		return transient
	case gracePeriod(err) > 0:
		return ambiguous
	}
	return unclassified
}

// isServerTrouble returns whether the API server is temporarily unable to answer.
func isServerTrouble(err error) bool {
	return kerrors.IsServerTimeout(err) || kerrors.IsTimeout(err) || kerrors.IsTooManyRequests(err) || kerrors.IsServiceUnavailable(err) || kerrors.IsInternalError(err)
}

// Grace periods after which ambiguous errors count as terminal.
const (
	// referenceGracePeriod is for objects that may be applied together with the resource: a
	// Secret, a ConfigMap or a key of one, a provider config and what it refers to.
	referenceGracePeriod = 5 * time.Minute

	// accessGracePeriod is for IAM permissions, which may take that long to propagate.
	accessGracePeriod = 15 * time.Minute
)

// gracePeriod returns how long an ambiguous error may take to go away, and 0 for any other error.
func gracePeriod(err error) time.Duration {
	within, ok := awserr.MayPass(err)
	switch {
	case ok:
		return within
	case awserr.IsAccessDenied(err), awserr.IsUnauthenticated(err):
		return accessGracePeriod
	case refs.IsMissing(err), isUnusable(err):
		return referenceGracePeriod
	}
	return 0
}

// An unusableError wraps the reason why a provider config cannot be used.
type unusableError struct{ error }

// Unwrap returns the wrapped error.
func (e unusableError) Unwrap() error { return e.error }

func isUnusable(err error) bool {
	var u unusableError
	return errors.As(err, &u)
}

func isPanic(err error) bool {
	var p *panics.Error
	return errors.As(err, &p)
}

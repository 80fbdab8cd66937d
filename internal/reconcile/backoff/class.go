package backoff

import (
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A Class classifies an error by how soon another attempt makes sense.
type Class int

const (
	// Unclassified errors may be transient or not.
	Unclassified Class = iota

	// Transient errors go away without a change by the user, within seconds or minutes.
	Transient

	// Terminal errors remain until the user changes something.
	Terminal

	// Ambiguous errors are terminal or transient: AWS returns the same error for what is wrong
	// and for what does not exist yet. They count as terminal after a grace period.
	Ambiguous

	// Panicked is the class of panics. Most remain until the provider is upgraded, and the
	// code before the panic may call AWS, so they are retried slowly, like terminal errors.
	Panicked
)

// ErrCannotCreate is returned if the external resource does not exist and may not be created.
var ErrCannotCreate = errors.New(
	"the external resource does not exist, and managementPolicies do not allow creating it")

// String returns the name of the class in traces.
func (c Class) String() string {
	switch c {
	case Terminal:
		return "terminal"
	case Transient:
		return "transient"
	case Ambiguous:
		return "ambiguous"
	case Panicked:
		return "bug"
	default:
		return "unclassified"
	}
}

// Classify returns the class of an error.
func Classify(err error) Class {
	switch {
	case isPanic(err):
		return Panicked
	case ownership.IsForeign(err), errors.Is(err, ErrCannotCreate), reconcile.IsInvalid(err), awserr.IsTerminal(err):
		return Terminal
	case awserr.IsTransient(err), isServerTrouble(err):
		return Transient
	case GracePeriod(err) > 0:
		return Ambiguous
	}
	return Unclassified
}

// isServerTrouble reports whether the API server is temporarily unable to answer.
func isServerTrouble(err error) bool {
	return kerrors.IsServerTimeout(err) || kerrors.IsTimeout(err) || kerrors.IsTooManyRequests(err) ||
		kerrors.IsServiceUnavailable(err) || kerrors.IsInternalError(err)
}

// Grace periods after which ambiguous errors count as terminal.
const (
	// referenceGracePeriod is for what may be created together with the resource: a Secret, a ConfigMap or a key of
	// one, a provider config and what it refers to, a function, alias or layer version that spec names, code.
	referenceGracePeriod = 5 * time.Minute

	// accessGracePeriod is for IAM permissions, which may take that long to propagate.
	accessGracePeriod = 15 * time.Minute
)

// GracePeriod returns how long an ambiguous error may take to go away, and 0 for any other error.
func GracePeriod(err error) time.Duration {
	within, ok := awserr.MayPass(err)
	switch {
	case ok:
		return within
	case awserr.IsAccessDenied(err), awserr.IsUnauthenticated(err):
		return accessGracePeriod
	case refs.IsMissing(err), awserr.IsNotFound(err), reconcile.IsAmbiguous(err):
		return referenceGracePeriod
	}
	return 0
}

func isPanic(err error) bool {
	var p *panics.Error
	return errors.As(err, &p)
}

package function

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// usualConcurrency is the account limit from which AWS applies the usual minimum. New accounts have a lower limit
	// and minimum, and AWS returns their minimum only when it rejects a reservation.
	usualConcurrency = 1000

	// usualMinimum is the number of concurrent executions that AWS requires to stay unreserved.
	usualMinimum = 100

	// recentFigures is the maximum age of the account's figures by which a reservation is rejected.
	recentFigures = time.Minute

	// provisionedPages is the maximum number of pages of provisioned concurrency to read.
	provisionedPages = 20
)

// checkReservation returns an error with the available concurrency if AWS would reject a
// reservation. In case of doubt it returns nil and leaves the decision to AWS.
func (e *external) checkReservation(ctx context.Context, p plan) error {
	want, have := ptr.Deref(p.Target.ReservedConcurrentExecutions, 0), ptr.Deref(
		p.Observed.ReservedConcurrentExecutions, 0,
	)
	if f, ok := e.account.Remembered(); !ok || hasRoom(f, want, have) {
		return nil
	}
	f, ok := e.account.Recent(ctx, recentFigures)
	if !ok || hasRoom(f, want, have) {
		return nil
	}
	if p.Observed.ReservedConcurrentExecutions == nil {
		// The function's provisioned concurrency may already count as reserved. It would
		// become part of the reservation.
		provisioned, err := e.provisioned(ctx, p.name)
		if err != nil || hasRoom(f, want, provisioned) {
			return nil //nolint:nilerr // AWS decides.
		}
		have = provisioned
	}
	free := f.UnreservedConcurrentExecutions + have
	return reconcile.Invalid(errors.Errorf("spec.forProvider.reservedConcurrentExecutions is %d: "+
		"of the account's %d concurrent executions in this region, %d are not reserved for other functions, "+
		"of which %d have to stay unreserved: reserve at most %d, reserve less for other functions, "+
		"or have AWS raise the account's limit",
		want, f.ConcurrentExecutions, free, minimum(f), max(free-minimum(f), 0)))
}

// hasRoom reports whether the account has room to replace a reservation by another. A smaller one always fits.
func hasRoom(f account.Figures, want, have int32) bool {
	return want <= have || f.UnreservedConcurrentExecutions+have-want >= minimum(f)
}

// minimum returns the concurrency that has to stay unreserved, as far as it is known without a call.
func minimum(f account.Figures) int32 {
	if f.ConcurrentExecutions < usualConcurrency {
		return 0
	}
	return usualMinimum
}

// provisioned returns the provisioned concurrency of all versions and aliases of a function.
func (e *external) provisioned(ctx context.Context, name string) (int32, error) {
	total, in := int32(0), &lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: ptr.To(name)}
	for range provisionedPages {
		out, err := e.api.ListProvisionedConcurrencyConfigs(ctx, in)
		if err != nil {
			return 0, err
		}
		for _, c := range out.ProvisionedConcurrencyConfigs {
			total += ptr.Deref(c.RequestedProvisionedConcurrentExecutions, 0)
		}
		if in.Marker = out.NextMarker; ptr.Deref(in.Marker, "") == "" {
			return total, nil
		}
	}
	return 0, errors.New("the list of provisioned concurrency has no end")
}

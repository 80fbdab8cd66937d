package function

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

const (
	// usualConcurrency is the limit from which on an account has the usual minimum. New
	// accounts have less of both, and AWS tells their minimum only as it refuses.
	usualConcurrency = 1000

	// usualMinimum is how many concurrent executions have to stay unreserved.
	usualMinimum = 100

	// recentFigures are those by which a reservation may be refused.
	recentFigures = time.Minute

	// provisionedPages are the most that are read of what is provisioned.
	provisionedPages = 20
)

// accountFigures tells what the account has left. account.Account does.
type accountFigures interface {
	Remembered() (account.Figures, bool)
	Recent(ctx context.Context, age time.Duration) (account.Figures, bool)
}

// checkReservation refuses a reservation that AWS would refuse, with what is left. Where
// that is not known for sure, AWS is to decide.
func (e *external) checkReservation(ctx context.Context, p plan) error {
	want, have := ptr.Deref(p.Target.ReservedConcurrentExecutions, 0), ptr.Deref(p.Observed.ReservedConcurrentExecutions, 0)
	if f, ok := e.account.Remembered(); !ok || fits(f, want, have) {
		return nil
	}
	f, ok := e.account.Recent(ctx, recentFigures)
	if !ok || fits(f, want, have) {
		return nil
	}
	if p.Observed.ReservedConcurrentExecutions == nil {
		// What is provisioned of the function may count as not unreserved. It would be
		// part of the reservation.
		provisioned, err := e.provisioned(ctx, p.name)
		if err != nil || fits(f, want, provisioned) {
			return nil //nolint:nilerr // AWS is to decide.
		}
		have = provisioned
	}
	free := f.UnreservedConcurrentExecutions + have
	return reconciler.Invalid(errors.Errorf("spec.forProvider.reservedConcurrentExecutions is %d: of the account's %d concurrent executions in this region, %d are not reserved for other functions, of which %d have to stay unreserved: reserve at most %d, reserve less for other functions, or have AWS raise the account's limit",
		want, f.ConcurrentExecutions, free, minimum(f), max(free-minimum(f), 0)))
}

// fits says that an account has room for a reservation in place of another. One that is
// not larger always fits.
func fits(f account.Figures, want, have int32) bool {
	return want <= have || f.UnreservedConcurrentExecutions+have-want >= minimum(f)
}

// minimum that has to stay unreserved, as far as is known before AWS is asked.
func minimum(f account.Figures) int32 {
	if f.ConcurrentExecutions < usualConcurrency {
		return 0
	}
	return usualMinimum
}

// provisioned concurrency of all versions and aliases of a function.
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

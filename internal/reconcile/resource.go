package reconcile

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A Resource is the Observer of most kinds. T is the managed resource, O the AWS value, and S the settings in the one
// form in which desired and observed state are compared. A kind returns one for each reconcile; its functions share
// what Read has found.
//
// Its Observe decides what to do if an external resource is absent, foreign, only observed, being changed, different
// from its spec or to be deleted. It reads everything first and then decides. Of the functions that decide, only Plan
// and PrepareCreate may call Lambda: they read what an intent has to record.
type Resource[T Managed, O, S any] struct {
	Calls

	// Read reads the external resource from AWS. It finds it by its external name, by spec,
	// or, if AWS gives the name and none is known yet, by what a create may have left that was
	// not answered. It returns that nothing exists for a resource that is being deleted and
	// never created anything. It returns an error if AWS could not be read. It is called first.
	Read func(ctx context.Context, f Facts, mg T) (Observation[O, S], error)

	// Status sets status.atProvider. It makes no call.
	Status func(mg T, o Observation[O, S])

	// Desired returns the settings of spec.forProvider and of spec.initProvider, with what
	// they refer to resolved. They are merged after. It makes no call to Lambda. It may return an AwaitedError.
	Desired func(ctx context.Context, mg T) (forProvider, initProvider S, err error)

	// Create creates the external resource. The Result has the name that AWS knows it by.
	Create func(ctx context.Context, mg T, s S) (Result, error)

	// Update makes one call. By default, Create makes it with the target settings.
	Update func(ctx context.Context, mg T, o Observation[O, S], u Update[S]) (Result, error)

	// Delete deletes the external resource, or makes one of the calls that come before, and then returns a Result
	// that is a Part. It may return that the external resource is not found.
	Delete func(ctx context.Context, mg T, o Observation[O, S]) (Result, error)

	// Owner decides whether an external resource belongs to the managed
	// resource. It returns an error that says why it does not, see ownership.NewForeignError.
	//
	// By default, it belongs to the resource that has written its name. So does one that did
	// not exist before an unanswered create, and is as that create would have made it.
	Owner func(ctx context.Context, f Facts, mg T, o Observation[O, S]) (ownership.Ownership, error)

	// Ready returns the Ready condition from the AWS value alone, independent of
	// spec. By default, what exists is available.
	Ready func(mg T, o Observation[O, S]) xpv2.Condition

	// Shown reports whether status has the external resource that the resource names. By default, AWS has shown it if
	// Ready says anything else than that it is being created.
	Shown func(mg T) bool

	// Compare compares spec with the AWS value. By default, what spec leaves to AWS is taken from the AWS value
	// (Desired.Compare), and all else is compared. It makes no call to Lambda.
	Compare func(ctx context.Context, mg T, d Desired[S], o Observation[O, S]) (Comparison[S], error)

	// Plan decides which call makes the changes. By default, Calls.Update makes them all. If the plan has no Ready
	// condition, its default is set: that the changes are being made if a call is due, else the condition from the AWS
	// value. The Ready condition of a plan counts even if there is an error.
	Plan func(ctx context.Context, mg T, o Observation[O, S], c Comparison[S]) (Plan, error)

	// PrepareCreate checks what is to be created before quota is reserved for it. It may
	// return a NotReadyError. By default, nothing is checked.
	PrepareCreate func(ctx context.Context, mg T, s S) (Creation, error)

	// Details returns the connection details. By default, there are none.
	Details func(mg T) managed.ConnectionDetails
}

// A Creation is the result of PrepareCreate.
type Creation struct {
	Effects

	// Intent is written before the creation.
	Intent Record

	// AfterStatus postpones the creation to the next reconcile, so that status is written before it.
	AfterStatus bool
}

// An Observation is the result of Read.
type Observation[O, S any] struct {
	Effects

	// Resource is the AWS value.
	Resource O

	// Settings is the AWS value in comparable form.
	Settings S

	// Exists is false if AWS does not have the external resource.
	Exists bool

	// Name is the external name.
	Name string

	// Description names the external resource to users, such as "alias live of function cart".
	Description string

	// Annotate is written at once, if the resource has not changed since it was read. It is for what Read has found
	// out for good, such as that an earlier creation has made nothing.
	Annotate Record

	// Parent names what the external resource belongs to, such as an alias's function. It is kept in an annotation from
	// the creation or adoption on: see ownership.Parent. Empty if spec alone or the external name identifies it.
	Parent string
}

// Desired is the desired state.
type Desired[S any] struct {
	// Settings are the settings of spec.forProvider, completed by those of spec.initProvider.
	Settings S

	// Left are the settings that only spec.initProvider sets: they are not corrected after the creation.
	Left diff.Left

	// Preview is true if the result is not the begin of a change: it is only displayed, because the resource may not
	// change anything, or tells whether the external resource is as a create would have made it.
	Preview bool
}

// Merge returns what the settings of spec.forProvider and of spec.initProvider ask for.
func Merge[S any](forProvider, initProvider S) Desired[S] {
	s, left := diff.Merge(forProvider, initProvider)
	return Desired[S]{Settings: s, Left: left}
}

// Compare returns how spec differs from what was observed. What spec leaves to AWS or to
// others is taken from the observation.
func (d Desired[S]) Compare(observed S) Comparison[S] {
	return Compare(diff.Fill(d.Settings, observed, d.Left), observed)
}

// A Comparison is the target state and how it differs from the observed state.
type Comparison[S any] struct {
	Effects

	Target, Observed S
	Changes          diff.Changes
}

// Compare returns the comparison of two states.
func Compare[S any](target, observed S) Comparison[S] {
	return Comparison[S]{Target: target, Observed: observed, Changes: diff.Compare(target, observed)}
}

// By returns the Compare of a kind that compares nothing but settings.
func By[T Managed, O, S any](
	compare func(Desired[S], S) Comparison[S],
) func(context.Context, T, Desired[S], Observation[O, S]) (Comparison[S], error) {
	return func(_ context.Context, _ T, d Desired[S], o Observation[O, S]) (Comparison[S], error) {
		return compare(d, o.Settings), nil
	}
}

// An Update is the call that the plan has selected.
type Update[S any] struct {
	Comparison[S]

	// Call is the AWS operation to make.
	Call string

	// Applies is the subset of Changes that the Call makes.
	Applies diff.Changes
}

// Calls are the AWS operations by which a kind creates, updates and deletes.
type Calls struct {
	Create, Update, Delete string

	// NameGiven says that AWS gives the name, so that each create makes another external resource.
	NameGiven bool

	// Replaces says that Update deletes the external resource, so that it is created again
	// after. It is made only if the management policies allow the creation.
	Replaces bool

	// Immutable says that no Update changes what has the external name: it creates or deletes something else.
	Immutable bool
}

// An external is a Resource in one reconcile.
type external[T Managed, O, S any] struct {
	Resource[T, O, S]

	facts Facts
	mg    T

	// out is the outcome so far.
	out Outcome

	// observation is the result of the read; plan and comparison are the decisions about it.
	observation Observation[O, S]
	plan        Plan
	comparison  Comparison[S]

	// settings are the settings to create, if a creation is due.
	settings S

	// creation is the result of PrepareCreate, and recreates describes it if the external resource was deleted in AWS.
	creation  Creation
	recreates string
}

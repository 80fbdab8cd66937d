package reconcile

import (
	"context"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// An ExternalResource is what differs between kinds. T is the managed resource, O the AWS
// value, and S the settings in the one form in which desired and observed state are
// compared. It lives for one reconcile.
//
// If a default of the shared client does not fit, an ExternalResource implements one of
// the optional interfaces below.
type ExternalResource[T Managed, O, S any] interface {
	// Read reads the external resource from AWS. It finds it by its external name, by spec,
	// or, if AWS gives the name and none is known yet, by what a create may have left that was
	// not answered. It returns that nothing exists for a resource that is being deleted and
	// never created anything. It returns an error if AWS could not be read.
	Read(ctx context.Context, mg T) (Observation[O, S], error)

	// SetStatus sets status.atProvider. It makes no call.
	SetStatus(mg T, o Observation[O, S])

	// Desired returns the settings of spec.forProvider and of spec.initProvider, with what
	// they refer to resolved. The shared client merges them. It makes no call to Lambda.
	Desired(ctx context.Context, mg T) (forProvider, initProvider S, err error)

	// Create creates the external resource and returns the name that AWS knows it by.
	Create(ctx context.Context, mg T, s S) (name string, err error)

	// Update makes one call.
	Update(ctx context.Context, mg T, o Observation[O, S], u Update[S]) error

	// Delete deletes the external resource. It may return that it is not found.
	Delete(ctx context.Context, mg T, o Observation[O, S]) error
}

// An Observation is the result of Read.
type Observation[O, S any] struct {
	// Resource is the AWS value.
	Resource O

	// Settings is the AWS value in comparable form.
	Settings S

	// Exists is false if AWS does not have the external resource.
	Exists bool

	// Name is the external name.
	Name string

	// Description names the external resource to users, such as "alias live of function
	// cart".
	Description string

	// Parent names what the external resource belongs to, such as an alias's function. It is
	// kept in an annotation from the creation on: see ownership.Parent. Empty if spec alone
	// or the external name identifies it.
	Parent string
}

// Desired is what spec asks for.
type Desired[S any] struct {
	// Settings are those of spec.forProvider, completed by those of spec.initProvider.
	Settings S

	// Left are the settings that only spec.initProvider sets: they are not corrected after
	// the creation.
	Left diff.Left
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
	Target, Observed S
	Changes          diff.Changes
}

// Compare returns the comparison of two states.
func Compare[S any](target, observed S) Comparison[S] {
	return Comparison[S]{Target: target, Observed: observed, Changes: diff.Compare(target, observed)}
}

// An Update is the call that the plan has selected.
type Update[S any] struct {
	Comparison[S]

	// Call is the AWS operation to make.
	Call string

	// Carried are those of the Changes that the Call makes.
	Carried diff.Changes
}

// Calls are the AWS operations by which a kind creates, updates and deletes.
type Calls struct {
	Create, Update, Delete string

	// NameGiven says that AWS gives the name, so that each create makes another external
	// resource.
	NameGiven bool

	// Replaces says that Update deletes the external resource, so that it is created again
	// after. It is made only if the management policies allow the creation.
	Replaces bool
}

// An OwnershipChecker decides whether an external resource belongs to the managed
// resource. It returns an error that says why it does not, see ownership.NewForeignError.
//
// By default, it belongs to the resource that has written its name. So does one that did
// not exist before an unanswered create, and is as that create would have made it.
type OwnershipChecker[T Managed, O, S any] interface {
	CheckOwnership(ctx context.Context, mg T, o Observation[O, S]) (ownership.Ownership, error)
}

// A CreationMatcher decides whether an external resource that differs in some settings
// from what is to be created may still be the result of an unanswered create. By default,
// it may differ in none.
type CreationMatcher[T Managed] interface {
	MatchesCreation(mg T, changes diff.Changes) bool
}

// A ReadyConditioner returns the Ready condition from the AWS value alone, independent of
// spec. By default, what exists is available.
type ReadyConditioner[T Managed, O, S any] interface {
	ReadyCondition(mg T, o Observation[O, S]) xpv2.Condition
}

// A Comparer compares spec with the AWS value. By default, what spec leaves to AWS is
// taken from the AWS value (Desired.Compare), and all else is compared. It makes no call
// to Lambda.
type Comparer[T Managed, O, S any] interface {
	Compare(ctx context.Context, mg T, d Desired[S], o Observation[O, S]) (Comparison[S], error)
}

// A Planner decides which call makes the changes. By default, Calls.Update makes them all.
// If the plan has no Ready condition, the shared client sets its default: that the changes
// are being made if a call is due, else the condition from the AWS value.
type Planner[T Managed, O, S any] interface {
	Plan(ctx context.Context, mg T, o Observation[O, S], c Comparison[S]) (Plan, error)
}

// A CreationPreparer checks what is to be created before quota is reserved for it. It may
// return a NotReadyError. By default, nothing is checked.
type CreationPreparer[T Managed, S any] interface {
	PrepareCreate(ctx context.Context, mg T, s S) error
}

// A DeletionPreparer makes the calls that come before the deletion. It returns false if the
// deletion has to wait, and then sets the condition that says so. By default, there are none.
type DeletionPreparer[T Managed, O, S any] interface {
	PrepareDelete(ctx context.Context, mg T, o Observation[O, S]) (ready bool, err error)
}

// A ConnectionDetailer returns the connection details. By default, there are none.
type ConnectionDetailer[T Managed] interface {
	ConnectionDetails(mg T) managed.ConnectionDetails
}

// A NotReadyError is what PrepareCreate returns while a temporary state prevents the
// creation. It is no failure: the Ready condition says what the creation waits for, and
// the resource is requeued.
type NotReadyError struct {
	// Reason is what the creation waits for.
	Reason string

	// After is the requeue interval. 0 selects the interval at which unsettled resources are
	// polled.
	After time.Duration
}

// Error returns what the creation waits for.
func (e *NotReadyError) Error() string { return e.Reason }

// desired resolves and merges what spec asks for.
func (e *External[T, O, S]) desired(ctx context.Context, mg T) (Desired[S], error) {
	forProvider, initProvider, err := e.resource.Desired(ctx, mg)
	if err != nil {
		return Desired[S]{}, err
	}
	d := Merge(forProvider, initProvider)
	e.settings = d.Settings
	return d, nil
}

// compared returns how spec differs from what was observed.
func (e *External[T, O, S]) compared(ctx context.Context, mg T, d Desired[S]) (Comparison[S], error) {
	if c, ok := e.resource.(Comparer[T, O, S]); ok {
		return c.Compare(ctx, mg, d, e.observation)
	}
	return d.Compare(e.observation.Settings), nil
}

// planned compares spec with what was observed and decides what is due. It makes no call to
// Lambda.
func (e *External[T, O, S]) planned(ctx context.Context, mg T) (Plan, Comparison[S], error) {
	d, err := e.desired(ctx, mg)
	if err != nil {
		return Plan{}, Comparison[S]{}, err
	}
	c, err := e.compared(ctx, mg, d)
	if err != nil {
		return Plan{}, c, err
	}
	p := Plan{Changes: c.Changes}
	if planner, ok := e.resource.(Planner[T, O, S]); ok {
		p, err = planner.Plan(ctx, mg, e.observation, c)
	} else if len(c.Changes) > 0 {
		p.Call = e.calls.Update
	}
	if e.calls.Replaces && p.Call == e.calls.Update && !Allows(mg, xpv2.ManagementActionCreate) {
		p.Call, p.Ready = "", Unavailable(mg.GetGeneration(), e.observation.Description+" differs from spec, and managementPolicies do not allow creating it again: "+c.Changes.String())
	}
	switch {
	case p.Ready.Type != "":
	case p.Call == "":
		p.Ready = e.readyCondition(mg)
	default:
		p.Ready = UpdatingFields(mg.GetGeneration(), p.Changes)
	}
	return p, c, err
}

// readyCondition returns the Ready condition from the AWS value alone.
func (e *External[T, O, S]) readyCondition(mg T) xpv2.Condition {
	if r, ok := e.resource.(ReadyConditioner[T, O, S]); ok {
		return r.ReadyCondition(mg, e.observation)
	}
	return Available(mg.GetGeneration())
}

// checkOwnership decides whether what was observed belongs to the managed resource.
func (e *External[T, O, S]) checkOwnership(ctx context.Context, mg T) (ownership.Ownership, error) {
	if c, ok := e.resource.(OwnershipChecker[T, O, S]); ok {
		return c.CheckOwnership(ctx, mg, e.observation)
	}
	created, err := e.matchesCreation(ctx, mg)
	v := ownership.CheckUntaggedOwnership(mg, e.observation.Name, created)
	if v.Manageable() {
		return v, nil
	}
	if err != nil && !meta.WasDeleted(mg) {
		return v, err // It is not known what the create would have made.
	}
	return v, NewForeignUntaggedError(ctx, e.observation.Description, e.observation.Name)
}

// matchesCreation returns whether what was observed is as a create would have made it.
// That matters only as long as a create is unanswered.
func (e *External[T, O, S]) matchesCreation(ctx context.Context, mg T) (bool, error) {
	if !meta.GetExternalCreatePending(mg).After(meta.GetExternalCreateSucceeded(mg)) {
		return false, nil
	}
	d, err := e.desired(ctx, mg)
	if err != nil {
		return false, err
	}
	c, err := e.compared(ctx, mg, Desired[S]{Settings: d.Settings})
	if err != nil {
		return false, err
	}
	if m, ok := e.resource.(CreationMatcher[T]); ok {
		return m.MatchesCreation(mg, c.Changes), nil
	}
	return len(c.Changes) == 0, nil
}

// prepareCreate checks what is to be created, and records in memory what it belongs to.
// The runtime writes the annotation before it calls Create.
func (e *External[T, O, S]) prepareCreate(ctx context.Context, mg T) error {
	if _, err := e.desired(ctx, mg); err != nil {
		return err
	}
	if attemptFrom(ctx).step && !e.observation.Exists {
		var none S
		recordPlan(ctx, diff.Compare(e.settings, none))
	}
	if e.observation.Parent != "" {
		meta.AddAnnotations(mg, map[string]string{ownership.AnnotationParent: e.observation.Parent})
	}
	if p, ok := e.resource.(CreationPreparer[T, S]); ok {
		return p.PrepareCreate(ctx, mg, e.settings)
	}
	return nil
}

// connectionDetails returns the connection details.
func (e *External[T, O, S]) connectionDetails(mg T) managed.ConnectionDetails {
	if c, ok := e.resource.(ConnectionDetailer[T]); ok {
		return c.ConnectionDetails(mg)
	}
	return nil
}

package invocation

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// Reasons of this kind's own events.
const (
	reasonUnknown      xpevent.Reason = "UnknownOutcome"
	reasonNotDelivered xpevent.Reason = "FunctionNotTold"
)

const (
	// longest is the maximum duration of a synchronous invocation. It leaves time within
	// the timeout of a reconcile to record the outcome.
	longest = 50 * time.Second

	// writeTimeout is the timeout for recording the outcome, independent of the reconcile's own context.
	writeTimeout = 10 * time.Second

	// busyWait is the delay before the next observation of a function that can't be invoked yet.
	busyWait = 5 * time.Second
)

// objectReader reads Secrets and ConfigMaps.
type objectReader interface {
	Value(ctx context.Context, ref refs.ObjectRef, key string) ([]byte, error)
}

// external invokes a function. It lives for one reconcile.
type external struct {
	fingerprints *fingerprints

	api     lambdaAPI
	objects objectReader
	now     func() time.Time

	plan plan

	// creating is true during Create. The runtime then writes the annotations that are set.
	creating bool
}

// plan carries the result of Observe to the call that follows it.
type plan struct {
	event    event
	input    string
	record   *record
	decision decision
}

// Observe compares the record with spec. It calls AWS only if an invocation is due.
func (e *external) Observe(ctx context.Context, i *v1beta1.Invocation) (managed.ExternalObservation, error) {
	r := recorded(i)
	if r != nil {
		catchUp(i, *r)
	}
	if meta.WasDeleted(i) {
		return e.observeDeleted(ctx, i, r)
	}
	if reconcile.ObserveOnly(i) {
		return e.observeOnly(i, r), nil
	}
	if err := e.prepare(ctx, i, r); err != nil {
		return managed.ExternalObservation{}, err
	}
	d := decide(i, r, e.plan.input, e.now())
	if missing := forbidden(i, r, d); missing != "" {
		i.SetConditions(reconcile.Unavailable(i.GetGeneration(), missing))
		return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
	}
	e.plan.decision = d
	i.SetConditions(d.ready)
	if d.wait > 0 {
		reconcile.RequeueAfter(ctx, d.wait)
	}
	if d.action != "" {
		if err := e.checkFunction(ctx, i); err != nil {
			return managed.ExternalObservation{}, err
		}
	}
	return managed.ExternalObservation{ResourceExists: !r.neverInvoked(), ResourceUpToDate: d.action == ""}, nil
}

// observeOnly sets Ready by the record and invokes nothing.
func (e *external) observeOnly(i *v1beta1.Invocation, r *record) managed.ExternalObservation {
	if r == nil {
		i.SetConditions(reconcile.Unavailable(i.GetGeneration(), "the function was not invoked: managementPolicies allow only Observe"))
	} else {
		i.SetConditions(decide(i, r, r.Input, e.now()).ready)
	}
	return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}
}

// observeDeleted returns whether the function is to be invoked for the deletion.
func (e *external) observeDeleted(ctx context.Context, i *v1beta1.Invocation, r *record) (managed.ExternalObservation, error) {
	if r.neverInvoked() || !inCRUD(i.Spec.ForProvider) {
		return managed.ExternalObservation{}, nil
	}
	remember(i)
	if err := e.prepare(ctx, i, r); err != nil {
		if refs.IsMissing(err) {
			abandon(ctx, err.Error())
			return managed.ExternalObservation{}, nil
		}
		return managed.ExternalObservation{}, err
	}
	d := atTheEnd(i, r, e.plan.input, e.now())
	e.plan.decision = d
	switch {
	case d.done:
		if r.Outcome == unknown {
			abandon(ctx, "it is not known whether the function ran")
		}
		return managed.ExternalObservation{}, nil
	case d.blocked != "":
		return managed.ExternalObservation{}, errors.New(d.blocked)
	case d.wait > 0:
		reconcile.Abort(ctx, d.wait)
	}
	return managed.ExternalObservation{ResourceExists: true}, nil
}

// abandon emits an event for a resource that is deleted although the function may not have
// been invoked for the deletion.
func abandon(ctx context.Context, why string) {
	reconcile.Emit(ctx, xpevent.Warning(reasonNotDelivered, errors.Errorf("the deletion may not have reached the function: %s", why)))
}

// remember fills in the names that references were resolved to before, because their objects may be gone.
func remember(i *v1beta1.Invocation) {
	p, o := &i.Spec.ForProvider, i.Status.AtProvider
	if p.FunctionName == nil {
		p.FunctionName = o.FunctionName
	}
	if p.Qualifier == nil && (p.QualifierRef != nil || p.QualifierSelector != nil) {
		p.Qualifier = o.Qualifier
	}
}

// catchUp copies to status a record that was written when status was not. It clears results
// that belong to another call.
func catchUp(i *v1beta1.Invocation, r record) {
	if o := i.Status.AtProvider; ptr.Deref(o.Calls, 0) != r.Serial {
		i.Status.AtProvider = v1beta1.InvocationObservation{FunctionName: o.FunctionName, Qualifier: o.Qualifier, Payload: o.Payload}
	}
	stamp(i, r)
}

// forbidden returns which managementPolicies prevent the invocation.
func forbidden(i *v1beta1.Invocation, r *record, d decision) string {
	switch {
	case d.action == "":
		return ""
	case r.neverInvoked() && !reconcile.Allows(i, xpv2.ManagementActionCreate):
		return "the function was not invoked: managementPolicies do not allow Create"
	case !r.neverInvoked() && !reconcile.Allows(i, xpv2.ManagementActionUpdate):
		return "the function is not invoked for this input: managementPolicies do not allow Update"
	}
	return ""
}

// prepare resolves the input of the invocation.
func (e *external) prepare(ctx context.Context, i *v1beta1.Invocation, r *record) error {
	ev, err := e.event(ctx, i)
	if err != nil {
		return err
	}
	input, err := e.fingerprints.fingerprint(string(i.GetUID()), i.Spec.ForProvider, ev)
	e.plan = plan{event: ev, input: input, record: r}
	return err
}

// event reads the payload.
func (e *external) event(ctx context.Context, i *v1beta1.Invocation) (event, error) {
	p, field := i.Spec.ForProvider, "spec.forProvider.payload"
	ev := event{payload: []byte(ptr.Deref(p.Payload, ""))}
	if p.PayloadFrom != nil {
		field += "From"
		ref, key, optional := source(i.GetNamespace(), *p.PayloadFrom)
		b, err := e.objects.Value(ctx, ref, key)
		if err != nil && !(optional && refs.IsMissing(err)) {
			return event{}, errors.Wrap(err, "cannot read "+field)
		}
		ev = event{payload: b, secret: ref.Kind == refs.Secret}
	}
	return ev, errors.Wrap(ev.check(p), field)
}

// checkFunction returns an error for a synchronous invocation that may exceed the time that the provider waits for it.
// If the provider may not read the function, the invocation itself shows that.
func (e *external) checkFunction(ctx context.Context, i *v1beta1.Invocation) error {
	p := i.Spec.ForProvider
	if t := ptr.Deref(p.InvocationType, ""); t == string(types.InvocationTypeEvent) || t == string(types.InvocationTypeDryRun) || p.DurableExecutionName != nil {
		return nil
	}
	out, err := e.api.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: p.FunctionName, Qualifier: p.Qualifier})
	switch {
	case awserr.IsAccessDenied(err), awserr.IsUnsupported(err):
		return nil
	case err != nil:
		return errors.Wrapf(awserr.Sanitize(err), "cannot read function %s before invoking it", ptr.Deref(p.FunctionName, ""))
	case out.State == types.StatePending:
		reconcile.Abort(ctx, busyWait)
	case time.Duration(ptr.Deref(out.Timeout, 0))*time.Second > longest:
		return errors.Errorf("the timeout of function %s is %d seconds, but its result is awaited for at most %d seconds: set invocationType to Event, or the function's timeout to at most %d seconds",
			ptr.Deref(p.FunctionName, ""), *out.Timeout, int(longest.Seconds()), int(longest.Seconds()))
	}
	return nil
}

// Create invokes the function for the first time.
func (e *external) Create(ctx context.Context, i *v1beta1.Invocation) (managed.ExternalCreation, error) {
	e.creating = true
	return managed.ExternalCreation{}, e.invoke(ctx, i)
}

// Update invokes the function for another input, or retries an invocation.
func (e *external) Update(ctx context.Context, i *v1beta1.Invocation) (managed.ExternalUpdate, error) {
	return managed.ExternalUpdate{}, e.invoke(ctx, i)
}

// Delete invokes the function for the deletion. If the function is gone, it only emits an event.
func (e *external) Delete(ctx context.Context, i *v1beta1.Invocation) (managed.ExternalDelete, error) {
	i.SetConditions(reconcile.Deleting(i.GetGeneration(), ""))
	err := e.invoke(ctx, i)
	if awserr.IsNotFound(err) {
		r := *recorded(i)
		r.Outcome = succeeded
		abandon(ctx, "it no longer exists")
		return managed.ExternalDelete{}, write(ctx, i, r, reconcile.Annotate)
	}
	return managed.ExternalDelete{}, err
}

// Disconnect does nothing: connections are shared and outlive a reconcile.
func (e *external) Disconnect(context.Context) error { return nil }

// invoke invokes the function. It writes the record first, so that the call is known even
// if the provider stops during it.
func (e *external) invoke(ctx context.Context, i *v1beta1.Invocation) error {
	in, err := input(i.Spec.ForProvider, e.plan.event, e.plan.decision.action, i.Status.AtProvider.Payload)
	if err != nil {
		return err
	}
	r := e.plan.record.begin(i, e.plan.input, e.plan.decision.action, e.now())
	if err := write(ctx, i, r, reconcile.RecordIntent); err != nil {
		return errors.Wrap(err, "cannot record that the function is about to be invoked")
	}
	call := &lambdaapi.AtMostOnce{}
	out, err := e.api.Invoke(ctx, in, call.Options)
	switch {
	case err == nil:
		r.Outcome = outcome(out)
	case !call.MayHaveRun(err):
		return e.refused(ctx, i, r.refused(), err)
	default:
		reconcile.Emit(ctx, xpevent.Warning(reasonUnknown, errors.Wrap(awserr.Sanitize(err), "it is not known whether the function ran")))
	}
	show(i, r, e.plan.event, out)
	reconcile.DescribeChange(ctx, fmt.Sprintf("invoked function %s for %s: %s", ptr.Deref(in.FunctionName, ""), r.Action, r.Outcome))
	reconcile.StoreNow(ctx) // AWS does not return the result again.
	if d := decide(i, &r, e.plan.input, e.now()); d.ready.Status == corev1.ConditionTrue {
		reconcile.Conclude(ctx, d.ready)
	}
	reconcile.RequeueAfter(ctx, 0)
	return e.conclude(ctx, i, r)
}

// refused records that a call was not made, and returns why.
func (e *external) refused(ctx context.Context, i *v1beta1.Invocation, r record, why error) error {
	if err := e.conclude(ctx, i, r); err != nil {
		return err
	}
	return errors.Wrapf(awserr.Sanitize(why), "cannot invoke function %s", ptr.Deref(i.Spec.ForProvider.FunctionName, ""))
}

// conclude records the outcome of a call, even if the reconcile was cancelled meanwhile.
// The record in status is written later and says the same. During Create it is written with
// the annotation that the creation has succeeded or failed.
func (e *external) conclude(ctx context.Context, i *v1beta1.Invocation, r record) error {
	if e.creating {
		return write(ctx, i, r, func(_ context.Context, mg resource.Managed, annotations map[string]string) error {
			meta.AddAnnotations(mg, annotations)
			return nil
		})
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return errors.Wrap(write(ctx, i, r, reconcile.Annotate), "cannot record the outcome of the invocation")
}

// write writes a record to the annotation and to status.
func write(ctx context.Context, i *v1beta1.Invocation, r record, annotate func(context.Context, resource.Managed, map[string]string) error) error {
	a, err := r.annotation()
	if err != nil {
		return err
	}
	if err := annotate(ctx, i, a); err != nil {
		return err
	}
	stamp(i, r)
	return nil
}

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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// longest is the maximum duration of a synchronous invocation. It leaves time within
// the timeout of a reconcile to record the outcome.
const longest = 50 * time.Second

// external invokes a function. It lives for one reconcile.
type external struct {
	api     *lambda.Client
	objects refs.Objects
	now     func() time.Time

	// record is the record of the last invocation. event is the event to invoke the function with, and input its
	// fingerprint.
	record *record
	event  event
	input  string
}

// Observe compares the record with spec. It calls AWS only if an invocation is due.
func (e *external) Observe(
	ctx context.Context, _ reconcile.Facts, i *v1beta1.Invocation,
) (reconcile.Outcome, error) {
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
		return reconcile.Outcome{}, err
	}
	r = e.record
	d := decide(i, r, e.input, e.now())
	if missing := forbidden(i, r, d); missing != "" {
		return reconcile.Outcome{Exists: true, Ready: reconcile.Unavailable(i.GetGeneration(), missing)}, nil
	}
	out := reconcile.Outcome{Exists: !r.neverInvoked(), Ready: d.ready}
	if d.wait > 0 {
		out.After = max(d.wait, reconcile.AtOnce)
	}
	if d.action == "" {
		return out, nil
	}
	if err := e.checkFunction(ctx, i); err != nil {
		return out, err
	}
	verb := reconcile.ToUpdate
	if r.neverInvoked() {
		verb = reconcile.ToCreate
	}
	var err error
	out.Call, err = e.call(i, verb, d.action)
	return out, err
}

// observeOnly decides on Ready by the record and invokes nothing.
func (e *external) observeOnly(i *v1beta1.Invocation, r *record) reconcile.Outcome {
	if r == nil {
		return reconcile.Outcome{Exists: true, Ready: reconcile.Unavailable(
			i.GetGeneration(), "the function was not invoked: managementPolicies allow only Observe",
		)}
	}
	return reconcile.Outcome{Exists: true, Ready: decide(i, r, r.Input, e.now()).ready}
}

// observeDeleted reports whether the function is to be invoked for the deletion.
func (e *external) observeDeleted(ctx context.Context, i *v1beta1.Invocation, r *record) (reconcile.Outcome, error) {
	if r.neverInvoked() || !inCRUD(i.Spec.ForProvider) {
		return reconcile.Outcome{}, nil
	}
	remember(i)
	if err := e.prepare(ctx, i, r); err != nil {
		if refs.IsMissing(err) {
			return reconcile.Outcome{Effects: abandoned(err.Error())}, nil
		}
		return reconcile.Outcome{}, err
	}
	r = e.record
	d := atTheEnd(i, r, e.input, e.now())
	switch {
	case d.done && r.Outcome == unknown:
		return reconcile.Outcome{Effects: abandoned("it is not known whether the function ran")}, nil
	case d.done:
		return reconcile.Outcome{}, nil
	case d.blocked != "":
		return reconcile.Outcome{}, errors.New(d.blocked)
	case d.wait > 0:
		return reconcile.Outcome{}, reconcile.WaitFor(d.wait)
	}
	call, err := e.call(i, reconcile.ToDelete, d.action)
	return reconcile.Outcome{Exists: true, Call: call}, err
}

// abandoned returns the event for a resource that is deleted although the function may not have been invoked for the
// deletion.
func abandoned(why string) reconcile.Effects {
	return reconcile.Effects{Events: []xpevent.Event{xpevent.Warning(
		v1beta1.EventFunctionNotTold, errors.Errorf("the deletion may not have reached the function: %s", why),
	)}}
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

// catchUp copies to status a record that was written when status was not. It clears results that belong to another
// call, and the payload if another one has succeeded since.
func catchUp(i *v1beta1.Invocation, r record) {
	if o := i.Status.AtProvider; ptr.Deref(o.Calls, 0) != r.Serial {
		i.Status.AtProvider = v1beta1.InvocationObservation{FunctionName: o.FunctionName, Qualifier: o.Qualifier}
		if !r.succeededSince(ptr.Deref(o.Calls, 0)) {
			i.Status.AtProvider.Payload = o.Payload
		}
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

// prepare resolves the input of the invocation, and its record. If the input is that of the record, status has what it
// consists of, even if the status of the invocation was not written.
func (e *external) prepare(ctx context.Context, i *v1beta1.Invocation, r *record) error {
	var err error
	if e.event, err = e.payload(ctx, i); err != nil {
		return err
	}
	if e.input, err = fingerprint(r.uid(i), i.Spec.ForProvider, e.event); err != nil {
		return err
	}
	if e.record = r.of(e.input); e.record == nil {
		return nil
	}
	stamp(i, *e.record)
	if p, o := i.Spec.ForProvider, &i.Status.AtProvider; e.record.Input == e.input {
		o.FunctionName, o.Qualifier = p.FunctionName, p.Qualifier
		if e.record.Outcome == succeeded {
			o.Payload = previous(p)
		}
	}
	return nil
}

func (e *external) payload(ctx context.Context, i *v1beta1.Invocation) (event, error) {
	p, field := i.Spec.ForProvider, "spec.forProvider.payload"
	ev := event{payload: []byte(ptr.Deref(p.Payload, ""))}
	if p.PayloadFrom != nil {
		field += "From"
		ref, k := refs.KeyOf(i.GetNamespace(), *p.PayloadFrom)
		b, err := refs.Value(ctx, e.objects, ref, k.Key)
		if err != nil && !(ptr.Deref(k.Optional, false) && refs.IsMissing(err)) {
			return event{}, errors.Wrap(err, "cannot read "+field)
		}
		ev = event{payload: b, secret: ref.Kind == refs.Secret}
	}
	return ev, errors.Wrap(ev.check(p), field)
}

// checkFunction returns an error for a synchronous invocation that may exceed the time that the provider waits for it,
// and a NotReadyError while the function is being created. If the provider may not read the function, the invocation
// itself shows that.
func (e *external) checkFunction(ctx context.Context, i *v1beta1.Invocation) error {
	p := i.Spec.ForProvider
	if t := ptr.Deref(p.InvocationType, ""); t == string(types.InvocationTypeEvent) ||
		t == string(types.InvocationTypeDryRun) || p.DurableExecutionName != nil {
		return nil
	}
	out, err := e.api.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{
		FunctionName: p.FunctionName, Qualifier: p.Qualifier,
	})
	switch {
	case awserr.IsAccessDenied(err), awserr.IsUnsupported(err):
		return nil
	case err != nil:
		return errors.Wrapf(
			awserr.Sanitize(err), "cannot read function %s before invoking it", ptr.Deref(p.FunctionName, ""),
		)
	case out.State == types.StatePending:
		return &reconcile.NotReadyError{Reason: "function " + ptr.Deref(p.FunctionName, "") + " is being created"}
	case time.Duration(ptr.Deref(out.Timeout, 0))*time.Second > longest:
		return errors.Errorf(
			"the timeout of function %s is %d seconds, but its result is awaited for at most %d seconds: "+
				"set invocationType to Event, or the function's timeout to at most %d seconds",
			ptr.Deref(p.FunctionName, ""), *out.Timeout, int(longest.Seconds()), int(longest.Seconds()),
		)
	}
	return nil
}

// call returns the call that invokes the function. Its intent is the record, so that the invocation is known even if
// the provider stops during it.
func (e *external) call(i *v1beta1.Invocation, verb reconcile.Verb, action string) (*reconcile.Call, error) {
	in, err := input(i.Spec.ForProvider, e.event, action, i.Status.AtProvider.Payload)
	if err != nil {
		return nil, err
	}
	r := e.record.begin(i, e.input, action, e.now())
	return &reconcile.Call{
		Verb: verb,
		Intent: reconcile.Record{
			Annotations: r.annotation(), Failure: "cannot record that the function is about to be invoked",
		},
		Do: func(ctx context.Context) (reconcile.Result, error) { return e.invoke(ctx, i, verb, in, r) },
	}, nil
}

// invoke invokes the function. If it is to be invoked for the deletion, but is gone, there is only an event.
func (e *external) invoke(
	ctx context.Context, i *v1beta1.Invocation, verb reconcile.Verb, in *lambda.InvokeInput, r record,
) (reconcile.Result, error) {
	stamp(i, r)
	var res reconcile.Result
	call := &lambdaapi.AtMostOnce{}
	out, err := e.api.Invoke(ctx, in, call.Options)
	switch {
	case err == nil:
		r.Outcome = outcome(out)
	case call.MayHaveRun(err):
		res.Events = append(res.Events, xpevent.Warning(
			v1beta1.EventUnknownOutcome, errors.Wrap(awserr.Sanitize(err), "it is not known whether the function ran"),
		))
	case verb == reconcile.ToDelete && awserr.IsNotFound(err):
		r = r.refused()
		r.Outcome = succeeded
		return conclude(i, verb, r, reconcile.Result{Effects: abandoned("it no longer exists")}), nil
	default:
		return conclude(i, verb, r.refused(), res), errors.Wrapf(
			awserr.Sanitize(err), "cannot invoke function %s", ptr.Deref(in.FunctionName, ""),
		)
	}
	show(i, r, e.event, out)
	res.Does = fmt.Sprintf("invoked function %s for %s: %s", ptr.Deref(in.FunctionName, ""), r.Action, r.Outcome)
	res.Keep = true // AWS does not return the result again.
	if d := decide(i, &r, e.input, e.now()); verb == reconcile.ToCreate && d.ready.Status == corev1.ConditionTrue {
		res.Ready = d.ready
	}
	res.After = reconcile.AtOnce
	return conclude(i, verb, r, res), nil
}

// conclude records the outcome of a call in status and in the annotation. That of a creation is written together with
// the annotation that it has succeeded or failed.
func conclude(i *v1beta1.Invocation, verb reconcile.Verb, r record, res reconcile.Result) reconcile.Result {
	stamp(i, r)
	if verb == reconcile.ToCreate {
		meta.AddAnnotations(i, r.annotation())
		return res
	}
	res.Annotate = reconcile.Record{
		Annotations: r.annotation(), Failure: "cannot record the outcome of the invocation",
	}
	return res
}

package alias

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
)

// hundred is the percentage of all invocations.
const hundred = 100

// goesOn reports whether a rollout goes on whatever spec asks for: it has begun, and pauses or rolls back, or a command
// returns to a version that has served.
func goesOn(a *v1beta1.Alias) bool {
	s := a.Status.Rollout
	return s != nil && (rollout.InProgress(s) || rollout.Returns(s, commandsOf(a)))
}

// validate returns an error if spec has a rollout whose checks can't be measured, unless the rollout goes on.
func (e *external) validate(a *v1beta1.Alias) error {
	if !rollsOut(a) || goesOn(a) {
		return nil
	}
	return reconcile.Invalid(e.analyzer.Validate(a.Spec.Rollout))
}

// follow sets the state of the rollout, and returns the desired settings with the route that the rollout has decided
// on. Unless the rollout changes the alias now, that is the route that the alias has.
func (e *external) follow(
	ctx context.Context, a *v1beta1.Alias, d reconcile.Desired[settings], o found,
) (reconcile.Desired[settings], reconcile.Effects, error) {
	var err error
	if e.decision, err = e.next(ctx, a, ptr.Deref(d.Settings.FunctionVersion, ""), o); err != nil {
		return d, reconcile.Effects{}, err
	}
	is := routeOf(o.Resource).Destination()
	route := is
	describe(ctx, e.decision.State)
	effects := e.effects(a, a.Status.Rollout)
	a.Status.Rollout = e.decision.State
	if e.decision.Action == rollout.Update {
		route = e.decision.Route
	}
	d.Settings.FunctionVersion, d.Settings.RoutingConfig = ptr.To(route.Version), routingTo(route)
	if route == is {
		d.Settings.RoutingConfig = o.Settings.RoutingConfig
	}
	return d, effects, nil
}

// effects returns what the rollout's decision asks for besides. before is its state before the decision.
func (e *external) effects(a *v1beta1.Alias, before *v1beta1.AliasRolloutStatus) reconcile.Effects {
	d := e.decision
	effects := reconcile.Effects{
		Retries: rollout.RetryAt(d.State).After(e.time()),
		Keep:    d.Action != rollout.None, // It has how long the step was observed.
		Stored: []func(context.Context){func(ctx context.Context) {
			e.measure(before, d.State)
			e.trace(ctx, a, before, d.State)
		}},
	}
	for _, ev := range d.Events {
		effects.Events = append(effects.Events, eventOf(ev))
	}
	if d.After > 0 {
		effects.After, effects.RetryWithin = d.After, max(d.After, time.Second)
	}
	return effects
}

// measure records how long a rollout took that has just ended. One that ends Ready with the stable version that it has
// begun with has had its target replaced: it has no result.
func (e *external) measure(before, after *v1beta1.AliasRolloutStatus) {
	if before == nil || before.FinishedAt != nil || after.FinishedAt == nil || after.StartedAt == nil ||
		after.Phase == v1beta1.RolloutReady && after.Stable.FunctionVersion == before.Stable.FunctionVersion {
		return
	}
	e.metrics.RecordRollout(after.Phase, after.Reason, after.FinishedAt.Sub(after.StartedAt.Time))
}

// next measures what is due and returns the rollout's next decision. It measures last: an error drops what it has
// measured.
func (e *external) next(
	ctx context.Context, a *v1beta1.Alias, target string, o found,
) (rollout.Decision, error) {
	spec, state, now, begun := a.Spec.Rollout, a.Status.Rollout, e.time(), e.now()
	route := routeOf(o.Resource)
	in := rollout.Observation{
		Route: route.Destination(), Moving: route != route.Destination(),
		RevisionID: ptr.Deref(o.Resource.RevisionId, ""), Target: target, Commands: commandsOf(a),
		Versions: map[string]rollout.Version{}, Revisions: map[string]string{},
	}
	for _, p := range e.code {
		in.Revisions[p.Version] = p.Revision
	}
	for _, v := range rollout.Versions(state, in.Commands) {
		if err := e.facts.Reserve(opGetConfiguration); err != nil {
			return rollout.Decision{}, err
		}
		version, throttled := e.version(ctx, v)
		in.Versions[v] = version
		if throttled {
			break // Quota for another call is not available now, and to wait for it would drop the state.
		}
	}
	if due, _ := rollout.Due(spec, state, now); len(due) > 0 {
		in.Measurements, in.Wait = e.analyzer.Measure(ctx, e.subject(a, state), spec, due)
	}
	in.Took = e.now().Sub(begun)
	d := rollout.Next(spec, state, in, now)
	if in.Wait > 0 && (d.After == 0 || in.Wait < d.After) {
		d.After = in.Wait
	}
	return d, nil
}

// subject returns what the checks of a rollout measure.
func (e *external) subject(a *v1beta1.Alias, s *v1beta1.AliasRolloutStatus) rollout.Subject {
	out := rollout.Subject{
		Namespace: a.GetNamespace(), Function: e.id.function, Alias: e.id.name,
		Stable: s.Stable.FunctionVersion, Target: s.Target.FunctionVersion, Weighted: s.ObservedWeight < hundred,
		Checks: s.Checks,
	}
	out.Timeout = time.Duration(s.TimeoutSeconds) * time.Second
	out.Since = ptr.Deref(s.ShiftedAt, metav1.Time{}).Time
	out.TrafficSince = ptr.Deref(s.TrafficStartedAt, metav1.Time{}).Time
	// The minute of its first invocation may have those of the rollout that has failed, or of another version.
	if s.Retried || s.ChangedBack {
		out.TrafficSince = out.TrafficSince.Truncate(time.Minute).Add(time.Minute)
	}
	return out
}

// version reads a version with GetFunctionConfiguration, and returns whether AWS has throttled the call.
func (e *external) version(ctx context.Context, number string) (v rollout.Version, throttled bool) {
	out, err := e.api.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{
		FunctionName: ptr.To(e.id.function), Qualifier: ptr.To(number),
	})
	if awserr.IsNotFound(err) {
		return rollout.Version{Missing: true}, false
	}
	if err != nil {
		v.Pending = errors.Wrapf(awserr.Sanitize(err), "cannot read version %s", number).Error()
		return v, awserr.IsThrottled(err)
	}
	var unreadable any
	if out.Environment != nil && out.Environment.Error != nil {
		unreadable = number // The variables of two versions may differ.
	}
	v = rollout.Version{
		Fingerprint: fingerprint.Read(out).WithoutDescription().FingerprintWith(unreadable),
		Role:        ptr.Deref(out.Role, ""),
		Timeout:     time.Duration(ptr.Deref(out.Timeout, 0)) * time.Second, Inactive: out.State == types.StateInactive,
	}
	if out.DeadLetterConfig != nil {
		v.DeadLetter = ptr.Deref(out.DeadLetterConfig.TargetArn, "")
	}
	why := ptr.Deref(out.StateReason, string(out.StateReasonCode))
	reason := fmt.Sprintf("version %s is %s: %s", number, out.State, why)
	switch {
	case out.State == types.StateFailed, out.State == types.StateDeleting:
		v.Invalid = reason
	case out.State != "" && out.State != types.StateActive && !v.Inactive:
		v.Pending = reason
	}
	return v, false
}

// wake invokes an inactive version by its number, so that AWS prepares it. AWS does not run an inactive version: the
// invocation fails. If another invocation has woken it meanwhile, the version gets the event of the first smoke test,
// or {}. The error is not returned unless it says that AWS has not tried to invoke the version.
func (e *external) wake(ctx context.Context, a *v1beta1.Alias) error {
	in := &lambda.InvokeInput{
		FunctionName: ptr.To(e.id.function), Qualifier: ptr.To(e.decision.Version), Payload: []byte("{}"),
	}
	if tests := a.Spec.Rollout.PreTraffic; len(tests) > 0 {
		in.Payload, in.TenantId = []byte(ptr.Deref(tests[0].Invoke.Payload, "{}")), tests[0].Invoke.TenantID
	}
	var once lambdaapi.AtMostOnce
	_, err := e.api.Invoke(ctx, in, once.Options)
	untried := awserr.IsThrottled(err) || awserr.LacksConcurrency(err)
	if untried {
		delete(a.Status.Rollout.Woken, e.decision.Version)
	}
	if untried || awserr.IsAccessDenied(err) || awserr.IsTerminal(err) {
		return errors.Wrapf(awserr.Sanitize(err), "cannot invoke version %s, which is Inactive", e.decision.Version)
	}
	return nil
}

// smokeTest invokes the target version by its number, and records the result.
func (e *external) smokeTest(ctx context.Context, a *v1beta1.Alias) error {
	test, version, now := e.decision.Test, a.Status.Rollout.Target.FunctionVersion, e.now()
	timeout := time.Duration(ptr.Deref(test.Invoke.TimeoutSeconds, 10)) * time.Second //nolint:mnd // The API's default.
	invoking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var once lambdaapi.AtMostOnce
	out, err := e.api.Invoke(invoking, &lambda.InvokeInput{
		FunctionName: ptr.To(e.id.function), Qualifier: ptr.To(version),
		Payload: []byte(ptr.Deref(test.Invoke.Payload, "{}")), TenantId: test.Invoke.TenantID,
	}, once.Options)
	m := rollout.Measurement{CheckID: rollout.CheckID{Type: rollout.CheckPreTraffic, Name: test.Name}}
	switch {
	case awserr.IsThrottled(err):
		return errors.Wrapf(awserr.Sanitize(err), "cannot invoke version %s for the smoke test %s", version, test.Name)
	case once.MayHaveRun(err) && invoking.Err() != nil && ctx.Err() == nil:
		m.Result, m.Message = rollout.Failure, fmt.Sprintf("no response within %s", timeout)
	case err != nil:
		m = analysis.Failed(m.CheckID, awserr.Sanitize(err))
	default:
		took := e.now().Sub(now)
		//nolint:contextcheck // It makes no request.
		m = analysis.ExpectInvocation(test, out.Payload, ptr.Deref(out.FunctionError, ""), out.StatusCode, took)
	}
	rollout.Record(a.Status.Rollout, m, e.time())
	return nil
}

// routingTo returns a route's weights in comparable form.
func routingTo(r rollout.Route) *routing {
	if r.Additional == "" {
		return nil
	}
	return routingOf(map[string]float64{r.Additional: float64(r.Weight) / hundred})
}

// eventOf returns an event of a rollout for the recorder.
func eventOf(e rollout.Event) event.Event {
	if e.Warning {
		return event.Warning(event.Reason(e.Reason), errors.New(e.Message))
	}
	return event.Normal(event.Reason(e.Reason), e.Message)
}

// commandsOf returns the annotations that command a rollout.
func commandsOf(a *v1beta1.Alias) map[string]string {
	out := map[string]string{}
	for k, v := range a.GetAnnotations() {
		if strings.HasPrefix(k, v1beta1.RolloutAnnotationPrefix) {
			out[k] = v
		}
	}
	return out
}

// rolloutReady returns the Ready condition of an alias with a rollout. Which version serves is what AWS shows.
func rolloutReady(a *v1beta1.Alias, shown types.AliasConfiguration) xpv2.Condition {
	s, generation := a.Status.Rollout, a.GetGeneration()
	if s == nil {
		return reconcile.Available(generation)
	}
	message := rollout.Describe(a.Spec.Rollout, s, routeOf(shown))
	switch {
	case s.Phase == v1beta1.RolloutFailed:
		return reconcile.RolledBack(generation, message)
	case s.Drift != "":
		return reconcile.Unavailable(generation, message)
	case s.Phase == v1beta1.RolloutReady && s.Message+s.Waits == "":
		return reconcile.Available(generation)
	}
	return reconcile.Updating(generation, message)
}

// routeOf returns how AWS distributes the invocations of an alias.
func routeOf(c types.AliasConfiguration) rollout.Route {
	return rollout.RouteOf(ptr.Deref(c.FunctionVersion, ""), weightsOf(c.RoutingConfig))
}

package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

func (a *Analyzer) dependency(ctx context.Context, id rollout.CheckID, namespace string,
	d *v1beta1.RolloutDependency,
) rollout.Measurement {
	switch {
	case a.options.Planning:
		return measured(id, rollout.Success, "", "")
	case d.HTTP != nil:
		return a.httpDependency(ctx, id, d.HTTP)
	case d.Condition != nil:
		return a.conditionDependency(ctx, id, namespace, d.Condition)
	default:
		return Failed(id, errors.New("the dependency has neither http nor condition"))
	}
}

// httpDependency measures whether a URL answers with the expected status. It does not read the body of the response.
func (a *Analyzer) httpDependency(ctx context.Context, id rollout.CheckID,
	d *v1beta1.RolloutHTTPDependency,
) rollout.Measurement {
	res, err := requester{hosts: a.hosts, transport: a.transport, redirects: true}.get(ctx, d.URL)
	if err != nil {
		return Failed(id, sourceError(d.URL, explain(err)))
	}
	_ = res.Body.Close() // It is not read.
	value, want, met := fmt.Sprintf("HTTP %d", res.StatusCode), "200 to 299", isSuccess(res.StatusCode)
	if d.ExpectedStatus != nil {
		want, met = strconv.Itoa(int(*d.ExpectedStatus)), res.StatusCode == int(*d.ExpectedStatus)
	}
	if met {
		return measured(id, rollout.Success, value, "")
	}
	return measured(id, rollout.Failure, value, "%s answers with HTTP status %d, not %s", hostOf(d.URL), res.StatusCode,
		want)
}

func (a *Analyzer) conditionDependency(ctx context.Context, id rollout.CheckID, namespace string,
	d *v1beta1.RolloutConditionDependency,
) rollout.Measurement {
	name := fmt.Sprintf("%s %s", d.Kind, d.Name)
	u, err := a.object(ctx, namespace, d)
	switch {
	case err != nil:
		return Failed(id, fmt.Errorf("cannot read %s: %w", name, err))
	case u == nil:
		return measured(id, rollout.Failure, "", "%s does not exist", name)
	case u.GetDeletionTimestamp() != nil:
		return measured(id, rollout.Failure, "", "%s is being deleted", name)
	}
	kind, desired := cmp.Or(d.Type, "Ready"), cmp.Or(d.Status, "True")
	status, generation, found := conditionOf(u, kind)
	switch {
	case !found:
		return measured(id, rollout.Failure, "", "%s has no condition %s", name, kind)
	case generation != 0 && generation < u.GetGeneration():
		return measured(id, rollout.Inconclusive, status, "the condition %s of %s is of an earlier generation", kind,
			name)
	case status != desired:
		return measured(id, rollout.Failure, status, "the condition %s of %s is not %s", kind, name, desired)
	default:
		return measured(id, rollout.Success, status, "")
	}
}

// object returns an object of the Alias's namespace, nil if it does not exist.
func (a *Analyzer) object(ctx context.Context, namespace string,
	d *v1beta1.RolloutConditionDependency,
) (*unstructured.Unstructured, error) {
	gv, err := schema.ParseGroupVersion(d.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("apiVersion %q is not valid: use one such as lambda.aws.m.crossplane.io/v1beta1",
			d.APIVersion)
	}
	m, err := a.options.Mapper.RESTMapping(schema.GroupKind{Group: gv.Group, Kind: d.Kind}, gv.Version)
	switch {
	case meta.IsNoMatchError(err):
		return nil, fmt.Errorf("the cluster has no kind %s in %s", d.Kind, d.APIVersion)
	case err != nil:
		return nil, err
	case m.Resource.GroupResource() == (schema.GroupResource{Resource: "secrets"}):
		return nil, errors.New("Secrets are not read: they have no conditions") //nolint:staticcheck // A name.
	case m.Scope.Name() != meta.RESTScopeNameNamespace:
		return nil, errors.New("the kind is cluster-scoped, and only objects in the namespace of the Alias can be read")
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(m.GroupVersionKind)
	err = a.options.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: d.Name}, u)
	switch {
	case kerrors.IsNotFound(err):
		return nil, nil
	case kerrors.IsForbidden(err):
		return nil, fmt.Errorf("grant the provider's ServiceAccount get on %s of API group %q", m.Resource.Resource,
			m.Resource.Group)
	case err != nil && ctx.Err() != nil:
		return nil, errors.New("the API server did not answer in time")
	case err != nil:
		return nil, err
	}
	return u, nil
}

// conditionOf returns the status of a condition, and the generation that it is of, 0 if it has none.
func conditionOf(u *unstructured.Unstructured, kind string) (status string, generation int64, found bool) {
	all, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return "", 0, false
	}
	for _, entry := range all {
		c, ok := entry.(map[string]any)
		if !ok || c["type"] != kind {
			continue
		}
		status, _, _ = unstructured.NestedString(c, "status")
		generation, _, _ = unstructured.NestedInt64(c, "observedGeneration")
		return status, generation, true
	}
	return "", 0, false
}

// States of an alarm.
const (
	alarmOK               = "OK"
	alarmFiring           = "ALARM"
	alarmInsufficientData = "INSUFFICIENT_DATA"
)

func (a *Analyzer) alarms(ctx context.Context, s rollout.Subject, spec *v1beta1.RolloutAlarms,
	checks []rollout.CheckID,
) ([]rollout.Measurement, time.Duration) {
	if a.cloudWatch == nil {
		return each(checks, func(id rollout.CheckID) rollout.Measurement {
			return Failed(id, errors.New("CloudWatch cannot be read"))
		}), 0
	}
	names := make([]string, len(checks))
	for i, id := range checks {
		names[i] = id.Name
	}
	states, wait, err := a.cloudWatch.Alarms(ctx, names, rollout.AlarmInterval(spec))
	switch {
	case err != nil:
		return each(checks, func(id rollout.CheckID) rollout.Measurement { return Failed(id, err) }), 0
	case wait > 0:
		return nil, wait
	}
	return each(checks, func(id rollout.CheckID) rollout.Measurement {
		return a.between(ctx, s, alarm(id, states[id.Name]), states[id.Name].Type)
	}), 0
}

// unsure is the greatest difference between the time of a measurement and that of the state that it has, by the clock
// of CloudWatch: rollouts share the answer of up to a minute, and clocks differ.
const unsure = 2 * time.Minute

// between returns the measurement of an alarm of a type: a Failure also if the alarm was in ALARM between the last
// measurement and this one, because of what was after the target had received invocations. If the last one was an
// Error, it is not recorded when the state was known last.
func (a *Analyzer) between(
	ctx context.Context, s rollout.Subject, m rollout.Measurement, of string,
) rollout.Measurement {
	last := rollout.CheckOf(&v1beta1.AliasRolloutStatus{Checks: s.Checks}, m.CheckID)
	if last == nil || last.MeasuredAt == nil || m.Value == alarmFiring {
		return m
	}
	from := last.MeasuredAt.Add(-unsure)
	if last.Result == rollout.Error {
		from = s.TrafficSince
	}
	if s.TrafficSince.IsZero() || !m.Since.After(from) || !m.Since.After(s.TrafficSince) {
		return m
	}
	switch about, err := a.cloudWatch.Fired(ctx, m.Name, of, from); {
	case awserr.IsAccessDenied(err) || awserr.IsUnsupported(err):
		m.Message = bounded(fmt.Sprintf("it is not known whether the alarm has fired lately: %v", err), maxMessage)
	case err != nil:
		return Failed(m.CheckID, err)
	case about.After(s.TrafficSince):
		m.Result, m.About = rollout.Failure, about
		m.Message = fmt.Sprintf("the alarm %s was in state ALARM, and has left it", m.Name)
	}
	return m
}

func alarm(id rollout.CheckID, s rollout.AlarmState) rollout.Measurement {
	var m rollout.Measurement
	switch {
	case s.Err != nil:
		return Failed(id, s.Err)
	case s.State == alarmOK:
		m = measured(id, rollout.Success, s.State, "")
	case s.State == alarmFiring:
		m = measured(id, rollout.Failure, s.State, "the alarm %s is in state ALARM", id.Name)
	case s.State == alarmInsufficientData:
		m = measured(id, rollout.Inconclusive, s.State, "the alarm %s has insufficient data: if it has none "+
			"without errors, let it treat missing data as notBreaching", id.Name)
	default:
		return Failed(id, fmt.Errorf("the alarm %s is in a state that is not known", id.Name))
	}
	m.Until, m.Since, m.About = s.Until, s.Since, s.About
	return m
}

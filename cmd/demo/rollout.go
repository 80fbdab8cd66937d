package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// rolledWithin is the maximum time that a rollout of the demo takes.
const rolledWithin = 2 * time.Minute

// rollOut gives the alias a rollout. It shows that a good version receives more and more orders, and that a version
// that fails is rolled back by its error rate.
func (e *env) rollOut(ctx context.Context) error {
	sectionf("Rollout: the alias %s gets spec.rollout: a smoke test, 20 %%, 60 %%, then all invocations, if fewer "+
		"than 5 %% of them fail", follower)
	a, err := e.alias(ctx)
	if err != nil {
		return err
	}
	patch := client.MergeFrom(a.DeepCopy())
	a.Spec.Rollout = canary()
	if err := e.kube.Patch(ctx, a, patch); err != nil {
		return fmt.Errorf("cannot give Alias %s a rollout: %w", follower, err)
	}
	e.customers = e.invite(ctx)
	fmt.Printf("    Customers order tea and coffee, %d times a second. They invoke the alias, and the shop publishes "+
		"each failure as a metric.\n\n", time.Second/orderEvery)
	if a, _, err = e.follow(ctx, "the version that serves is the stable one",
		func(a *v1beta1.Alias) bool { return rolled(a, v1beta1.RolloutReady, "") }); err != nil {
		return err
	}
	began, stable := time.Now(), a.Status.Rollout.Stable.FunctionVersion
	if stable, err = e.goodVersion(ctx, stable); err != nil {
		return err
	}
	if err := e.badVersion(ctx, stable); err != nil {
		return err
	}
	fmt.Printf("\nBoth took %s. What the Alias %s reported as events:\n", time.Since(began).Round(precision), follower)
	return e.rolloutEvents(ctx)
}

// canary is the rollout of the demo. The metric is one of high resolution that the shop publishes, since those of
// Lambda itself have a value a minute.
func canary() *v1beta1.AliasRollout {
	return &v1beta1.AliasRollout{
		PreTraffic: []v1beta1.RolloutSmokeTest{{Name: "tea", Invoke: v1beta1.RolloutInvoke{Payload: ptr.To(
			`{"item":"tea"}`), Expect: ptr.To("functionError == '' && payload.price > 0")}}},
		Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{{
			SetWeight: ptr.To[int32](20),
		}, {SetWeight: ptr.To[int32](60)}}}},
		Analysis: &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{
			Name: "error-rate", Interval: &metav1.Duration{Duration: 10 * time.Second},
			SuccessCondition: ptr.To("result < 0.05"),
			Provider: v1beta1.RolloutMetricProvider{CloudWatch: &v1beta1.CloudWatchMetric{
				Window: &metav1.Duration{Duration: time.Minute},
				Queries: []v1beta1.CloudWatchQuery{{ID: "failed", Metric: &v1beta1.CloudWatchMetricStat{
					Namespace: metricNamespace, MetricName: failedMetric,
					Dimensions: map[string]string{"FunctionVersion": "$(target)"}, Statistic: "Average",
					PeriodSeconds: ptr.To[int32](10),
				}}},
			}},
		}}},
	}
}

// rolled reports whether the alias's rollout of another version than the given one is in a phase.
func rolled(a *v1beta1.Alias, phase, other string) bool {
	s := a.Status.Rollout
	return s != nil && s.Phase == phase && s.Target.FunctionVersion != other
}

// goodVersion publishes a version that works, and shows how the alias moves to it. It returns the version.
func (e *env) goodVersion(ctx context.Context, stable string) (string, error) {
	target, err := next(stable)
	if err != nil {
		return "", err
	}
	e.customers.sells(target, map[string]int{"tea": 5, "coffee": 6})
	sectionf("Good version: the ConfigMap %s gets new prices, which the Function publishes as version %s", released,
		target)
	if err := e.editLayer(ctx, `{"tea": 5, "coffee": 6}`); err != nil {
		return "", err
	}
	a, took, err := e.follow(ctx, "all invocations go to the new version",
		func(a *v1beta1.Alias) bool { return rolled(a, v1beta1.RolloutReady, stable) && ready(a) })
	if err != nil {
		return "", err
	}
	if err := serves(a, target); err != nil {
		return "", err
	}
	fmt.Printf("\nVersion %s serves, after %s. %s\n", target, took, e.failures(stable, target))
	return target, nil
}

// badVersion publishes a version that passes the smoke test and fails for a part of the orders, and shows that its
// error rate rolls it back.
func (e *env) badVersion(ctx context.Context, stable string) error {
	target, err := next(stable)
	if err != nil {
		return err
	}
	e.customers.sells(target, map[string]int{"tea": 5})
	sectionf("Bad version: the ConfigMap %s has lost the price of coffee. Version %s passes the smoke test, which "+
		"orders tea", released, target)
	if err := e.editLayer(ctx, `{"tea": 5}`); err != nil {
		return err
	}
	a, took, err := e.follow(ctx, "the version is rolled back",
		func(a *v1beta1.Alias) bool { return rolled(a, v1beta1.RolloutFailed, stable) })
	if err != nil {
		return err
	}
	if err := serves(a, stable); err != nil {
		return err
	}
	if got := a.Status.Rollout.Reason; got != "AnalysisFailed" {
		return fmt.Errorf("the rollout failed for the reason %s, want AnalysisFailed", got)
	}
	fmt.Printf("\nRolled back after %s: version %s serves all invocations. %s\n    Ready: %s\n", took, stable,
		e.failures(target), a.GetCondition("Ready").Message)
	return nil
}

// next returns the number of the version that AWS publishes after another one.
func next(version string) (string, error) {
	n, err := strconv.Atoi(version)
	if err != nil {
		return "", fmt.Errorf("the alias %s does not name a published version: %w", follower, err)
	}
	return strconv.Itoa(n + 1), nil
}

// serves returns an error if the alias does not route all invocations to a version.
func serves(a *v1beta1.Alias, version string) error {
	if got := ptr.Deref(a.Status.AtProvider.FunctionVersion, ""); got != version ||
		a.Status.AtProvider.RoutingConfig != nil {
		return fmt.Errorf("the alias invokes %s, want all invocations in version %s", weights(a), version)
	}
	return nil
}

// alias reads the alias that follows its function.
func (e *env) alias(ctx context.Context) (*v1beta1.Alias, error) {
	a := &v1beta1.Alias{}
	if err := e.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: follower}, a); err != nil {
		return nil, fmt.Errorf("cannot read Alias %s: %w", follower, err)
	}
	return a, nil
}

// countEvery is the interval at which the orders are printed if nothing else changes.
const countEvery = 5 * time.Second

// follow prints what the rollout of the alias does until a condition holds, and returns the alias and how long that
// took.
func (e *env) follow(
	ctx context.Context, what string, so func(*v1beta1.Alias) bool,
) (a *v1beta1.Alias, took time.Duration, err error) {
	last, printed := "", time.Time{}
	took, err = e.until(ctx, rolledWithin, what, func(after time.Duration) (bool, error) {
		if a, err = e.alias(ctx); err != nil {
			return false, err
		}
		done := so(a)
		route, message := weights(a), a.GetCondition("Ready").Message
		news := route + message
		if news != last || done || time.Since(printed) >= countEvery {
			fmt.Printf("    after %-6s %-18s %s\n", after, route, e.failures(versions(a)...))
			if news != last && message != "" {
				fmt.Printf("                 %s\n", message)
			}
			last, printed = news, time.Now()
		}
		return done, nil
	})
	return a, took, err
}

// versions returns the versions that the alias invokes.
func versions(a *v1beta1.Alias) []string {
	out := []string{ptr.Deref(a.Status.AtProvider.FunctionVersion, "")}
	if r := a.Status.AtProvider.RoutingConfig; r != nil {
		for v := range r.AdditionalVersionWeights {
			out = append(out, v)
		}
	}
	return out
}

// weights returns how AWS divides the invocations of the alias, such as "2: 80 %, 3: 20 %".
func weights(a *v1beta1.Alias) string {
	rest, additional := 100.0, ""
	if r := a.Status.AtProvider.RoutingConfig; r != nil {
		for v, w := range r.AdditionalVersionWeights {
			part, err := strconv.ParseFloat(string(w), 64)
			if err != nil {
				part = 0
			}
			rest -= 100 * part
			additional += fmt.Sprintf(", %s: %.0f %%", v, 100*part)
		}
	}
	return fmt.Sprintf("%s: %.0f %%%s", ptr.Deref(a.Status.AtProvider.FunctionVersion, ""), rest, additional)
}

// failures returns how many orders of versions have failed.
func (e *env) failures(versions ...string) string {
	parts := make([]string, 0, len(versions))
	for _, v := range versions {
		s := e.customers.of(v)
		parts = append(parts, fmt.Sprintf("%d of %d in version %s", s.failed, s.orders, v))
	}
	return "Orders failed: " + strings.Join(parts, ", ")
}

// rolloutEvents prints the events of the rollouts, as kubectl describe shows them.
func (e *env) rolloutEvents(ctx context.Context) error {
	all, err := e.eventsOf(ctx, follower)
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b corev1.Event) int { return a.FirstTimestamp.Compare(b.FirstTimestamp.Time) })
	for _, ev := range all {
		if strings.HasPrefix(ev.Reason, "Rollout") {
			fmt.Printf("    %-18s %s\n", ev.Reason, ev.Message)
		}
	}
	return nil
}

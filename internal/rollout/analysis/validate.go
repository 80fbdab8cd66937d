package analysis

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// Validate returns an error that names each field of a rollout that can't be measured whatever the sources answer:
// conditions that are not valid, and URLs whose hosts are not allowed. It makes no request.
func (a *Analyzer) Validate(spec *v1beta1.AliasRollout) error {
	var errs []error
	for i := range spec.PreTraffic {
		t := &spec.PreTraffic[i]
		if _, err := a.conditions.get(invocation, ptr.Deref(t.Invoke.Expect, defaultExpectation)); err != nil {
			errs = append(errs, fmt.Errorf("spec.rollout.preTraffic[%s].invoke.expect is not valid: %w", t.Name, err))
		}
	}
	for _, d := range spec.Dependencies {
		if d.HTTP != nil {
			errs = append(errs, a.validateURL("spec.rollout.dependencies["+d.Name+"].http.url", d.HTTP.URL))
		}
	}
	if spec.Analysis == nil {
		return errors.Join(errs...)
	}
	isWeighted := slices.ContainsFunc(rollout.CanarySteps(spec.Strategy),
		func(s v1beta1.CanaryStep) bool { return s.SetWeight != nil })
	for i := range spec.Analysis.Metrics {
		m := &spec.Analysis.Metrics[i]
		j, err := a.judge(m)
		errs = append(errs, err)
		switch {
		case err != nil:
		case j.uses(varBaseline) && !hasBaseline(m):
			errs = append(errs, fmt.Errorf("%s uses baseline, which it never has: name $(target) in the query of "+
				"prometheus or the URL of web, or $(stable) in a query of cloudWatch", j.field))
		case !isWeighted && needsBaseline(j.success) && needsBaseline(j.failure):
			errs = append(errs, fmt.Errorf("%s compares with baseline, and no step of the strategy has one: set a "+
				"weight, or another bound, as in math.isNaN(baseline) ? result < 500 : result <= baseline", j.field))
		}
		if p := m.Provider.Prometheus; p != nil {
			errs = append(errs, a.validateURL(j.field+".provider.prometheus.address", p.Address))
		}
		if p := m.Provider.Web; p != nil {
			errs = append(errs, a.validateURL(j.field+".provider.web.url", p.URL))
		}
	}
	return errors.Join(errs...)
}

// hasBaseline reports whether a metric may have a value of the stable version.
func hasBaseline(m *v1beta1.RolloutMetric) bool {
	switch p := m.Provider; {
	case p.Lambda != nil:
		return !strings.HasPrefix(p.Lambda.Metric, "Throttle") // Lambda publishes those of the alias only.
	case p.Prometheus != nil:
		return strings.Contains(p.Prometheus.Query, targetVersion)
	case p.Web != nil:
		return strings.Contains(p.Web.URL, targetVersion)
	}
	return false
}

// needsBaseline reports whether a condition decides nothing without a stable version.
func needsBaseline(c *condition) bool {
	return c == nil || (c.uses[varBaseline] || c.uses[varBaselineSamples]) &&
		!c.testsNaN[varBaseline] && !c.testsNaN[varBaselineSamples]
}

// validateURL returns an error that names a field unless the host of its URL is allowed. What stands
// for a name or version may be part of the URL, but not of its host.
func (a *Analyzer) validateURL(field, text string) error {
	u, err := url.Parse(substitute(text, rollout.Subject{Function: "x", Alias: "x", Target: "x", Stable: "x"}))
	if err != nil {
		return fmt.Errorf("%s is not a URL", field)
	}
	if err := a.hosts.CheckURL(u); err != nil && !a.options.Planning {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

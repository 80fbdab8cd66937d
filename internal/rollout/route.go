package rollout

import (
	"fmt"
	"math"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// all is the weight, in percent, of a version that receives all invocations.
const all = 100

// A Route is the distribution of an alias's invocations over versions.
type Route struct {
	// Version is the alias's version.
	Version string

	// Additional is the version that receives a part of the invocations. Empty if there is none.
	Additional string

	// Weight is the percentage of the invocations that Additional receives, 1 to 99, or OtherWeight, or 100: see
	// Destination.
	Weight int32
}

// OtherWeight is a weight that is no whole percentage. A rollout sets none.
const OtherWeight = -1

// RouteOf returns the route of an alias that invokes a version, and another with a weight of 0 to 1.
func RouteOf(version string, weights map[string]float64) Route {
	r := Route{Version: version}
	for additional, weight := range weights {
		if weight <= 0 {
			continue
		}
		percentage := math.Round(weight * all)
		r.Additional, r.Weight = additional, int32(percentage)
		if math.Abs(weight*all-percentage) > 1e-6 { //nolint:mnd // Of rounding.
			r.Weight = OtherWeight
		}
	}
	return r
}

// Destination returns the route without the former version that AWS shows with all invocations, as the additional one,
// while it still moves an alias to another version.
func (r Route) Destination() Route {
	if r.Weight >= all {
		return Route{Version: r.Version}
	}
	return r
}

// String returns a route such as "version 2, version 3 with 10 %".
func (r Route) String() string {
	if r.Additional == "" {
		return "version " + r.Version
	}
	if r.Weight == OtherWeight {
		return fmt.Sprintf("version %s, version %s with a part of the invocations", r.Version, r.Additional)
	}
	return fmt.Sprintf("version %s, version %s with %d %%", r.Version, r.Additional, r.Weight)
}

// Serving returns the version that serves: while AWS still moves an alias to another one, the former.
func (r Route) Serving() string {
	if r.Weight >= all {
		return r.Additional
	}
	return r.Version
}

// Serves returns which versions receive invocations, such as "version 1 serves, version 2 receives 10 %".
func (r Route) Serves() string {
	out := "version " + r.Serving() + " serves"
	switch {
	case r.Additional == "" || r.Weight >= all:
		return out
	case r.Weight == OtherWeight:
		return out + ", version " + r.Additional + " receives a part of the invocations"
	}
	return fmt.Sprintf("%s, version %s receives %d %%", out, r.Additional, r.Weight)
}

// to returns the route in which the target receives a percentage of the invocations, and the stable version the rest.
func to(s *v1beta1.AliasRolloutStatus, weight int32) Route {
	switch {
	case weight <= 0 || s.Stable.FunctionVersion == s.Target.FunctionVersion:
		return Route{Version: s.Stable.FunctionVersion}
	case weight >= all:
		return Route{Version: s.Target.FunctionVersion}
	}
	return Route{Version: s.Stable.FunctionVersion, Additional: s.Target.FunctionVersion, Weight: weight}
}

// expected returns the route that the alias had when the state was recorded.
func expected(s *v1beta1.AliasRolloutStatus) Route {
	if s.Phase != v1beta1.RolloutProgressing {
		return to(s, 0)
	}
	return to(s, s.ObservedWeight)
}

func intended(i *v1beta1.RolloutIntent) Route {
	return Route{Version: i.FunctionVersion, Additional: i.AdditionalVersion, Weight: i.Weight}
}

// weight returns the percentage of the invocations that the target receives in a route, and whether
// the route is one of the rollout.
func weight(s *v1beta1.AliasRolloutStatus, r Route) (int32, bool) {
	for _, w := range []int32{0, r.Weight, all} {
		if to(s, w) == r {
			return w, true
		}
	}
	return 0, false
}

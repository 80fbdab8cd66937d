package functionurl

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed. AWS replaces cors as a whole,
// so that no part of it is left to AWS.
func compare(d reconcile.Desired[settings], observed settings) reconcile.Comparison[settings] {
	return reconcile.Compare(normal(diff.Fill(normal(d.Settings), observed, d.Left)), observed)
}

// normal returns settings in canonical form: in cors, what is not set is off, and the
// order of lists is insignificant. AWS stores the names of headers in lower case.
func normal(s settings) settings {
	c := s.Cors
	if c == nil {
		return s
	}
	s.Cors = &v1beta1.Cors{
		AllowCredentials: ptr.To(ptr.Deref(c.AllowCredentials, false)), MaxAge: ptr.To(ptr.Deref(c.MaxAge, 0)),
		AllowHeaders: set(lower(c.AllowHeaders)), ExposeHeaders: set(lower(c.ExposeHeaders)),
		AllowMethods: set(c.AllowMethods), AllowOrigins: set(c.AllowOrigins),
	}
	return s
}

// set returns a list sorted, with each value once.
func set(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

func lower(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.ToLower(n))
	}
	return out
}

package rollout

import (
	"context"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// get reads an alias.
func get(ctx context.Context, c dynamic.ResourceInterface, name string) (*v1beta1.Alias, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return decode(u)
}

// decode returns an alias for display: without control characters in what others have written. It fails if the alias
// has no rollout.
func decode(u *unstructured.Unstructured) (*v1beta1.Alias, error) {
	a := &v1beta1.Alias{}
	if err := kubectl.Decode(u, a); err != nil {
		return nil, fmt.Errorf("cannot read the server's answer about %s: %w", kubectl.Aliases.Full(u.GetName()), err)
	}
	if a.Spec.Rollout == nil {
		return nil, fmt.Errorf("%s has no rollout: spec.rollout is not set", kubectl.Aliases.Full(u.GetName()))
	}
	return a, nil
}

// A share is the part of an alias's invocations that a version receives, in percent.
type share struct {
	version string
	percent float64
}

// shares returns how AWS divides the invocations, the alias's own version first. It is empty if that is not known yet.
func shares(a *v1beta1.Alias) []share {
	o := a.Status.AtProvider
	if o.FunctionVersion == nil {
		return nil
	}
	out := []share{{version: *o.FunctionVersion, percent: hundred}}
	if o.RoutingConfig == nil {
		return out
	}
	for version, weight := range o.RoutingConfig.AdditionalVersionWeights { // AWS allows one.
		if w, err := strconv.ParseFloat(string(weight), 64); err == nil && w > 0 {
			out = append(out, share{version: version, percent: w * hundred})
			out[0].percent -= w * hundred
		}
	}
	return out
}

const hundred = 100

// route returns how AWS divides the invocations, in the form of a rollout.
func route(a *v1beta1.Alias) rollout.Route {
	all := shares(a)
	if len(all) == 0 {
		return rollout.Route{}
	}
	weights := map[string]float64{}
	for _, s := range all[1:] {
		weights[s.version] = s.percent / hundred
	}
	return rollout.RouteOf(all[0].version, weights)
}

// traffic returns how AWS divides the invocations, or how the rollout expects it before that is known.
func traffic(a *v1beta1.Alias) rollout.Route {
	if r := route(a); r.Version != "" {
		return r
	}
	return rollout.Route{Version: a.Status.Rollout.Stable.FunctionVersion}
}

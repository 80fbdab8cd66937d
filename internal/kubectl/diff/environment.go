package diff

import (
	"context"
	"fmt"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// An environment is the cluster that a plan is made for.
type environment struct {
	scheme *runtime.Scheme

	// cluster is nil without a cluster.
	cluster   client.Client
	clusterID string
}

// environment returns the environment that the flags ask for.
func (o *options) environment(ctx context.Context, scheme *runtime.Scheme) (*environment, error) {
	e := &environment{scheme: scheme, clusterID: o.clusterID}
	if err := o.aws.Check(ctx); err != nil || o.local {
		return e, err
	}
	var err error
	if e.cluster, err = o.ClusterClient(scheme); err != nil {
		return nil, fmt.Errorf("%w: to plan without a cluster, set --local", err)
	}
	if e.clusterID == "" {
		e.clusterID, err = kube.ClusterID(ctx, e.cluster)
	}
	if kerrors.IsForbidden(err) || kerrors.IsNotFound(err) {
		return e, nil // Only --refresh needs it, and says so.
	}
	return e, err
}

// options returns the options of a planner.
func (e *environment) options(o *options) plan.Options {
	out := plan.Options{Scheme: e.scheme, ClusterID: e.clusterID, Now: o.Now}
	if e.cluster != nil {
		out.Cluster, out.Mapper = e.cluster, e.cluster.RESTMapper()
	}
	if !o.refresh {
		return out
	}
	out.Resolver = func(c client.Client) engine.Resolver {
		return o.aws.Resolver(c, o.Now, o.ErrOut)
	}
	return out
}

// A report is the result of the command.
type report struct {
	metav1.TypeMeta `json:",inline"`

	Items   []plan.Plan  `json:"items"`
	Summary plan.Summary `json:"summary"`

	// Skipped is the number of objects of other kinds.
	Skipped int `json:"skipped"`
}

func newReport(plans []plan.Plan, skipped int) *report {
	if plans == nil {
		plans = []plan.Plan{}
	}
	return &report{
		TypeMeta: kubectl.TypeMeta("PlanList"), Items: plans, Summary: plan.Summarize(plans), Skipped: skipped,
	}
}

// result returns the error that the command ends with: that resources are rejected, or that anything would be done.
func (r *report) result() error {
	switch {
	case r.Summary[plan.Reject] > 0:
		return fmt.Errorf("%d of %d resources are rejected", r.Summary[plan.Reject], len(r.Items))
	case slices.ContainsFunc(r.Items, plan.Plan.Differs):
		return kubectl.ErrFindings
	}
	return nil
}

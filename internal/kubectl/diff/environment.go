package diff

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// connect completes the options of the planner by the cluster and the credentials that the flags name.
func (o *options) connect(ctx context.Context) error {
	if err := o.aws.Check(ctx); err != nil {
		return err
	}
	if o.refresh {
		o.plan.Resolver = func(c client.Client) engine.Resolver { return o.aws.Resolver(c, o.Now, o.ErrOut) }
	}
	if o.local {
		return nil
	}
	var err error
	if o.cluster, err = o.ClusterClient(o.plan.Scheme); err != nil {
		return fmt.Errorf("%w: to plan without a cluster, set --local", err)
	}
	o.plan.Cluster, o.plan.Mapper = o.cluster, o.cluster.RESTMapper()
	if o.refresh && o.plan.ClusterID == "" {
		o.plan.ClusterID, err = kubectl.ClusterID(ctx, o.cluster)
	}
	return err
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

package diff

import (
	"context"
	"fmt"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// An environment is what a plan is made with.
type environment struct {
	scheme *runtime.Scheme

	// cluster is nil without a cluster.
	cluster   client.Client
	namespace string
	clusterID string
}

// environment returns the environment that the flags ask for.
func (o *options) environment(ctx context.Context) (*environment, error) {
	scheme, err := kubectl.NewScheme()
	if err != nil {
		return nil, err
	}
	e := &environment{scheme: scheme, clusterID: o.clusterID, namespace: metav1.NamespaceDefault}
	if namespace, _, err := o.Config.ToRawKubeConfigLoader().Namespace(); err == nil {
		e.namespace = namespace
	}
	if err := o.aws.Check(ctx); err != nil {
		return nil, err
	}
	if o.local {
		return e, nil
	}
	config, err := o.Config.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("%w: to plan without a cluster, set --local", err)
	}
	mapper, err := o.Config.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	if e.cluster, err = client.New(config, client.Options{Scheme: e.scheme, Mapper: mapper}); err != nil {
		return nil, err
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
	out.Resolver = func(c client.Client) reconcile.Resolver {
		return paced{o.aws.Resolver(c, quota.New(o.Now, quota.Options{}), o.Now, o.ErrOut)}
	}
	return out
}

// A paced resolver resolves sessions whose calls wait for the quota.
type paced struct{ *awsconfig.Resolver }

// Resolve resolves the session of a resource.
func (p paced) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*session.Session, error) {
	s, err := p.Resolver.Resolve(ctx, mg, region)
	if err != nil {
		return nil, err
	}
	return s.Derive(awsconfig.Pace(kubectl.Wait)), nil
}

// A report is the result of the command.
type report struct {
	metav1.TypeMeta `json:",inline"`

	Items   []plan.Plan  `json:"items"`
	Summary plan.Summary `json:"summary"`

	// Skipped is how many objects are of other kinds.
	Skipped int `json:"skipped"`
}

func newReport(plans []plan.Plan, skipped int) *report {
	if plans == nil {
		plans = []plan.Plan{}
	}
	return &report{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubectl." + v1beta1.SchemeGroupVersion.String(), Kind: "PlanList"},
		Items:    plans, Summary: plan.Summarize(plans), Skipped: skipped,
	}
}

// differs returns whether anything would be done.
func (r *report) differs() bool {
	for _, p := range r.Items {
		if p.Differs() {
			return true
		}
	}
	return false
}

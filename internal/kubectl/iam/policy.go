package iam

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/imageuri"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A Policy is a policy document of IAM.
type Policy struct {
	Version   string      `json:"Version"`
	Statement []Statement `json:"Statement"`
}

// A Statement allows actions on resources.
type Statement struct {
	Effect    string    `json:"Effect"`
	Action    []string  `json:"Action"`
	Resource  []string  `json:"Resource"`
	Condition condition `json:"Condition,omitempty"`
}

// Options has the objects that a Policy is made for.
type Options struct {
	// Resources of the provider.
	Resources []reconcile.Managed

	// Configs are ProviderConfigs, of which the queues of drift events and the places of staged archives are taken.
	Configs []client.Object

	// AccountID and Region of ARNs. Empty means any account, and the regions of the resources.
	AccountID, Region string

	// InvokedWithin is true if the provider runs with --deletion-protection-invoked-within.
	InvokedWithin bool
}

// New returns the smallest policy with which the resources are reconciled, and for each resource that cannot be
// reconciled why. The planner has no connection to AWS.
func New(ctx context.Context, p *plan.Planner, o Options) (Policy, []error) {
	all, errs := allowed{}, []error(nil)
	lists := map[plan.List]int{}
	if len(o.Resources) > 0 {
		// The provider reads the limits of each account.
		all.add(everything, nil, "lambda:GetAccountSettings")
	}
	for i, rs := range p.Requests(ctx, o.Resources) {
		mg := o.Resources[i]
		plan.SetDefaults(mg)
		if rs.Err != nil {
			errs = append(errs, fmt.Errorf("%s %s/%s: %w", kindOf(mg), mg.GetNamespace(), mg.GetName(), rs.Err))
		}
		f, isFunction := mg.(*v1beta1.Function)
		for _, r := range rs.Made {
			n := newNames(o.AccountID, o.Region, r.Region)
			all.call(n, r)
			// AWS leaves the tags out otherwise, which no other kind reads.
			if isFunction && r.Operation == "GetFunction" && member(r.Input, "Qualifier") == "" {
				all.add(n.resources(r), nil, "lambda:ListTags")
			}
		}
		if isFunction && o.InvokedWithin && reconcile.Allows(f, xpv2.ManagementActionDelete) {
			all.add(everything, nil, "cloudwatch:GetMetricData")
		}
		all.declare(o, rs)
		all.rollOut(o, mg, rs.Made)
		all.fetch(o, mg)
		if l := rs.List; l != nil {
			if lists[*l]++; lists[*l] == l.PageSize+1 { // Fewer are not polled by the list.
				all.add(everything, nil, "lambda:"+l.Operation)
			}
		}
	}
	for _, cfg := range o.Configs {
		all.receive(cfg)
	}
	return Policy{Version: "2012-10-17", Statement: all.statements()}, errs
}

func kindOf(mg client.Object) string { return reflect.TypeOf(mg).Elem().Name() }

// rollOut adds the calls of the rollout of an Alias, and those of CloudWatch by which a version is judged. In memory,
// an Alias that follows its function begins none, and each one ends at the first check of a version. made are the other
// calls for the Alias.
func (a allowed) rollOut(o Options, mg reconcile.Managed, made []dryrun.Request) {
	alias, ok := mg.(*v1beta1.Alias)
	if !ok || alias.Spec.Rollout == nil || !reconcile.Allows(mg, xpv2.ManagementActionUpdate) {
		return
	}
	for _, r := range made {
		if name := member(r.Input, "FunctionName"); name != "" {
			n := newNames(o.AccountID, o.Region, r.Region)
			a.add(n.function(name, ""), nil, "lambda:UpdateAlias")
			a.add(n.function(name, "*"), nil, "lambda:GetFunctionConfiguration")
			// Versions, by their numbers: for smoke tests, and to wake versions that are Inactive.
			a.add(n.function(name, "*")[1:], nil, "lambda:InvokeFunction")
		}
	}
	by := alias.Spec.Rollout.Analysis
	if by == nil {
		return
	}
	if by.Alarms != nil {
		a.add(everything, nil, "cloudwatch:DescribeAlarmHistory", "cloudwatch:DescribeAlarms")
	}
	for _, m := range by.Metrics {
		if m.Provider.Lambda != nil || m.Provider.CloudWatch != nil {
			a.add(everything, nil, "cloudwatch:GetMetricData")
		}
	}
}

// fetch adds the calls by which the code of a function, or the content of a layer, is read from a registry of Amazon
// ECR, and staged in S3 if it is large. A plan makes none of them.
func (a allowed) fetch(o Options, mg reconcile.Managed) {
	var region string
	var oci *v1beta1.OCISource
	var flux *v1beta1.SourceReference
	var staging *v1beta1.Staging
	switch r := mg.(type) {
	case *v1beta1.Function:
		c := r.Spec.ForProvider.Code
		if i := r.Spec.InitProvider; c == nil && i != nil {
			c = i.Code
		}
		if c != nil {
			region, oci, flux, staging = r.Spec.ForProvider.Region, c.OCI, c.SourceRef, c.Staging
		}
	case *v1beta1.LayerVersion:
		if c := r.Spec.ForProvider.Content; c != nil {
			region, oci, flux, staging = r.Spec.ForProvider.Region, c.OCI, c.SourceRef, c.Staging
		}
	}
	if code := o.codePolicy(mg); staging == nil || code.RequireVerified {
		staging = code.Staging
	}
	deploys := reconcile.Allows(mg, xpv2.ManagementActionCreate) || reconcile.Allows(mg, xpv2.ManagementActionUpdate)
	if staging != nil && deploys && (oci != nil || flux != nil) {
		object := newNames(o.AccountID, o.Region, region).object(staging.S3Bucket, ptr.Deref(staging.Prefix, "")+"*")
		a.add([]string{object}, nil, "s3:GetObject", "s3:PutObject")
	}
	if oci == nil {
		return
	}
	if i, ok := imageuri.Parse(oci.Reference); ok && i.Region != "" {
		a.add(everything, nil, "ecr:GetAuthorizationToken")
		repository := newNames(o.AccountID, o.Region, i.Region).repository(oci.Reference)
		a.add([]string{repository}, nil, "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
	}
}

// codePolicy returns what the config of a resource says about code. It is empty if Configs does not have the config.
func (o Options) codePolicy(mg reconcile.Managed) v1beta1.CodePolicy {
	ref := ptr.Deref(mg.GetProviderConfigReference(), xpv2.ProviderConfigReference{})
	for _, cfg := range o.Configs {
		if c := connection(cfg); c != nil && c.Code != nil && kindOf(cfg) == ref.Kind && cfg.GetName() == ref.Name &&
			(cfg.GetNamespace() == "" || cfg.GetNamespace() == mg.GetNamespace()) {
			return *c.Code
		}
	}
	return v1beta1.CodePolicy{}
}

// connection returns the part of a config's spec that both kinds of config share, or nil for other objects.
func connection(obj client.Object) *v1beta1.ConnectionSpec {
	switch c := obj.(type) {
	case *v1beta1.ClusterProviderConfig:
		return &c.Spec.ConnectionSpec
	case *v1beta1.ProviderConfig:
		return &c.Spec.ConnectionSpec
	}
	return nil
}

// receive adds the calls by which the provider reads the queue of a config, if it has one.
func (a allowed) receive(cfg client.Object) {
	if c := connection(cfg); c != nil && c.DriftEvents != nil && c.DriftEvents.QueueARN != "" {
		a.add([]string{c.DriftEvents.QueueARN}, nil, "sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage")
	}
}

// declare adds the reads that a kind declares and that were not made, on what the other calls are about.
func (a allowed) declare(o Options, rs plan.Requests) {
	for _, r := range rs.Declared {
		made := func(m dryrun.Request) bool { return m.Operation == r.Operation }
		if slices.ContainsFunc(rs.Made, made) {
			continue
		}
		on := everything
		if !slices.Contains(unscoped, action(r)) {
			on = newNames(o.AccountID, o.Region, r.Region).subjects(rs.Made, r.Operation)
		}
		a.add(on, nil, action(r))
	}
}

// subjects returns the patterns of the ARNs that the calls for a resource are about: of what is tagged, if the
// operation reads tags.
func (n names) subjects(made []dryrun.Request, operation string) []string {
	var out []string
	for _, m := range made {
		switch {
		case operation == "ListTags" && m.Operation != "TagResource" && m.Operation != "UntagResource":
			if strings.HasPrefix(m.Operation, "Create") && hasItems(value(m.Input, "Tags")) {
				out = append(out, n.created(m)...)
			}
		case m.Service == "lambda" && !slices.Contains(unscoped, action(m)):
			out = append(out, n.resources(m)...)
		}
	}
	return out
}

// statements returns the statements: one for all actions with the same resources and conditions.
func (a allowed) statements() []Statement {
	groups := map[string]*Statement{}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		g := a[key]
		resources := narrowed(sets.List(sets.New(g.resources...)))
		id := strings.Join(resources, " ") + fmt.Sprint(g.condition)
		if groups[id] == nil {
			groups[id] = &Statement{Effect: "Allow", Resource: resources, Condition: g.condition}
		}
		groups[id].Action = append(groups[id].Action, g.action)
	}
	out := make([]Statement, 0, len(groups))
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, *groups[id])
	}
	slices.SortStableFunc(out, func(x, y Statement) int {
		return strings.Compare(x.Action[0]+" "+x.Resource[0], y.Action[0]+" "+y.Resource[0])
	})
	return out
}

// narrowed removes patterns that another one covers.
func narrowed(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
		return slices.ContainsFunc(patterns, func(other string) bool {
			prefix, wild := strings.CutSuffix(other, "*")
			return wild && other != p && strings.HasPrefix(p, prefix)
		})
	})
}

// Package alias manages aliases of AWS Lambda functions.
//
// All Aliases of one function share the result of ListAliases. An Alias that names no
// version follows the one that its Function published last.
//
// In addition to the files that every kind has, rollout.go measures and carries out a rollout with what cloudwatch.go
// lets it read, trace.go records it, and resource.go decides on changes of the alias and makes them.
package alias

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Define returns the kind of Aliases.
func Define(mgr ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	c := &connector{o: o, functions: o.All(mgr).GetClient()}
	o.Metrics.CountRollouts(func() map[string]int { return countRollouts(mgr) })
	return reconcile.Kind[*v1beta1.Alias]{
		GVK:      v1beta1.AliasGroupVersionKind,
		Reads:    func(a *v1beta1.Alias) []string { return reconcile.Reads(a, opList, opCreate) },
		Reported: func(*v1beta1.Alias) bool { return true },
		Observer: c.observer,
		ActsOn: func(mg *v1beta1.Alias) []tenancy.Target {
			parent := ownership.Parent(mg)
			return tenancy.Functions(mg.Spec.ForProvider.FunctionName, mg.Status.AtProvider.FunctionName, &parent)
		},
		References: references,
	}.Untyped()
}

type connector struct {
	o         engine.Options
	functions client.Reader
}

func (c *connector) observer(a *v1beta1.Alias, s *session.Session) reconcile.Observer[*v1beta1.Alias] {
	e := &external{
		api: session.Client(s, lambda.NewFromConfig), cache: s.ReadCache(), functions: c.functions,
		metrics: c.o.Metrics, tracer: c.o.Tracer, now: c.o.Now, clock: s.Clock,
	}
	e.analyzer = c.o.Analyzer.WithCloudWatch(metricsOf(s, a.GetNamespace(), e.time, e.mayAct))
	return e.resource()
}

// countTimeout limits the time that the count of the rollouts takes if the cache of Aliases is not filled yet.
const countTimeout = time.Second

// countRollouts returns the number of Aliases with a rollout, by its phase. A replica that is not the leader counts
// none, so that the replicas' numbers can be added.
func countRollouts(mgr ctrl.Manager) map[string]int {
	select {
	case <-mgr.Elected():
	default:
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	list := &v1beta1.AliasList{}
	if err := mgr.GetClient().List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil
	}
	counts := map[string]int{}
	for i := range list.Items {
		if s := list.Items[i].Status.Rollout; s != nil {
			counts[s.Phase]++
		}
	}
	return counts
}

// references returns the references of spec, that of functionName first.
func references(a *v1beta1.Alias) []reconcile.Reference {
	refs := reconcile.References(a)
	refs[0].Follows = follows(a)
	return refs
}

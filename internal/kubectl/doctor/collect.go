package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// collect collects the findings about all managed resources. It returns an error if the user may list none of their
// kinds, or the cluster has none, since no findings would then seem to be good news.
func (c *collector) collect(ctx context.Context) error {
	s, err := kubectl.NewScheme()
	if err != nil {
		return err
	}
	kinds, types := 0, s.KnownTypes(v1beta1.SchemeGroupVersion)
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		if _, ok := reflect.New(types[kind]).Interface().(managed); !ok {
			continue
		}
		kinds++
		if err := c.list(ctx, kind, func(u *unstructured.Unstructured) error {
			mg, _ := reflect.New(types[kind]).Interface().(managed)
			if err := kubectl.Decode(u, mg); err != nil {
				return err
			}
			c.judge(kind, mg)
			return nil
		}); err != nil {
			return err
		}
	}
	if len(c.report.NotShown) == kinds {
		return fmt.Errorf("cannot list any resource of the provider, such as %s", c.report.NotShown[0])
	}
	return nil
}

// judge adds the findings about a resource.
func (c *collector) judge(kind string, mg managed) {
	c.resources++
	c.deploys(mg)
	found := advice.Of(mg, nil, c.now)
	switch r := mg.(type) {
	case *v1beta1.Function:
		c.functions = append(c.functions, r)
	case *v1beta1.Alias:
		c.aliases = append(c.aliases, r)
	case *v1beta1.Version:
		c.versions = append(c.versions, r)
	case *v1beta1.Permission:
		of := ptr.Deref(r.Status.AtProvider.FunctionArn, "")
		found = slices.DeleteFunc(found, func(f advice.Finding) bool {
			known := f.Code == advice.PolicyNearLimit && c.policies[of]
			c.policies[of] = c.policies[of] || f.Code == advice.PolicyNearLimit
			return known
		})
	}
	c.report.add(kind, mg.GetNamespace(), mg.GetName(), append(found, failing(mg, found)...)...)
}

// Codes of a resource that waits for its user, of one whose deletion does, and of one that the provider tries again.
const (
	stalledCode advice.Code = "Stalled"
	heldCode    advice.Code = "DeletionHeld"
	failingCode advice.Code = "Failing"
)

// failing returns the finding about a resource that only its user can help, except a rollout that the user has undone,
// or whose deletion waits for a confirmation. Unless found has an error, it also returns the one about a resource whose
// last reconcile has failed, or which AWS does not serve.
func failing(mg managed, found []advice.Finding) []advice.Finding {
	c, synced := mg.GetCondition(v1beta1.TypeStalled), mg.GetCondition(xpv2.TypeSynced)
	ready := mg.GetCondition(xpv2.TypeReady)
	f := advice.Finding{Code: stalledCode, Severity: advice.Error, Message: c.Message}
	a, isAlias := mg.(*v1beta1.Alias)
	switch held := mg.GetCondition(v1beta1.TypeDeletionHeld); {
	case held.Status == corev1.ConditionTrue:
		f = advice.Finding{Code: heldCode, Severity: advice.Warning, Message: held.Message}
		f.Action = "confirm the deletion, or keep what is in AWS, as the message says"
	case isAlias && kubectl.IsUndone(a.Status.Rollout):
		return nil
	case c.Status == corev1.ConditionTrue && c.Reason == v1beta1.ReasonRolledBack:
		f.Action = "publish a version with a fix, or roll the version out again: kubectl lambda rollout retry"
	case c.Status == corev1.ConditionTrue:
		f.Action = "correct spec, or the objects that it refers to"
	case slices.ContainsFunc(found, func(f advice.Finding) bool { return f.Severity == advice.Error }):
		return nil
	case synced.Reason == xpv2.ReasonReconcileError, ready.Reason == xpv2.ReasonUnavailable:
		f = advice.Finding{Code: failingCode, Severity: advice.Warning}
		f.Message = cmp.Or(mg.GetSummary().Message, synced.Message, ready.Message)
		f.Action = "correct what the message names; the provider retries"
	default:
		return nil
	}
	return advice.Reported(mg, []advice.Finding{f})
}

// configs collects the findings about the accounts of configs, as the provider has read their quotas, and which configs
// require verified code.
func (c *collector) configs(ctx context.Context) error {
	for _, kind := range []string{v1beta1.ProviderConfigKind, v1beta1.ClusterProviderConfigKind} {
		err := c.list(ctx, kind, func(u *unstructured.Unstructured) error {
			p := &v1beta1.ProviderConfig{} // A ClusterProviderConfig has the same status.
			if err := kubectl.Decode(u, p); err != nil {
				return err
			}
			if p.Spec.Code != nil && p.Spec.Code.RequireVerified {
				c.verified[config{kind: kind, namespace: p.Namespace, name: p.Name}] = true
			}
			for _, usage := range p.Status.AccountUsage {
				if !c.accounts[account{id: p.Status.AccountID, region: usage.Region}] {
					c.report.add(kind, p.Namespace, p.Name, advice.Reported(p, advice.OfUsage(usage))...)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

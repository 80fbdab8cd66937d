package plan

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// seedAll makes the accounts have what the objects in the cluster ask for, before anything is changed: what depends on
// another resource, such as a Version, then finds the change of that one.
func (p *Planner) seedAll(ctx context.Context, all []Resource) {
	if p.resolver != nil {
		return
	}
	turn := func(r Resource) int {
		n := 2 * p.place(r) //nolint:mnd // What only observes comes after what owns the same.
		if r.Prior != nil && reconcile.ObserveOnly(r.Prior) {
			n++
		}
		return n
	}
	created := slices.SortedStableFunc(slices.Values(all), func(a, b Resource) int { return turn(a) - turn(b) })
	for _, r := range created {
		if r.Prior != nil {
			p.seedOne(ctx, r)
		}
	}
}

// seedOne seeds a resource. If it cannot, Plan reports why.
func (p *Planner) seedOne(ctx context.Context, r Resource) {
	defer func() { _ = recover() }() // Plan seeds it again.
	s, err := p.stepper(r.Desired, p.objects)
	if err != nil {
		return
	}
	if a, sess, err := p.account(ctx, r.Desired, s.Region(r.Desired)); err == nil {
		p.seed(ctx, r.Prior, a, sess)
	}
}

// seed makes the account have what the object in the cluster asks for, with what that refers to now, once.
func (p *Planner) seed(ctx context.Context, prior reconcile.Managed, a *dryrun.Account, sess sessions) seed {
	gvk, _ := p.kindOf(prior) // The caller has its stepper.
	key := objectKey{gvk.GroupKind(), client.ObjectKeyFromObject(prior)}
	out, ok := p.seeds[key]
	if !ok {
		a.Assume(gvk.Kind != v1beta1.FunctionKind)
		out = p.newSeed(ctx, prior, a, sess)
		for _, f := range a.Assumed() {
			out.unknowns = append(out.unknowns, assumed(f))
		}
		p.seeds[key] = out
	}
	return out
}

func (p *Planner) newSeed(ctx context.Context, prior reconcile.Managed, a *dryrun.Account, sess sessions) seed {
	name := nameInAWS(prior)
	if name == "" && prior.GetAnnotations()[v1beta1.AnnotationLastInvocation] == "" {
		return seed{} // It was not created yet.
	}
	s, err := p.stepper(prior, p.before)
	if err != nil {
		return seed{} // Plan has reported it.
	}
	was := copyOf(prior)
	was.SetDeletionTimestamp(nil)
	was.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionAll})
	was.SetFinalizers(nil)
	was.SetAnnotations(nil)
	if determined(name) {
		xpmeta.SetExternalName(was, name)
	}
	of, last := numbers(prior)
	a.Number(of, last)
	a.PublishAs(last)
	defer a.PublishAs(0)
	asObserved(was)
	clearField(was, "Status")
	w := p.walk(ctx, s, was, a, sess)
	if w.err != nil && reconcile.ObserveOnly(prior) { // The owner of what it observes is part of the plan.
		was.SetManagementPolicies(prior.GetManagementPolicies())
		w = p.walk(ctx, s, was, a, sess)
	}
	p.before.put(was)
	if w.err != nil {
		out := seed{action: Reject, message: mask("what AWS has is known with --refresh only, since the object in the "+
			"cluster cannot be reconciled: "+w.err.Error(), Unknown)}
		if w.awaits {
			out.action = Wait
		}
		return out
	}
	if made := xpmeta.GetExternalName(was); made != name && name != "" {
		p.names[made] = name
	}
	return seed{was: was, unknowns: unsynced(prior)}
}

// nameInAWS returns the name of what AWS has of a resource. The provider rejects another one once it has written one.
func nameInAWS(prior reconcile.Managed) string {
	return cmp.Or(ownership.WrittenName(prior), xpmeta.GetExternalName(prior))
}

// begin gives a resource the names and the status that its seed has. It returns what is not known then.
func (p *Planner) begin(mg, prior reconcile.Managed, from seed) []string {
	if from.was == nil {
		return from.unknowns
	}
	annotations := maps.Clone(from.was.GetAnnotations())
	if name := xpmeta.GetExternalName(mg); name != "" && name != nameInAWS(prior) {
		delete(annotations, xpmeta.AnnotationKeyExternalName) // The manifest names something else.
	}
	xpmeta.AddAnnotations(mg, annotations)
	copyField(mg, from.was, "Status")
	keepHistory(mg, prior)
	if p.o.Cluster != nil {
		keepArtifact(mg, prior)
	}
	return from.unknowns
}

// uuids match what AWS gives to mappings.
var uuids = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// determined reports whether the external name is not one that AWS has made up: an ARN, a UUID or a number.
func determined(name string) bool {
	_, err := strconv.ParseInt(name, 10, 64)
	return err != nil && !strings.HasPrefix(name, "arn:") && !uuids.MatchString(name)
}

// unsynced returns what is not known of AWS if the object in the cluster was not synced when it was last observed.
func unsynced(prior reconcile.Managed) []string {
	sum := prior.GetSummary()
	if len(sum.Differences) > 0 {
		fields := make([]string, 0, len(sum.Differences))
		for _, d := range sum.Differences {
			fields = append(fields, d.Field)
		}
		return []string{"AWS differed from the object in the cluster when it was last observed, in " + strings.Join(
			fields, ", ")}
	}
	if !reconcile.IsReconciled(prior) {
		return []string{"the object in the cluster was not up to date when last observed: AWS may differ from it"}
	}
	return nil
}

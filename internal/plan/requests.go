package plan

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// Requests are the calls of AWS that reconciling a resource takes.
type Requests struct {
	// Made are calls that were made in memory, in order.
	Made []dryrun.Request

	// Declared are the further reads that the kind declares, such as those that find what a creation without an answer
	// has created. Their input is nil.
	Declared []dryrun.Request

	// List is AWS's list by which the resource is polled if there are many, nil if there is none.
	List *List

	// Err is the reason why the resource cannot be reconciled. The calls are not complete then.
	Err error
}

// A List is a list of AWS in a region.
type List struct {
	*listpoll.List

	Region string
}

// everything are the management policies that allow all.
var everything = xpv2.ManagementPolicies{xpv2.ManagementActionAll}

// Requests returns the calls of AWS that reconciling resources takes from now on: to create, observe, change and delete
// each of them, as far as its management policies allow it. They are found by reconciling the resources in an account
// in memory, so the Planner must have no connection to AWS. A change is one of a field that spec has.
func (p *Planner) Requests(ctx context.Context, all []reconcile.Managed) []Requests {
	out := make([]Requests, len(all))
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
		p.nameAccount(pristine(all[i]))
	}
	slices.SortStableFunc(order,
		func(a, b int) int { return p.rank(Resource{Desired: all[a]}) - p.rank(Resource{Desired: all[b]}) })
	known := make([]reconcile.Managed, len(all))
	const passes = 2 // The second one has what the first one has waited for.
	for range passes {
		for _, i := range order {
			if out[i].Err = p.setName(all[i]); out[i].Err != nil {
				continue
			}
			if known[i] == nil {
				known[i] = pristine(all[i])
			}
			out[i].Err = p.in(ctx, known[i], everything, nil)
		}
	}
	for _, i := range order {
		switch err := out[i].Err; {
		case err == nil:
			p.lifecycle(ctx, all[i], known[i], &out[i])
		case reconcile.IsInvalid(err) && reconcile.ObserveOnly(all[i]): // Its spec may lack what only a creation needs.
			p.lookUp(ctx, known[i], pristine(all[i]).GetManagementPolicies(), &out[i])
		}
	}
	return out
}

// lookUp records the reads for a resource that is not in the account, and may not be created.
func (p *Planner) lookUp(
	ctx context.Context, known reconcile.Managed, policies xpv2.ManagementPolicies, out *Requests,
) {
	out.Err = p.in(ctx, known, policies, func(r dryrun.Request) { out.Made = append(out.Made, r) })
	if !reconcile.IsInvalid(out.Err) {
		out.Err = nil // It is absent.
	}
	p.declare(known, out)
}

// pristine returns a resource as if it was never reconciled. The name of what it manages is kept, unless AWS has made
// it up.
func pristine(mg reconcile.Managed) reconcile.Managed {
	out := copyOf(mg)
	name := reconcile.ExternalName(mg)
	SetDefaults(out)
	out.SetUID("")
	out.SetGeneration(0)
	out.SetCreationTimestamp(metav1.Time{})
	out.SetDeletionTimestamp(nil)
	out.SetFinalizers(nil)
	out.SetAnnotations(nil)
	clearField(out, "Status")
	if name != "" && determined(name) {
		xpmeta.SetExternalName(out, name)
	}
	return out
}

// lifecycle records the calls for one resource. known is the resource as it was reconciled last.
func (p *Planner) lifecycle(ctx context.Context, mg, known reconcile.Managed, out *Requests) {
	policies := pristine(mg).GetManagementPolicies()
	record := func(r dryrun.Request) { out.Made = append(out.Made, r) }
	// Another one may have been deleted with what this one needs.
	if out.Err = p.in(ctx, known, everything, nil); out.Err != nil {
		return
	}
	out.Err = p.in(ctx, known, policies, record)
	p.declare(known, out)
	p.change(ctx, mg, known, policies, record)
	var remove, create func(dryrun.Request)
	if reconcile.Allows(mg, xpv2.ManagementActionDelete) {
		remove = record
	}
	if reconcile.Allows(mg, xpv2.ManagementActionCreate) {
		create = record
	}
	known.SetDeletionTimestamp(&metav1.Time{Time: p.clock()})
	_ = p.in(ctx, known, everything, remove)
	again := pristine(mg)
	if create != nil {
		again.SetUID(types.UID("created"))
		xpmeta.SetExternalCreatePending(again, p.clock().Add(-time.Minute))
		p.declare(again, out)
		again = pristine(mg)
		_ = p.in(ctx, again, policies, create)
	}
	out.Err = errors.Wrap(p.in(ctx, again, everything, nil), "cannot reconcile it again after its deletion")
	copyField(known, again, "Status")
	known.SetDeletionTimestamp(nil)
	known.SetAnnotations(again.GetAnnotations())
	known.SetUID(again.GetUID())
}

// change records the calls that change each field of spec to what spec asks for.
func (p *Planner) change(ctx context.Context, mg, known reconcile.Managed, policies xpv2.ManagementPolicies,
	record func(dryrun.Request),
) {
	if !reconcile.Allows(mg, xpv2.ManagementActionUpdate) {
		return
	}
	for _, other := range variants(mg) {
		copyField(known, other, "Spec")
		known.SetGeneration(known.GetGeneration() + 1)
		_ = p.in(ctx, known, everything, nil)
		copyField(known, mg, "Spec")
		known.SetGeneration(known.GetGeneration() + 1)
		_ = p.in(ctx, known, policies, record)
	}
}

// in reconciles a resource with management policies until nothing is left to do, and records its calls. It returns the
// error that the resource reports.
func (p *Planner) in(ctx context.Context, mg reconcile.Managed, policies xpv2.ManagementPolicies,
	record func(dryrun.Request),
) (err error) {
	defer func() {
		if recover() != nil { // Nothing has validated what is reconciled.
			err = panics.New()
		}
	}()
	s, err := p.stepper(mg, p.objects)
	if err != nil {
		return err
	}
	SetDefaults(mg)
	mg.SetManagementPolicies(policies)
	a, sess, err := p.account(ctx, mg, s.Region(mg))
	if err != nil {
		return err
	}
	_, isFunction := mg.(*v1beta1.Function)
	a.Assume(!isFunction)
	a.Record(record)
	defer a.Record(nil)
	p.identify(mg)
	w := p.walk(ctx, s, mg, a, sess)
	p.objects.put(mg)
	return w.err
}

// declare adds the reads that the kind declares for a resource.
func (p *Planner) declare(mg reconcile.Managed, out *Requests) {
	s, err := p.stepper(mg, p.objects)
	if err != nil {
		return
	}
	for _, op := range s.Reads(mg) {
		if dryrun.IsRead(op) {
			out.Declared = append(out.Declared, dryrun.Request{Service: "lambda", Operation: op, Region: s.Region(mg)})
		}
	}
	if s.Listed == nil {
		return
	}
	if ref := s.Listed(mg); ref != nil {
		out.List = &List{List: ref.List, Region: s.Region(mg)}
	}
}

// Pattern replaces in a text what AWS makes up, and what is not known, by "*".
func Pattern(text string) string { return mask(text, "*") }

// identifying are fields that say what a resource manages. Another value is another external resource.
var identifying = []string{
	"region", "functionName", "layerName", "layerVersionArn", "resourceArn",
	"capacityProviderName", "qualifier", "name",
}

// identifies reports whether a field says what a resource manages, or refers to it.
func identifies(field string) bool {
	return slices.Contains(identifying, field) || strings.HasSuffix(field, "Ref") ||
		strings.HasSuffix(field, "Selector") || strings.HasSuffix(field, "From")
}

// variants returns copies of a resource, each with another value of one field that its spec.forProvider has.
func variants(mg reconcile.Managed) []reconcile.Managed {
	original := contentOf(mg)
	var out []reconcile.Managed
	spec, _, _ := unstructured.NestedMap(original, "spec", "forProvider")
	for _, fields := range altered(spec) {
		m := runtime.DeepCopyJSON(original)
		if unstructured.SetNestedMap(m, fields, "spec", "forProvider") != nil {
			continue
		}
		c := copyOf(mg)
		clearField(c, "Spec")
		if runtime.DefaultUnstructuredConverter.FromUnstructured(m, c) == nil {
			out = append(out, c)
		}
	}
	return out
}

// altered returns copies of an object, each with one of its values changed, removed or, if it is a list or an object,
// changed in one place.
func altered(fields map[string]any) []map[string]any {
	var out []map[string]any
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if identifies(key) {
			continue
		}
		with := func(v any) {
			c := runtime.DeepCopyJSON(fields)
			c[key] = v
			if v == nil {
				delete(c, key)
			}
			out = append(out, c)
		}
		with(nil)
		switch v := fields[key].(type) {
		case string:
			with(v + "x")
		case bool:
			with(!v)
		case int64:
			with(v + 1)
		case map[string]any:
			with(extended(v))
			for _, inner := range altered(v) {
				with(inner)
			}
		}
	}
	return out
}

// extended returns an object with a further key. It has an effect if the object is a map, such as tags.
func extended(v map[string]any) map[string]any {
	if v["inline"] == nil && v["imageUri"] == nil && isCode(v) {
		return map[string]any{"inline": map[string]any{"another": "value"}}
	}
	c := runtime.DeepCopyJSON(v)
	c["another"] = "value"
	return c
}

// isCode reports whether an object is the code of a function or the content of a layer.
func isCode(v map[string]any) bool {
	for key := range v {
		if strings.HasPrefix(key, "zip") || strings.HasPrefix(key, "s3") || strings.HasPrefix(key, "configMap") ||
			key == "sourceRef" || key == "oci" {
			return true
		}
	}
	return false
}

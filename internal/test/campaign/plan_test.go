package campaign

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// A planned resource is compared with what the provider does afterwards.
type planning struct {
	*Simulation

	kind     Kind
	resolver engine.Resolver
}

func newPlanning(s *Simulation, k Kind) *planning {
	s.Helper()
	s.Prepare()
	r := session.New(s.Kube, session.LiveSecrets(s.Kube), quota.New(time.Now, nil), time.Now,
		session.Options{HTTPClient: s.httpClient(&Network{})})
	return &planning{Simulation: s, kind: k, resolver: r}
}

// typed returns a resource as its own type.
func (p *planning) typed(u *unstructured.Unstructured) reconcile.Managed {
	p.Helper()
	obj, err := p.Kube.Scheme().New(u.GroupVersionKind())
	if err != nil {
		p.Fatal(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		p.Fatal(err)
	}
	return obj.(reconcile.Managed) //nolint:forcetypeassert // Kinds are managed.
}

// plan plans a resource, against AWS or offline. It checks that AWS is not changed.
func (p *planning) plan(desired, prior *unstructured.Unstructured, live bool) plan.Plan {
	p.Helper()
	o := plan.Options{
		Scheme: p.Kube.Scheme(), Cluster: p.Kube, Mapper: p.Kube.RESTMapper(), ClusterID: "simulated",
		Now: time.Now,
	}
	if live {
		o.Resolver = func(client.Client) engine.Resolver { return p.resolver }
	}
	before, calls := len(p.writes()), len(p.Double.Calls())
	var was reconcile.Managed
	if prior != nil {
		was = p.typed(prior)
	}
	out := plan.New(o).Plan(p.Context(), p.typed(desired), was)
	if changed := p.writes()[before:]; len(changed) > 0 {
		p.Errorf("the plan has changed AWS: %v", changed)
	}
	if !live && len(p.Double.Calls()) != calls {
		p.Errorf("the plan without a connection has called AWS: %v", p.Double.Calls()[calls:])
	}
	return out
}

// operations returns the operations of a plan's calls.
func operations(p plan.Plan) []string {
	var out []string
	for _, c := range p.Calls {
		out = append(out, c.Operation)
	}
	return out
}

// check checks that the provider makes the planned calls when a change is made.
func (p *planning) check(what string, planned map[string]plan.Plan, change func(), done func() bool) {
	p.Helper()
	before := len(p.writes())
	change()
	converged := p.Until(2*time.Hour, done)
	time.Sleep(time.Minute)
	made := p.writes()[before:]
	if !converged {
		p.Errorf("%s of %s does not converge: %v\ncalls: %v", what, p.kind.Name(),
			p.stored(p.kind.New()).Object["status"], made)
	}
	for mode, pl := range planned {
		if diff := cmp.Diff(made, operations(pl), cmpopts.EquateEmpty()); diff != "" {
			p.Errorf("%s of %s, planned %s (%s, %q, unknown %q): -made, +planned:\n%s\nchanges %v", what, p.kind.Name(),
				mode, pl.Action, pl.Message, pl.Unknowns, diff, pl.Changes)
		}
	}
}

func (p *planning) both(desired, prior *unstructured.Unstructured) map[string]plan.Plan {
	p.Helper()
	return map[string]plan.Plan{"live": p.plan(desired, prior, true), "offline": p.plan(desired, prior, false)}
}

//go:embed testdata/planned.yaml
var plannedYAML []byte

// planned returns one or more resources of every kind, and those that only plans are tested with.
func planned(t *testing.T) []Kind {
	t.Helper()
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	var more []Kind
	if err := yaml.UnmarshalStrict(plannedYAML, &more); err != nil {
		t.Fatal(err)
	}
	return append(kinds, more...)
}

// TestPlan checks for each kind that the provider makes exactly the calls that were planned, for its creation, each
// update and its deletion.
func TestPlan(t *testing.T) {
	for _, k := range planned(t) {
		t.Run(k.Name(), func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				p := newPlanning(s, k)
				u := k.New()
				s.Create(u)
				planned := p.both(s.stored(u), nil)
				for mode, pl := range planned {
					if pl.Action != plan.Create {
						t.Errorf("planned %s: %s, want create: %+v", mode, pl.Action, pl)
					}
				}
				running := s.Start(&Network{})
				p.check("creation", planned, func() {}, func() bool { return s.ready(k.New()) })
				for _, name := range k.UpdateNames() {
					prior := s.stored(k.New())
					desired := p.patched(prior, k.Updates[name])
					p.check("update "+name, p.both(desired, prior), func() {
						s.Patch(k.New(), map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
					}, func() bool { return s.ready(k.New()) })
				}
				prior := s.stored(k.New())
				for mode, pl := range p.both(prior, prior) {
					if pl.Differs() || len(pl.Changes) > 0 {
						t.Errorf("planned %s: %+v, want nothing to do", mode, pl)
					}
				}
				deleted := s.stored(k.New())
				deleted.SetDeletionTimestamp(ptr.To(metav1.Now()))
				p.check("deletion", p.both(deleted, prior), func() { s.remove(k.New()) },
					func() bool { return s.gone(k.New()) })
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// patched returns a resource with a merge patch of forProvider, as the API server returns it from a dry run.
func (p *planning) patched(u *unstructured.Unstructured, patch map[string]any) *unstructured.Unstructured {
	p.Helper()
	out := u.DeepCopy()
	fp, _, _ := unstructured.NestedMap(out.Object, "spec", "forProvider")
	if err := unstructured.SetNestedMap(out.Object, merged(fp, patch), "spec", "forProvider"); err != nil {
		p.Fatal(err)
	}
	return out
}

// merged returns an object with a JSON merge patch.
func merged(to, patch map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(to)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range runtime.DeepCopyJSON(patch) {
		inner, isMap := v.(map[string]any)
		was, wasMap := out[k].(map[string]any)
		switch {
		case isMap && wasMap:
			out[k] = merged(was, inner)
		default:
			out[k] = v
		}
	}
	return out
}

// TestPlanRandomStates checks for each kind that, whatever AWS has and users do to the resource, the provider makes
// exactly the calls that were planned.
func TestPlanRandomStates(t *testing.T) {
	from := max(*seed, 1)
	for _, k := range planned(t) {
		t.Run(k.Name(), func(t *testing.T) {
			t.Parallel()
			Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) {
				newPlanning(s, k).randomStates(rand.New(rand.NewPCG(from, 1))) //nolint:gosec // It is a test.
			})
		})
	}
}

// randomStates edits a resource, and what AWS has of it, while no provider runs. It compares what is planned with what
// the provider does then, several times.
func (p *planning) randomStates(rnd *rand.Rand) {
	p.Helper()
	running := p.Start(&Network{})
	p.Create(p.kind.New())
	if !p.Until(time.Hour, func() bool { return p.ready(p.kind.New()) }) {
		p.Fatalf("not ready: %s", p.statuses())
	}
	time.Sleep(time.Hour)
	var edits []string
	for range 4 { //nolint:mnd // What one round leaves is what the next one begins with.
		if err := running.Stop(); err != nil {
			p.Error(err)
		}
		prior, byHand := p.stored(p.kind.New()), false
		for range 1 + rnd.IntN(4) {
			if rnd.IntN(5) == 0 {
				byHand = true
				p.editInAWS(rnd.IntN(8))
				time.Sleep(time.Minute)
				continue
			}
			edits = append(edits, p.edit(rnd))
		}
		if rnd.IntN(5) == 0 {
			p.remove(p.kind.New())
		}
		if p.gone(p.kind.New()) {
			return // It may not delete what AWS has.
		}
		desired := p.stored(p.kind.New())
		planned := map[string]plan.Plan{"live": p.plan(desired, prior, true)}
		if !byHand {
			if offline := p.plan(desired, prior, false); len(offline.Unknowns) == 0 {
				planned["offline"] = offline
			}
		}
		p.check(strings.Join(edits, ", "), planned, func() {
			running = p.Start(&Network{})
			time.Sleep(4 * time.Hour) // What was converged is polled as if the provider had not stopped.
		}, func() bool { return true })
		if p.gone(p.kind.New()) || desired.GetDeletionTimestamp() != nil {
			break
		}
	}
	if err := running.Stop(); err != nil {
		p.Error(err)
	}
}

// edit edits the resource as a user may do, and returns what it has done.
func (p *planning) edit(rnd *rand.Rand) string {
	p.Helper()
	u := p.stored(p.kind.New())
	what := "nothing"
	set := func(v any, at ...string) {
		if err := unstructured.SetNestedField(u.Object, v, at...); err != nil {
			p.Fatal(err)
		}
		what = fmt.Sprintf("%v = %v", at, v)
	}
	fp, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")
	switch names := p.kind.UpdateNames(); rnd.IntN(5) {
	case 0, 1:
		if len(names) > 0 {
			set(merged(fp, p.kind.Updates[names[rnd.IntN(len(names))]]), "spec", "forProvider")
		}
	case 2: //nolint:mnd // The next one.
		policies := [][]any{
			{"*"}, {"Observe"}, {"Observe", "Create", "Update"}, {"Observe", "Update"}, {"Observe", "Create", "Delete"},
		}
		set(policies[rnd.IntN(len(policies))], "spec", "managementPolicies")
	case 3: //nolint:mnd // The next one.
		set(xpmeta.GetExternalName(u)+"x", "metadata", "annotations", xpmeta.AnnotationKeyExternalName)
	default:
		if key := optional[rnd.IntN(len(optional))]; fp[key] != nil { // A user may leave it to AWS.
			unstructured.RemoveNestedField(u.Object, "spec", "forProvider", key)
			set(fp[key], "spec", "initProvider", key)
		}
	}
	if err := p.Kube.Update(p.Context(), u); err != nil {
		p.Fatal(err)
	}
	return what
}

// optional has fields that the specs of several kinds may have in initProvider.
var optional = []string{
	"code", "description", "environment", "layers", "memorySize", "tags", "batchSize", "cors", "maximumRetryAttempts",
	"provisionedConcurrentExecutions", "updateRuntimeOn", "reservedConcurrentExecutions", "publish", "filterCriteria",
}

// editInAWS changes something in AWS by hand, if it exists.
func (p *planning) editInAWS(choice int) {
	ctx := p.Context()
	f := aws.String("function")
	if p.kind.Variant != "" {
		f = aws.String("function-" + p.kind.Variant)
	}
	arn := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":function:" + *f
	switch choice {
	case 0:
		_, _ = p.Lambda.UpdateFunctionConfiguration(ctx,
			&lambda.UpdateFunctionConfigurationInput{FunctionName: f, MemorySize: aws.Int32(512)})
	case 1:
		_, _ = p.Lambda.TagResource(ctx,
			&lambda.TagResourceInput{Resource: aws.String(arn), Tags: map[string]string{"team": "hand"}})
	case 2: //nolint:mnd // The next one.
		_, _ = p.Lambda.PutFunctionConcurrency(ctx,
			&lambda.PutFunctionConcurrencyInput{FunctionName: f, ReservedConcurrentExecutions: aws.Int32(9)})
	case 3: //nolint:mnd // The next one.
		_, _ = p.Lambda.UpdateAlias(ctx, &lambda.UpdateAliasInput{
			FunctionName: aws.String("base"),
			Name:         aws.String("alias"), Description: aws.String("hand"),
		})
	case 4: //nolint:mnd // The next one.
		_, _ = p.Lambda.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: f})
		_, _ = p.Lambda.DeleteAlias(ctx,
			&lambda.DeleteAliasInput{FunctionName: aws.String("base"), Name: aws.String("alias")})
		_, _ = p.Lambda.DeleteFunctionUrlConfig(ctx,
			&lambda.DeleteFunctionUrlConfigInput{FunctionName: aws.String("base")})
	case 5: //nolint:mnd // The next one.
		_, _ = p.Lambda.UpdateFunctionCode(ctx,
			&lambda.UpdateFunctionCodeInput{FunctionName: f, ZipFile: []byte(emptyZip)})
	case 6: //nolint:mnd // The next one.
		for _, m := range p.Double.Mappings() {
			_, _ = p.Lambda.UpdateEventSourceMapping(ctx,
				&lambda.UpdateEventSourceMappingInput{UUID: m.UUID, BatchSize: aws.Int32(7)})
		}
	case 7: //nolint:mnd // The next one.
		_, _ = p.Lambda.UntagResource(ctx,
			&lambda.UntagResourceInput{Resource: aws.String(arn), TagKeys: []string{"team"}})
	}
}

// TestPlanMode checks for each kind that a resource with the annotation is only planned, and that the provider makes
// the planned calls once the annotation is gone. A steady resource is not written to.
func TestPlanMode(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		t.Run(k.Name(), func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) { s.planMode(k) })
		})
	}
}

func (s *Simulation) planMode(k Kind) {
	s.Helper()
	s.Prepare()
	p := s.Start(&Network{})
	u := k.New()
	u.SetAnnotations(map[string]string{v1beta1.AnnotationPlan: "true"})
	s.Create(u)
	until := func(what string, so func(u *unstructured.Unstructured) bool) {
		s.Helper()
		if !s.Until(time.Hour, func() bool {
			return s.Kube.Get(s.Context(), client.ObjectKeyFromObject(u), u) == nil && so(u)
		}) {
			s.Fatalf("%s: %v", what, u.Object["status"])
		}
	}
	planned := func(reason string, text ...string) func(u *unstructured.Unstructured) bool {
		return func(u *unstructured.Unstructured) bool {
			c := conditionOf(u, string(v1beta1.TypePlanned))
			message, _ := c["message"].(string)
			for _, t := range text {
				if !strings.Contains(message, t) {
					return false
				}
			}
			return c["reason"] == reason && c["observedGeneration"] == u.GetGeneration() && leaked(message) == ""
		}
	}
	annotate := func(value any) {
		s.Helper()
		s.Patch(u,
			map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1beta1.AnnotationPlan: value}}})
	}
	until("its creation is not planned", planned("ChangesPlanned", "create: "+k.Creates))
	s.checkSteady(u)
	if made := s.writes(); len(made) > 0 {
		s.Errorf("it is only planned, and calls %v", made)
	}
	annotate(nil)
	until("it is not created", func(_ *unstructured.Unstructured) bool { return s.ready(k.New()) })
	for _, name := range k.UpdateNames() {
		annotate("true")
		until("it is not planned", planned("NothingPlanned"))
		before := len(s.writes())
		s.Patch(u, map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
		until("the update "+name+" is not planned", planned("ChangesPlanned"))
		s.checkSteady(u)
		if made := s.writes()[before:]; len(made) > 0 {
			s.Errorf("it is only planned, and calls %v", made)
		}
		message, _ := conditionOf(u, string(v1beta1.TypePlanned))["message"].(string)
		annotate(nil)
		until("the update "+name+" is not made", func(*unstructured.Unstructured) bool { return s.ready(k.New()) })
		for _, c := range s.writes()[before:] {
			if !strings.Contains(message, c) {
				s.Errorf("%s was called, and %q planned", c, message)
			}
		}
	}
	annotate("true")
	s.remove(k.New())
	before := len(s.writes())
	until("its deletion is not planned", func(u *unstructured.Unstructured) bool {
		return planned("ChangesPlanned", "delete: ")(u) || planned("NothingPlanned", "orphan")(u)
	})
	s.checkSteady(u)
	if made := s.writes()[before:]; len(made) > 0 || s.gone(k.New()) {
		s.Errorf("it is only planned, and deleted: %v", made)
	}
	annotate(nil)
	if !s.Until(2*time.Hour, func() bool { return s.gone(k.New()) }) {
		s.Errorf("it is not deleted: %s", s.statuses())
	}
	if err := p.Stop(); err != nil {
		s.Error(err)
	}
}

// checkSteady checks that a resource is not written to while nothing changes.
func (s *Simulation) checkSteady(u *unstructured.Unstructured) {
	s.Helper()
	time.Sleep(time.Minute)
	before := s.stored(u).GetResourceVersion()
	time.Sleep(2 * time.Hour)
	if after := s.stored(u).GetResourceVersion(); after != before {
		s.Errorf("the object was written to while nothing changed: %v", u.Object["status"])
	}
}

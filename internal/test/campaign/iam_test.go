package campaign

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/iam"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// everyCall returns a kind with further updates, so that all calls are made: a setting of a function or an alias, and a tag that is
// removed.
func everyCall(k Kind) Kind {
	updates := maps.Clone(k.Updates)
	if updates == nil {
		updates = map[string]map[string]any{}
	}
	if k.Kind == "Function" {
		updates["z description"] = map[string]any{"description": "another"}
	}
	if k.Kind == "Alias" {
		updates["z description"] = map[string]any{"description": "another"}
	}
	if k.ForProvider["tags"] != nil {
		updates["z tags"] = map[string]any{"tags": map[string]any{"team": nil, "other": "a"}}
	}
	k.Updates = updates
	return k
}

// leastPrivilege returns the policy that kubectl lambda iam computes for a kind: for its resource as it is created, and as
// it is after each update.
func (p *planning) leastPrivilege() []awsdouble.Allow {
	p.Helper()
	u := p.kind.New()
	all := []*unstructured.Unstructured{u}
	for _, name := range p.kind.UpdateNames() {
		u = p.patched(u, p.kind.Updates[name])
		all = append(all, u)
	}
	var out []awsdouble.Allow
	for _, u := range all {
		planner := plan.New(plan.Options{Scheme: p.Kube.Scheme(), ClusterID: "any", Now: time.Now})
		policy, errs := iam.New(p.Context(), planner, iam.Options{Resources: []reconciler.Managed{p.typed(u)}, AccountID: awsdouble.DefaultAccount})
		for _, err := range errs {
			p.Error(err)
		}
		for _, s := range policy.Statement {
			out = append(out, awsdouble.Allow{Actions: s.Action, Resources: s.Resource})
		}
	}
	return out
}

// withoutAction returns the statements without an action.
func withoutAction(all []awsdouble.Allow, action string) []awsdouble.Allow {
	out := []awsdouble.Allow{}
	for _, s := range all {
		s.Actions = slices.DeleteFunc(slices.Clone(s.Actions), func(a string) bool { return a == action })
		out = append(out, s)
	}
	return out
}

// denied returns the calls that AWS has rejected because of the policy.
func (s *Simulation) denied() []string {
	var out []string
	for _, c := range s.Double.Calls() {
		if strings.HasPrefix(c.ErrorCode, "AccessDenied") {
			out = append(out, c.Operation+" "+c.Resource)
		}
	}
	return out
}

// TestLeastPrivilege creates, changes and deletes a resource of every kind with the policy that is computed for it. No call
// is rejected, and each action of the policy is needed by one.
func TestLeastPrivilege(t *testing.T) {
	for _, k := range planned(t) {
		t.Run(k.Name(), func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				k := everyCall(k)
				p := newPlanning(s, k)
				if k.Kind == "EventSourceMapping" || k.Kind == "CodeSigningConfig" { // AWS gives the name, so it must be found.
					s.Double.Fail(awsdouble.Fault{Operation: k.Creates, Drop: awsdouble.DropAfter})
				}
				policy := p.leastPrivilege()
				s.Double.SetPolicy(policy...)
				running := s.Start(&Network{})
				settle := func(what string, done func() bool) {
					if !s.Until(2*time.Hour, done) {
						t.Errorf("%s does not settle: %v", what, s.stored(k.New()).Object["status"])
					}
				}
				s.Create(k.New())
				settle("creation", func() bool { return s.ready(k.New()) })
				for _, name := range k.UpdateNames() {
					s.Patch(k.New(), map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
					settle("update "+name, func() bool { return s.ready(k.New()) })
				}
				time.Sleep(time.Hour)
				s.remove(k.New())
				settle("deletion", func() bool { return s.gone(k.New()) })
				if denied := s.denied(); len(denied) > 0 {
					slices.Sort(denied)
					t.Errorf("AWS has rejected %v", slices.Compact(denied))
				}
				used := s.Double.UsedActions()
				if k.Variant == "limited" {
					policy = nil // It deletes versions once it has published another one, as the Function with historyLimit does.
				}
				for _, a := range policy {
					for _, action := range a.Actions {
						if !slices.Contains(used, action) {
							t.Errorf("no call needs %s on %v", action, a.Resources)
						}
					}
				}
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestLeastPrivilegeLess creates a resource of every kind with the policy that is computed for it, without the action that
// creates. The call is rejected, and the resource's conditions name the action.
func TestLeastPrivilegeLess(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if k.Creates == "" || k.Variant != "" {
			continue
		}
		t.Run(k.Name(), func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				p := newPlanning(s, k)
				action := "lambda:" + k.Creates
				if k.Creates == "Invoke" {
					action = "lambda:InvokeFunction"
				}
				s.Double.SetPolicy(withoutAction(p.leastPrivilege(), action)...)
				running := s.Start(&Network{})
				s.Create(k.New())
				named := func() bool {
					conditions, _, _ := unstructured.NestedSlice(s.stored(k.New()).Object, "status", "conditions")
					return slices.ContainsFunc(conditions, func(c any) bool {
						message, _, _ := unstructured.NestedString(c.(map[string]any), "message") //nolint:forcetypeassert // It is a condition.
						return strings.Contains(message, "may not "+action)
					})
				}
				if !s.Until(10*time.Minute, named) {
					t.Errorf("no condition names %s: %v", action, s.stored(k.New()).Object["status"])
				}
				if len(s.denied()) == 0 {
					t.Errorf("AWS has rejected no call without %s", action)
				}
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

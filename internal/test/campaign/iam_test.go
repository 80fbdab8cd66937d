package campaign

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/iam"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// everyCall returns a kind with further updates, so that all calls are made: a setting of a function or an alias, and a
// tag that is removed.
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

// leastPrivilege returns the policy that kubectl lambda iam computes for a kind: for its resource as it is created, and
// as it is after each update.
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
		policy, errs := iam.New(p.Context(), planner,
			iam.Options{Resources: []reconcile.Managed{p.typed(u)}, AccountID: awsdouble.DefaultAccount})
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

// TestLeastPrivilege creates, changes and deletes a resource of every kind with the policy that is computed for it. No
// call is rejected, and each action of the policy is needed by one.
func TestLeastPrivilege(t *testing.T) {
	for _, k := range planned(t) {
		t.Run(k.Name(), func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				k := everyCall(k)
				p := newPlanning(s, k)
				s.loseName(k)
				policy := p.leastPrivilege()
				s.Double.SetPolicy(policy...)
				running := s.Start(&Network{})
				converge := func(what string, done func() bool) {
					if !s.Until(2*time.Hour, done) {
						t.Errorf("%s does not converge: %v", what, s.stored(k.New()).Object["status"])
					}
				}
				s.Create(k.New())
				converge("creation", func() bool { return s.ready(k.New()) })
				for _, name := range k.UpdateNames() {
					s.Patch(k.New(), map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
					converge("update "+name, func() bool { return s.ready(k.New()) })
				}
				time.Sleep(time.Hour)
				s.remove(k.New())
				converge("deletion", func() bool { return s.gone(k.New()) })
				if denied := s.denied(); len(denied) > 0 {
					slices.Sort(denied)
					t.Errorf("AWS has rejected %v", slices.Compact(denied))
				}
				used := s.Double.UsedActions()
				if k.Variant == "limited" {
					// It deletes versions once it has published another one, as the Function with historyLimit does.
					policy = nil
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

// TestLeastPrivilegeRollout rolls out a version with the policy that is computed for the Alias, and deletes it. No call
// is rejected. Without one of the actions by which the version is tested and judged, it is named.
func TestLeastPrivilegeRollout(t *testing.T) {
	for _, less := range []string{"", "lambda:InvokeFunction", "cloudwatch:GetMetricData"} {
		t.Run("without "+less, func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				k, sc := rolledOut("rollout", canary()), rolloutScenarios()[0]
				policy := newPlanning(s, k).leastPrivilege()
				running := s.Start(&Network{})
				sc.before(s)
				s.Double.SetPolicy(withoutAction(policy, less)...)
				sc.act(s)
				done := func() bool { return sc.done(s) }
				if less != "" {
					done = func() bool { return s.mentions(k.New(), "may not "+less) }
				}
				if !s.Until(3*time.Hour, done) {
					t.Errorf("the rollout does not end so: %v", s.stored(k.New()).Object["status"])
				}
				s.remove(k.New())
				if !s.Until(time.Hour, func() bool { return s.gone(k.New()) }) {
					t.Errorf("the alias is not deleted: %v", s.stored(k.New()).Object["status"])
				}
				if denied := s.denied(); (len(denied) > 0) != (less != "") {
					t.Errorf("AWS has rejected %v", denied)
				}
				time.Sleep(time.Second) // What is under way ends.
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestDeniedRollout checks that Synced and Ready of an Alias say all the time why its rollout does not continue,
// although the rollout measures between two attempts.
func TestDeniedRollout(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		k, sc := rolledOut("rollout", canary()), rolloutScenarios()[0]
		policy := newPlanning(s, k).leastPrivilege()
		running := s.Start(&Network{})
		sc.before(s)
		s.Double.SetPolicy(policy...)
		sc.act(s)
		shifted := func() bool {
			weight, _, _ := unstructured.NestedInt64(s.stored(k.New()).Object, "status", "rollout", "observedWeight")
			return weight > 0
		}
		if !s.Until(time.Hour, shifted) {
			t.Fatalf("the rollout does not begin: %v", s.stored(k.New()).Object["status"])
		}
		s.Double.SetPolicy(withoutAction(policy, "lambda:UpdateAlias")...)
		denied := func() bool {
			u := s.stored(k.New())
			return conditionOf(u, "Synced")["status"] == "False" && conditionOf(u, "Ready")["status"] == "False"
		}
		if !s.Until(time.Hour, denied) {
			t.Fatalf("the denied call is not reported: %v", s.stored(k.New()).Object["status"])
		}
		for range 600 {
			if time.Sleep(time.Second); !denied() {
				t.Fatalf("the denied call is not reported any more: %v", s.stored(k.New()).Object["status"])
			}
		}
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestLeastPrivilegeLess creates, changes and deletes a resource of every kind with the policy that is computed for it,
// without one of its actions, for each of them in turn. A call is rejected, and a status names the action.
func TestLeastPrivilegeLess(t *testing.T) {
	tried := map[string]bool{}
	optional := map[string]string{
		"Invocation": "lambda:GetFunctionConfiguration", // It is for an early error only.
		"Function":   "lambda:ListTags",                 // AWS answers without tags: see function.TestObserve.
	}
	for _, k := range planned(t) {
		if k.Variant == "limited" {
			continue // Only once it has published another version, it needs what AWS is asked before it deletes one.
		}
		k := everyCall(k)
		var actions []string
		var policy []awsdouble.Allow
		Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) {
			policy = newPlanning(s, k).leastPrivilege()
			for _, a := range policy {
				actions = append(actions, a.Actions...)
			}
		})
		slices.Sort(actions)
		for _, action := range slices.Compact(actions) {
			if tried[k.Kind+action] || optional[k.Kind] == action {
				continue
			}
			tried[k.Kind+action] = true
			t.Run(k.Name()+"/"+action, func(t *testing.T) {
				t.Parallel()
				Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
					s.without(t, k, withoutAction(policy, action), action)
				})
			})
		}
	}
}

// without checks that an action that a policy lacks is named while a resource is created, changed and deleted: by a
// condition of the resource, or by the status of the config if the action is one for the account.
func (s *Simulation) without(t *testing.T, k Kind, policy []awsdouble.Allow, action string) {
	t.Helper()
	s.Prepare()
	s.Double.SetPolicy(policy...)
	s.loseName(k)
	running := s.Start(&Network{})
	named := func() bool { return s.mentions(k.New(), "may not "+action) }
	if action == "lambda:GetAccountSettings" {
		named = func() bool { return s.mentions(config(), action) }
	}
	found := false
	until := func(done func() bool) {
		found = found || s.Until(time.Hour, func() bool { return named() || done() }) && named()
	}
	s.Create(k.New())
	until(func() bool { return s.ready(k.New()) })
	for _, name := range k.UpdateNames() {
		if found {
			break
		}
		s.Patch(k.New(), map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
		until(func() bool { return s.ready(k.New()) })
	}
	until(func() bool { return false }) // A poll, and the figures of the account.
	if !found {
		s.remove(k.New())
		until(func() bool { return s.gone(k.New()) })
	}
	if denied := s.denied(); !found || len(denied) == 0 {
		t.Errorf("a condition names %s: %t, and AWS has rejected %v", action, found, denied)
	}
	time.Sleep(time.Second) // What is under way ends.
	if err := running.Stop(); err != nil {
		t.Error(err)
	}
}

// loseName loses the answer to the creation of a resource whose name AWS gives, so that it must be found.
func (s *Simulation) loseName(k Kind) {
	if k.Kind == "EventSourceMapping" || k.Kind == "CodeSigningConfig" {
		s.Double.Fail(awsdouble.Fault{Operation: k.Creates, Drop: awsdouble.DropAfter})
	}
}

// config returns the ClusterProviderConfig.
func config() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1beta1.SchemeGroupVersion.WithKind(v1beta1.ClusterProviderConfigKind))
	u.SetName(Config)
	return u
}

// mentions reports whether a condition of an object, or the usage of an account that a config shows, has a text. It is
// false if there is no object.
func (s *Simulation) mentions(u *unstructured.Unstructured, text string) bool {
	s.Helper()
	if err := s.Kube.Get(s.Context(), client.ObjectKeyFromObject(u), u); err != nil {
		if apierrors.IsNotFound(err) {
			return false
		}
		s.Fatal(err)
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	usage, _, _ := unstructured.NestedSlice(u.Object, "status", "accountUsage")
	status, err := json.Marshal(append(conditions, usage...))
	if err != nil {
		s.Fatal(err)
	}
	return strings.Contains(string(status), text)
}

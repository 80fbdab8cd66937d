package samples

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// The health of an object in Argo CD.
const (
	ArgoHealthy     = "Healthy"
	ArgoDegraded    = "Degraded"
	ArgoProgressing = "Progressing"
	ArgoSuspended   = "Suspended"
)

type summarized struct {
	conditions map[string]map[string]any
	status     map[string]any
}

func summarize(u *unstructured.Unstructured) summarized {
	block, _, _ := unstructured.NestedMap(u.Object, "status")
	cs, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	s := summarized{conditions: map[string]map[string]any{}, status: block}
	for _, c := range cs {
		if m, ok := c.(map[string]any); ok {
			t, _ := m["type"].(string)
			s.conditions[t] = m
		}
	}
	return s
}

func (s summarized) is(condition string) bool { return s.conditions[condition]["status"] == "True" }

// kstatus returns the state by which Flux and kpt report an object.
func kstatus(u *unstructured.Unstructured) (status.Status, error) {
	r, err := status.Compute(u)
	if err != nil {
		return "", err
	}
	return r.Status, nil
}

// healthCheck has the compiled health check of examples/argocd.
var healthCheck = sync.OnceValues(func() (*lua.FunctionProto, error) {
	script, err := healthScript()
	if err != nil {
		return nil, err
	}
	l := lua.NewState()
	defer l.Close()
	f, err := l.LoadString(script)
	if err != nil {
		return nil, err
	}
	return f.Proto, nil
})

// healthScript returns the script in examples/argocd, which it finds from the folder of any test.
func healthScript() (string, error) {
	const path = "examples/argocd/argocd-cm.yaml"
	root, err := process.Root(path)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(root, path)) //nolint:gosec // It is of this repository.
	if err != nil {
		return "", err
	}
	cm := struct{ Data map[string]string }{}
	if err := yaml.Unmarshal(b, &cm); err != nil {
		return "", err
	}
	customizations := map[string]map[string]string{}
	err = yaml.Unmarshal([]byte(cm.Data["resource.customizations"]), &customizations)
	return customizations[v1beta1.Group+"/*"]["health.lua"], err
}

// Argo runs the health check of examples/argocd on an object, as Argo CD does. It returns the health.
func Argo(u *unstructured.Unstructured) (string, error) {
	proto, err := healthCheck()
	if err != nil {
		return "", err
	}
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	l.Push(l.NewFunction(lua.OpenBase))
	l.Call(0, 0)
	l.SetGlobal("obj", luaValue(l, u.Object))
	l.Push(l.NewFunctionFromProto(proto))
	if err := l.PCall(0, 1, nil); err != nil {
		return "", err
	}
	t, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return "", fmt.Errorf("the health check returned %v", l.Get(-1))
	}
	return lua.LVAsString(t.RawGetString("status")), nil
}

// luaValue returns a value of JSON as a value of Lua.
func luaValue(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case map[string]any:
		t := l.CreateTable(0, len(v))
		for k, e := range v {
			t.RawSetString(k, luaValue(l, e))
		}
		return t
	case []any:
		t := l.CreateTable(len(v), 0)
		for _, e := range v {
			t.Append(luaValue(l, e))
		}
		return t
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	}
	return lua.LNil
}

// reasons are the reasons of Ready that match a phase.
var reasons = map[string][]any{
	v1beta1.PhasePending:    {"Creating", nil},
	v1beta1.PhaseCreating:   {"Creating"},
	v1beta1.PhaseAvailable:  {"Available"},
	v1beta1.PhaseUpdating:   {"Updating"},
	v1beta1.PhaseDiffers:    {"Differs"},
	v1beta1.PhaseRolledBack: {"RolledBack"},
	v1beta1.PhaseError:      {"Unavailable", "Creating"}, // Creating if it is Stalled before AWS has shown it.
	v1beta1.PhaseDeleting:   {"Deleting"},
}

// Contradiction returns an error if a status that the provider has just written contradicts itself, or if kstatus or
// Argo CD disagree with it.
func Contradiction(obj any) error {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: m}
	s := summarize(u)
	if s.status["phase"] == nil {
		return nil // The provider has not written it yet.
	}
	ready, phase := s.is("Ready"), fmt.Sprint(s.status["phase"])
	observed, _ := s.status["observedGeneration"].(int64)
	paused, synced := s.conditions["Synced"]["reason"] == "ReconcilePaused", s.is("Synced")
	if observed < u.GetGeneration() && !paused {
		// The spec was changed, or the resource deleted, while the status was being written.
		return unobserved(u)
	}
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fits := false
	for _, r := range reasons[phase] {
		fits = fits || s.conditions["Ready"]["reason"] == r
	}
	check(fits, "phase %s beside Ready %v", phase, s.conditions["Ready"]["reason"])
	check(!ready || !s.is("Stalled"), "Ready and Stalled are both True")
	check(!ready || paused || s.conditions["Ready"]["observedGeneration"] == u.GetGeneration(),
		"Ready is True for generation %v, not %d", s.conditions["Ready"]["observedGeneration"], u.GetGeneration())
	check(!ready || u.GetDeletionTimestamp() == nil, "Ready is True while it is being deleted")
	check((phase == v1beta1.PhaseDeleting) == (u.GetDeletionTimestamp() != nil), "phase %s with deletion timestamp %v",
		phase, u.GetDeletionTimestamp())
	k, err := kstatus(u)
	check(err == nil, "kstatus: %v", err)
	a, err := Argo(u)
	check(err == nil, "Argo CD: %v", err)
	check((k == status.CurrentStatus) == (ready && observed == u.GetGeneration() && u.GetDeletionTimestamp() == nil),
		"kstatus says %s", k)
	check(paused == (a == ArgoSuspended), "Argo CD says %s, paused: %v", a, paused)
	check(paused || (k == status.CurrentStatus) == (a == ArgoHealthy), "kstatus says %s, Argo CD says %s", k, a)
	check(paused || k != status.FailedStatus || a == ArgoDegraded, "kstatus says %s, Argo CD says %s", k, a)
	check(paused || synced || a != ArgoProgressing, "Argo CD says %s beside Synced False", a)
	unset := strings.Contains(fmt.Sprint(s.conditions["Ready"]["message"]), "which spec does not set")
	for _, d := range differing(s.status) {
		check(!ready || unset, "Ready is True although %v differs", d)
	}
	if len(errs) > 0 {
		errs = append(errs, fmt.Errorf("status %v of generation %d", s.status, u.GetGeneration()))
	}
	return errors.Join(errs...)
}

// unobserved returns an error if kstatus or Argo CD take a generation for current that the provider has not observed.
func unobserved(u *unstructured.Unstructured) error {
	k, err := kstatus(u)
	if err != nil {
		return err
	}
	a, err := Argo(u)
	if err != nil {
		return err
	}
	if k == status.CurrentStatus || a == ArgoHealthy {
		return fmt.Errorf("generation %d was not observed, kstatus says %s, Argo CD says %s", u.GetGeneration(), k, a)
	}
	return nil
}

// differing returns the fields that the spec sets and that differ.
func differing(status map[string]any) []any {
	var out []any
	ds, _ := status["differences"].([]any)
	for _, d := range ds {
		if m, ok := d.(map[string]any); ok && m["desired"] != nil {
			out = append(out, m["field"])
		}
	}
	return out
}

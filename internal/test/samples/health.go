package samples

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// The results of kstatus, with which Flux and kpt report an object's state.
const (
	KstatusCurrent     = "Current"
	KstatusInProgress  = "InProgress"
	KstatusFailed      = "Failed"
	KstatusTerminating = "Terminating"
)

// The results of Argo CD's health check of Crossplane's resources.
const (
	ArgoHealthy     = "Healthy"
	ArgoDegraded    = "Degraded"
	ArgoProgressing = "Progressing"
)

type summarized struct {
	conditions map[string]map[string]any
	order      []string
	status     map[string]any
}

func summarize(u *unstructured.Unstructured) summarized {
	status, _, _ := unstructured.NestedMap(u.Object, "status")
	cs, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	s := summarized{conditions: map[string]map[string]any{}, status: status}
	for _, c := range cs {
		if m, ok := c.(map[string]any); ok {
			t, _ := m["type"].(string)
			s.conditions[t] = m
			s.order = append(s.order, t)
		}
	}
	return s
}

func (s summarized) is(condition, status string) bool {
	return s.conditions[condition]["status"] == status
}

func (s summarized) observed() (int64, bool) {
	g, ok := s.status["observedGeneration"].(int64)
	return g, ok
}

// Kstatus returns the result of sigs.k8s.io/cli-utils for an object of an unknown kind.
func Kstatus(u *unstructured.Unstructured) string {
	s := summarize(u)
	observed, ok := s.observed()
	switch {
	case u.GetDeletionTimestamp() != nil:
		return KstatusTerminating
	case ok && observed != u.GetGeneration():
		return KstatusInProgress
	case s.is("Reconciling", "True"):
		return KstatusInProgress
	case s.is("Stalled", "True"):
		return KstatusFailed
	case s.conditions["Ready"] != nil && !s.is("Ready", "True"):
		return KstatusInProgress
	}
	return KstatusCurrent
}

// Argo returns the result of Argo CD's health check of Crossplane's resources.
func Argo(u *unstructured.Unstructured) string {
	s := summarize(u)
	for _, t := range s.order {
		switch {
		case t == "Synced" && s.is(t, "False"):
			return ArgoDegraded
		case t == "Ready" && s.is(t, "True"):
			return ArgoHealthy
		}
	}
	return ArgoProgressing
}

// reasons are the reasons of Ready that match a phase.
var reasons = map[string][]any{
	v1beta1.PhasePending:   {"Creating", nil},
	v1beta1.PhaseCreating:  {"Creating"},
	v1beta1.PhaseAvailable: {"Available"},
	v1beta1.PhaseUpdating:  {"Updating"},
	v1beta1.PhaseError:     {"Unavailable", "Differs", "RolledBack"},
	v1beta1.PhaseDeleting:  {"Deleting"},
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
	ready, phase := s.is("Ready", "True"), fmt.Sprint(s.status["phase"])
	observed, _ := s.observed()
	paused, synced := s.conditions["Synced"]["reason"] == "ReconcilePaused", s.is("Synced", "True")
	if observed < u.GetGeneration() && !paused {
		// The spec was changed, or the resource deleted, while the status was being written.
		if k := Kstatus(u); k == KstatusCurrent {
			return fmt.Errorf("generation %d was not looked at, and kstatus says %s", u.GetGeneration(), k)
		}
		return nil
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
	check(!ready || !s.is("Stalled", "True"), "Ready and Stalled are both True")
	check(!ready || paused || s.conditions["Ready"]["observedGeneration"] == u.GetGeneration(), "Ready is True for generation %v, not %d", s.conditions["Ready"]["observedGeneration"], u.GetGeneration())
	check(!ready || u.GetDeletionTimestamp() == nil, "Ready is True while it is being deleted")
	check((phase == v1beta1.PhaseDeleting) == (u.GetDeletionTimestamp() != nil), "phase %s with deletion timestamp %v", phase, u.GetDeletionTimestamp())
	k, a := Kstatus(u), Argo(u)
	check((k == KstatusCurrent) == (ready && observed == u.GetGeneration() && u.GetDeletionTimestamp() == nil), "kstatus says %s", k)
	check(k != KstatusFailed || a != ArgoHealthy, "kstatus says %s, Argo CD says %s", k, a)
	check(a != ArgoHealthy || ready, "Argo CD says %s", a)
	check(synced || a != ArgoProgressing, "Argo CD says %s beside Synced False", a)
	for _, d := range differing(s.status) {
		check(!ready, "Ready is True although %v differs", d)
	}
	if len(errs) > 0 {
		errs = append(errs, fmt.Errorf("status %v of generation %d", s.status, u.GetGeneration()))
	}
	return errors.Join(errs...)
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

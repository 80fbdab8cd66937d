package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ktypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// usualWithin is the default of Runner.Within.
	usualWithin = 5 * time.Minute

	// slowWithin is the longest time of a rollout, for which CloudWatch must show invocations several times, and of an
	// event of CloudTrail.
	slowWithin = 20 * time.Minute

	// glance is the time between two looks at the cluster, which cost no calls of AWS, and ask between two of AWS.
	glance, ask = 250 * time.Millisecond, 2 * time.Second
)

// steps carries out the steps of a scenario.
type steps struct {
	*Runner

	lambda *lambda.Client
	// applied are the objects of the cluster, in the order in which they were made.
	applied []*unstructured.Unstructured
	stops   []func()
	// saved are members of answers, by their names.
	saved map[string]string
}

func (s *steps) run(ctx context.Context, all []Step) error {
	for i := range all {
		st, err := s.filled(&all[i])
		if err == nil {
			err = s.step(ctx, st)
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// filled returns a step in which the references to saved members of answers are replaced.
func (s *steps) filled(st *Step) (*Step, error) {
	b, err := json.Marshal(st)
	if err != nil {
		return nil, err
	}
	text := string(b)
	for name, v := range s.saved {
		text = strings.ReplaceAll(text, "%{"+name+"}", v)
	}
	out := &Step{}
	return out, json.Unmarshal([]byte(text), out)
}

func (s *steps) step(ctx context.Context, st *Step) error {
	switch {
	case st.Apply != nil:
		return s.apply(ctx, st.Apply)
	case st.Patch != nil:
		return s.patch(ctx, st.Patch)
	case st.Ready != nil:
		return s.ready(ctx, st.Ready)
	case st.Quiet != "":
		return s.quiet(ctx, st.Quiet)
	case st.Call != nil:
		return st.Call.check(ctx, s)
	case st.Expect != nil:
		return s.until(ctx, ask, s.within(), func() error { return st.Expect.check(ctx, s) })
	case st.Says != nil:
		return s.until(ctx, glance, s.within(), func() error { return s.says(ctx, st.Says) })
	case st.Event != nil:
		return s.until(ctx, glance, slowWithin, func() error { return s.event(ctx, st.Event) })
	case st.Rollout != nil:
		return s.until(ctx, glance, slowWithin, func() error { return s.rollout(ctx, st.Rollout) })
	case st.Traffic != nil:
		s.stops = append(s.stops, s.traffic(ctx, *st.Traffic))
		return nil
	case st.Delete != nil:
		return s.delete(ctx, st.Delete)
	}
	return errors.New("it says nothing to do")
}

func (s *steps) within() time.Duration {
	if s.Within > 0 {
		return s.Within
	}
	return usualWithin
}

// until repeats a check until it returns no error, and returns the last one if that takes too long.
func (s *steps) until(ctx context.Context, every, most time.Duration, check func() error) error {
	end := time.Now().Add(most)
	for {
		err := check()
		if err == nil || time.Now().After(end) || s.Gate.Spent() {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(every):
		}
	}
}

func (s *steps) apply(ctx context.Context, objects []Object) error {
	for i := range objects {
		u := objects[i].object()
		err := s.Kube.Create(ctx, u)
		if err != nil {
			return fmt.Errorf("cannot create %s %s: %w", u.GetKind(), u.GetName(), err)
		}
		s.applied = append(s.applied, u)
	}
	return nil
}

// find returns an object that was applied, by its kind and name.
func (s *steps) find(of string) (*unstructured.Unstructured, error) {
	kind, name, _ := strings.Cut(of, "/")
	for _, u := range slices.Backward(s.applied) {
		if u.GetKind() == kind && u.GetName() == name {
			return u, nil
		}
	}
	return nil, fmt.Errorf("no step has applied %s", of)
}

// read reads an object from the cluster.
func (s *steps) read(ctx context.Context, of string) (*unstructured.Unstructured, error) {
	u, err := s.find(of)
	if err != nil {
		return nil, err
	}
	now := &unstructured.Unstructured{}
	now.SetGroupVersionKind(u.GroupVersionKind())
	return now, s.Kube.Get(ctx, client.ObjectKeyFromObject(u), now)
}

func (s *steps) patch(ctx context.Context, p *Patch) error {
	u, err := s.find(p.Object)
	if err != nil {
		return err
	}
	b, err := json.Marshal(p.Merge)
	if err != nil {
		return err
	}
	return s.Kube.Patch(ctx, u.DeepCopy(), client.RawPatch(ktypes.MergePatchType, b))
}

func (s *steps) ready(ctx context.Context, objects []string) error {
	return s.until(ctx, glance, s.within(), func() error {
		for _, of := range objects {
			u, err := s.read(ctx, of)
			if err != nil {
				return err
			}
			for _, c := range []string{"Synced", "Ready"} {
				got := conditionOf(u, c)
				if got["status"] != "True" || got["observedGeneration"] != u.GetGeneration() {
					return fmt.Errorf("%s is not %s: %v", of, c, got["message"])
				}
			}
		}
		return nil
	})
}

func conditionOf(u *unstructured.Unstructured, of string) map[string]any {
	all, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range all {
		if m, ok := c.(map[string]any); ok && m["type"] == of {
			return m
		}
	}
	return map[string]any{"message": "there is no condition " + of}
}

func (s *steps) quiet(ctx context.Context, duration string) error {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	_, before := s.Gate.Counts()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
	}
	if _, after := s.Gate.Counts(); after != before {
		return fmt.Errorf("%d calls change something in AWS, though nothing differs", after-before)
	}
	return nil
}

func (s *steps) says(ctx context.Context, want *Says) error {
	u, err := s.read(ctx, want.Object)
	if err != nil {
		return err
	}
	c := conditionOf(u, want.Condition)
	if !strings.Contains(fmt.Sprint(c["reason"], " ", c["message"]), want.Contains) {
		return fmt.Errorf("%s of %s says %v, not %q", want.Condition, want.Object, c["message"], want.Contains)
	}
	return nil
}

func (s *steps) event(ctx context.Context, want *Event) error {
	all := &corev1.EventList{}
	if err := s.Kube.List(ctx, all, client.InNamespace(namespace)); err != nil {
		return err
	}
	for i := range all.Items {
		e := &all.Items[i]
		if e.InvolvedObject.Kind+"/"+e.InvolvedObject.Name == want.Object && e.Reason == want.Reason &&
			strings.Contains(e.Message, want.Contains) {
			return nil
		}
	}
	return fmt.Errorf("%s has no event %s with %q", want.Object, want.Reason, want.Contains)
}

func (s *steps) rollout(ctx context.Context, want *Rollout) error {
	u, err := s.read(ctx, "Alias/"+want.Alias)
	if err != nil {
		return err
	}
	phase, _, _ := unstructured.NestedString(u.Object, "status", "rollout", "phase")
	to, _, _ := unstructured.NestedString(u.Object, "status", "rollout", "target", "functionVersion")
	if phase != want.Phase || to != want.To {
		return fmt.Errorf("the rollout of %s is %s to version %s, not %s to %s: %v", want.Alias, phase, to, want.Phase,
			want.To, conditionOf(u, "Ready")["message"])
	}
	return nil
}

// traffic begins to invoke an alias, and returns what ends it.
func (s *steps) traffic(ctx context.Context, t Traffic) func() {
	ctx, cancel := context.WithCancel(ctx)
	if s.Invoke != nil {
		stop := s.Invoke(ctx, t)
		return func() { stop(); cancel() }
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(ask):
				// Whether it succeeds is for CloudWatch to say.
				_, _ = s.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: &t.Function, Qualifier: &t.Alias})
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (s *steps) delete(ctx context.Context, objects []string) error {
	for _, of := range objects {
		u, err := s.find(of)
		if err != nil {
			return err
		}
		if err := client.IgnoreNotFound(s.Kube.Delete(ctx, u.DeepCopy())); err != nil {
			return err
		}
	}
	return s.until(ctx, glance, s.within(), func() error {
		for _, of := range objects {
			u, err := s.read(ctx, of)
			if err == nil {
				return fmt.Errorf("%s is not deleted: %v", of, conditionOf(u, "Synced")["message"])
			}
			if !kerrors.IsNotFound(err) {
				return err
			}
		}
		return nil
	})
}

// remove ends the traffic, and deletes the objects of the scenario that are left, last to first.
func (s *steps) remove(ctx context.Context) error {
	for _, stop := range s.stops {
		stop()
	}
	var left []string
	for _, u := range slices.Backward(s.applied) {
		if of := u.GetKind() + "/" + u.GetName(); !slices.Contains(left, of) {
			left = append(left, of)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return s.delete(ctx, left)
}

// abandon lets the objects go that cannot be deleted, so that the provider makes no calls for them during the next
// scenario. Clean deletes what they have made.
func (s *steps) abandon(ctx context.Context) {
	for _, u := range s.applied {
		// What fails was deleted.
		_ = s.Kube.Patch(ctx, u.DeepCopy(),
			client.RawPatch(ktypes.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	}
}

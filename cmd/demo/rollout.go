package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// rollOut gives the alias a rollout, and shows that a version that fails its smoke test receives no
// invocation, and that a good one receives more and more of them.
func (e *env) rollOut(ctx context.Context) error {
	sectionf("Rollout: spec.rollout of the alias %s asks for a smoke test, then 20 %%, 60 %%, and all invocations", follower)
	alias := &v1beta1.Alias{}
	if err := e.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: follower}, alias); err != nil {
		return fmt.Errorf("cannot read Alias %s: %w", follower, err)
	}
	patch := client.MergeFrom(alias.DeepCopy())
	alias.Spec.Rollout = canary()
	if err := e.kube.Patch(ctx, alias, patch); err != nil {
		return fmt.Errorf("cannot give Alias %s a rollout: %w", follower, err)
	}
	if _, err := e.watch(ctx, fixedWithin, "the version that serves is the stable one", func(all resources) bool { return rolled(all, v1beta1.RolloutReady, "") }); err != nil {
		return err
	}
	stable := ptr.Deref(alias.Status.AtProvider.FunctionVersion, "")
	if err := e.failingVersion(ctx, stable); err != nil {
		return err
	}
	return e.goodVersion(ctx, stable)
}

// canary is the rollout of the demo, with pauses that are shorter than one would choose.
func canary() *v1beta1.AliasRollout {
	pause := &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: 2 * time.Second}}
	return &v1beta1.AliasRollout{
		PreTraffic: []v1beta1.RolloutSmokeTest{{Name: "prices", Invoke: v1beta1.RolloutInvoke{Expect: ptr.To("functionError == '' && payload.tea > 0")}}},
		Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{
			{SetWeight: ptr.To[int32](20)}, {Pause: pause}, {SetWeight: ptr.To[int32](60)}, {Pause: pause},
		}}},
	}
}

// rolled reports whether the alias's rollout of another version than the given one is in a phase.
func rolled(all resources, phase, other string) bool {
	a := find[*v1beta1.Alias](all, follower)
	s := ptr.Deref(a, v1beta1.Alias{}).Status.Rollout
	return s != nil && s.Phase == phase && s.Target.FunctionVersion != other
}

// failingVersion publishes a version that fails.
func (e *env) failingVersion(ctx context.Context, stable string) error {
	sectionf("A version is published whose code fails")
	e.double.OnInvoke(releaseOf, func(awsdouble.Invoked) awsdouble.Returned {
		return awsdouble.Returned{Error: "Unhandled", Payload: []byte(`{"errorMessage":"KeyError"}`)}
	})
	if err := e.editLayer(ctx); err != nil {
		return err
	}
	took, err := e.watch(ctx, fixedWithin, "the version is rejected", func(all resources) bool { return rolled(all, v1beta1.RolloutFailed, stable) })
	if err != nil {
		return err
	}
	alias := &v1beta1.Alias{}
	if err := e.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: follower}, alias); err != nil {
		return fmt.Errorf("cannot read Alias %s: %w", follower, err)
	}
	if got := ptr.Deref(alias.Status.AtProvider.FunctionVersion, ""); got != stable || alias.Status.AtProvider.RoutingConfig != nil {
		return fmt.Errorf("the alias invokes version %s, want %s", got, stable)
	}
	fmt.Printf("\nRejected after %s, before it received any invocation:\n    Ready: %s\n", took.Round(100*time.Millisecond), alias.GetCondition("Ready").Message)
	return nil
}

// goodVersion publishes a version that works, and shows how the alias moves to it.
func (e *env) goodVersion(ctx context.Context, stable string) error {
	sectionf("A fix is published")
	e.double.OnInvoke(releaseOf, func(awsdouble.Invoked) awsdouble.Returned { return awsdouble.Returned{Payload: []byte(`{"tea": 5}`)} })
	if err := e.editLayer(ctx); err != nil {
		return err
	}
	took, err := e.watch(ctx, fixedWithin, "all invocations go to the fix", func(all resources) bool { return rolled(all, v1beta1.RolloutReady, stable) && all.ready() })
	if err != nil {
		return err
	}
	fmt.Printf("\nRolled out after %s:\n", took.Round(100*time.Millisecond))
	return e.rolloutEvents(ctx)
}

// rolloutEvents prints the events of the rollouts, as kubectl describe shows them.
func (e *env) rolloutEvents(ctx context.Context) error {
	list := &corev1.EventList{}
	if err := e.kube.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("cannot list events: %w", err)
	}
	slices.SortStableFunc(list.Items, func(a, b corev1.Event) int { return a.FirstTimestamp.Compare(b.FirstTimestamp.Time) })
	for _, ev := range list.Items {
		if ev.InvolvedObject.Name == follower && strings.HasPrefix(ev.Reason, "Rollout") {
			fmt.Printf("    %-18s %s\n", ev.Reason, ev.Message)
		}
	}
	return nil
}

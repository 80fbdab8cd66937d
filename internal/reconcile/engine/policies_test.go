package engine

import (
	"fmt"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// TestPoliciesAsTheRuntime compares all lists of up to three actions. Those without any are
// reconciled only if management policies are turned off.
func TestPoliciesAsTheRuntime(t *testing.T) {
	actions := []xpv2.ManagementAction{
		xpv2.ManagementActionAll, xpv2.ManagementActionObserve, xpv2.ManagementActionCreate,
		xpv2.ManagementActionUpdate, xpv2.ManagementActionDelete, xpv2.ManagementActionLateInitialize,
	}
	lists := []xpv2.ManagementPolicies{nil, {}}
	for _, a := range actions {
		lists = append(lists, xpv2.ManagementPolicies{a})
		for _, b := range actions {
			lists = append(lists, xpv2.ManagementPolicies{a, b})
			for _, c := range actions {
				lists = append(lists, xpv2.ManagementPolicies{a, b, c})
			}
		}
	}
	for _, p := range lists {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			mg := newExternalSample(policies(p...))
			runtime := managed.NewManagementPoliciesResolver(len(p) > 0, p)
			for what, got := range map[string][2]bool{
				"create":       {reconcile.Allows(mg, xpv2.ManagementActionCreate), runtime.ShouldCreate()},
				"update":       {reconcile.Allows(mg, xpv2.ManagementActionUpdate), runtime.ShouldUpdate()},
				"delete":       {reconcile.Allows(mg, xpv2.ManagementActionDelete), runtime.ShouldDelete()},
				"only observe": {reconcile.ObserveOnly(mg), runtime.ShouldOnlyObserve()},
			} {
				if got[0] != got[1] {
					t.Errorf("%s: %t, but the runtime says %t", what, got[0], got[1])
				}
			}
			if len(p) == 0 && !managed.NewManagementPoliciesResolver(true, p).IsPaused() {
				t.Error("the runtime is to pause a resource without any policy")
			}
		})
	}
}

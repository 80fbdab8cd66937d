package permission

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestAddedAtTheSameTime checks that the second of two concurrent statements waits until
// the first is added: AWS would keep only one of them.
func TestAddedAtTheSameTime(t *testing.T) {
	e := newEnvOf(t, awsdouble.Options{LosePermissions: true})
	a, b := testPermission(), testPermission(func(p *v1beta1.Permission) {
		p.UID, p.Name = "uid-2", "second"
		p.Spec.ForProvider.StatementID = ptr.To("second")
	})
	aborted := e.Double.Hold(opAdd)
	added := make(chan error)
	go func() {
		_, err := e.Do(a)
		added <- err
	}()
	<-aborted.Arrived()
	done := engine.Observe(e.Context(), e.Observer(), reconcile.Facts{}, b)
	obs := engine.ObservationFor(b, done.Outcome)
	if done.Err != nil || !obs.ResourceExists || !obs.ResourceUpToDate || done.After != changeWait {
		t.Errorf("the second waits: %+v, %v, comes back after %v", obs, done.Err, done.After)
	}
	if c := b.GetCondition(
		xpv2.TypeReady,
	); c.Reason != xpv2.ReasonCreating ||
		!strings.Contains(c.Message, "another Permission is changing the policies of function cart") {
		t.Errorf("Ready of the second: %+v", c)
	}
	aborted.Release()
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	e.Reconcile(b)
	if got := e.Double.Policy(functionArn); strings.Count(got, `"Sid"`) != 2 {
		t.Errorf("the policy is to have both statements: %s", got)
	}
	e.Poll(a)
}

// TestNotSent checks that a call that cannot be sent now is requeued without an error.
func TestNotSent(t *testing.T) {
	o := &ongoing{}
	th := &external{ongoing: o, fields: testenv.Fields{}, target: functionname.Name{Function: "cart"}}
	during := func() error {
		if err := o.do(th.function(), opAdd, nil); err == nil {
			t.Error("one change of a function at a time")
		}
		if err := o.do("other", opAdd, func() error { return nil }); err != nil {
			t.Errorf("another function: %v", err)
		}
		for name, call := range map[string]func() error{
			"added":    func() error { _, err := th.create(t.Context(), testPermission(), policy.Grant{}); return err },
			"removed":  func() error { _, err := th.delete(t.Context(), testPermission(), found{}); return err },
			"replaced": func() error { _, err := th.update(t.Context(), testPermission(), found{}, update{}); return err },
		} {
			if _, deferred := quota.Deferred(call()); !deferred {
				t.Errorf("a statement was %s meanwhile", name)
			}
		}
		return nil
	}
	for range 2 { // After its end, another change may begin.
		if err := o.do(th.function(), opAdd, during); err != nil || o.under(th.function()) {
			t.Errorf("%v, in progress: %t", err, o.under(th.function()))
		}
	}
}

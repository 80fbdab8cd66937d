package campaign

import (
	"context"
	"flag"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

var deletedFunctions = flag.Int("campaign.deletions", 100, "number of functions of TestDeletionLimit")

// deletionLimit is how many functions TestDeletionLimit lets the provider delete without a confirmation.
const deletionLimit = 50

// protected returns a change of options to a policy.
func protected(p protection.Policy) func(*manager.Options) {
	return func(o *manager.Options) { o.DeletionPolicy = p }
}

// heldBy returns the functions whose deletion waits, by reason.
func (s *Simulation) heldBy() map[xpv2.ConditionReason]int {
	s.Helper()
	list := &v1beta1.FunctionList{}
	if err := s.Kube.List(s.Context(), list, client.InNamespace(Namespace)); err != nil {
		s.Fatal(err)
	}
	out := map[xpv2.ConditionReason]int{}
	for i := range list.Items {
		if reason := reconcile.PendingReason(&list.Items[i]); reason != "" {
			out[reason]++
		}
	}
	return out
}

// confirmAll confirms the deletion of all functions, with the same time for all.
func (s *Simulation) confirmAll() {
	s.Helper()
	list := &v1beta1.FunctionList{}
	if err := s.Kube.List(s.Context(), list, client.InNamespace(Namespace)); err != nil {
		s.Fatal(err)
	}
	for i := range list.Items {
		f := &list.Items[i]
		before := f.DeepCopy()
		metav1.SetMetaDataAnnotation(
			&f.ObjectMeta,
			v1beta1.AnnotationConfirmDeletion,
			time.Now().UTC().Format(time.RFC3339),
		)
		if err := s.Kube.Patch(s.Context(), f, client.MergeFrom(before)); err != nil {
			s.Fatal(err)
		}
	}
}

// killedAtDeletion returns the network of a process that is killed at its nth deletion in AWS.
func killedAtDeletion(nth int32, side Side) (n *Network, killed *atomic.Bool) {
	n, killed = &Network{}, &atomic.Bool{}
	var count atomic.Int32
	n.Do = func(_ context.Context, c Call, at Side) error {
		if c.API != AWS || c.Method != http.MethodDelete || !strings.Contains(c.Path, "/functions/") || at != side ||
			count.Add(1) != nth {
			return nil
		}
		killed.Store(true)
		n.Cut()
		return errNetwork
	}
	return n, killed
}

// TestDeletionLimit deletes the namespace of many functions. It checks that the provider deletes no more than the limit
// allows, also if it is killed meanwhile, and the rest when that is confirmed.
func TestDeletionLimit(t *testing.T) {
	cases := map[string]struct {
		reason string
		kills  []int32
		side   Side
	}{
		"Namespace":    {reason: "A deleted namespace."},
		"KilledBefore": {reason: "The provider is killed before calls.", kills: []int32{10, 1, 30}, side: Before},
		"KilledAfter":  {reason: "The provider is killed after calls.", kills: []int32{10, 1, 30}, side: After},
	}
	limited := protected(protection.Policy{Limit: protection.Limit{Max: deletionLimit, Window: time.Hour}})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				fleet := &steadyFleet{Simulation: s, t: t, n: *deletedFunctions}
				s.Double.CreateBucket(codeBucket, true)
				p := s.Start(&Network{}, limited)
				fleet.create()
				_ = p.Stop()
				s.Double.ResetCalls()
				if err := s.Kube.Delete(t.Context(),
					&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}); err != nil {
					t.Fatal(err)
				}
				for _, nth := range tc.kills {
					n, killed := killedAtDeletion(nth, tc.side)
					p := s.Start(n, limited)
					if !s.Until(10*time.Minute, killed.Load) {
						t.Fatalf("%s: the provider made %d deletions and was not killed", tc.reason,
							s.accepted("DeleteFunction"))
					}
					p.Kill()
				}
				p = s.Start(&Network{}, limited)
				time.Sleep(90 * time.Minute) // The window has passed, and each function was considered again.
				left := fleet.n - deletionLimit
				if n, held := s.accepted("DeleteFunction"), s.heldBy(); n > deletionLimit ||
					held[v1beta1.ReasonTooManyDeletions] < left || len(s.functions()) < left {
					t.Fatalf("%s: %d deletions, the limit is %d; %d functions are left, held %v", tc.reason, n,
						deletionLimit, len(s.functions()), held)
				}
				s.confirmAll()
				if !s.Until(2*time.Hour, func() bool {
					return kerrors.IsNotFound(s.Kube.Get(t.Context(), client.ObjectKey{Name: Namespace},
						&corev1.Namespace{}))
				}) {
					t.Errorf("%s: the namespace does not go: %s", tc.reason, s.statuses())
				}
				if f := s.functions(); len(f) > 0 {
					t.Errorf("%s: left in AWS: %v", tc.reason, f)
				}
				_ = p.Stop()
			})
		})
	}
}

// functions returns the functions in AWS.
func (s *Simulation) functions() []string {
	var out []string
	for _, r := range s.Resources() {
		if strings.HasPrefix(r, "Function ") {
			out = append(out, r)
		}
	}
	return out
}

// TestInvokedFunctions deletes functions of which one is invoked, while CloudWatch answers and while it does not.
func TestInvokedFunctions(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		fleet := &steadyFleet{Simulation: s, t: t, n: 3}
		s.Double.CreateBucket(codeBucket, true)
		p := s.Start(&Network{}, protected(protection.Policy{InvokedWithin: 12 * time.Hour}))
		defer func() { _ = p.Stop() }()
		fleet.create()
		time.Sleep(time.Hour)
		if n := s.calls("GetMetricData"); n != 0 {
			t.Errorf("%d calls of CloudWatch although nothing is deleted", n)
		}
		invocations := awsdouble.Metric{
			Region: Region, Namespace: "AWS/Lambda", Name: "Invocations",
			Dimensions: map[string]string{"FunctionName": fleet.name(0)},
		}
		s.Double.PutMetric(invocations, time.Now().Add(-time.Hour), 7)
		denied := awsdouble.AccessDenied("cloudwatch:GetMetricData")
		s.Double.Fail(awsdouble.Fault{Operation: "GetMetricData", Error: denied, Times: -1})
		for i := range fleet.n {
			if err := s.Kube.Delete(t.Context(), fleet.function(i)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		if held := s.heldBy(); held[v1beta1.ReasonInvocationsUnknown] != fleet.n || len(s.functions()) != fleet.n {
			t.Errorf("nothing is deleted while CloudWatch does not answer, got %v, %v", held, s.functions())
		}
		if n := s.calls("GetMetricData"); n > 30 {
			t.Errorf("%d calls of CloudWatch in an hour", n)
		}
		s.Double.ClearFaults()
		time.Sleep(2 * time.Hour)
		if held := s.heldBy(); held[v1beta1.ReasonRecentlyInvoked] != 1 || len(s.functions()) != 1 {
			t.Errorf("only the function that is invoked waits, got %v, %v", held, s.functions())
		}
		s.confirmAll()
		if !s.Until(time.Minute, func() bool { return len(s.functions()) == 0 }) {
			t.Errorf("it is still there after the confirmation: %s", s.statuses())
		}
	})
}

// calls returns how many calls of an operation AWS has received.
func (s *Simulation) calls(operation string) int {
	n := 0
	for _, c := range s.Double.Calls() {
		if c.Operation == operation {
			n++
		}
	}
	return n
}

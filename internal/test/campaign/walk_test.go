package campaign

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

var (
	seed   = flag.Uint64("campaign.seed", 0, "replay the random walk of this seed; 0 walks those of 1, 2, ...")
	steps  = flag.Int("campaign.steps", 60, "how many steps a random walk has")
	shrink = flag.Bool("campaign.shrink", false, "shrink a random walk that fails")
)

// otherTeam is a namespace with resources that name what the first one has.
const otherTeam = "rival"

// TestRandomWalk makes random changes by users, other teams and people in AWS, with faults
// and restarts. After each walk it waits and checks that everything is as the specs ask
// for, without duplicates, and that only reads are sent.
func TestRandomWalk(t *testing.T) {
	seeds := []uint64{*seed}
	if *seed == 0 {
		seeds = nil
		for i := range *figures.Walks {
			seeds = append(seeds, uint64(i)+1) //nolint:gosec // It is not negative.
		}
	}
	var failed, hours, routes atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for _, n := range seeds {
			ok := t.Run(fmt.Sprint(n), func(t *testing.T) {
				w := Walk(n, *steps, len(castOfWalk(t, tenants())))
				took, changed := walked(t, w)
				hours.Add(took)
				routes.Add(changed)
			})
			if ok {
				continue
			}
			failed.Add(1)
			t.Logf("replay it by -campaign.seed=%d -campaign.steps=%d", n, *steps)
			if *shrink {
				w := Shrink(Walk(n, *steps, len(castOfWalk(t, tenants()))),
					func(w []Step) bool { return !t.Run("shrink", func(t *testing.T) { walked(t, w) }) })
				t.Logf("these steps are enough:\n%s", Format(w))
			}
		}
	})
	figures.Record(t, figures.Figures{
		Campaign: "Random walks", Findings: int(failed.Load()),
		Figures: map[string]int{
			"walks": len(seeds), "steps": len(seeds) * *steps, "simulated hours": int(hours.Load()),
			"route changes": int(routes.Load()),
		},
	})
}

// castOfWalk returns the resources of a walk: those of cast, some with a rollout, some with references, some that are
// polled by list, and those of an application.
func castOfWalk(t *testing.T, ts []*tenant) []Kind {
	t.Helper()
	return slices.Concat(cast(t, ts), rolloutKinds(), referringKinds(), listedKinds(), appKinds())
}

// cast returns resources that depend on no other one: one or more of each kind, except ResourcePolicy,
// which would own the policy that the Permission writes to, and some of each tenant.
func cast(t *testing.T, ts []*tenant) []Kind {
	t.Helper()
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return k.Kind == "ResourcePolicy" })
	return slices.Concat(kinds, tenantKinds(kinds, ts))
}

// walker runs a walk in a simulation.
type walker struct {
	*Simulation

	kinds   []Kind
	tenants []*tenant
	leader  *Provider
	standby *Provider
	away    atomic.Bool
	clock   atomic.Int64

	// owned maps the names that AWS has given to the tenants that own them. claimed are those
	// that another team's resources have named: they may read them with their own credentials.
	owned   map[claim]*tenant
	claimed map[claim]bool
}

// newWalker returns a walker with the initial objects of its tenants.
func newWalker(s *Simulation) *walker {
	s.Helper()
	s.Prepare()
	s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: otherTeam}})
	w := &walker{Simulation: s, tenants: tenants(), owned: map[claim]*tenant{}, claimed: map[claim]bool{}}
	for _, t := range w.tenants {
		s.join(t)
	}
	s.Create(appObjects("first")...)
	s.Double.AddQueue(driftQueue)
	s.Double.Trail(driftQueue, 2*time.Second) //nolint:mnd // CloudTrail is slower.
	return w
}

// walked runs a walk, and returns its simulated hours and how often the route of an alias
// was changed.
func walked(t *testing.T, steps []Step) (hours, routes int64) {
	t.Helper()
	Run(t,
		awsdouble.Options{CreateDuration: 2 * time.Second, UpdateDuration: time.Second},
		func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
			began := time.Now()
			w := newWalker(s)
			w.kinds = castOfWalk(t, w.tenants)
			w.release()
			w.shift(0)
			w.leader, w.standby = w.replica(), w.replica()
			for _, k := range slices.Concat(rolloutKinds(), listedKinds()) {
				w.make(k.New())
			}
			for _, step := range steps {
				w.take(step)
				w.revive()
				w.recordNames()
				time.Sleep(time.Duration(step.Seconds) * time.Second)
			}
			w.converge()
			w.check()
			_, _ = w.standby.Stop(), w.leader.Stop()
			w.leader = w.replica(func(o *manager.Options) { o.ListPolls = false })
			w.checkNoWrites(time.Hour) // Nor has a process anything to change that knows nothing and reads everything.
			hours = int64(time.Since(began) / time.Hour)
			for _, k := range rolloutKinds() {
				routes += int64(len(w.routesOf(k.Name())))
			}
			if t.Failed() {
				t.Logf("steps:\n%s\ncalls:\n%s", Format(steps), s.history())
			}
		})
	return hours, routes
}

// replica starts a process that takes part in leader election.
func (w *walker) replica(change ...func(*manager.Options)) *Provider {
	w.Helper()
	n := &Network{Do: func(_ context.Context, _ Call, side Side) error {
		if side == Before && w.away.Load() {
			return errNetwork
		}
		return nil
	}}
	return w.Start(n, func(o *manager.Options) {
		o.LeaderElection, o.LeaderElectionNamespace = true, metav1.NamespaceSystem
		o.Now = func() time.Time { return time.Now().Add(time.Duration(w.clock.Load())) }
		o.Lists = listpoll.Options{MinResources: 1, FullReadSpacing: 10 * time.Minute} // Eight Functions are enough.
		for _, f := range change {
			f(o)
		}
	})
}

// revive restarts the processes that have ended, as the kubelet does.
func (w *walker) revive() {
	w.Helper()
	for _, p := range []**Provider{&w.leader, &w.standby} {
		if (*p).Ended() {
			_ = (*p).Stop()
			*p = w.replica()
		}
	}
}

// take runs a step.
func (w *walker) take(step Step) {
	w.Helper()
	k := w.kinds[step.Resource]
	switch step.What {
	case "create":
		w.make(k.New())
	case "update":
		w.update(k, step.Choice)
	case "delete":
		w.delete(k)
	case "pause":
		w.annotate(k, meta.AnnotationKeyReconciliationPaused, fmt.Sprint(step.Choice%2 == 0))
	case "restrict":
		w.restrict(k, step.Choice)
	case "request":
		w.annotate(k, meta.AnnotationKeyReconcileRequestedAt, fmt.Sprint(step.Choice))
	case "edit in AWS":
		w.edit(step.Choice)
	case "lose in AWS":
		w.lose(step.Choice)
	case "fault":
		w.spoil(step.Choice)
	case "late reads":
		w.Double.SetConsistency(awsdouble.Consistency{
			Reads: time.Duration(step.Choice%5) * time.Second,
			Tags:  time.Duration(step.Choice%30) * time.Second, Alternate: step.Choice%2 == 0,
		})
	case "kill":
		w.leader.Kill()
		w.leader, w.standby = w.standby, w.replica()
	case "restart":
		_ = w.leader.Stop()
		w.leader, w.standby = w.standby, w.replica()
	case "lose lease":
		w.leader.Network.Cut()
		time.Sleep(2 * time.Minute)
		_ = w.leader.Stop()
		w.leader, w.standby = w.standby, w.replica()
	case "step clock":
		w.clock.Store(int64(time.Duration(step.Choice%7200-3600) * time.Second))
	case "outage":
		w.away.Store(true)
		w.leader.Break()
		w.standby.Break()
		time.Sleep(time.Duration(step.Choice%600) * time.Second)
		w.away.Store(false)
	case "another team":
		w.rival(k, step.Choice)
	case "rotate keys":
		w.rotate(step.Choice)
	case "configure":
		w.configure(step.Choice)
	case "edit a value":
		w.editValue(step.Choice)
	case "events":
		w.receive(step.Choice%2 == 0)
	case "put an object":
		w.Double.PutObject("code", []string{"one.zip", "two.zip"}[step.Choice%2],
			append([]byte(emptyZip[:20]), "\x01\x00"+string(rune('a'+step.Choice%7))...))
	case "roll out":
		w.rollOut(step.Choice)
	case "edit a route":
		w.editRoute(step.Choice)
	case "lose an alias":
		_, _ = w.Lambda.DeleteAlias(w.Context(), &lambda.DeleteAliasInput{
			FunctionName: aws.String(released),
			Name:         aws.String(rolloutKind(step.Choice).Name()),
		})
	case "command":
		w.command(step.Choice)
	}
}

func (w *walker) make(u *unstructured.Unstructured) {
	w.Helper()
	if err := w.Kube.Create(w.Context(), u); err != nil && !kerrors.IsAlreadyExists(err) {
		w.Fatal(err)
	}
}

// update updates a resource, if it exists.
func (w *walker) update(k Kind, choice int) {
	w.Helper()
	if names := k.UpdateNames(); len(names) > 0 {
		w.patch(k, map[string]any{"spec": map[string]any{"forProvider": k.Updates[names[choice%len(names)]]}})
	}
}

// spoil adds a fault to some of the next responses. What is wrongly reported not to exist, or to have no tags, is
// reported so once: more such reports in a row are believed.
func (w *walker) spoil(choice int) {
	all := faults()
	chosen := all[choice%len(all)]
	f := chosen.make("")
	if f.Times = choice%4 + 1; f.Error.Status == http.StatusNotFound || chosen.hidesTags { //nolint:mnd // A few.
		f.Times = 1
	}
	w.Double.Fail(f)
}

// rival creates a resource of another team that names what a resource of the first one
// has.
func (w *walker) rival(k Kind, choice int) {
	w.Helper()
	u := k.New()
	u.SetNamespace(otherTeam)
	unstructured.RemoveNestedField(u.Object, "spec", "providerConfigRef") // It uses the shared config.
	if choice%2 == 0 {
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), u))
		return
	}
	u.SetAnnotations(map[string]string{"lambda.aws.m.crossplane.io/adopt": "true"})
	if mine := k.New(); w.Kube.Get(w.Context(), client.ObjectKeyFromObject(mine), mine) == nil {
		meta.AddAnnotations(u, map[string]string{meta.AnnotationKeyExternalName: meta.GetExternalName(mine)})
	}
	w.claim(u)
	w.make(u)
}

// converge ends all faults, and waits until everything has converged.
func (w *walker) converge() {
	w.Helper()
	w.Double.ClearFaults()
	w.Double.SetConsistency(awsdouble.Consistency{})
	w.clock.Store(0)
	w.restore()
	for _, k := range w.kinds {
		u := k.New()
		u.SetNamespace(otherTeam)
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), u))
	}
	w.unrestrict()
	w.revive()
	for range 2 {
		for i := range w.tenants {
			w.rotate(i) // A Secret that is being deleted is gone later.
		}
		time.Sleep(3 * time.Hour) // Every resource is read in full, and what was lost is found.
		w.revive()
	}
	for _, k := range slices.Concat(referringKinds(), appKinds()) {
		w.make(k.New()) // What others refer to is there.
	}
	w.resolveDrift()
	if !w.Until(4*time.Hour, w.converged) {
		w.Errorf("does not converge: %s", w.statuses())
	}
}

// neverShown reports whether a mapping asks its user to decide: someone has deleted it
// before the provider has seen it, so that creating it again might make a duplicate.
func (w *walker) neverShown(u *unstructured.Unstructured) bool {
	w.Helper()
	return w.waitsForUser(u, "EventSourceMapping", reconcile.NeverShownMessage)
}

func (w *walker) converged() bool {
	for _, k := range w.kinds {
		u := k.New()
		if w.gone(u) {
			continue
		}
		if u.GetDeletionTimestamp() != nil || !w.ready(u) && !w.unknown(u) && !w.neverShown(u) && !w.rolledBack(u) {
			return false
		}
	}
	l, seen := &unstructured.UnstructuredList{}, map[string]bool{}
	for _, k := range w.kinds {
		if seen[k.Kind] {
			continue
		}
		seen[k.Kind] = true
		l.SetAPIVersion(k.New().GetAPIVersion())
		l.SetKind(k.Kind + "List")
		if err := w.Kube.List(w.Context(), l, client.InNamespace(otherTeam)); err != nil || len(l.Items) > 0 {
			return false
		}
	}
	return true
}

// check checks that AWS has exactly what it should have, and that nothing more is changed.
func (w *walker) check() {
	w.Helper()
	before := len(w.Double.Calls())
	w.checkNoWrites(time.Hour)
	w.rolled(before)
	w.served()
	w.recordNames()
	w.apart()
	w.checkAccount(awsdouble.DefaultAccount)
	for _, t := range w.tenants {
		if t.account != awsdouble.DefaultAccount {
			w.checkAccount(t.account)
		}
	}
}

// checkAccount checks that an account has exactly what its resources ask for, without duplicates.
func (w *walker) checkAccount(account string) {
	w.Helper()
	want, uids := map[string]int{}, map[string]string{}
	for _, k := range w.kinds {
		if u := k.New(); k.tenant.in(account) && !w.gone(u) && !w.neverShown(u) {
			kind := k.Kind
			if kind == "ResourcePolicy" {
				kind = "Permission" // It has one statement.
			}
			want[kind]++
			uids[string(u.GetUID())] = k.Name()
		}
	}
	got := map[string]int{}
	for _, t := range w.Double.Resources(account, Region) {
		if t.UID != "" && uids[t.UID] == "" {
			w.Errorf("%s %s belongs to no resource", t.Kind, t.ID)
		}
		if t.UID != "" {
			delete(uids, t.UID)
		}
		nobodys := t.Kind == "Alias" && strings.HasSuffix(t.ID, ":stable") || t.Kind == "Function" &&
			strings.HasSuffix(t.ID, "base")
		if !nobodys && !slices.Contains([]string{"Version", "LayerVersion", "Invocation"}, t.Kind) {
			got[t.Kind]++
		}
	}
	for _, k := range []string{"Version", "LayerVersion", "Invocation"} {
		delete(want, k)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("what AWS has in account %s: -want, +got:\n%s", account, diff)
	}
}

package explore

import (
	"context"
	"fmt"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpresource "github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// A move is a transition other than a reconcile.
type move uint8

// Moves.
const (
	noMove move = iota
	// reconcileOther is a complete reconcile of the other leader, between two calls of one.
	reconcileOther
	// restart1 and restart2 end a process and start another.
	restart1
	restart2
	// Actions of a user.
	editValue
	editSecret
	deleteObject
	createAgain
	// Actions of someone else in AWS.
	handValue
	handSecret
	handUntag
	handDelete
	foreign
	moves
)

var moveNames = [...]string{
	"", "the other leader reconciles", "leader 1 restarts", "leader 2 restarts",
	"the user changes the value", "the user changes the secret", "the user deletes the object",
	"the user creates the object again",
	"someone changes the value in AWS", "someone changes the secret in AWS", "someone takes off the tags in AWS",
	"someone deletes it in AWS",
	"someone creates one of the same name in AWS",
}

// A label identifies a transition.
type label struct {
	// move, if the transition is not a reconcile, or if it happens between two calls of one.
	move move

	// leader that reconciles, 0 or 1. Its cache shows the previous object if stale, and else
	// the current one.
	leader uint8
	stale  bool

	// fault at a call, counted from 1.
	fault fault
	at    uint8
}

func (l label) reconciles() bool { return l.move == noMove || l.fault == between }

func (l label) text(calls []call) string {
	if !l.reconciles() {
		return moveNames[l.move]
	}
	s := fmt.Sprintf("leader %d reconciles", l.leader+1)
	if l.stale {
		s += " with a stale cache"
	}
	if l.fault != none {
		op := "?"
		if int(l.at) <= len(calls) {
			op = calls[l.at-1].op
		}
		s += fmt.Sprintf(", %s call %d (%s)", faultNames[l.fault], l.at, op)
	}
	if l.fault == between {
		s += " " + moveNames[l.move]
	}
	return s
}

// A scenario is a kind and an initial state.
type scenario struct {
	kind kind

	// imports says that the user imports what someone has created.
	imports bool
}

// explorer runs transitions. It is not safe for concurrent use; its pool is.
type explorer struct {
	*pool

	env   env
	procs [2]*process
}

func newExplorer(sc scenario, p *pool) (*explorer, error) {
	x := &explorer{pool: p, env: env{scenario: sc}}
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		return nil, err
	}
	for l := range x.procs {
		c := &kubeClient{env: &x.env, leader: l, scheme: s}
		x.procs[l] = newProcess(engine.NewReconciler(&manager{client: c, live: &liveReader{kube: c}}, x.options(),
			x.kind(l).Untyped(), &recorder{env: &x.env}))
	}
	return x, nil
}

func (x *explorer) options() engine.Options {
	o := engine.Options{
		Options: controller.Options{
			Logger: &logger{env: &x.env}, PollInterval: 10 * time.Minute,
			Features: &feature.Flags{},
		},
		Metrics:         reporting.NewMetrics(),
		Resolver:        unlimited{},
		Tracker:         unlimited{},
		Limiter:         unlimited{},
		ClusterID:       clusterID,
		MinPollInterval: time.Second,
		Now:             time.Now,
		Random:          func() float64 { return 0 },
	}
	o.Features.Enable(feature.EnableBetaManagementPolicies)
	return o
}

func (x *explorer) kind(leader int) reconcile.Kind[*resource] {
	k := x.env.scenario.kind
	return reconcile.Kind[*resource]{
		GVK:     samples.GVK,
		New:     func() *resource { return &resource{} },
		NewList: func() xpresource.ManagedList { return &samples.SampleList{} },
		Region:  func(*resource) string { return "eu-west-1" },
		Reads:   func(*resource) []string { return []string{opGet} },
		Observer: func(*resource, *session.Session) reconcile.Observer[*resource] {
			return (&external{kind: k, api: &api{env: &x.env, leader: leader}}).resource()
		},
	}
}

// unlimited has no quotas, and a config that always exists.
type unlimited struct{}

func (unlimited) Resolve(context.Context, xpresource.ModernManaged, string) (*session.Session, error) {
	return &session.Session{}, nil
}
func (unlimited) Track(context.Context, xpresource.ModernManaged) error      { return nil }
func (unlimited) Untrack(context.Context, xpresource.ModernManaged) error    { return nil }
func (unlimited) Drop(context.Context, xpresource.ModernManaged) error       { return nil }
func (unlimited) Reserve(quota.Scope, quota.Caller, ...string) time.Duration { return 0 }
func (unlimited) Release(quota.Scope, string)                                {}
func (unlimited) Forget(quota.Scope, string)                                 {}

// manager has the clients of a process.
type manager struct {
	ctrl.Manager // Nil: a reconciler needs nothing else of it.

	client *kubeClient
	live   *liveReader
}

func (m *manager) GetClient() client.Client    { return m.client }
func (m *manager) GetAPIReader() client.Reader { return m.live }
func (m *manager) GetScheme() *runtime.Scheme  { return m.client.scheme }

// initial returns the initial state of a scenario.
func (x *explorer) initial(faults, changes int8) state {
	s := state{incarnation: 1, faults: faults, changes: changes}
	mg := newResource(1)
	if x.env.imports {
		meta.SetExternalName(mg, nameOf(1))
		made := item{id: 1, origin: someone, owner: someone, value: valueElse, secret: valueElse}
		if !x.env.scenario.kind.Tagged {
			made.owner = 0
		}
		mg.Annotations[v1beta1.AnnotationAdopt] = "true"
		s.aws.now.add(made)
		s.aws.ids = 1
	}
	s.aws.before = s.aws.now
	s.aws.changed = shownWithin + 1
	s.object = version{object: x.object(mg), rv: 1}
	s.cache = [2]version{s.object, s.object}
	return s
}

func newResource(incarnation int8) *resource {
	return &resource{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, UID: types.UID(uidOf(incarnation)), Generation: 1,
			CreationTimestamp: metav1.Time{Time: epoch}, Annotations: map[string]string{},
		},
		Spec: samples.SampleSpec{
			Value: value(1), Secret: secret(1),
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ManagementPolicies: xpv2.ManagementPolicies{
				xpv2.ManagementActionAll,
			}},
		},
	}
}

// A step is a transition that was run.
type step struct {
	label label
	to    state

	// calls that the leader made, and whether the transition changed anything.
	calls []call
	wrote bool

	violations []string
}

// take runs a transition from a state.
func (x *explorer) take(s state, l label) step {
	e := &x.env
	if l.reconciles() {
		s = x.pass(s, s.due[l.leader])
		if !l.stale {
			s.cache[l.leader] = s.object
		}
	}
	*e = env{
		scenario: e.scenario, store: store{version: s.object, last: s.last()}, cache: s.cache, aws: s.aws,
		acting: int(l.leader), fault: l.fault, at: int(l.at),
	}
	last := e.store.last
	if !l.reconciles() {
		x.move(&s, l.move)
	} else {
		if l.fault == between {
			e.move = func() { x.move(&s, l.move) }
		}
		x.reconcile(&s, int(l.leader))
		if e.crashed {
			x.restart(&s, int(l.leader))
		}
	}
	e.check()
	wrote := e.store.last != last || e.aws.now != s.aws.now
	s.object = version{object: x.normal(e.store.object), rv: e.store.rv}
	for i := range s.cache {
		s.cache[i] = version{object: x.normal(e.cache[i].object), rv: e.cache[i].rv}
	}
	s.aws = e.aws
	switch {
	case l.fault == between && l.move != reconcileOther:
		s.changes--
	case l.fault != none, l.move == restart1, l.move == restart2:
		s.faults--
	case l.move != noMove:
		s.changes--
	}
	return step{label: l, to: renumbered(s), calls: e.calls, wrote: wrote, violations: e.violations}
}

// normal returns the object in the form that states have.
func (x *explorer) normal(mg *resource) *resource {
	if mg == nil {
		return nil
	}
	return x.object(later(mg, 0))
}

// reconcile runs a reconcile of a leader.
func (x *explorer) reconcile(s *state, leader int) {
	p := x.procs[leader]
	p.remember(s.memory[leader], s.written[leader], s.stale[leader])
	res, err := p.Reconcile(context.Background(), ctrlreconcile.Request{NamespacedName: key})
	if err != nil {
		x.env.violatef("a reconcile returns an error, for which the queue decides when to come back: %v", err)
	}
	m, written, stale := p.memory(0)
	s.memory[leader], s.written[leader], s.stale[leader] = x.memory(m), written, stale
	s.due[leader] = int32(math.Ceil(res.RequeueAfter.Seconds()))
}

func (x *explorer) restart(s *state, leader int) {
	s.memory[leader], s.written[leader], s.stale[leader], s.due[leader] = nil, 0, false, 0
}

// moveable reports whether a move is possible in a state.
func (x *explorer) moveable(s *state, m move) bool {
	mg, k := s.object.object, x.env.scenario.kind
	live := mg != nil && mg.DeletionTimestamp == nil
	ours := false
	for _, i := range s.aws.now {
		ours = ours || i.ours() && i.owner != 0
	}
	switch m {
	case restart1, restart2:
		return s.faults > 0 && s.memory[m-restart1] != nil
	case reconcileOther:
		return s.faults > 0
	case editValue, editSecret:
		return s.changes > 0 && live && !x.doubtful(s)
	case deleteObject:
		return s.changes > 0 && live
	case createAgain:
		return s.changes > 0 && mg == nil && s.incarnation == 1
	case handValue, handSecret:
		return s.changes > 0 && x.item(s) != nil && !x.doubtful(s)
	case handDelete:
		return s.changes > 0 && x.item(s) != nil
	case handUntag:
		// Before the name is written, only tags identify the result of an unanswered create.
		return s.changes > 0 && k.Tagged && ours && mg != nil && ownership.WroteName(mg)
	case foreign:
		// An untagged item with the name of ours counts as ours.
		known := mg != nil && !k.Tagged && ownership.WrittenName(mg) != ""
		return s.changes > 0 && !k.NameGiven && s.aws.now.find(1) == nil && !known
	case noMove, moves:
	}
	return false
}

// doubtful reports whether the result of an unanswered create is only identified by its
// settings, so that a change of either makes it foreign.
func (x *explorer) doubtful(s *state) bool {
	return !x.env.scenario.kind.Tagged && x.item(s) != nil && s.object.object != nil &&
		ownership.WrittenName(s.object.object) == ""
}

// item returns our item in AWS, or nil.
func (x *explorer) item(s *state) *item {
	for n := range s.aws.now {
		if s.aws.now[n].ours() {
			return &s.aws.now[n]
		}
	}
	return nil
}

// move makes a move in a state.
func (x *explorer) move(s *state, m move) {
	e := &x.env
	switch m {
	case reconcileOther:
		other := 1 - e.acting
		e.cache[other] = e.store.version
		x.reconcile(s, other)
		return
	case restart1, restart2:
		x.restart(s, int(m-restart1))
		return
	case editValue, editSecret, deleteObject, createAgain:
		x.edit(s, m)
	case handValue, handSecret, handUntag, handDelete:
		for _, i := range e.aws.now {
			if i.ours() {
				e.aws.change(func(a *account) { byHand(a, i.id, m) })
				break
			}
		}
	case foreign:
		made := item{id: 1, origin: someone, owner: someone, value: valueElse, secret: valueElse}
		if !e.scenario.kind.Tagged {
			made.owner = 0
		}
		if e.aws.now.find(1) == nil {
			e.aws.change(func(a *account) { a.add(made) })
		}
	case noMove, moves:
	}
}

func byHand(a *account, id int8, m move) {
	switch i := a.find(id); m {
	case handValue:
		i.value = valueElse
	case handSecret:
		i.secret = valueElse
	case handUntag:
		i.owner = 0
	default:
		a.remove(id)
	}
}

// edit edits the object as a user. Both leaders are woken.
func (x *explorer) edit(s *state, m move) {
	e := &x.env
	s.due = [2]int32{}
	if m == createAgain {
		s.incarnation++
		e.store.put(newResource(s.incarnation))
		return
	}
	if e.store.object == nil {
		return
	}
	mg := e.store.copy()
	mg.SetResourceVersion("")
	mg.Generation++
	switch m {
	case editValue:
		mg.Spec.Value = value(3 - number(mg.Spec.Value))
	case editSecret:
		mg.Spec.Secret = secret(3 - number(mg.Spec.Secret))
	default:
		mg.DeletionTimestamp = &metav1.Time{Time: epoch}
	}
	e.store.put(mg)
}

// steps returns all transitions from a state. The first one is that of leader 1 without
// faults.
func (x *explorer) steps(s state) []step {
	var out []step
	for l := range uint8(2) {
		for _, stale := range []bool{false, true} {
			if stale && s.cache[l].rv == s.object.rv {
				continue
			}
			base := x.take(s, label{leader: l, stale: stale})
			out = append(out, base)
			out = x.faulty(s, base, out)
		}
	}
	for m := restart1; m < moves; m++ {
		if x.moveable(&s, m) {
			out = append(out, x.take(s, label{move: m}))
		}
	}
	return out
}

// faulty returns the variants of a reconcile with a fault or a move at one of its calls.
func (x *explorer) faulty(s state, base step, out []step) []step {
	begun := x.pass(s, s.due[base.label.leader])
	for n, c := range base.calls {
		at := base.label
		at.at = uint8(n + 1) //nolint:gosec // There are few calls.
		if s.faults > 0 {
			for _, f := range c.faults(begun.aws.late()) {
				at.fault = f
				out = append(out, x.take(s, at))
			}
		}
		at.fault = between
		for m := reconcileOther; m < moves; m++ {
			// What happens before the first call is a separate transition.
			if m == restart1 || m == restart2 || m == createAgain || n == 0 || !x.moveable(&begun, m) {
				continue
			}
			at.move = m
			out = append(out, x.take(s, at))
		}
		at.move = noMove
	}
	return out
}

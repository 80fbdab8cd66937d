package testenv

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	// lateWithin is the number of seconds within which a resource has to be Ready, or deleted.
	lateWithin = 300

	// lateSteady is the number of further seconds for which it is reconciled.
	lateSteady = 60

	// lateRefused is the maximum number of creates that AWS rejects because the resource already exists, or because AWS
	// still sees an earlier state.
	lateRefused = 5

	// lateUpdates is the maximum number of times that AWS accepts the same update until reads show it. An update that
	// replaces a statement makes two.
	lateUpdates = 4

	// lateDeletes is the maximum number of times that a resource is deleted until reads no longer return it.
	lateDeletes = 6

	// lateErrors is the maximum number of reconciles that fail in each part of a lifecycle.
	lateErrors = 3
)

// A Lifecycle is the sequence of changes that AtEveryLateness makes.
type Lifecycle[T reconcile.Managed] struct {
	*Env[T]

	// Resource to create, to edit and to delete.
	Resource T

	// Create and Delete are the AWS operations that create and delete it. Delete is empty if nothing in AWS is deleted.
	Create, Delete string

	// Edit edits the spec, or an object that it references. If the resource changes, its generation is increased.
	Edit func()

	// Publishes says that the edit creates a new object in AWS and keeps the old one: it must do so exactly once.
	Publishes bool

	// Sets says that the create sets a setting that always exists, so that it is an update too.
	Sets bool

	// Lost drops the response to the create.
	Lost bool

	// There returns what AWS has of the resource, as texts that distinguish its states, and the others are what it
	// has after the creation, after the edit and after the deletion.
	There                     func() []string
	Created, Edited, Leftover []string
}

// AtEveryLateness creates, edits and deletes a resource while reads of AWS lag, in each of several ways, and
// reconciles it each second. Nothing may be created twice, sent without bound, taken over by another owner, or left
// behind. newCase returns a new lifecycle.
func AtEveryLateness[T reconcile.Managed](t *testing.T, newCase func(testing.TB) Lifecycle[T]) {
	t.Helper()
	const late, later = 5 * time.Second, 30 * time.Second
	for name, c := range map[string]awsdouble.Consistency{
		"All":       {Reads: late, Tags: late},
		"Alternate": {Reads: late, Alternate: true},
		"Tags":      {Tags: later},
	} {
		t.Run(name, func(t *testing.T) {
			l := newCase(t)
			l.Double.SetConsistency(c)
			l.run()
		})
		t.Run(name+"DeletedAfterALostAnswer", func(t *testing.T) {
			l := newCase(t)
			l.Double.SetConsistency(c)
			l.deleteUnanswered()
		})
	}
}

func (l Lifecycle[T]) run() {
	l.Helper()
	mg := l.Resource
	mg.SetCreationTimestamp(metav1.NewTime(l.Now()))
	if l.Lost {
		l.Lose(mg, l.Create)
	}
	calls := l.pass("creation", mg, Converged)
	if n := calls[l.Create]; !l.Lost {
		l.once("creation", calls)
	} else if n.accepted+n.refused > 0 {
		l.Errorf("creation: %s was called again %d times after its answer was lost", l.Create, n.accepted+n.refused)
	}
	l.has("creation", l.Created)

	l.edit()
	calls = l.pass("edit", mg, Converged)
	if l.Publishes {
		l.once("edit", calls)
	}
	l.has("edit", l.Edited)

	l.Remove(mg)
	calls = l.pass("deletion", mg, Gone)
	if n := calls[l.Delete]; l.Delete != "" && (n.accepted == 0 || n.accepted+n.refused > lateDeletes) {
		l.Errorf("%s was called %d times", l.Delete, n.accepted+n.refused)
	}
	l.has("deletion", l.Leftover)
}

// deleteUnanswered deletes the resource after a create whose answer was lost.
func (l Lifecycle[T]) deleteUnanswered() {
	l.Helper()
	if l.Create == l.Delete || l.There == nil { // Nothing in AWS is created.
		return
	}
	before := l.There()
	l.Resource.SetCreationTimestamp(metav1.NewTime(l.Now()))
	l.Double.Fail(awsdouble.Fault{Operation: l.Create, Drop: awsdouble.DropAfter, Times: -1})
	for err, seconds := error(nil), 0; err == nil && seconds < lateWithin; seconds++ {
		l.Advance(time.Second)
		_, err = l.Do(l.Resource)
	}
	l.Double.ClearFaults()
	l.Remove(l.Resource)
	l.pass("deletion", l.Resource, Gone)
	l.has("deletion", before)
}

// edit edits the resource and counts its generation, as the API server does.
func (l Lifecycle[T]) edit() {
	before := l.Resource.DeepCopyObject()
	if l.Edit(); !reflect.DeepEqual(before, l.Resource) {
		l.Resource.SetGeneration(l.Resource.GetGeneration() + 1)
	}
}

// once reports whether a resource was created exactly once.
func (l Lifecycle[T]) once(part string, calls map[string]called) {
	l.Helper()
	if n := calls[l.Create]; n.accepted != 1 && !l.Sets || n.refused > lateRefused {
		l.Errorf("%s: AWS accepted %s %d times and refused it %d times, want once", part, l.Create, n.accepted,
			n.refused)
	}
}

// has checks that AWS has the expected state.
func (l Lifecycle[T]) has(part string, want []string) {
	l.Helper()
	if l.There == nil {
		return
	}
	if diff := cmp.Diff(want, l.There()); diff != "" {
		l.Errorf("%s: AWS has: -want, +got:\n%s", part, diff)
	}
}

// called counts the calls of an operation that were accepted and rejected.
type called struct{ accepted, refused int }

// pass reconciles a resource each second until it reaches the end, and for a while after. It returns how often each
// operation was called.
func (l Lifecycle[T]) pass(part string, mg T, end Outcome) map[string]called {
	l.Helper()
	before, steady, failed := len(l.Double.Calls()), 0, []string{}
	var last Outcome
	for second := 0; steady < lateSteady; second++ {
		if second > lateWithin {
			l.Fatalf("%s: after %d seconds, it is %s: %+v; calls %v; errors %v", part, second, last,
				mg.GetCondition(xpv2.TypeReady), count(l.Double.Calls()[before:]), failed)
		}
		l.Advance(time.Second)
		o, t, err := l.reconcile(mg)
		last = o
		if err != nil {
			failed = append(failed, err.Error())
		}
		l.owned(part, t.events)
		switch {
		case o == Gone:
			l.Advance(lateSteady * time.Second)
			steady = lateSteady
		case err == nil && o == end:
			steady++
		default:
			steady = 0
		}
	}
	if len(failed) > lateErrors {
		l.Errorf("%s: %d reconciles failed: %v", part, len(failed), slices.Compact(failed))
	}
	calls := count(l.Double.Calls()[before:])
	for op, n := range calls {
		if n.accepted > lateUpdates && op != l.Delete {
			l.Errorf("%s: AWS accepted %s %d times", part, op, n.accepted)
		}
	}
	return calls
}

// owned checks that a resource's own external resource was never reported as another's, or as lost.
func (l Lifecycle[T]) owned(part string, events []event.Event) {
	l.Helper()
	for _, e := range events {
		if slices.Contains([]event.Reason{
			v1beta1.EventAdopted, v1beta1.EventLeftForeignResource,
			v1beta1.EventRecreating,
		}, e.Reason) {
			l.Errorf("%s: %s: %s", part, e.Reason, e.Message)
		}
	}
}

// count counts the calls that may change something, by operation.
func count(calls []awsdouble.Call) map[string]called {
	out := map[string]called{}
	for _, c := range calls {
		n := out[c.Operation]
		switch {
		case reads(c.Operation):
			continue
		case c.ErrorCode == "":
			n.accepted++
		default:
			n.refused++
		}
		out[c.Operation] = n
	}
	return out
}

// Mentioned returns the words that a text contains, each as often as it contains it.
func Mentioned(text string, words ...string) []string {
	var out []string
	for _, w := range words {
		out = append(out, slices.Repeat([]string{w}, strings.Count(text, w))...)
	}
	return out
}

package testenv

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// turns is the number of turns of a history.
const turns = 14

var histories = flag.Uint64("testenv.histories", 40, "number of random histories of a resource")

// A History is a random history of one resource: changes of its spec and of what is in AWS, calls that fail or whose
// answers are lost, reads that report wrongly that it does not exist, status that cannot be written, and restarts.
type History[T reconcile.Managed] struct {
	*Env[T]

	// Draw draws what happens.
	Draw *rand.Rand

	// Resource is the resource.
	Resource T

	// Calls are the operations that fail at times. The first one reads the resource.
	Calls []string

	// Changes change spec, or what is in AWS, and return what they did.
	Changes []func() string

	// End checks AWS after the resource has converged, and Gone after it was deleted.
	End, Gone func()

	// Seen reports whether the last reconcile found that AWS has what spec asks for, and has stored that.
	Seen bool

	// wrong reports whether no reconcile has found the resource since AWS has reported wrongly that it does not exist.
	wrong bool

	// said are the lines about what has happened.
	said []string
}

// RandomHistories runs random histories of a resource, as many as the flag testenv.histories says.
func RandomHistories[T reconcile.Managed](t *testing.T, newCase func(t testing.TB, draw *rand.Rand) *History[T]) {
	t.Helper()
	for seed := range *histories {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newCase(t, rand.New(rand.NewPCG(seed, 0))) //nolint:gosec // It is to be repeatable.
			defer func() {
				if t.Failed() {
					t.Log(strings.Join(h.said, "\n"))
				}
			}()
			h.run()
		})
	}
}

func (h *History[T]) run() {
	for range turns {
		h.turn()
		h.Advance(time.Duration(1+h.Draw.IntN(40)) * time.Second)
	}
	h.say("no more faults")
	for range turns {
		h.Advance(time.Hour)
		h.reconcile()
	}
	h.Converge(h.Resource)
	h.End()
	h.Remove(h.Resource)
	for range turns {
		if h.disturbed(h.Draw.IntN(reconciles)) == Gone {
			h.Gone()
			return
		}
		h.Advance(time.Duration(1+h.Draw.IntN(40)) * time.Second)
	}
	h.Converge(h.Resource)
	h.Gone()
}

// reconciles is the number of cases of disturbed.
const reconciles = 8

// turn does one of the changes, or a reconcile: often as it should be, at times with a fault.
func (h *History[T]) turn() {
	i := h.Draw.IntN(len(h.Changes) + reconciles)
	if i < reconciles {
		h.disturbed(i)
		return
	}
	h.say(h.Changes[i-reconciles]())
	h.Resource.SetGeneration(h.Resource.GetGeneration() + 1)
}

// disturbed does one reconcile, in some cases with a fault, and returns its outcome.
func (h *History[T]) disturbed(i int) Outcome {
	switch i {
	case 0:
		return h.reconcile(awsdouble.Fault{Drop: awsdouble.DropAfter})
	case 1:
		return h.reconcile(awsdouble.Fault{Error: awsdouble.ServiceFailure()})
	case 2:
		status := reflect.ValueOf(h.Resource).Elem().FieldByName("Status")
		before := reflect.ValueOf(h.Resource.DeepCopyObject()).Elem().FieldByName("Status")
		o := h.reconcile()
		status.Set(before)
		h.Seen = false
		h.say("status is not written")
		return o
	case 3: //nolint:mnd // The next case.
		h.repeats = nil
		h.say("the provider starts again")
	case 4: //nolint:mnd // The next case.
		if !h.wrong { // A second wrong report in a row would be believed.
			h.wrong = true
			return h.reconcile(awsdouble.Fault{
				Operation: h.Calls[0], Times: 1, Answer: Refusal(http.StatusNotFound, "ResourceNotFoundException"),
			})
		}
	}
	return h.reconcile()
}

// reconcile does one reconcile. A fault without an operation is one of all calls of a random operation.
func (h *History[T]) reconcile(faults ...awsdouble.Fault) Outcome {
	for _, f := range faults {
		if f.Operation == "" {
			f.Operation, f.Times = h.Calls[h.Draw.IntN(len(h.Calls))], -1
		}
		h.say(f.Operation + " fails")
		h.Double.Fail(f)
	}
	before := len(h.Operations())
	o, err := h.Do(h.Resource)
	h.Double.ClearFaults()
	h.Seen = o == Converged
	if len(faults) == 0 && (o == Created || o == Updated || o == Deleted) {
		h.wrong = false
	}
	h.say(fmt.Sprintf("%s %v: %v", o, h.Operations()[before:], err))
	return o
}

func (h *History[T]) say(what string) { h.said = append(h.said, what) }

// ByHand returns a change that someone makes in AWS to what the resource has there. It is made once after each
// reconcile that has seen AWS as spec asks for.
func (h *History[T]) ByHand(change func() string) func() string {
	return func() string {
		if !h.Seen {
			return "nothing"
		}
		h.Seen = false
		return change()
	}
}

package testenv

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// turns is the number of turns of a history.
const turns = 20

var histories = flag.Uint64("testenv.histories", 40, "number of random histories of a resource")

// A History is a random history of one resource: changes of its spec, also back to an earlier one, changes in AWS, also
// between the reads and the call of a reconcile, calls that fail or whose answers are lost, reads that lag or report
// wrongly that it does not exist, status that cannot be written, and a provider that ends in the middle of a reconcile.
type History[T reconcile.Managed] struct {
	*Env[T]

	// Draw draws what happens.
	Draw *rand.Rand

	// Resource is the resource.
	Resource T

	// Calls are the operations that fail at times. The first one reads the resource.
	Calls []string

	// Changes change spec, or what is in AWS, and return what they did. They have to expect that reads lag.
	Changes []func() string

	// Between are changes that someone makes in AWS between the reads and the call of a reconcile.
	Between []func() string

	// Calm ends what keeps the resource from converging. It may be nil.
	Calm func()

	// End checks AWS after the resource has converged, and Gone after it was deleted. They take what is asked for from
	// spec only, since it may be an earlier one.
	End, Gone func()

	// Restart drops what the provider has in memory. It may be nil.
	Restart func()

	// Seen reports whether the last reconcile found that AWS has what spec asks for, and has stored that.
	Seen bool

	// wrong reports whether no reconcile has found the resource since AWS has reported wrongly that it does not exist.
	wrong bool

	// earlier is an earlier spec, and lag is how reads lag.
	earlier *reflect.Value
	lag     awsdouble.Consistency

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
	before := reflect.ValueOf(h.Resource.DeepCopyObject()).Elem().FieldByName("Spec")
	h.earlier = &before
	for range turns {
		h.turn()
		h.Advance(h.step())
	}
	h.say("no more faults")
	h.Double.SetConsistency(awsdouble.Consistency{})
	if h.Calm != nil {
		h.Calm()
	}
	for range turns {
		h.Advance(time.Hour)
		h.reconcile()
	}
	h.Converge(h.Resource)
	h.End()
	h.Remove(h.Resource)
	for range turns {
		if h.disturbed(h.Draw.IntN(reconciles)) == Gone {
			h.Double.SetConsistency(awsdouble.Consistency{})
			h.Gone()
			return
		}
		h.Advance(h.step())
	}
	h.Double.SetConsistency(awsdouble.Consistency{})
	h.Converge(h.Resource)
	h.Gone()
}

// step returns the time until the next turn.
func (h *History[T]) step() time.Duration {
	if h.lag != (awsdouble.Consistency{}) {
		return time.Duration(1+h.Draw.IntN(4)) * time.Second
	}
	return time.Duration(1+h.Draw.IntN(40)) * time.Second
}

// reconciles is the number of cases of disturbed.
const reconciles = 16

// turn does one of the changes, or a reconcile: often as it should be, at times with a fault.
func (h *History[T]) turn() {
	i := h.Draw.IntN(len(h.Changes) + 1 + reconciles)
	switch {
	case i < reconciles:
		h.disturbed(i)
		return
	case i < reconciles+len(h.Changes):
		h.say(h.Changes[i-reconciles]())
	default:
		spec := h.field("Spec")
		before := reflect.ValueOf(h.Resource.DeepCopyObject()).Elem().FieldByName("Spec")
		spec.Set(*h.earlier)
		h.earlier = &before
		h.say("the spec is an earlier one")
	}
	h.Resource.SetGeneration(h.Resource.GetGeneration() + 1)
}

// field returns a field of the resource.
func (h *History[T]) field(name string) reflect.Value {
	return reflect.ValueOf(h.Resource).Elem().FieldByName(name)
}

// disturbed does one reconcile, in some cases with a fault, and returns its outcome.
func (h *History[T]) disturbed(i int) Outcome {
	failure := []awsdouble.Error{
		awsdouble.ServiceFailure(), awsdouble.Throttle(),
		{Status: http.StatusConflict, Code: "ResourceConflictException", Message: "An update is in progress."},
		{Status: http.StatusBadRequest, Code: "InvalidParameterValueException", Message: "No."},
	}[h.Draw.IntN(4)]
	switch i {
	case 0:
		return h.reconcile(awsdouble.Fault{Drop: awsdouble.DropAfter})
	case 1:
		return h.reconcile(awsdouble.Fault{Error: failure})
	case 2:
		before := h.Resource.DeepCopyObject()
		o := h.reconcile()
		h.restore(before, "Status")
		h.say("status is not written")
		return o
	case 3: //nolint:mnd // The next case.
		h.restart()
	case 4: //nolint:mnd // The next case.
		if !h.wrong && h.lag.Reads == 0 { // A second wrong report in a row would be believed.
			h.wrong = true
			return h.reconcile(awsdouble.Fault{
				Operation: h.Calls[0], Times: 1, Answer: Refusal(http.StatusNotFound, "ResourceNotFoundException"),
			})
		}
	case 5: //nolint:mnd // The next case.
		h.say("from the second call on, ...")
		as := func(status int, body []byte) (int, []byte) { return status, body }
		op := h.Calls[h.Draw.IntN(len(h.Calls))]
		return h.reconcile(
			awsdouble.Fault{Operation: op, Times: 1, Answer: as},
			awsdouble.Fault{Operation: op, Times: -1, Error: failure},
		)
	case 6: //nolint:mnd // The next case.
		return h.dies()
	case 7: //nolint:mnd // The next case.
		h.lag = [...]awsdouble.Consistency{
			{}, {Reads: lag, Tags: lag}, {Reads: lag, Alternate: true}, {Tags: lag},
		}[h.Draw.IntN(4)]
		h.Double.SetConsistency(h.lag)
		h.say(fmt.Sprintf("%+v", h.lag))
	case 8, 9: //nolint:mnd // The next cases.
		if n := len(h.Between); n > 0 {
			h.between = func() { h.say("between the reads and the call, " + h.Between[h.Draw.IntN(n)]()) }
			defer func() { h.between, h.Seen = nil, false }()
		}
	}
	return h.reconcile()
}

// lag is the delay of reads that lag.
const lag = 5 * time.Second

func (h *History[T]) restart() {
	h.repeats, h.Cache = nil, &readcache.Cache{}
	if h.Restart != nil {
		h.Restart()
	}
	h.say("the provider starts again")
}

// restore sets fields of the resource to their earlier values.
func (h *History[T]) restore(from any, fields ...string) {
	for _, f := range fields {
		h.field(f).Set(reflect.ValueOf(from).Elem().FieldByName(f))
	}
	h.Seen = false
}

// dies does a reconcile in which the provider ends after some writes of annotations, and starts again.
func (h *History[T]) dies() Outcome {
	w := &dying{left: h.Draw.IntN(3), written: h.Resource.GetAnnotations()}
	w.written = maps.Clone(w.written)
	before, writer := h.Resource.DeepCopyObject(), h.Annotations
	h.Annotations = w
	o := h.reconcile()
	h.Annotations = writer
	h.restore(before, "Status")
	h.Resource.SetAnnotations(w.written)
	h.restart()
	return o
}

// A dying is an AnnotationWriter that writes so many times.
type dying struct {
	left    int
	written map[string]string
}

// Annotate writes annotations.
func (w *dying) Annotate(_ context.Context, obj client.Object, annotations map[string]string) error {
	if w.left--; w.left < 0 {
		return errors.New("the provider has ended")
	}
	meta.AddAnnotations(obj, annotations)
	w.written = maps.Clone(obj.GetAnnotations())
	return nil
}

// AnnotateIfUnchanged writes annotations.
func (w *dying) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	return w.Annotate(ctx, obj, annotations)
}

// Reconciles does so many reconciles without faults, a few seconds apart.
func (h *History[T]) Reconciles(n int) {
	for range n {
		h.reconcile()
		h.Advance(5 * time.Second) //nolint:mnd // See above.
	}
}

// reconcile does one reconcile. A fault without an operation is one of all calls of a random operation.
func (h *History[T]) reconcile(faults ...awsdouble.Fault) Outcome {
	for _, f := range faults {
		if f.Operation == "" {
			f.Operation, f.Times = h.Calls[h.Draw.IntN(len(h.Calls))], -1
		}
		h.say(fmt.Sprintf("%s fails %d times: %s", f.Operation, f.Times, f.Error.Code))
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

// ByHand returns a change that someone makes in AWS to what the resource has there, also between the reads and the call
// of a reconcile. It is made once after each reconcile that has seen AWS as spec asks for.
func (h *History[T]) ByHand(change func() string) func() string {
	made := func() string {
		if !h.Seen {
			return "nothing"
		}
		h.Seen = false
		return change()
	}
	h.Between = append(h.Between, made)
	return made
}

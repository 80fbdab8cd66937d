package explore

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// target of a call.
type target uint8

// Targets of calls.
const (
	callRead target = iota
	callWrite
	callKubeRead
	callKubeWrite
)

// A call is one that a process makes.
type call struct {
	op string
	of target
}

func (c call) kube() bool { return c.of == callKubeRead || c.of == callKubeWrite }

// failed is the error of a call that had no effect.
func (c call) failed() error {
	if c.kube() {
		return errAPIServer
	}
	return errServer
}

// lost is the error of a call without an answer.
func (c call) lost() error {
	if c.kube() {
		return errAPILost
	}
	return errReset
}

// A fault is what goes wrong at one call of a reconcile, or happens just before it.
type fault uint8

// Faults.
const (
	none fault = iota
	// crash ends the process before the call.
	crash
	// fail is an error without effect.
	fail
	// lost is an effect without an answer.
	lost
	// down has this call of the Kubernetes API and all further ones fail; lostDown, too,
	// but this one has its effect.
	down
	lostDown
	// throttle and busy are answers of AWS.
	throttle
	busy
	// late is a read of AWS that shows what was there before the last change.
	late
	// between is a move that happens just before the call.
	between
)

var faultNames = [...]string{"", "crash before", "failure of", "lost answer of", "API server away from", "API server away from just after", "throttling of", "conflict on", "late answer of", "before"}

// faults that a call may meet.
func (c call) faults(lateRead bool) []fault {
	switch {
	case c.of == callKubeWrite:
		return []fault{crash, fail, lost, down, lostDown}
	case c.of == callKubeRead:
		return []fault{crash, fail}
	case c.of == callWrite:
		return []fault{crash, fail, lost, throttle, busy}
	case lateRead:
		return []fault{crash, fail, throttle, late}
	}
	return []fault{crash, fail, throttle}
}

// world is what the two processes and all others act on during a transition.
type world struct {
	scenario

	store store
	cache [2]version
	aws   aws

	// acting is the leader whose reconcile the transition is, at the call from 1 at which
	// the fault occurs, and calls those that it has made.
	acting  int
	fault   fault
	at      int
	move    func()
	calls   []call
	crashed bool
	away    bool

	violations []string
}

// call of a leader. effect is what the API does.
func (w *world) call(leader int, c call, effect func(late bool) error) error {
	if leader != w.acting {
		return effect(false)
	}
	w.calls = append(w.calls, c)
	switch {
	case w.crashed:
		return c.failed()
	case w.away && c.kube():
		return errAPIServer
	case len(w.calls) != w.at:
		return effect(false)
	}
	switch w.fault {
	case crash:
		w.crashed = true
		return c.failed()
	case down:
		w.away = true
		return c.failed()
	case lost, lostDown:
		w.away = w.fault == lostDown
		_ = effect(false)
		return c.lost()
	case fail:
		return c.failed()
	case throttle:
		return errThrottle
	case busy:
		return errBusy
	case between:
		w.move()
	case none, late:
	}
	return effect(w.fault == late)
}

func (w *world) violatef(format string, args ...any) {
	w.violations = append(w.violations, fmt.Sprintf(format, args...))
}

// check the invariants.
func (w *world) check() {
	ours := 0
	for _, i := range w.aws.now {
		if i.ours() {
			ours++
		}
	}
	if ours > 1 {
		w.violatef("%d things of ours are in AWS: %v", ours, w.aws.now)
	}
	if ours > 0 && w.store.object == nil {
		w.violatef("the object is gone, and what it had in AWS is left behind: %v", w.aws.now)
	}
}

func (w *world) searchSecrets(where, text string) {
	if strings.Contains(text, secretPrefix) {
		w.violatef("a secret is in %s: %s", where, text)
	}
}

// searchSecretsOf what is written into the status.
func (w *world) searchSecretsOf(mg *resource) {
	w.searchSecrets("the status", mg.Status.Value)
	for _, c := range mg.Status.Conditions {
		w.searchSecrets("a condition", c.Message)
	}
}

// recorder of events, which searches them for secrets.
type recorder struct{ world *world }

func (r *recorder) Event(_ runtime.Object, e event.Event) {
	r.world.searchSecrets("an event", e.Message)
}

func (r *recorder) WithAnnotations(kv ...string) event.Recorder {
	r.world.searchSecrets("an event's annotations", strings.Join(kv, " "))
	return r
}

// logger searches what is logged, at all levels, for secrets.
type logger struct{ world *world }

func (l *logger) Info(msg string, kv ...any)  { l.search(msg, kv...) }
func (l *logger) Debug(msg string, kv ...any) { l.search(msg, kv...) }

func (l *logger) WithValues(kv ...any) logging.Logger {
	l.search("", kv...)
	return l
}

func (l *logger) search(msg string, kv ...any) {
	l.world.searchSecrets("the log", msg)
	for _, v := range kv {
		switch v := v.(type) {
		case string:
			l.world.searchSecrets("the log", v)
		case error:
			l.world.searchSecrets("the log", v.Error())
		default:
			l.world.searchSecrets("the log", fmt.Sprint(v))
		}
	}
}

package explore

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// target is the target of a call.
type target uint8

// Targets of calls.
const (
	callRead target = iota
	callWrite
	callKubeRead
	callKubeWrite
)

// A call is a call of a process.
type call struct {
	op string
	of target
}

func (c call) kube() bool { return c.of == callKubeRead || c.of == callKubeWrite }

// failed returns the error of a call that had no effect.
func (c call) failed() error {
	if c.kube() {
		return errAPIServer
	}
	return errServer
}

// lost returns the error of a call without a response.
func (c call) lost() error {
	if c.kube() {
		return errAPILost
	}
	return errReset
}

// A fault is a fault at one call of a reconcile, or a change just before it.
type fault uint8

// Faults.
const (
	none fault = iota
	// crash ends the process before the call.
	crash
	// fail is an error without effect.
	fail
	// lost is an effect without a response.
	lost
	// down fails this call of the Kubernetes API and all further ones; lostDown does, too, but
	// this one has its effect.
	down
	lostDown
	// throttle and busy are errors of AWS.
	throttle
	busy
	// late is a read of AWS that shows the state before the last change.
	late
	// between is a move that happens just before the call.
	between
)

var faultNames = [...]string{
	"", "crash before", "failure of", "lost answer of", "API server away from",
	"API server away from just after", "throttling of", "conflict on", "late answer of", "before",
}

// faults returns the faults that a call may have.
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

// env is what the two processes and all others change during a transition.
type env struct {
	scenario

	store store
	cache [2]version
	aws   aws

	// acting is the leader that reconciles, at is the call from 1 at which the fault occurs,
	// and calls are those that it has made.
	acting  int
	fault   fault
	at      int
	move    func()
	calls   []call
	crashed bool
	away    bool

	violations []string
}

// call makes a call of a leader. effect is what the API does.
func (e *env) call(leader int, c call, effect func(late bool) error) error {
	if leader != e.acting {
		return effect(false)
	}
	e.calls = append(e.calls, c)
	switch {
	case e.crashed:
		return c.failed()
	case e.away && c.kube():
		return errAPIServer
	case len(e.calls) != e.at:
		return effect(false)
	}
	switch e.fault {
	case crash:
		e.crashed = true
		return c.failed()
	case down:
		e.away = true
		return c.failed()
	case lost, lostDown:
		e.away = e.fault == lostDown
		_ = effect(false)
		return c.lost()
	case fail:
		return c.failed()
	case throttle:
		return errThrottle
	case busy:
		return errBusy
	case between:
		e.move()
	case none, late:
	}
	return effect(e.fault == late)
}

func (e *env) violatef(format string, args ...any) {
	e.violations = append(e.violations, fmt.Sprintf(format, args...))
}

// check checks the invariants.
func (e *env) check() {
	ours := 0
	for _, i := range e.aws.now {
		if i.ours() {
			ours++
		}
	}
	if ours > 1 {
		e.violatef("%d things of ours are in AWS: %v", ours, e.aws.now)
	}
	if ours > 0 && e.store.object == nil {
		e.violatef("the object is gone, and what it had in AWS is left behind: %v", e.aws.now)
	}
}

func (e *env) searchSecrets(where, text string) {
	if strings.Contains(text, secretPrefix) {
		e.violatef("a secret is in %s: %s", where, text)
	}
}

// searchSecretsOf searches what is written into the status for secrets.
func (e *env) searchSecretsOf(mg *resource) {
	e.searchSecrets("the status", mg.Status.Value)
	for _, c := range mg.Status.Conditions {
		e.searchSecrets("a condition", c.Message)
	}
}

// recorder records events and searches them for secrets.
type recorder struct{ env *env }

func (r *recorder) Event(_ runtime.Object, e event.Event) {
	r.env.searchSecrets("an event", e.Message)
}

func (r *recorder) WithAnnotations(kv ...string) event.Recorder {
	r.env.searchSecrets("an event's annotations", strings.Join(kv, " "))
	return r
}

// logger searches what is logged, at all levels, for secrets.
type logger struct{ env *env }

func (l *logger) Info(msg string, kv ...any)  { l.search(msg, kv...) }
func (l *logger) Debug(msg string, kv ...any) { l.search(msg, kv...) }

func (l *logger) WithValues(kv ...any) logging.Logger {
	l.search("", kv...)
	return l
}

func (l *logger) search(msg string, kv ...any) {
	l.env.searchSecrets("the log", msg)
	for _, v := range kv {
		switch v := v.(type) {
		case string:
			l.env.searchSecrets("the log", v)
		case error:
			l.env.searchSecrets("the log", v.Error())
		default:
			l.env.searchSecrets("the log", fmt.Sprint(v))
		}
	}
}

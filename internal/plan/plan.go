// Package plan finds out what the provider would do about resources, without doing it.
//
// A Planner runs the very code that reconciles a kind (engine.Stepper), with AWS clients that record the calls that
// change something instead of making them (dryrun.Account). The account remembers their effect, so the next reconcile
// finds what AWS would have then, until nothing is left to do. What it begins with is what AWS has, or, without a
// connection, what the object in the cluster asks for.
package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
)

// An Action is the action that would be taken for a resource.
type Action string

// The actions.
const (
	// None means that AWS has what spec asks for.
	None Action = "none"

	// Create means that something is created in AWS.
	Create Action = "create"

	// Adopt means that the resource takes over what exists in AWS, and may change it.
	Adopt Action = "adopt"

	// Update means that what exists is changed.
	Update Action = "update"

	// Replace means that what exists is deleted and created again.
	Replace Action = "replace"

	// Delete means that what exists is deleted.
	Delete Action = "delete"

	// Orphan means that the resource is deleted, and that what exists stays in AWS.
	Orphan Action = "orphan"

	// Wait means that nothing is done until something else has happened, which Message says.
	Wait Action = "wait"

	// Reject means that nothing is done, or not all, because of an error, which Message says.
	Reject Action = "reject"
)

// Unknown stands for a value that AWS makes up when the plan is applied.
const Unknown = "(known after apply)"

// A Plan is the action and the calls that would be made for one resource.
type Plan struct {
	// Kind, Namespace and Name of the resource.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`

	Action Action `json:"action"`

	// Calls are the calls of AWS that would be made, in order.
	Calls []dryrun.Call `json:"calls,omitempty"`

	// Changes are the fields that differ.
	Changes diff.Changes `json:"changes,omitempty"`

	// Unknowns are the facts that the plan cannot know.
	Unknowns []string `json:"unknowns,omitempty"`

	// Message is the reason why nothing is done, or not all.
	Message string `json:"message,omitempty"`

	// deferred is the time for which AWS may not be called, if the plan is not complete because of that.
	deferred time.Duration
}

// Differs reports whether anything is done in AWS, or cannot be done.
func (p Plan) Differs() bool { return p.Action != None && p.Action != Orphan || len(p.Calls) > 0 }

// String returns the kind and name.
func (p Plan) String() string {
	if p.Namespace == "" {
		return fmt.Sprintf("%s/%s", p.Kind, p.Name)
	}
	return fmt.Sprintf("%s %s/%s", p.Kind, p.Namespace, p.Name)
}

// Summary returns the plan in one line: the action, the calls, and the fields that differ.
func (p Plan) Summary() string {
	var parts []string
	for _, c := range p.Calls {
		parts = append(parts, c.String())
	}
	out := string(p.Action)
	if len(parts) > 0 {
		out += ": " + strings.Join(parts, ", ")
	}
	if p.Message != "" {
		out += "; " + p.Message
	}
	return out + p.Fields()
}

// Fields returns the fields that differ in parentheses, after a space. It is empty if there are none.
func (p Plan) Fields() string {
	if len(p.Changes) == 0 {
		return ""
	}
	parts := make([]string, 0, len(p.Changes))
	for _, c := range p.Changes {
		parts = append(parts, c.String())
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func action(calls []dryrun.Call, existed, adopted, deleted bool) Action {
	created, removed := false, false
	for _, c := range calls {
		created = created || creates(c.Operation)
		removed = removed || removes(c.Operation)
	}
	switch {
	case deleted && len(calls) > 0:
		return Delete
	case deleted:
		return Orphan
	case existed && created && removed:
		return Replace
	case existed && adopted:
		return Adopt
	case existed && len(calls) > 0:
		return Update
	case len(calls) > 0:
		return Create
	}
	return None
}

// A Summary counts plans by what would be done. Those that leave what exists in AWS are among those of None.
type Summary map[Action]int

// Summarize counts plans.
func Summarize(plans []Plan) Summary {
	s := Summary{Create: 0, Adopt: 0, Update: 0, Replace: 0, Delete: 0, Wait: 0, Reject: 0, None: 0}
	for _, p := range plans {
		if p.Action == Orphan {
			p.Action = None
		}
		s[p.Action]++
	}
	return s
}

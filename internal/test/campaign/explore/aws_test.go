package explore

import (
	"fmt"
	"strconv"
	"syscall"

	"github.com/aws/smithy-go"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// maxItems is how many items fit into the model of AWS.
const maxItems = 4

// shownWithin is for how many seconds after a change AWS may still show the previous
// state. The reconciler assumes longer.
const shownWithin = 30

// Values of the two settings.
const (
	valueElse = 3 // Of those who change or create something by hand.
)

// someone is the origin, and the owner by tags, of what is foreign.
const someone = 9

// An item is an external resource with a name. Its zero value is none.
type item struct {
	// id is its name.
	id int8

	// origin is the incarnation of our resource that created it, or someone.
	origin int8

	// owner is the incarnation that its tags name, or someone, or 0 without tags.
	owner int8

	// value and secret are its settings.
	value, secret int8
}

func (i item) ours() bool { return i.id != 0 && i.origin != someone }

func (i item) String() string {
	if i.id == 0 {
		return "none"
	}
	return fmt.Sprintf("%s{origin %d, owner %d, value %d, secret %d}", nameOf(i.id), i.origin, i.owner, i.value,
		i.secret)
}

// account is the items in AWS.
type account [maxItems]item

func (a *account) find(id int8) *item {
	for i := range a {
		if id != 0 && a[i].id == id {
			return &a[i]
		}
	}
	return nil
}

func (a *account) add(i item) {
	for n := range a {
		if a[n].id == 0 {
			a[n] = i
			return
		}
	}
	panic("the model of AWS is full")
}

// remove removes an item and closes the gap, so that equal accounts are equal values.
func (a *account) remove(id int8) {
	var left account
	n := 0
	for _, i := range a {
		if i.id != 0 && i.id != id {
			left[n] = i
			n++
		}
	}
	*a = left
}

// aws is the model of AWS.
type aws struct {
	now, before account

	// changed is how many seconds ago before became now, at most shownWithin+1.
	changed int16

	// ids are the names that were given.
	ids int8
}

// change changes the items. The previous ones may be shown for a while.
func (a *aws) change(f func(*account)) {
	a.before = a.now
	f(&a.now)
	a.changed = 0
}

// late reports whether a read may show the previous items.
func (a *aws) late() bool { return a.changed <= shownWithin && a.before != a.now }

// pass advances the time.
func (a *aws) pass(seconds int32) {
	a.changed = int16(min(int32(a.changed)+seconds, shownWithin+1))
	if a.changed > shownWithin {
		a.before = a.now
	}
}

func nameOf(id int8) string { return "item-" + strconv.Itoa(int(id)) }

func idOf(name string) int8 {
	var id int8
	if _, err := fmt.Sscanf(name, "item-%d", &id); err != nil {
		return 0
	}
	return id
}

// The errors of AWS.
var (
	errNotFound = answer("ResourceNotFoundException", "it does not exist", smithy.FaultClient)
	errExists   = answer("ResourceConflictException", "it already exists", smithy.FaultClient)
	errBusy     = answer("ResourceConflictException", "an update is in progress", smithy.FaultClient)
	errThrottle = answer("TooManyRequestsException", "Rate exceeded", smithy.FaultClient)
	errServer   = answer("ServiceException", "it failed", smithy.FaultServer)
	errReset    = errors.Wrap(syscall.ECONNRESET, "read tcp")
)

func answer(code, message string, f smithy.ErrorFault) error {
	return &smithy.GenericAPIError{Code: code, Message: message, Fault: f}
}

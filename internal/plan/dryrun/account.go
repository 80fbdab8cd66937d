package dryrun

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/imageuri"
)

// A Call is a call that was not made, because it would change something.
type Call struct {
	// Operation of AWS, such as UpdateFunctionConfiguration.
	Operation string `json:"operation"`

	// On names what the call changes, such as a function. It is empty if AWS gives the name.
	On string `json:"on,omitempty"`
}

// String returns the operation and what it changes.
func (c Call) String() string { return strings.TrimSuffix(c.Operation+" "+c.On, " ") }

// A Request is a call that a client has made, of any kind.
type Request struct {
	// Service is the SDK's package, such as lambda, and Operation the operation, such as GetFunction.
	Service, Operation string

	// Region of the account.
	Region string

	// Input is the operation's input. It may contain secrets.
	Input any
}

// An Account is an account of AWS in a region, as it would be after the calls that were not made. It is safe for
// concurrent use.
type Account struct {
	base Base

	mu      sync.Mutex
	calls   []Call
	record  func(Request)
	unknown int
	assumed []string
	assumes bool
	numbers map[string]int64
	state   state

	// publishes is the number that PublishAs has set.
	publishes int64
}

// A Base is the initial state of an Account.
type Base struct {
	// Live passes reads to AWS. Otherwise the account is empty.
	Live bool

	// ID, Region and Partition of the account.
	ID, Region, Partition string

	// Now is the clock.
	Now func() time.Time
}

// New returns an account.
func New(b Base) *Account {
	return &Account{base: b, numbers: map[string]int64{}, state: state{
		updated: map[string]bool{}, hashes: map[string]string{}, digests: map[imageuri.Image]string{},
	}}
}

// Calls returns the calls that were not made, in order.
func (a *Account) Calls() []Call {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clip(a.calls) // A call does not change once it is made.
}

// Record sets what receives each call that is made from now on, reads included. Nil receives none.
func (a *Account) Record(record func(Request)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.record = record
}

// Assume sets whether functions, versions and aliases that the account does not know are assumed to exist when they are
// read by their names, if it is not Live.
// Assumed returns their names.
func (a *Account) Assume(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.assumes = on
}

// Assumed returns what was assumed to exist since the last call of Assumed.
func (a *Account) Assumed() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.assumed
	a.assumed = nil
	return out
}

// placeholders match what stands for what AWS makes up: see Account.placeholder.
var placeholders = regexp.MustCompile(`planned-(code|revision|url)-[0-9]+|csc-[0-9]{17}|00000000-0000-4000-8000-[0-9]{12}`)

// Mask replaces each placeholder in a text.
func Mask(text, by string) string { return placeholders.ReplaceAllLiteralString(text, by) }

func notFound() error {
	return &types.ResourceNotFoundException{
		Message: aws.String("The resource you requested does not exist."),
		Type:    aws.String("User"),
	}
}

// placeholder returns a text that stands for what AWS makes up.
func (a *Account) placeholder(format string) string {
	a.unknown++
	return fmt.Sprintf(format, a.unknown)
}

func (a *Account) arn(resource string) string {
	return "arn:" + a.base.Partition + ":lambda:" + a.base.Region + ":" + a.base.ID + ":" + resource
}

// Number sets the number of the version of a function or layer that was published last, so that the next one follows
// it. It has no effect if versions are known, or if the number is not positive.
func (a *Account) Number(name string, last int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last > 1 {
		a.numbers[name+":"] = max(a.numbers[name+":"], last-1)
	}
}

// PublishAs sets the number of the version that is published from now on, unless there is one with it. Later versions
// are not listed until then. 0 means that each version follows the last one.
func (a *Account) PublishAs(number int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.publishes = number
}

// isLater reports whether a version did not exist yet when the one that PublishAs has set was published.
func (a *Account) isLater(number int64) bool { return a.publishes > 0 && number > a.publishes }

// numberOf returns the number of the version of a function or layer that is published, which has the given name and
// versions.
func numberOf[V any](a *Account, name string, versions *table[V]) int64 {
	last := a.numbers[name]
	for k := range versions.rows {
		if number, ok := strings.CutPrefix(k, name); ok {
			last = max(last, atoi(number))
		}
	}
	if _, taken := versions.rows[name+itoa(a.publishes)]; a.publishes > 0 && !taken {
		return a.publishes
	}
	return last + 1
}

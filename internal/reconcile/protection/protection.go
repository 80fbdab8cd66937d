// Package protection decides which deletions wait until a person confirms them: that of a function that was invoked
// recently, and those beyond a limit on how many resources of a config and a namespace are deleted in a window of time.
//
// What it decides depends only on the resource, on the record of deletions that its config has, on what CloudWatch has
// counted and on the time. So a restart of the provider changes no decision.
package protection

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxLimit is the largest limit: the record of the deletions is an annotation.
const maxLimit = 1000

// A Policy selects the deletions that wait for a confirmation. Its zero value selects none.
type Policy struct {
	// InvokedWithin is the time after its last invocation for which the deletion of a function waits. 0 means that it
	// does not.
	InvokedWithin time.Duration

	// Limit is the maximum number of resources of a config that are deleted in a namespace in a window of time.
	Limit Limit
}

// Enabled reports whether any deletion may wait.
func (p Policy) Enabled() bool { return p.InvokedWithin > 0 || p.Limit.Max > 0 }

// A Limit is a number of deletions in a window of time. Its zero value limits nothing.
type Limit struct {
	Max    int
	Window time.Duration
}

// String returns the limit as ParseLimit reads it.
func (l Limit) String() string {
	if l.Max == 0 {
		return ""
	}
	return strconv.Itoa(l.Max) + "/" + Span(l.Window)
}

// ParseLimit reads a limit such as 50/1h. An empty text is no limit.
func ParseLimit(text string) (Limit, error) {
	if text == "" {
		return Limit{}, nil
	}
	count, window, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	w, werr := time.ParseDuration(window)
	switch {
	case err != nil || werr != nil:
		return Limit{}, errors.New("it must be a number and a window of time, such as 50/1h")
	case n < 1 || n > maxLimit:
		return Limit{}, fmt.Errorf("the number must be from 1 to %d", maxLimit)
	case w < time.Minute:
		return Limit{}, errors.New("the window must be at least 1m")
	}
	return Limit{Max: n, Window: w}, nil
}

// Span returns a duration without its zero parts: 1h instead of 1h0m0s.
func Span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

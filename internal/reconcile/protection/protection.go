// Package protection decides which deletions wait until a person confirms them: that of a function that was invoked
// recently, and those beyond a limit on how many resources of a config and a namespace are deleted in a window of time.
//
// What it decides depends only on the resource, on the record of deletions that its config has, on what CloudWatch has
// counted and on the time. So a restart of the provider changes no decision.
package protection

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// maxRecord is the largest record in bytes. All annotations of an object may have 256 KiB. It has room for the
// deletions of 170 namespaces with a limit of 50.
const maxRecord = 200 << 10

// A Record has the deletions of the window by namespace, the oldest first: otherwise one namespace could use up the
// limit of all that share the config.
type Record map[string][]entry

// An entry is a resource that is deleted, and the time at which its deletion was recorded.
type entry struct {
	id string
	at time.Time
}

// idOf returns a short form of a UID, since all entries are in one annotation.
func idOf(uid string) string {
	const size = 6
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:size])
}

// ParseRecord reads a record. It ignores what it cannot read.
func ParseRecord(text string) Record {
	r := Record{}
	for part := range strings.SplitSeq(text, ";") {
		namespace, items, _ := strings.Cut(part, ":")
		for item := range strings.SplitSeq(items, ",") {
			id, at, _ := strings.Cut(item, "@")
			seconds, err := strconv.ParseInt(at, 10, 64)
			if namespace == "" || id == "" || err != nil {
				continue
			}
			r[namespace] = append(r[namespace], entry{id: id, at: time.Unix(seconds, 0).UTC()})
		}
	}
	return r
}

// String returns the record as ParseRecord reads it.
func (r Record) String() string {
	parts := make([]string, 0, len(r))
	for _, namespace := range slices.Sorted(maps.Keys(r)) {
		items := make([]string, 0, len(r[namespace]))
		for _, e := range r[namespace] {
			items = append(items, fmt.Sprintf("%s@%d", e.id, e.at.Unix()))
		}
		parts = append(parts, namespace+":"+strings.Join(items, ","))
	}
	return strings.Join(parts, ";")
}

// size returns the number of bytes of String, or one more.
func (r Record) size() (n int) {
	const perEntry = len("0123456789ab@1800000000,")
	for namespace, entries := range r {
		n += len(namespace) + len(":") + len(entries)*perEntry
	}
	return n
}

// Admit returns the record with a deletion in a namespace, without those before the window, whether the limit allows
// the deletion, and whether it was recorded before, so that the record stays as it is. It does not allow a deletion for
// which the record has no room.
func (r Record) Admit(namespace, uid string, now time.Time, l Limit) (next Record, ok, before bool) {
	id := idOf(uid)
	next = Record{}
	for of, entries := range r {
		for _, e := range entries {
			if now.Sub(e.at) >= l.Window {
				continue
			}
			if of == namespace && e.id == id {
				return r, true, true
			}
			next[of] = append(next[of], e)
		}
	}
	next[namespace] = append(next[namespace], entry{id: id, at: now})
	if len(next[namespace]) > l.Max || next.size() > maxRecord {
		return r, false, false
	}
	return next, true, false
}

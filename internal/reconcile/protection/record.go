package protection

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

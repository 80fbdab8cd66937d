package protection

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// AnnotationRecord is the annotation of a config with the deletions of its resources that were sent without a
// confirmation. It is written before each deletion, so that neither a restart nor another shard of the provider
// exceeds the limit.
const AnnotationRecord = "lambda.aws.m.crossplane.io/recent-deletions"

// A Record has the deletions of the window, the oldest first.
type Record []entry

// An entry is a resource that is deleted, and when its deletion was recorded.
type entry struct {
	uid string
	at  time.Time
}

// ParseRecord reads a record. It ignores what it cannot read.
func ParseRecord(text string) Record {
	var r Record
	for item := range strings.SplitSeq(text, ",") {
		uid, at, _ := strings.Cut(item, "@")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if uid == "" || err != nil {
			continue
		}
		r = append(r, entry{uid: uid, at: time.Unix(seconds, 0).UTC()})
	}
	return r
}

// String returns the record as ParseRecord reads it.
func (r Record) String() string {
	items := make([]string, 0, len(r))
	for _, e := range r {
		items = append(items, e.uid+"@"+strconv.FormatInt(e.at.Unix(), 10))
	}
	return strings.Join(items, ",")
}

// Admit returns the record with a deletion, without those before the window, whether the limit allows the deletion, and
// whether it was recorded before, so that the record stays as it is.
func (r Record) Admit(uid string, now time.Time, l Limit) (next Record, ok, before bool) {
	for _, e := range r {
		if e.uid == uid && now.Sub(e.at) < l.Window {
			return r, true, true
		}
		if now.Sub(e.at) < l.Window {
			next = append(next, e)
		}
	}
	if len(next) >= l.Max {
		return r, false, false
	}
	return append(slices.Clip(next), entry{uid: uid, at: now}), true, false
}

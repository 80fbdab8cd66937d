package listpoll

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// A List is an AWS operation that returns many items of a session, a page at a time.
type List struct {
	// Operation is the AWS operation, such as ListFunctions.
	Operation string

	// PageSize is the largest number of items in a page.
	PageSize int

	// Read reads a page. token is that of the page before, or empty for the first page.
	Read func(ctx context.Context, s *session.Session, token string) (Page, error)
}

// A Page is a part of a list.
type Page struct {
	Items []Item

	// Next is the token of the next page. It is empty if this is the last page.
	Next string
}

// An Item is the entry of a resource in a list.
type Item struct {
	// ID identifies the item in its list, such as the name of a function.
	ID string

	// Revision changes whenever the resource does, such as the RevisionId of a function.
	Revision string

	// Fingerprint is a hash of all else that the list shows of the resource and that is stable while
	// nobody changes it. It is 0 if there is nothing else.
	Fingerprint uint64
}

// A Ref refers to an item of a list and has the revision that was found up to date.
type Ref struct {
	List     *List
	ID       string
	Revision string

	// Unlisted reports whether what the list does not show, such as an object with code, is still the same. What is
	// cached may be as old as f says. Nil means that the list suffices.
	Unlisted func(ctx context.Context, s *session.Session, f readcache.Freshness) bool
}

// Revision returns a revision that consists of several values. It is empty if one of them is missing:
// an emulator may not return it.
func Revision(values ...*string) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		if v == nil || *v == "" {
			return ""
		}
		texts = append(texts, *v)
	}
	return strings.Join(texts, " ")
}

// Fingerprint returns a hash of an item of a list as AWS returns it.
func Fingerprint(item any) uint64 {
	text, err := json.Marshal(item)
	if err != nil {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write(text) // A hash cannot fail.
	return h.Sum64()
}

// Options are the options of a Poller.
type Options struct {
	// Interval is the time within which each item is checked: the poll interval.
	Interval time.Duration

	// MinResources is the minimum number of resources of a list that is read. Zero means DefaultMinResources.
	MinResources int

	// FullReadSpacing is the average time between two full reads of synced resources of a list. The
	// more resources a list has, the longer it takes until each was read in full: their number times
	// the spacing. Zero means DefaultFullReadSpacing.
	FullReadSpacing time.Duration

	// MaxFullReadInterval is the longest time between two full reads of a resource. Zero means
	// DefaultMaxFullReadInterval.
	MaxFullReadInterval time.Duration

	// Breakers keep the poller from calling AWS where it does not answer. Nil admits all calls.
	Breakers *breaker.Breakers

	// Now is the clock.
	Now func() time.Time

	// Log logs panics. The default logs nothing.
	Log logging.Logger
}

// A Poller watches resources by lists. A nil Poller watches nothing. It is safe for concurrent use.
type Poller struct {
	o    Options
	wake chan struct{}

	mu        sync.Mutex
	lists     map[listKey]*list
	resources map[types.UID]*resource
}

// listKey identifies a list of a config. Configs do not share lists, so that nobody sees what others have read.
type listKey struct {
	reader     session.Reader
	definition *List
}

func keyOf(s *session.Session, l *List) listKey { return listKey{reader: s.Reader(), definition: l} }

// A resource is watched by its item.
type resource struct {
	session *session.Session
	ref     Ref

	// readAt is the time when it was last read in full. It is zero if that was before the start.
	readAt time.Time

	// watchedAt is the time from which it is watched.
	watchedAt time.Time

	// fingerprint is the one that the item had when its revision was first found.
	fingerprint uint64

	// notify reconciles the resource. reported is the difference that it was last called for.
	notify   func()
	reported string
}

// A list is the state of a List of a config. Its items are read in rounds. A round begins one
// interval after the round before, so that each item is read once in an interval.
type list struct {
	definition *List

	// session is the last one of the config.
	session *session.Session

	items map[string]*item

	// reading is true while a page is read. nextAt is the time at which the next one is due.
	reading bool
	nextAt  time.Time

	// roundStart is the time when the round began, or zero if none is under way. token is that of the next page, pages
	// counts pages and seen those of the items that they had.
	roundStart  time.Time
	token       string
	pages, seen int

	// punctual reports whether the last round was complete, and this one began one interval after it. scannedAt is the
	// time of the last search for overdue items.
	punctual  bool
	scannedAt time.Time

	// lastPages is the number of pages that the last round had, or at least has: 0 if unknown. countedAt is
	// the time when they were counted.
	lastPages int
	countedAt time.Time

	// differing counts the resources of this round, and lastDiffering those of the last one, for which
	// a full read does not explain what the list shows.
	differing, lastDiffering int

	// failures and denials count failed and denied pages in a row.
	failures, denials int
}

// An item is the entry of a resource in a list, as last read.
type item struct {
	resources   []types.UID
	revision    string
	fingerprint uint64

	// readAt is the time when the read of its page began. It is zero if it was not seen yet.
	readAt time.Time

	// seen is true if the round, or the last one if none is under way, has shown it.
	seen bool
}

package listpoll

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strings"

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

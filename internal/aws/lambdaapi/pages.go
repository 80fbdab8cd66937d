package lambdaapi

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// MostPages is the maximum number of pages of one list. AWS's pages have 50 items and more, and
// no list that the provider reads to its end is nearly as long.
const MostPages = 200

// Pages counts the pages of a list, so that reading ends even if each page names a next one. Its
// zero value is ready to use.
type Pages struct{ read int }

// Next counts a page of a list, and returns an error if there are too many.
func (p *Pages) Next(what string) error {
	if p.read++; p.read > MostPages {
		return fmt.Errorf("the list of %s has more than %d pages, which is more than is read: check that the "+
			"endpoint is AWS's", what, MostPages)
	}
	return nil
}

// A Paginator reads the pages of a list. The SDK's paginators are ones.
type Paginator[P any] interface {
	HasMorePages() bool
	NextPage(ctx context.Context, opts ...func(*lambda.Options)) (*P, error)
}

// Each iterates over the pages of a list. It ends after an error, of which one is that there are too many pages.
func Each[P any](ctx context.Context, what string, list Paginator[P]) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		for pages := (Pages{}); list.HasMorePages(); {
			if err := pages.Next(what); err != nil {
				yield(nil, err)
				return
			}
			if page, err := list.NextPage(ctx); !yield(page, err) || err != nil {
				return
			}
		}
	}
}

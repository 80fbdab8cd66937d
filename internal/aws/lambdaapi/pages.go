package lambdaapi

import (
	"context"
	"fmt"
	"iter"
)

// MostPages is the maximum number of pages of one list. AWS's pages have 50 items and more, and
// no list that the provider reads to its end is nearly as long.
const MostPages = 200

// A Paginator reads the pages of a list with the options O of a service. The SDK's paginators are ones.
type Paginator[P, O any] interface {
	HasMorePages() bool
	NextPage(ctx context.Context, opts ...func(*O)) (*P, error)
}

// Each iterates over the pages of a list. It ends after an error, of which one is that there are too many pages: each
// page may name a next one.
func Each[P, O any](ctx context.Context, what string, list Paginator[P, O]) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		for read := 0; list.HasMorePages(); read++ {
			if read == MostPages {
				yield(nil, fmt.Errorf("the list of %s has more than %d pages, which is more than is read: check that "+
					"the endpoint is AWS's", what, MostPages))
				return
			}
			if page, err := list.NextPage(ctx); !yield(page, err) || err != nil {
				return
			}
		}
	}
}

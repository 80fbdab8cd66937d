package lambdaapi

import "fmt"

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

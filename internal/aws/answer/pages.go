package answer

import "fmt"

// MostPages of one list that are read at a time: those of AWS have 50 items and more, and
// no list that the provider reads whole is nearly as long.
const MostPages = 200

// Pages counts the pages of a list, so that one whose every page names a next comes to an
// end. Its zero value is ready to use.
type Pages struct{ read int }

// Next tells whether another page of what is listed may be read.
func (p *Pages) Next(what string) error {
	if p.read++; p.read > MostPages {
		return fmt.Errorf("the list of %s has more than %d pages, which is more than is read: check that the endpoint is AWS's", what, MostPages)
	}
	return nil
}

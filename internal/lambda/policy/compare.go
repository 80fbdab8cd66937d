package policy

import (
	"fmt"
	"slices"
)

// A Difference is a part of an observed policy that differs from the desired one.
type Difference struct {
	// Part of the policy: Version, Id or Statement[...] with the ID of the statement, or its position if it has none.
	Part string

	// Wanted and Observed are the texts of the part, empty if it is absent.
	Wanted, Observed string
}

// Compare returns the differences between an observed policy and the desired one. AWS may choose
// what the desired policy leaves out of Version, Id, and the IDs of statements.
func Compare(wanted, observed Document) []Difference {
	var found []Difference
	for _, part := range []Difference{
		{Part: "Version", Wanted: wanted.Version, Observed: observed.Version},
		{Part: "Id", Wanted: wanted.ID, Observed: observed.ID},
	} {
		if part.Wanted != "" && part.Wanted != part.Observed {
			found = append(found, part)
		}
	}
	return append(found, compareStatements(wanted.Statements, observed.Statements)...)
}

// compareStatements pairs statements by their IDs, and those without one by their content.
func compareStatements(wanted, observed []Statement) []Difference {
	var found []Difference
	left := slices.Clone(observed)
	take := func(fits func(Statement) bool) (Statement, bool) {
		i := slices.IndexFunc(left, fits)
		if i < 0 {
			return Statement{}, false
		}
		st := left[i]
		left = slices.Delete(left, i, i+1)
		return st, true
	}
	for i, w := range wanted {
		if w.Sid == "" {
			continue
		}
		o, ok := take(func(s Statement) bool { return s.Sid == w.Sid })
		if !ok || o.canonical() != w.canonical() {
			found = append(found, Difference{Part: part(w, i), Wanted: w.Text(), Observed: textIf(o, ok)})
		}
	}
	for i, w := range wanted {
		if w.Sid != "" {
			continue
		}
		if _, ok := take(func(s Statement) bool { s.Sid = ""; return s.canonical() == w.canonical() }); !ok {
			found = append(found, Difference{Part: part(w, i), Wanted: w.Text()})
		}
	}
	for i, o := range left {
		found = append(found, Difference{Part: part(o, len(wanted)+i), Observed: o.Text()})
	}
	return found
}

func textIf(s Statement, ok bool) string {
	if !ok {
		return ""
	}
	return s.Text()
}

func part(s Statement, i int) string {
	if s.Sid != "" {
		return fmt.Sprintf("Statement[%s]", s.Sid)
	}
	return fmt.Sprintf("Statement[%d]", i)
}

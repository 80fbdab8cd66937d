package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// Compare returns the differences between an observed policy and the desired one: of Version, Id, and the statements by
// their IDs, or their positions if they have none. AWS may choose what the desired policy leaves out of Version, Id,
// and the IDs of statements.
func Compare(wanted, observed Document) diff.Changes {
	var found diff.Changes
	for _, p := range []struct{ name, wanted, observed string }{
		{"Version", wanted.Version, observed.Version}, {"Id", wanted.ID, observed.ID},
	} {
		if p.wanted != "" && p.wanted != p.observed {
			found = append(found, change(p.name, p.wanted, p.observed))
		}
	}
	return append(found, compareStatements(wanted.Statements, observed.Statements)...)
}

// shownBefore is the number of bytes that are shown before the first difference of long texts.
const shownBefore = 40

// change returns the change of a part of a policy, whose texts are empty if it is absent. Of long texts that begin
// alike, it shows what follows.
func change(part, wanted, observed string) diff.Change {
	if diff.Short(wanted) == diff.Short(observed) {
		at := 0
		for at < min(len(wanted), len(observed)) && wanted[at] == observed[at] {
			at++
		}
		at = max(at-shownBefore, 0)
		wanted = "..." + strings.ToValidUTF8(wanted[at:], "")
		observed = "..." + strings.ToValidUTF8(observed[at:], "")
	}
	return diff.Change{Path: "policy." + part, Old: diff.Short(observed), New: diff.Short(wanted)}
}

// compareStatements pairs statements by their IDs, and those without one by their content.
func compareStatements(wanted, observed []Statement) diff.Changes {
	var found diff.Changes
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
			found = append(found, change(part(w, i), w.Text(), textIf(o, ok)))
		}
	}
	for i, w := range wanted {
		if w.Sid != "" {
			continue
		}
		if _, ok := take(func(s Statement) bool { s.Sid = ""; return s.canonical() == w.canonical() }); !ok {
			found = append(found, change(part(w, i), w.Text(), ""))
		}
	}
	for i, o := range left {
		found = append(found, change(part(o, len(wanted)+i), "", o.Text()))
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

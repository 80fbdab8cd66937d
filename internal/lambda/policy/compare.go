package policy

import (
	"fmt"
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
	byID, byContent, taken := map[string][]int{}, map[string][]int{}, make([]bool, len(observed))
	for i, o := range observed {
		byID[o.Sid] = append(byID[o.Sid], i)
		o.Sid = ""
		content := o.canonical()
		byContent[content] = append(byContent[content], i)
	}
	take := func(from map[string][]int, key string) (Statement, bool) {
		for len(from[key]) > 0 {
			i := from[key][0]
			if from[key] = from[key][1:]; !taken[i] {
				taken[i] = true
				return observed[i], true
			}
		}
		return Statement{}, false
	}
	for i, w := range wanted {
		if w.Sid == "" {
			continue
		}
		o, ok := take(byID, w.Sid)
		if !ok || o.canonical() != w.canonical() {
			found = append(found, change(part(w, i), w.Text(), textIf(o, ok)))
		}
	}
	for i, w := range wanted {
		if w.Sid != "" {
			continue
		}
		if _, ok := take(byContent, w.canonical()); !ok {
			found = append(found, change(part(w, i), w.Text(), ""))
		}
	}
	left := len(wanted)
	for i, o := range observed {
		if !taken[i] {
			found = append(found, change(part(o, left), "", o.Text()))
			left++
		}
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

package main

import (
	"fmt"
	"slices"
	"strings"
)

// notice returns a list of all components with their licenses, and all texts that must be distributed, each once.
func notice(components []component) []byte {
	var b strings.Builder
	b.WriteString("provider-lambda holds the components below besides its own code, whose license is in LICENSE.\n" +
		"The source of each is the Go module of that name and version, such as from https://proxy.golang.org.\n\n")
	var texts []string
	holders := map[string][]string{}
	for _, c := range components {
		fmt.Fprintf(&b, "%s: %s\n", c, c.expression())
		for _, t := range c.texts {
			if holders[t.content] == nil {
				texts = append(texts, t.content)
			}
			holders[t.content] = append(holders[t.content], fmt.Sprintf("%s: %s", c, t.name))
		}
	}
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(holders[text], "\n"),
			strings.Repeat("-", 80), text)
	}
	return []byte(b.String())
}

// expression returns the component's licenses as an SPDX expression.
func (c component) expression() string { return strings.Join(c.licenses, " AND ") }

// countLicenses returns how many components have each license.
func countLicenses(components []component) string {
	counts := map[string]int{}
	for _, c := range components {
		counts[c.expression()]++
	}
	var all []string
	for expression, n := range counts {
		all = append(all, fmt.Sprintf("%s: %d", expression, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

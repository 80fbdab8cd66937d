// The report command writes the figures of a campaign into docs/reliability.md. Its
// arguments are the file that the flag -campaign.report names, and the page.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

const (
	begin = "<!-- figures: begin -->\n"
	end   = "<!-- figures: end -->\n"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 { //nolint:mnd // As the usage says.
		return errors.New("usage: report FIGURES PAGE")
	}
	all, err := read(args[0])
	if err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Clean(args[1]))
	if err != nil {
		return err
	}
	out, err := insert(string(page), table(all))
	if err != nil {
		return fmt.Errorf("%s: %w", args[1], err)
	}
	return os.WriteFile(filepath.Clean(args[1]), []byte(out), 0o644) //nolint:gosec // Anyone may read it.
}

func read(file string) ([]figures.Figures, error) {
	f, err := os.Open(filepath.Clean(file))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []figures.Figures
	for in := bufio.NewScanner(f); in.Scan(); {
		var one figures.Figures
		if err := json.Unmarshal(in.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b figures.Figures) int { return cmp.Compare(a.Campaign, b.Campaign) })
	return out, nil
}

// table returns the table of all campaigns.
func table(all []figures.Figures) string {
	b := strings.Builder{}
	b.WriteString("| Campaign | Figures | Findings |\n| --- | --- | --- |\n")
	for _, f := range all {
		var parts []string
		for _, what := range slices.Sorted(maps.Keys(f.Figures)) {
			parts = append(parts, fmt.Sprintf("%s %s", thousands(f.Figures[what]), what))
		}
		fmt.Fprintf(&b, "| %s | %s | %d |\n", f.Campaign, strings.Join(parts, ", "), f.Findings)
	}
	return b.String()
}

// thousands formats a number with commas between groups of three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// insert inserts a table between the marks of a page.
func insert(page, table string) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return "", errors.New("there is no line " + strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", errors.New("there is no line " + strings.TrimSpace(end))
	}
	return before + begin + table + end + after, nil
}
